"""Replies to clients, whole or as streams, sent as ASGI messages, and their end at a shutdown.

Once a shutdown is requested, the service still serves, while `/readyz` tells load balancers to send
no new requests. When the time for it is over, the requests in flight are cancelled: each has time
to tell its client and to record its trace, and for nothing else.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from proxy.errors import GuardProxyError, ServiceStopping

_PIECE_BYTES = 256 * 1024
"""Of a large reply, so that its request lasts until the client has taken nearly all of it."""
EVENT_STREAM = "text/event-stream; charset=utf-8"
KEEP_ALIVE = b": keep-alive\n\n"
"""A comment of a stream, which no client takes for an event."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A reply, ready to be sent."""

    status: int
    headers: Mapping[str, str]
    content_type: str
    body: bytes


def error_reply(error: GuardProxyError) -> HttpReply:
    """Return an error as a client sees it."""
    return HttpReply(error.status, error.headers, "application/json", error.as_body())


async def send_whole(send: Send, reply: HttpReply) -> None:
    """Send a reply of which all is known."""
    headers = {**reply.headers}
    if reply.content_type:  # without one there is no body
        headers["content-type"] = reply.content_type
        headers["content-length"] = str(len(reply.body))
    await send_head(send, reply.status, headers)
    body = reply.body
    last = max(0, len(body) - 1) // _PIECE_BYTES * _PIECE_BYTES
    for start in range(0, last, _PIECE_BYTES):
        await send_piece(send, body[start : start + _PIECE_BYTES], more=True)
    await send_piece(send, body[last:], more=False)


async def send_head(send: Send, status: int, headers: Mapping[str, str]) -> None:
    """Begin a reply; its body follows in pieces."""
    written = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": written})


async def send_piece(send: Send, piece: bytes, *, more: bool) -> None:
    """Send a piece of the body; nothing follows the one without `more`."""
    await send({"type": "http.response.body", "body": piece, "more_body": more})


class Outgoing:
    """Events of a stream in order; those that are put together leave together.

    Whoever sends them waits for a client that reads slowly, and so does the model server then.

    Args:
        send: Takes the messages of the reply.
        head: Tells the headers at the moment when the stream begins.
        keep_alive_s: How long nothing may be said.

    Attributes:
        headers: Those of the model server that go along; set before anything is put.
        begun: The reply has begun: its status is 200 and its form a stream, for good.
    """

    def __init__(
        self, send: Send, head: Callable[[], Mapping[str, str]], keep_alive_s: float
    ) -> None:
        self.headers: Mapping[str, str] = {}
        self.begun = False
        self._send = send
        self._head: Callable[[], Mapping[str, str]] | None = head
        self._keep_alive_s = keep_alive_s
        self._waiting: list[bytes] = []
        self._is_sending = False
        self._said_at_s = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._comment: asyncio.Task[None] | None = None

    def put(self, events: bytes) -> None:
        """Put something that leaves with the next `flush`."""
        if events:
            self.begun = True
            self._waiting.append(events)

    async def flush(self) -> None:
        """Send what was put."""
        if self._waiting:
            await self._leave(more=True)

    async def end(self, last: bytes) -> None:
        """Send what was put and what ends the stream; nothing may be put after that."""
        self._waiting.append(last)
        self.close()
        await self._leave(more=False)

    def keep_alive(self) -> None:
        """Begin to send comments where there is nothing to say for long, until the end."""
        loop = asyncio.get_running_loop()
        self._said_at_s = loop.time()
        self._timer = loop.call_at(self._said_at_s + self._keep_alive_s, self._on_silence)

    def close(self) -> None:
        """Send no more comments."""
        if self._timer is not None:
            self._timer.cancel()

    def let_go(self) -> None:
        """Let go of who tells the headers, once nothing more is sent."""
        self._head = None

    async def _leave(self, *, more: bool) -> None:
        if self._comment is not None:
            await self._comment
        leaving = self._waiting[0] if len(self._waiting) == 1 else b"".join(self._waiting)
        self._waiting.clear()
        await self._say(leaving, more=more)

    async def _say(self, said: bytes, *, more: bool) -> None:
        self._is_sending = True
        if self._head is not None:
            headers = {**self._head(), "content-type": EVENT_STREAM}
            self._head = None
            await send_head(self._send, 200, headers)
        await send_piece(self._send, said, more=more)
        self._is_sending = False
        self._said_at_s = asyncio.get_running_loop().time()

    def _on_silence(self) -> None:
        loop = asyncio.get_running_loop()
        quiet_until_s = self._said_at_s + self._keep_alive_s
        if loop.time() >= quiet_until_s:
            # Who is still sending is not silent: the client reads slowly.
            if not self._is_sending:
                self.begun = True
                self._comment = asyncio.create_task(self._send_comment())
            quiet_until_s = loop.time() + self._keep_alive_s
        self._timer = loop.call_at(quiet_until_s, self._on_silence)

    async def _send_comment(self) -> None:
        with contextlib.suppress(OSError):  # the client is gone; that is noticed elsewhere
            await self._say(KEEP_ALIVE, more=True)
        self._comment = None


class Shutdown:
    """The requests in flight, and their cancellation when the service stops.

    Attributes:
        is_requested: The service was asked to stop.
        deadline_passed: The requests in flight were cancelled.
    """

    def __init__(self) -> None:
        self.is_requested = False
        self.deadline_passed = asyncio.Event()
        self._in_flight: set[asyncio.Task[object]] = set()
        self._cancelled: set[asyncio.Task[object]] = set()

    def request(self) -> None:
        """Note that the service was asked to stop."""
        self.is_requested = True

    def cancel_all(self) -> None:
        """Cancel all requests in flight."""
        self.is_requested = True
        self.deadline_passed.set()
        for task in self._in_flight - self._cancelled:
            self._cancelled.add(task)
            task.cancel()

    def claim_cancellation(self) -> bool:
        """Tell whether `cancel_all` cancelled this task; if so, take the cancellation back.

        True once only, so that the first caller is the one that tells the client.
        """
        task = asyncio.current_task()
        if task is None or task not in self._cancelled:
            return False
        self._cancelled.discard(task)
        self._in_flight.discard(task)
        task.uncancel()
        return True

    def tracked(self, app: ASGIApp) -> ASGIApp:
        """Return the app with each of its requests counted among those in flight."""

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            task = asyncio.current_task()
            if scope["type"] != ScopeType.HTTP or task is None:
                await app(scope, receive, send)
                return
            begun = False

            async def sending(message: Message) -> None:
                nonlocal begun
                begun = True
                if self.is_requested and message["type"] == "http.response.start":
                    # So that load balancers keep no connection which is about to be closed.
                    message["headers"] = [*message["headers"], (b"connection", b"close")]
                await send(message)

            if self.deadline_passed.is_set():
                await send_whole(sending, error_reply(ServiceStopping()))
                return
            self._in_flight.add(task)
            try:
                await app(scope, receive, sending)
            except asyncio.CancelledError:
                if self.claim_cancellation():
                    if not begun:
                        await send_whole(sending, error_reply(ServiceStopping()))
                elif not (begun and self.deadline_passed.is_set()):
                    raise  # else the client does not even read the end of its reply
            finally:
                self._in_flight.discard(task)
                self._cancelled.discard(task)

        return serve
