"""TLS verification of model servers and judges."""

import ssl
import stat
from functools import cache
from pathlib import Path

import httpx


class BadCertificates(ValueError):
    """A file of certificates cannot be used."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path} {problem}")


@cache
def trusted(own: Path | None) -> ssl.SSLContext:
    """Return the rules of our connections: certifi's certificates, none of the environment's.

    They are read once, as that takes 20 ms and every client may use the same.

    Args:
        own: A file of certificates that are trusted as well, as PEM; None for none.

    Raises:
        BadCertificates: the file cannot be used.
    """
    rules = httpx.create_ssl_context(trust_env=False)
    if own is not None:
        _trust(rules, own)
    return rules


def _trust(rules: ssl.SSLContext, path: Path) -> None:
    try:
        rules.load_verify_locations(cadata=certificates_in(path))
    except ssl.SSLError as error:
        raise BadCertificates(path, "holds a certificate that is damaged") from error


@cache
def certificates_in(path: Path) -> str:
    """Return what a file of certificates holds, which is read once.

    Raises:
        BadCertificates: it holds none, or more than that.
    """
    found = _read(path)
    if b"PRIVATE KEY-----" in found:
        raise BadCertificates(path, "holds a private key; it must hold certificates alone")
    if b"CERTIFICATE-----" not in found:
        raise BadCertificates(path, "holds no certificate in PEM")
    return found.decode("ascii", "ignore")  # words stand between


def _read(path: Path) -> bytes:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadCertificates(path, "is no regular file")
        return path.read_bytes()
    except OSError as error:
        raise BadCertificates(path, f"cannot be read: {error.strerror}") from error
