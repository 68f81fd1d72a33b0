"""Judges any number of traces again, in several processes, holding only few of them at a time."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import Executor

from proxy.rejudging.comparing import Compared, compare_all
from proxy.traces.trace import Trace

TRACES_AT_ONCE = 8
"""How many traces go to a process together."""
WAITING_FOR_EACH = 3
"""How many such pieces are under way for each process, so that none waits for work."""


async def replayed(
    traces: AsyncIterator[Trace], policy: bytes, pool: Executor, *, jobs: int
) -> AsyncGenerator[list[Compared], None]:
    """Yield what another policy makes of each trace, some at a time and in their order.

    Whoever stops early ends the pool: what is under way there then is left alone.

    Args:
        traces: The traces.
        policy: The other policy, packed.
        pool: Where they are judged again.
        jobs: How many processes that is.
    """
    loop = asyncio.get_running_loop()
    under_way: deque[asyncio.Future[list[Compared]]] = deque()
    try:
        async for piece in _pieces(traces):
            if len(under_way) >= jobs * WAITING_FOR_EACH:
                yield await _first_of(under_way)
            under_way.append(loop.run_in_executor(pool, compare_all, policy, piece))
        while under_way:
            yield await _first_of(under_way)
    finally:
        for work in under_way:
            work.add_done_callback(_forget)


async def _first_of(under_way: deque[asyncio.Future[list[Compared]]]) -> list[Compared]:
    await asyncio.wait([under_way[0]])  # which does not cancel it, as awaiting itself would
    return under_way.popleft().result()


def _forget(work: asyncio.Future[list[Compared]]) -> None:
    """Take note of how work ended, so that nobody is told of a failure that was missed."""
    if not work.cancelled():
        work.exception()


async def _pieces(traces: AsyncIterator[Trace]) -> AsyncIterator[list[Trace]]:
    piece: list[Trace] = []
    async for trace in traces:
        piece.append(trace)
        if len(piece) == TRACES_AT_ONCE:
            yield piece
            piece = []
    if piece:
        yield piece
