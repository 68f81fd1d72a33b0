"""An event loop whose clock jumps to the next timer instead of waiting for it."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Seconds pass at once whenever nothing else is left to do."""

    def __init__(self) -> None:
        self._now_s = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return self._now_s

    def jump(self, by_s: float) -> None:
        self._now_s += by_s


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:  # no timer is set: a thread has something to say
            return super().select(None)
        ready = super().select(0)
        if not ready:
            self._loop.jump(max(0.0, timeout))
        return ready


def in_virtual_time(work: Coroutine[object, object, T]) -> T:
    """Return the result of a coroutine that runs in a loop of its own."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)
