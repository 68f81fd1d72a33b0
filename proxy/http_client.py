"""The HTTP client for model servers and judges: aiohttp, directly or through httpx's interface.

httpx's own transport costs about ten times what aiohttp's does. The `httpx-aiohttp` package
joins the two as well, but it writes the address anew, so that a query may leave in other bytes; it
joins several headers of one name; and it reports a connection that broke as one that took too long
to open. Nothing is added to a request here and nothing is taken from a reply: no header, no cookie,
no redirect, no decoding.
"""

import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NoReturn, cast
from weakref import WeakSet

import aiohttp
import httpx
from aiohttp.client_proto import ResponseHandler
from multidict import CIMultiDict
from yarl import URL

from proxy.certificates import trusted


class StaleConnection(httpx.ReadError):
    """A connection that was idle before had been closed by the server when it was used again."""


class TlsError(httpx.ConnectError):
    """There is no secure connection: nobody vouches for the server, or no rules were agreed on.

    Its words are for the operator: the server's name may be in them.
    """


def raise_as_httpx(error: Exception) -> NoReturn:
    """Raise the error of httpx that says the same as one of aiohttp's or the system's."""
    raise _as_httpx(error) from error


def _as_httpx(error: Exception) -> httpx.TransportError:
    """Return the error of httpx that says the same; no address and no byte of a reply is in it.

    But for `TlsError`, which says for which server a certificate is not.
    """
    name = type(error).__name__
    match error:
        case TimeoutError():
            return httpx.ConnectTimeout(name)
        case aiohttp.ClientSSLError():
            return TlsError(_why_not_secured(error.os_error))
        case aiohttp.ClientConnectorError():
            return httpx.ConnectError(name)
        case aiohttp.InvalidURL():
            return httpx.UnsupportedProtocol(name)
        case aiohttp.ClientResponseError() | aiohttp.ClientPayloadError():
            return httpx.RemoteProtocolError(name)
        case aiohttp.ClientError() | OSError():
            return httpx.ReadError(name)
        case _:
            return httpx.LocalProtocolError(name)


