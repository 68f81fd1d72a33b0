"""A caller's connection: prepared bytes out, a reply with its moments back."""

import asyncio
import time
from typing import Self, cast

from tests.bench.heard import Reply
from tests.bench.wire import BrokenMessage, Message

Heard = tuple[int, int, Reply]
"""When a reply began, when it ended, and the reply."""


class Connection(asyncio.Protocol):
    """One connection; ``ask`` makes one request on it."""

    def __init__(self) -> None:
        self._message = Message()
        self._pieces: list[tuple[int, bytes]] = []
        self._first_byte_ns = 0
        self._heard: asyncio.Future[Heard] | None = None
        self.is_open = True
        self.begun = asyncio.Event()
        """The reply has begun."""

    @classmethod
    async def open(cls, port: int) -> Self:
        """Connect.

        Raises:
            OSError: nobody listens.
        """
        return (await asyncio.get_running_loop().create_connection(cls, "127.0.0.1", port))[1]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        self._fail(exc or ConnectionError("closed before the reply's end"))

    def data_received(self, data: bytes) -> None:
        moment_ns = time.monotonic_ns()
        if not self._first_byte_ns:
            self._first_byte_ns = moment_ns
            self.begun.set()
        try:
            words = self._message.feed(data)
        except BrokenMessage as error:
            self._fail(error)
            return
        if words:
            self._pieces.append((moment_ns, words))
        if self._message.done and self._heard and not self._heard.done():
            if self._message.closes:
                self.close()
            reply = Reply(self._message.head, self._pieces)
            self._heard.set_result((self._first_byte_ns, moment_ns, reply))

    async def ask(self, request: bytes) -> Heard:
        """Make one request.

        Raises:
            OSError: the connection ended.
            BrokenMessage: something came that is no reply.
        """
        self._message, self._pieces, self._first_byte_ns = Message(), [], 0
        self.begun.clear()
        self._heard = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._heard

    def close(self) -> None:
        self.is_open = False
        self._transport.close()

    def _fail(self, error: Exception) -> None:
        if self._heard and not self._heard.done():
            self._heard.set_exception(error)
