"""HTTP as clients speak it to us: uvicorn's protocol over httptools, without its traps.

As it comes, it loses the body of a request that offers to change the protocol (as Java's client
does with every first one), answers what is not HTTP in plain text, in the middle of another reply
if need be, reads a head of any length, and waits for ever for a request that is never finished.
"""

import asyncio
from http import HTTPStatus
from urllib.parse import unquote

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from proxy.errors import error_json

LONGEST_HEAD_BYTES = 64 * 1024
_LINGER_S = 1.0
"""How long a refused client is listened to: hung up on at once, it would lose the refusal."""
_UPGRADE, _CODING = b"upgrade", b"transfer-encoding"


class HttpProtocol(HttpToolsProtocol):
    """One connection of a client."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, object],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._is_in_head = False
        self._parts = 0
        self._unfinished_bytes = 0
        self._heard_at = self.loop.time()
        self._served: RequestResponseCycle | None = None
        self._is_refused = False

    def data_received(self, data: bytes) -> None:
        """Take in what the client sent."""
        if self._is_refused:
            return
        self._unset_keepalive_if_required()
        if not self._is_in_head:
            self._heard_at = self.loop.time()
        parts = self._parts
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            self._decline_upgrade(data[offer.args[0] :])
        except httptools.HttpParserError:
            self.refuse(HTTPStatus.BAD_REQUEST, "The request is not valid HTTP.")
        # A head, or what stands around and behind the pieces of a body: the parser keeps it all.
        is_unfinished = parts == self._parts
        self._unfinished_bytes = self._unfinished_bytes + len(data) if is_unfinished else 0
        if self._unfinished_bytes > LONGEST_HEAD_BYTES and not self._is_refused:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            self.refuse(status, f"The headers are larger than {LONGEST_HEAD_BYTES} bytes.")

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._is_in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Begin to serve a request."""
        self._is_in_head = False
        self._parts += 1
        if self.parser.should_upgrade():
            return
        if any(name == _CODING and value.lower() != b"chunked" for name, value in self.headers):
            raise ValueError  # no other coding is taken off a body here: the request is invalid
        super().on_headers_complete()
        # The target as it stands in the request; uvicorn would serve `/a` for `http://b.test/a#c`.
        path, _, self.scope["query_string"] = self.url.partition(b"?")
        self.scope["raw_path"], self.scope["path"] = path, unquote(path.decode("ascii"))
        self.headers = []  # what follows a body sent in chunks is no header of the request

    def on_body(self, body: bytes) -> None:
        """Take in a piece of a body."""
        self._parts += 1
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that all of a request has come."""
        self._parts += 1
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def end_if_slow(self, limit_s: float) -> None:
        """Give up a client that takes too long.

        Args:
            limit_s: For the whole head of a request, and between two pieces of a body.
        """
        if self.loop.time() - self._heard_at <= limit_s or self._is_refused:
            return
        under_way = self._under_way()
        if under_way is not None:
            if under_way.more_body and not self.flow.read_paused:
                self.refuse(HTTPStatus.REQUEST_TIMEOUT, "The body of the request did not come.")
        elif self._is_in_head:
            self.refuse(HTTPStatus.REQUEST_TIMEOUT, "The head of the request did not come.")
        else:
            # Nothing was asked yet, or a reply is not followed by a request: what else a client
            # said stopped the clock by which idle connections are closed.
            self.transport.close()

    def on_response_complete(self) -> None:
        """Wait for the next request, or serve one that has come already."""
        self._heard_at = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell those who serve this client that it is gone, also where it asked ahead."""
        self._give_up()
        super().connection_lost(exc)

    def refuse(self, status: HTTPStatus, message: str) -> None:
        """Answer what cannot be served, and hang up; a reply that has begun is cut."""
        self._is_refused = True
        under_way = self._under_way()
        self._give_up()
        if under_way is not None and under_way.response_started:
            self.transport.close()
            return
        self._answer(status, error_json(message, kind="invalid_request_error"))
        self.transport.write_eof()
        self.flow.resume_reading()
        self.loop.call_later(_LINGER_S, self.transport.close)

    def _answer(self, status: HTTPStatus, body: bytes) -> None:
        headers = [
            *self.server_state.default_headers,
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
        ]
        lines = [b"HTTP/1.1 %d %b" % (status, status.phrase.encode())]
        lines += [b"%b: %b" % header for header in headers]
        self.transport.write(b"\r\n".join([*lines, b"", body]))

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
        super()._start_asgi_task(cycle, app)

    def _decline_upgrade(self, rest: bytes) -> None:
        """Serve a request that offers another protocol as if it did not; `rest` follows its head.

        The parser stands still at the end of the head, for what comes next would be up to the other
        protocol. So the request is read again from its beginning, without the offer.
        """
        if self.parser.get_method() == b"CONNECT":
            self.refuse(HTTPStatus.METHOD_NOT_ALLOWED, "Tunnels are not served.")
            return
        version = self.parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, version)]
        lines += [b"%b: %b" % header for header in self.headers if header[0] != _UPGRADE]
        self.parser = httptools.HttpRequestParser(self)
        self.data_received(b"\r\n".join([*lines, b"", rest]))
