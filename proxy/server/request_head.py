"""Validation of the head of a request.

The parser below is lenient where HTTP is not: it takes versions that nobody speaks, a head of any
length, and what two servers in a row could read differently. Such a request is refused.
"""

import re
from collections.abc import Mapping, Sequence

from proxy.errors import RequestRefused

LONGEST_HEAD_BYTES = 64 * 1024
_CODING, _HOST = b"transfer-encoding", b"host"
_AROUND_A_HEADER = len(b": \r\n")
_ADDRESS = re.compile(
    rb"https?://(?P<host>(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?)(?P<path>(?:[/?].*)?)",
    re.IGNORECASE | re.DOTALL,
)


class NotHttp(RequestRefused):
    """The request is not HTTP, or is HTTP that two servers could read differently."""

    code = "invalid_http"

    def __init__(self) -> None:
        super().__init__("The request is not valid HTTP.")


class UnknownVersion(RequestRefused):
    """The request is in a version of HTTP that is not served."""

    status = 505
    code = "unsupported_http_version"

    def __init__(self) -> None:
        super().__init__("Only HTTP/1.0 and HTTP/1.1 are served.")


class HeadTooLarge(RequestRefused):
    """The target and the headers together are larger than they may be."""

    status = 431
    code = "headers_too_large"

    def __init__(self) -> None:
        super().__init__(f"The headers are larger than {LONGEST_HEAD_BYTES} bytes.")


class RequestTimedOut(RequestRefused):
    """A request did not come to an end; ``part`` says what of it is missing."""

    status = 408
    code = "request_timeout"

    def __init__(self, part: str) -> None:
        super().__init__(f"The {part} of the request did not come.")


class TooManyAhead(RequestRefused):
    """The client sent more requests ahead of their replies than are kept for it."""

    status = 429
    code = "too_many_ahead"

    def __init__(self) -> None:
        super().__init__("Too many requests ahead of their replies.")


class NoTunnel(RequestRefused):
    """The client asked for a tunnel to somebody else."""

    status = 405
    code = "method_not_allowed"

    def __init__(self) -> None:
        super().__init__("Tunnels are not served.")

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {"allow": "GET, HEAD, OPTIONS, POST"}


def check_head(version: str, target: bytes, headers: Sequence[tuple[bytes, bytes]]) -> None:
    """Refuse what cannot be served, whatever it asks for.

    Args:
        version: Of HTTP.
        target: As it stands in the first line.
        headers: Names in lower case.

    Raises:
        RequestRefused: it cannot be served.
    """
    if version not in ("1.1", "1.0"):
        raise UnknownVersion
    size = len(target)
    hosts = 0
    for name, value in headers:
        size += len(name) + len(value) + _AROUND_A_HEADER
        if name == _HOST:
            hosts += 1
        elif name == _CODING and (version == "1.0" or value.lower() != b"chunked"):
            raise NotHttp  # no other coding is taken off a body here, and HTTP/1.0 has none
    if size > LONGEST_HEAD_BYTES:
        raise HeadTooLarge
    if hosts > 1 or (hosts == 0 and version == "1.1"):
        raise NotHttp


def path_of(target: bytes, headers: list[tuple[bytes, bytes]]) -> bytes:
    """Return the path of a target, with its query.

    A client may name the whole address, as it does where it takes this for a proxy on its way
    there. Then that tells the host, whatever the header says (RFC 9112, 3.2.2). What else is no
    path stays as it is, and leads nowhere.

    Args:
        target: As it stands in the first line.
        headers: Names in lower case; the host of an address takes the place of theirs.
    """
    found = None if target.startswith(b"/") else _ADDRESS.fullmatch(target)
    if found is None:
        return target
    headers[:] = [(_HOST, found["host"]), *(one for one in headers if one[0] != _HOST)]
    path = found["path"]
    return path if path.startswith(b"/") else b"/" + path