def _why_not_secured(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate verify failed: {error.verify_message}"
    return f"TLS failed: {getattr(error, 'reason', None) or type(error).__name__}"


_LARGE_BODY_BYTES = 64 * 1024
_NOT_ASCII = re.compile(rb"[^\x00-\x7f]")


@dataclass(slots=True)
class HttpRequest:
    """A request in the form in which aiohttp sends it best.

    Attributes:
        address: Where it goes, in the very bytes of its first line.
        body: Its body, empty for none, or the pieces of one as they come.
        connect_s: Longest time to open a connection, looking up the name included; None for any.
    """

    method: str
    address: URL
    headers: CIMultiDict[str]
    body: bytes | AsyncIterable[bytes]
    connect_s: float | None

    @classmethod
    def of(cls, request: httpx.Request) -> "HttpRequest":
        """Return what sends a request of httpx's.

        Its extension ``target`` is what stands in its first line, where the address is not to be
        used; its ``timeout`` for ``connect`` covers looking up the name, too.
        """
        headers = CIMultiDict(
            (name.decode("ascii"), header_text(value))
            for name, value in request.headers.raw
            if name.lower() != b"transfer-encoding"
        )
        stream = request.stream
        target: bytes | None = request.extensions.get("target")
        return cls(
            request.method,
            address_of(request.url, target),
            headers,
            b"".join(stream)
            if isinstance(stream, httpx.ByteStream)
            else cast("httpx.AsyncByteStream", stream),
            request.extensions.get("timeout", {}).get("connect"),
        )


class _Upload:
    """A body in pieces on its way.

    Attributes:
        failure: What broke the stream that they came from.
    """

    def __init__(self, pieces: AsyncIterable[bytes]) -> None:
        self._pieces = pieces
        self.failure: Exception | None = None

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the pieces."""
        try:
            async for piece in self._pieces:
                yield piece
        except Exception as error:
            self.failure = error  # aiohttp would tell of it in words only
            raise


async def _in_pieces(whole: memoryview) -> AsyncGenerator[bytes, None]:
    for start in range(0, len(whole), _LARGE_BODY_BYTES):
        yield bytes(whole[start : start + _LARGE_BODY_BYTES])


def header_text(value: bytes) -> str:
    """Return a header's value so that aiohttp, which writes UTF-8, writes the same bytes.

    One that is not UTF-8 is taken for Latin-1, the older custom.
    """
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def address_of(url: httpx.URL, target: bytes | None = None) -> URL:
    """Return an address as aiohttp takes it.

    Args:
        target: Path and query to ask for there, in these very bytes; None for those of the address.
    """
    if target is None:
        return _whole_address(url)
    # The very bytes, but for those that have no place in an address and are escaped.
    path, _, query = _NOT_ASCII.sub(_escaped, target).decode("ascii").partition("?")
    return URL.build(
        scheme=url.scheme,
        authority=url.netloc.decode("ascii"),
        path=path,
        query_string=query,
        encoded=True,
    )


def _whole_address(url: httpx.URL) -> URL:
    address = f"{url.scheme}://{url.netloc.decode('ascii')}{url.raw_path.decode('ascii')}"
    return URL(address, encoded=True)


def _escaped(found: re.Match[bytes]) -> bytes:
    return b"%%%02X" % found[0][0]


_USED: WeakSet[ResponseHandler] = WeakSet()
"""Connections over which something was asked before."""
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


def is_readable(reply: aiohttp.ClientResponse) -> bool:
    """Tell whether nobody could read another reply in the same bytes."""
    codings = [coding.lower() for coding in reply.headers.getall("Transfer-Encoding", ())]
    if codings not in ([], ["chunked"]):
        return False  # nobody asked for another one, and its body would pass for one without
    return not _CONTROL.search(b"".join(chain.from_iterable(reply.raw_headers)))


class AiohttpResponse(aiohttp.ClientResponse):
    """A reply that is only ever read from a connection on which nothing else stands."""

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        """Read the head of the reply.

        Raises:
            httpx.ReadError: the connection was lost before it.
        """
        protocol, transport = connection.protocol, connection.transport
        if protocol is None or protocol.should_close:
            # Something came while the connection was idle: it would be taken for this reply.
            raise StaleConnection("the connection was not idle")
        is_used = protocol in _USED
        _USED.add(protocol)
        try:
            return await super().start(connection)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            # In this shape aiohttp does not send a request again on its own.
            lost = StaleConnection if is_used else httpx.ReadError
            raise lost("the connection was lost") from error
        except BaseException:
            if transport is not None:
                transport.abort()  # a plain close waits for what has not been sent yet
            raise


class HttpResponse(httpx.AsyncByteStream):
    """A reply, whose body is still on its way: as it was encoded, in pieces as they have come.

    Attributes:
        raw_headers: Its headers in their order, as they came.
    """

    def __init__(self, reply: aiohttp.ClientResponse, let_go: Callable[[], None]) -> None:
        self.status = reply.status
        self.raw_headers = reply.raw_headers
        self._reply = reply
        self._let_go: Callable[[], None] | None = let_go

    def has_come(self) -> bool:
        """Tell whether all of the body has come, read or not."""
        return self._reply.content.is_eof()

    async def read(self) -> bytes:
        """Return what has come of the body since, waiting for it; empty at its end."""
        try:
            return await self._reply.content.readany()
        except (aiohttp.ClientError, OSError) as error:
            raise_as_httpx(error)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while piece := await self.read():
            yield piece

    async def aclose(self) -> None:
        """Let go of the connection; one that is not at its end is cut."""
        connection = self._reply.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()  # not all of it was read, or not all was sent
        self._reply.close()
        if self._let_go is not None:
            self._let_go()
            self._let_go = None


IDLE_KEPT_S = 2.0
"""Seconds that an idle connection is kept: less than servers keep theirs, which is 5 s."""
_LONGEST_HEADER_BYTES = 32 * 1024
_MOST_HEADERS = 256
# Headers that aiohttp would add on its own.
_ADDED = frozenset({"Accept", "Accept-Encoding", "Content-Type", "User-Agent"})


class AiohttpTransport(httpx.AsyncBaseTransport):
    """Connections of one event loop.

    Args:
        most_connections: How many may be in use at once; None for as many as are asked for.
        ca_file: Certificates that are trusted beside the public ones; None for none.
    """

    def __init__(self, most_connections: int | None = None, *, ca_file: Path | None = None) -> None:
        self._most_connections = most_connections
        self._ca_file = ca_file
        self._in_use = 0
        self._session: aiohttp.ClientSession | None = None
        self._is_closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request of httpx's, as `send` does; see `HttpRequest.of` for its extensions."""
        response = await self.send(HttpRequest.of(request))
        return httpx.Response(response.status, headers=response.raw_headers, stream=response)

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Send a request; the body of its reply is still on its way.

        Raises:
            httpx.TransportError: no reply. `httpx.PoolTimeout` says that no connection was free,
                for which nobody waits; `httpx.ReadError` that one was lost before the first byte.
        """
        if self._in_use == self._most_connections:
            raise httpx.PoolTimeout("all connections are in use")
        self._in_use += 1
        try:
            return await self._reply(request)
        except BaseException:
            self._let_go()
            raise

    async def _reply(self, request: HttpRequest) -> HttpResponse:
        given = request.body
        body: bytes | AsyncGenerator[bytes, None] | None
        upload = None
        if not isinstance(given, bytes):
            upload = _Upload(given)
            body = upload.pieces()
        elif len(given) > _LARGE_BODY_BYTES:  # no more of it is copied than the network takes
            request.headers["content-length"] = str(len(given))
            body = _in_pieces(memoryview(given))
        else:
            body = given or None
        try:
            reply = await self._connections().request(
                request.method,
                request.address,
                headers=request.headers,
                data=body,
                allow_redirects=False,
                timeout=_time_to_connect(request.connect_s),
            )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if upload is not None and upload.failure is not None:
                raise upload.failure from None
            raise_as_httpx(error)
        if not is_readable(reply):
            reply.close()
            raise httpx.RemoteProtocolError("odd headers")
        return HttpResponse(reply, self._let_go)

    def _let_go(self) -> None:
        self._in_use -= 1

    async def aclose(self) -> None:
        """Close every connection; no other is opened."""
        self._is_closed = True
        if self._session is not None:
            await self._session.close()

    def _connections(self) -> aiohttp.ClientSession:
        if self._is_closed:
            raise RuntimeError("the connections are closed")
        if self._session is None:  # it belongs to the loop that is running when it is made
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    ssl=trusted(self._ca_file),
                    limit=0,
                    keepalive_timeout=IDLE_KEPT_S,
                    resolver=aiohttp.ThreadedResolver(),  # the system's, whatever is installed
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                response_class=AiohttpResponse,
                skip_auto_headers=_ADDED,
                auto_decompress=False,
                trust_env=False,
                max_line_size=_LONGEST_HEADER_BYTES,
                max_field_size=_LONGEST_HEADER_BYTES,
                max_headers=_MOST_HEADERS,
            )
        return self._session


@lru_cache(maxsize=64)
def _time_to_connect(limit_s: float | None) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, connect=limit_s)
