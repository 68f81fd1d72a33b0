"""uvicorn's HTTP protocol over httptools, with stricter parsing and its own limits.

On its own it loses the body of a request that offers to change the protocol (as Java's client does
with every first one), answers what is not HTTP in plain text, in the middle of another reply if
need be, reads a head of any length, waits for ever for a request that is never finished, and sends
chunks to clients that speak HTTP/1.0.

This is the only module that uses private parts of uvicorn. Any release may change them, so
pyproject.toml pins one, and `tests/proxy/wire/test_uvicorn_parts.py` names each part.
"""

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import cast
from urllib.parse import unquote

import httptools
from uvicorn._types import (
    ASGI3Application,
    ASGIReceiveCallable,
    ASGISendCallable,
    ASGISendEvent,
    Scope,
)
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from proxy.errors import GuardProxyError, Overloaded
from proxy.server.client_limits import (
    ConnectionLimiter,
    DownloadRate,
    UploadRate,
    unread_bytes,
    untaken_bytes,
)
from proxy.server.request_head import (
    LONGEST_HEAD_BYTES,
    HeadTooLarge,
    NotHttp,
    NoTunnel,
    RequestTimedOut,
    TooManyAhead,
    check_head,
    path_of,
)

Headers = Sequence[tuple[bytes, bytes]]


def _nothing() -> None:
    pass


