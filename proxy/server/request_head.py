"""The head of a request: its limits, and the unambiguous reading of its path.

uvicorn's parser is lenient where HTTP is not: it takes versions that nobody speaks, a head of any
length, and what two servers in a row could read differently. Such a request is refused.

Servers read odd paths differently: some decode twice, resolve dots, cut off parameters or mind no
case. A path that two of them may read differently is refused here, before anything is routed or
handed on; what is handed on is spelled anew from the reading that was judged, so that the model
server gets no other path than that one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from unicodedata import normalize
from urllib.parse import quote, unquote_to_bytes

from policies.schema.passing import GUARDED_ENDINGS, UNGUARDED
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
    """The request uses an unsupported version of HTTP."""

    status = 505
    code = "unsupported_http_version"

    def __init__(self) -> None:
        super().__init__("Only HTTP/1.0 and HTTP/1.1 are served.")


class HeadTooLarge(RequestRefused):
    """The request target and the headers together are too large."""

    status = 431
    code = "headers_too_large"

    def __init__(self) -> None:
        super().__init__(f"The headers are larger than {LONGEST_HEAD_BYTES} bytes.")


class RequestTimedOut(RequestRefused):
    """A request did not arrive in time; ``part`` says what is missing."""

    status = 408
    code = "request_timeout"

    def __init__(self, part: str) -> None:
        super().__init__(f"The {part} of the request did not come.")


class TooManyAhead(RequestRefused):
    """The client pipelined more requests on one connection than are kept for it."""

    status = 429
    code = "too_many_ahead"

    def __init__(self) -> None:
        super().__init__("Too many requests ahead of their replies.")


class NoTunnel(RequestRefused):
    """The client asked for a tunnel (CONNECT)."""

    status = 405
    code = "method_not_allowed"
    headers = MappingProxyType({"allow": "GET, HEAD, OPTIONS, POST"})

    def __init__(self) -> None:
        super().__init__("Tunnels are not served.")


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


# What some server somewhere decodes again, takes for a slash or cuts the path at.
_ODD_SIGN = re.compile(r"[%\\;]")
_DOTS = re.compile(r"[.\s]*")
_SIGNS_THAT_MAY_STAND = "/:@!$&'()*+,=~"
_MODEL_API = re.compile(r"(?:/openai|/t/(?P<tenant>[^/]+))?/v1(?P<below>/.*)?")
_CUT = re.compile(r"[?#]")
_WORD = re.compile(r"[\w-]+")
_LONGEST_KEPT_BYTES = 256
"""Of paths whose reading is kept: most requests ask for the same few."""


@dataclass(frozen=True, slots=True)
class ModelPath:
    """A path of the model API: ``/v1/…``, ``/openai/v1/…`` or ``/t/<tenant>/v1/…``.

    Attributes:
        whole: The path as error messages name it.
        tenant: The tenant that it names, if it does.
        below: What follows the version; ``/`` where nothing does.
    """

    whole: str
    tenant: str | None
    below: str

    @property
    def segments(self) -> tuple[str, ...]:
        """The segments of what follows the version."""
        return tuple(self.below[1:].split("/"))


def normal_path(raw: bytes) -> str | None:
    """Return the decoded path, without empty segments and a slash at its end.

    Args:
        raw: The path as it came over the wire, without its query.

    Returns:
        The path, beginning with a slash; None if it can be read in more than one way.
    """
    return _kept(raw) if len(raw) <= _LONGEST_KEPT_BYTES else _read(raw)


def _read(raw: bytes) -> str | None:
    try:
        text = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not text.startswith("/") or not text.isprintable() or _ODD_SIGN.search(text):
        return None
    if normalize("NFKC", text) != normalize("NFC", text):
        return None  # a full-width slash is a slash to some
    segments = [segment for segment in text.split("/") if segment]
    if any(_DOTS.fullmatch(segment) for segment in segments):
        return None
    return "/" + "/".join(segments)


_kept = lru_cache(1024)(_read)


def model_path(path: str) -> ModelPath | None:
    """Return the parts of a path of the model API; None for any other path."""
    found = _MODEL_API.fullmatch(path)
    return ModelPath(path, found["tenant"], found["below"] or "/") if found else None


def spelled_path(path: str) -> str:
    """Spell a decoded path for the wire."""
    return quote(path, safe=_SIGNS_THAT_MAY_STAND)


def ends_guarded(path: str) -> bool:
    """Return whether some server may take a path for one of a guarded endpoint.

    Such a server minds no case, cuts at a decoded ``?`` or ``#`` and takes ``completions.json`` or
    ``completions:stream`` for ``completions``.
    """
    if tuple(path[1:].split("/")) in UNGUARDED:
        return False
    words = [
        word[0]
        for segment in _CUT.split(path)[0].casefold().split("/")
        if (word := _WORD.match(segment.strip()))
    ]
    return bool(words) and words[-1] in GUARDED_ENDINGS
