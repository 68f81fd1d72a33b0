"""Many traces, judged again in pieces: all of them, in order, and few at a time."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures.process import BrokenProcessPool

import pytest

from policies.schema.loader import load_shipped
from proxy.replay.workers import TRACES_AT_ONCE, WAITING_FOR_EACH, packed, replayed
from proxy.traces.trace import Trace
from tests.fakes.held_executor import HeldExecutor
from tests.proxy.replay.asking import unanswerable
from tests.proxy.traces.making import until

STRICT = packed(load_shipped("strict"))
MANY = 10 * TRACES_AT_ONCE + 3


class Shelf:
    """Gives traces out one by one; `taken` holds their ids."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    async def traces(self, many: int) -> AsyncIterator[Trace]:
        for number in range(many):
            self.taken.append(str(number))
            yield unanswerable(str(number))


async def test_every_trace_comes_back_in_its_order() -> None:
    pool, shelf = HeldExecutor(), Shelf()

    async def all_ids() -> list[str]:
        pieces = replayed(shelf.traces(MANY), STRICT, pool, jobs=2)
        return [one.id async for piece in pieces for one in piece]

    working = asyncio.create_task(all_ids())

    def has_ended() -> bool:
        pool.let_go()
        return working.done()

    await until(has_ended)
    assert working.result() == [str(number) for number in range(MANY)]


async def test_no_more_are_held_than_the_processes_need() -> None:
    pool, shelf = HeldExecutor(), Shelf()
    pieces = replayed(shelf.traces(MANY), STRICT, pool, jobs=2)

    first = asyncio.create_task(anext(pieces))
    await until(lambda: len(pool.waiting) == 2 * WAITING_FOR_EACH)
    for _ in range(100):  # as often as it may want to go on
        await asyncio.sleep(0)

    assert len(pool.waiting) == 2 * WAITING_FOR_EACH
    assert len(shelf.taken) == (2 * WAITING_FOR_EACH + 1) * TRACES_AT_ONCE
    pool.let_go()
    assert [one.id for one in await first] == shelf.taken[:TRACES_AT_ONCE]
    await pieces.aclose()


async def test_whoever_stops_early_cancels_no_work_of_the_pool() -> None:
    pool, shelf = HeldExecutor(), Shelf()
    pieces = replayed(shelf.traces(MANY), STRICT, pool, jobs=1)
    first = asyncio.create_task(anext(pieces))
    await until(lambda: len(pool.waiting) == WAITING_FOR_EACH)

    first.cancel()
    await asyncio.wait({first})

    assert first.cancelled()
    assert [future.cancelled() for future, _ in pool.waiting] == [False] * WAITING_FOR_EACH
    with pytest.raises(StopAsyncIteration):
        await anext(pieces)


async def test_a_pool_that_breaks_ends_it() -> None:
    pool, shelf = HeldExecutor(), Shelf()
    pieces = replayed(shelf.traces(MANY), STRICT, pool, jobs=1)
    first = asyncio.create_task(anext(pieces))
    await until(lambda: len(pool.waiting) == WAITING_FOR_EACH)

    for future, _ in pool.waiting:
        future.set_exception(BrokenProcessPool())

    with pytest.raises(BrokenProcessPool):
        await first


async def test_of_nothing_comes_nothing() -> None:
    pool = HeldExecutor()

    assert [piece async for piece in replayed(Shelf().traces(0), STRICT, pool, jobs=4)] == []
    assert pool.waiting == []