class ClientConnection:
    """A connection as who replies on it sees it.

    The head of a reply leaves together with what follows it at once, in one call of the system. Who
    closes it hangs up with manners.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        close: Callable[[], None],
        soon: Callable[[Callable[[], None]], object],
    ) -> None:
        self.is_closing = transport.is_closing
        self._transport = transport
        self._close = close
        self._soon = soon
        self._begins = False
        self._head = b""

    def begin(self) -> None:
        """Expect a reply: what is written next is its head."""
        self._begins = True

    def write(self, said: bytes) -> None:
        """Write the next piece of a reply."""
        if self._begins:
            self._begins, self._head = False, said
            self._soon(self._flush)
        elif self._head:
            head, self._head = self._head, b""
            self._transport.writelines((head, said))
        else:
            self._transport.write(said)

    def close(self) -> None:
        """Hang up, once all that was written is on its way."""
        self._flush()
        self._close()

    def let_go(self) -> None:
        """Forget whom it belongs to: nothing is written or closed any more."""
        self._head, self._close = b"", _nothing

    def _flush(self) -> None:
        head, self._head = self._head, b""
        if head and not self.is_closing():
            self._transport.write(head)


def last_reply(error: GuardProxyError, default_headers: Headers) -> bytes:
    """Return the reply of a failure after which the connection is closed."""
    status, body = HTTPStatus(error.status), error.as_body()
    headers = [
        *((name.encode(), value.encode()) for name, value in error.headers.items()),
        *default_headers,
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
    ]
    return message(b"HTTP/1.1 %d %b" % (status, status.phrase.encode()), headers, body)


def message(first_line: bytes, headers: Headers, body: bytes) -> bytes:
    """Return a message of HTTP/1: a request or a reply."""
    lines = [first_line, *(b"%b: %b" % header for header in headers)]
    return b"\r\n".join([*lines, b"", body])


def without_chunks(cycle: RequestResponseCycle, app: ASGI3Application) -> ASGI3Application:
    """Return the app with each piece of its replies sent as it is."""

    async def serve(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        is_counted = True

        async def plainly(message: ASGISendEvent) -> None:
            nonlocal is_counted
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _ in message.get("headers", ())}
                is_counted = b"content-length" in names
                if not is_counted:
                    cycle.chunked_encoding = False
            elif message["type"] == "http.response.body" and not is_counted:
                cycle.expected_content_length = len(message.get("body", b""))
            await send(message)

        await app(scope, receive, plainly)

    return serve


_LINGER_S = 1.0
"""Seconds for which a refused client is read: closed at once, it would lose the refusal."""
_MOST_LINGERED = 10
"""Most such periods, while it goes on sending what nobody reads."""
_MOST_AHEAD = 32
"""Requests that a client may send ahead of their replies; each is more than its few bytes here."""
_UPGRADE = b"upgrade"


class HttpProtocol(HttpToolsProtocol):
    """One connection of a client."""

    # With these among uvicorn's own, all of them would take a table of 1.5 KB.
    __slots__ = (
        "_body",
        "_connections",
        "_heard_at",
        "_is_heard",
        "_is_in_head",
        "_is_refused",
        "_parts",
        "_served",
        "_taking",
        "_unfinished_bytes",
        "_wire",
    )

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        connections: ConnectionLimiter,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._connections = connections
        self._body = UploadRate(self.loop.time)
        self._taking = DownloadRate(self.loop.time)
        self._is_in_head = False
        self._parts = 0
        self._unfinished_bytes = 0
        self._heard_at = self.loop.time()
        self._served: RequestResponseCycle | None = None
        self._is_refused = False
        self._is_heard = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let a client in, if there is room."""
        super().connection_made(transport)
        self._wire = ClientConnection(transport, self._hang_up, self.loop.call_soon)
        if self._connections.admit(self):
            return
        if self._connections.has_room_to_refuse:
            self._dismiss(Overloaded("connections"))
        else:
            self._is_refused = True
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take in what the client sent."""
        if self._is_refused:
            self._is_heard = True
            return
        self._unset_keepalive_if_required()
        if not self._is_in_head:
            self._heard_at = self.loop.time()
        parts = self._parts
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            self._decline_upgrade(data[offer.args[0] :])
        except httptools.HttpParserError as error:
            why = error.__context__
            self.refuse(why if isinstance(why, GuardProxyError) else NotHttp())
        # A head, or what stands around and behind the pieces of a body: the parser keeps it all.
        is_unfinished = parts == self._parts
        self._unfinished_bytes = self._unfinished_bytes + len(data) if is_unfinished else 0
        if self._unfinished_bytes > LONGEST_HEAD_BYTES and not self._is_refused:
            self.refuse(HeadTooLarge())

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._is_in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Begin to serve a request."""
        self._is_in_head = False
        self._parts += 1
        self._body.begin()
        if self.parser.should_upgrade():
            return
        if len(self.pipeline) >= _MOST_AHEAD:
            raise TooManyAhead
        check_head(self.parser.get_http_version(), self.url, self.headers)
        self.url = path_of(self.url, self.headers)
        super().on_headers_complete()
        self.cycle.transport = cast("asyncio.Transport", self._wire)
        # The target as it stands in the request; uvicorn would serve `/a` for `/a#c`.
        path, _, self.scope["query_string"] = self.url.partition(b"?")
        self.scope["raw_path"], self.scope["path"] = path, unquote(path.decode("ascii"))
        self.headers = []  # what follows a body sent in chunks is no header of the request

    def on_body(self, body: bytes) -> None:
        """Take in a piece of a body."""
        self._parts += 1
        self._body.take(len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that all of a request has come."""
        self._parts += 1
        self._body.end()
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def end_if_slow(self) -> None:
        """Give up a client that takes too long."""
        limits = self._connections.limits
        if self._taking.stalls(self._kept_waiting_bytes, limits.send_s):
            self.transport.abort()
            return
        if self.flow.read_paused:  # it is not the client that is slow
            self._body.pause()
            self._heard_at = self.loop.time()
            return
        is_late = self.loop.time() - self._heard_at > limits.request_s
        if self._is_refused or not (is_late or self._body.is_too_slow(limits.request_s)):
            return
        under_way = self._under_way()
        if under_way is not None:
            if under_way.more_body:
                self.refuse(RequestTimedOut("body"))
        elif self._is_in_head:
            self.refuse(RequestTimedOut("head"))
        elif self.timeout_keep_alive_task is None:
            # Nothing was asked yet, or a reply is not followed by a request: what else a client
            # said stopped the clock by which idle connections are closed.
            self.transport.close()

    def resume_writing(self) -> None:
        """Write on: the client has taken most of what waited."""
        self._taking.take()
        super().resume_writing()

    def on_response_complete(self) -> None:
        """Wait for the next request, or serve one that has come already."""
        self._heard_at = self.loop.time()
        self._connections.mark_idle(self)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell those who serve this client that it is gone, also where it asked ahead."""
        self._give_up()
        self._connections.remove(self)
        super().connection_lost(exc)
        self._wire.let_go()

    @property
    def is_idle(self) -> bool:
        """True if nothing is in transit: no unread request, no unfinished reply."""
        return not (self.transport.get_write_buffer_size() or unread_bytes(self.transport))

    def close_idle(self) -> None:
        """Close a connection on which nothing is being served."""
        self.transport.close()

    def refuse(self, error: GuardProxyError) -> None:
        """Answer what cannot be served, and hang up; a reply that has begun is cut."""
        under_way = self._under_way()
        self._give_up()
        if under_way is not None and under_way.response_started:
            self._is_refused = True
            self.transport.close()
            return
        self._dismiss(error)

    def _dismiss(self, error: GuardProxyError) -> None:
        self.transport.write(last_reply(error, self.server_state.default_headers))
        self._part()

    def _hang_up(self) -> None:
        """Close the connection after a reply; a request that is still on its way is let end."""
        served = self._served
        if served is not None and served.response_complete and served.more_body:
            self._part()
        else:
            self.transport.close()

    def _part(self) -> None:
        """Say nothing more, and close the connection once the client has had time to hear all."""
        self._is_refused = True
        if self.transport.is_closing():
            return
        self.transport.write_eof()
        self.flow.resume_reading()
        self._linger(_MOST_LINGERED)

    def _linger(self, most: int) -> None:
        self._is_heard = False
        self.loop.call_later(_LINGER_S, self._end_lingering, most - 1)

    def _end_lingering(self, most: int) -> None:
        if self._is_heard and most and not self.transport.is_closing():
            self._linger(most)
        else:
            self.transport.close()

    @property
    def _kept_waiting_bytes(self) -> int:
        """Bytes that the client has yet to read before anything else can go on."""
        if self._under_way() is not None and not self.flow.write_paused:
            return 0
        return untaken_bytes(self.transport)

    def _under_way(self) -> RequestResponseCycle | None:
        """Return the request that is served at this moment."""
        served = self._served
        return None if served is None or served.response_complete else served

    def _give_up(self) -> None:
        under_way = self._under_way()
        if under_way is not None:
            under_way.disconnected = True
            under_way.message_event.set()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._served = cycle
        self._wire.begin()
        self._connections.mark_busy(self)
        is_old = cycle.scope["http_version"] == "1.0"
        super()._start_asgi_task(cycle, without_chunks(cycle, app) if is_old else app)

    def _decline_upgrade(self, rest: bytes) -> None:
        """Serve a request that offers another protocol as if it did not; `rest` follows its head.

        The parser stands still at the end of the head, for what comes next would be up to the other
        protocol. So the request is read again from its beginning, without the offer.
        """
        if self.parser.get_method() == b"CONNECT":
            self.refuse(NoTunnel())
            return
        version = self.parser.get_http_version().encode()
        first_line = b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, version)
        headers = [header for header in self.headers if header[0] != _UPGRADE]
        self.parser = httptools.HttpRequestParser(self)
        self.data_received(message(first_line, headers, rest))
