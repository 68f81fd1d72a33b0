"""A request to the model API: headers, declared content type, and body.

A body that is read here must be JSON in UTF-8: a server that goes by what a header says could read
another body in the same bytes than the one that was judged.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote_plus

from litestar.types import HTTPScope, Receive, Send

from proxy.errors import BadRequest, RequestTooLarge, UnsupportedContent
from proxy.server.request_head import ModelPath
from proxy.services import Services
from proxy.tenants import Tenant
from proxy.upstream.request import encodings_of, joined_headers

_BETWEEN_PARAMETERS = re.compile(b"[&;]")
_JSON, _JSON_SUFFIX = ("application/json", "text/json"), "+json"
_UNCHOSEN = ("", "text/plain", "application/x-www-form-urlencoded", "application/octet-stream")
"""Default content types of clients: curl, fetch, urllib, Java's."""
_CHARSETS = ("utf-8", "utf8", "us-ascii")


# A server that goes by what a header says could read another body in the same bytes than the one
# that was judged.


def refuse_other_content(headers: Iterable[tuple[bytes, bytes]], *, as_said: bool = False) -> None:
    """Refuse a body that is not said to be what it is read as; one that says nothing is believed.

    Args:
        headers: Names in lower case.
        as_said: It travels on as what it is said to be, and not as JSON. Else it says nothing with
            what clients say when nobody told them.

    Raises:
        UnsupportedContent: it is said to be something else, or to be compressed.
    """
    for name, value in headers:
        if name == b"content-type":
            said = value.decode("latin-1")
            if not _fits(said, as_said=as_said):
                raise UnsupportedContent("content-type", said)
        elif name == b"content-encoding" and encodings_of(value.decode("latin-1")):
            raise UnsupportedContent("content-encoding", value.decode("latin-1"))


def refuse_model_in_query(query: bytes) -> None:
    """Refuse a query that names a model, which some server might prefer to the one in the body.

    Raises:
        BadRequest: it does.
    """
    names = (part.partition(b"=")[0] for part in _BETWEEN_PARAMETERS.split(query))
    if any(unquote_plus(name.decode("latin-1")).casefold() == "model" for name in names):
        raise only_in_json()


def only_in_json() -> BadRequest:
    """Return the refusal of a model that is named elsewhere than in JSON."""
    return BadRequest(
        "This key is limited to a list of models, so a model can be named in a JSON body only.",
        "model",
    )


def _fits(content_type: str, *, as_said: bool) -> bool:
    kind, *parameters = content_type.lower().split(";")
    kind = kind.strip()
    is_json = kind in _JSON or kind.endswith(_JSON_SUFFIX)
    is_one = is_json or (kind in _UNCHOSEN and not as_said)
    return is_one and all(charset in _CHARSETS for charset in _charsets(parameters))


def _charsets(parameters: Iterable[str]) -> Iterator[str]:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "charset":
            yield value.strip().strip('"')


class ClientDisconnected(Exception):
    """The client disconnected, so nobody waits for a reply."""


def refuse_length(headers: Iterable[tuple[bytes, bytes]], limit_bytes: int) -> None:
    """Refuse a body that says itself that it is too long, before any of it is read.

    Raises:
        RequestTooLarge: it is.
    """
    said = (value for name, value in headers if name == b"content-length")
    if int(next(said, 0)) > limit_bytes:
        raise RequestTooLarge(limit_bytes)


class Upload:
    """A body that is read piece by piece, up to a limit."""

    def __init__(self, receive: Receive, limit_bytes: int) -> None:
        self.ended = False
        self._receive = receive
        self._limit_bytes = limit_bytes
        self._read_bytes = 0
        self._let_go = asyncio.Event()

    async def piece(self) -> bytes:
        """Return the next piece.

        Raises:
            ClientLeft: the client disconnected.
            RequestTooLarge: there is more than the limit.
        """
        message = await self._receive()
        if message["type"] != "http.request":
            raise ClientDisconnected
        piece = message["body"]
        self._read_bytes += len(piece)
        if self._read_bytes > self._limit_bytes:
            raise RequestTooLarge(self._limit_bytes)
        if not message["more_body"]:
            self.ended = True
            self.let_go()
        return piece

    async def rest(self, first: bytes = b"") -> AsyncIterator[bytes]:
        """Yield a piece that was read already, and all others; raises as `piece` does."""
        yield first
        while not self.ended:
            yield await self.piece()

    async def whole(self) -> bytes:
        """Return everything; raises as `piece` does."""
        first = await self.piece()
        return first if self.ended else b"".join([piece async for piece in self.rest(first)])

    def let_go(self) -> None:
        """Say that nobody will ask for another piece."""
        self._let_go.set()

    async def hang_up(self) -> None:
        """Return when the client is gone; waits until the body was let go."""
        await self._let_go.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """A request on its way to its endpoint.

    Attributes:
        scope: The request's head, as the web server read it.
        own_methods: Methods of the endpoint of our own at that path; none where there is none.
    """

    services: Services
    scope: HTTPScope
    path: ModelPath
    tenant: Tenant
    caller_key: str | None
    own_methods: frozenset[str]

    @property
    def headers(self) -> dict[str, str]:
        """The headers by their names in lower case; several of one name as one list."""
        return joined_headers(self.scope["headers"])


@dataclass(frozen=True, slots=True)
class Route:
    """Something that serves requests.

    Attributes:
        serve: Serves one; may raise `GuardProxyError` before it has sent anything.
        takes_x_api_key: The key may also come in `x-api-key`.
    """

    name: str
    serve: Callable[[ApiRequest, Receive, Send], Awaitable[None]]
    takes_x_api_key: bool = False
