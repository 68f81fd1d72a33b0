"""The process in which drafts are read and tried, so that none can keep requests waiting.

A draft may take long to read and its guards long to run; one that takes too long is ended together
with its process, and the next one starts another.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from typing import TypeVar, TypeVarTuple, Unpack

from proxy.logs import logger
from proxy.rejudging.process import Workers

log = logger(__name__)

Given = TypeVarTuple("Given")
Made = TypeVar("Made")


MOST_WAITING = 3


class TookTooLong(Exception):
    """A piece of work was not done in time."""


class Crowded(Exception):
    """Too much work waits already."""


class Workshop:
    """Does one piece of work after the other in a process of its own."""

    def __init__(self) -> None:
        self._process: Workers | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def done(
        self, within_s: float, work: Callable[[Unpack[Given]], Made], *args: *Given
    ) -> Made:
        """Return what a piece of work comes to.

        Args:
            within_s: Time that it may take, in seconds; starting the process is not counted.
            work: A function of a module.
            args: What it takes; it travels to the process and back.

        Raises:
            TookTooLong: it did not end in time, or broke the process.
            Crowded: several pieces wait for their turn already.
        """
        async with self._its_turn():
            process = self._process = self._process or Workers.start(1)
            loop = asyncio.get_running_loop()
            try:
                await loop.run_in_executor(process.pool, os.getpid)  # it has started
                working = loop.run_in_executor(process.pool, work, *args)
                done, _ = await asyncio.wait({working}, timeout=within_s)
                if done:
                    return working.result()
            except BrokenProcessPool:
                self.close()
                raise TookTooLong from None
            log.warning("draft.took_too_long", within_s=within_s)
            self.close()
            await asyncio.wait({working})
            working.exception()  # it broke, as it was meant to
            raise TookTooLong

    @asynccontextmanager
    async def _its_turn(self) -> AsyncGenerator[None, None]:
        if self._waiting >= MOST_WAITING:
            raise Crowded
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turn.release()

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.end()
            self._process = None
