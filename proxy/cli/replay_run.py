"""Goes through the stored requests, with a progress bar on a terminal."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from math import ceil

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from policies.schema.loader import LoadedPolicy
from proxy.cli.output import err
from proxy.rejudging.comparing import Compared
from proxy.rejudging.process import Workers, packed
from proxy.rejudging.replaying import TRACES_AT_ONCE, replayed
from proxy.rejudging.totals import Totals
from proxy.settings import Settings
from proxy.traces.opening import open_store
from proxy.traces.query import Query
from proxy.traces.store import TraceStore, walk
from proxy.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be judged again, and how.

    Attributes:
        loaded: The policy to judge by.
        query: Which requests.
        limit: At most so many; None for all.
        jobs: In how many processes.
    """

    loaded: LoadedPolicy
    query: Query
    limit: int | None
    jobs: int


def perform(plan: Plan, settings: Settings, totals: Totals) -> bool:
    """Judge requests again and add them up; return False if somebody interrupted it.

    Args:
        plan: What to do.
        settings: Name the store.
        totals: Holds what is known by then, also if it was interrupted.

    Raises:
        TraceStoreAway: the store cannot be used.
        UnknownSchema: it is of another version of the proxy.
        BrokenProcessPool: a process ended by itself.
    """
    try:
        asyncio.run(_interruptible(plan, settings, totals))
    except KeyboardInterrupt:
        return False
    return True


async def _interruptible(plan: Plan, settings: Settings, totals: Totals) -> None:
    # The Redis client now and then swallows a cancellation, so the end is not left to one.
    working = asyncio.create_task(_go_through(plan, settings, totals))
    try:
        await asyncio.wait({working})
    finally:
        working.cancel()
        await asyncio.wait({working}, timeout=1)
    working.result()


async def _go_through(plan: Plan, settings: Settings, totals: Totals) -> None:
    async with open_store(settings) as store:
        many = await store.count(plan.query)
        many = min(many, plan.limit or many)
        jobs = min(plan.jobs, ceil(many / TRACES_AT_ONCE))
        if not jobs:
            return
        workers = Workers.start(jobs)
        try:
            traces = _first(store, plan.query, plan.limit)
            policy = packed(plan.loaded)
            async with aclosing(replayed(traces, policy, workers.pool, jobs=jobs)) as pieces:
                await _add_up(pieces, many, totals)
        finally:
            workers.end()


async def _add_up(pieces: AsyncIterator[list[Compared]], expected: int, totals: Totals) -> None:
    with _progress() as progress:
        bar = progress.add_task("", total=expected, changed=0)
        async for piece in pieces:
            for one in piece:
                totals.add(one)
            progress.update(bar, advance=len(piece), changed=totals.changed)


async def _first(store: TraceStore, query: Query, limit: int | None) -> AsyncIterator[Trace]:
    left = limit
    async for trace in walk(store, query):
        if left == 0:
            return
        yield trace
        left = None if left is None else left - 1


def _progress() -> Progress:
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[changed]} changed"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
