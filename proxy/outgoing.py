"""A reply on its way to a client piece by piece, from the job that makes it to who sends it."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from proxy.openai_api.sse import KEEP_ALIVE

MOST_WAITING = 32
"""Pieces that wait for a client which reads slowly; then the model server waits too."""


class Outgoing:
    """Pieces of a stream in order; the one who makes them never runs far ahead.

    Attributes:
        headers: Those of the model server that go along; set before anything is sent.
        begun: The reply has begun: its status is 200 and its form a stream, for good.
    """

    def __init__(self) -> None:
        self.headers: Mapping[str, str] = {}
        self.begun = asyncio.Event()
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue(MOST_WAITING)

    async def send(self, piece: bytes) -> None:
        """Send a piece, as soon as there is room for it."""
        if piece:
            self.begun.set()
            await self._waiting.put(piece)

    async def pieces(
        self, making: "asyncio.Task[Any]", keep_alive_s: float
    ) -> AsyncGenerator[bytes, None]:
        """Yield the pieces until their job is done, and comments while there is nothing to say.

        Args:
            making: The job.
            keep_alive_s: How long nothing may be said.
        """
        getting = asyncio.create_task(self._waiting.get())
        try:
            while True:
                await asyncio.wait(
                    {making, getting}, timeout=keep_alive_s, return_when=asyncio.FIRST_COMPLETED
                )
                if getting.done():
                    yield getting.result()
                    getting = asyncio.create_task(self._waiting.get())
                elif making.done():
                    getting.cancel()
                    while not self._waiting.empty():
                        yield self._waiting.get_nowait()
                    return
                else:
                    yield KEEP_ALIVE
        finally:
            getting.cancel()
