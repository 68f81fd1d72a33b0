"""The body of a request as it comes, and whether its client is still there."""

import asyncio
from collections.abc import AsyncIterator, Iterable

from litestar.types import Receive

from proxy.errors import RequestTooLarge


class ClientLeft(Exception):
    """The client hung up, so nobody waits for a reply."""


def refuse_length(headers: Iterable[tuple[bytes, bytes]], limit_bytes: int) -> None:
    """Refuse a body that says itself that it is too long, before any of it is read.

    Raises:
        RequestTooLarge: it is.
    """
    said = (value for name, value in headers if name == b"content-length")
    if int(next(said, 0)) > limit_bytes:
        raise RequestTooLarge(limit_bytes)


class Upload:
    """A body that is read piece by piece, up to a limit.

    Attributes:
        ended: Whether all of it has been read.
    """

    def __init__(self, receive: Receive, limit_bytes: int) -> None:
        self.ended = False
        self._receive = receive
        self._limit_bytes = limit_bytes
        self._read_bytes = 0
        self._let_go = asyncio.Event()

    async def piece(self) -> bytes:
        """Return the next piece.

        Raises:
            ClientLeft: the client hung up.
            RequestTooLarge: there is more than the limit.
        """
        message = await self._receive()
        if message["type"] != "http.request":
            raise ClientLeft
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
