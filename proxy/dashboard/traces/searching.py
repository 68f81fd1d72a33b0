"""Looks for traces, for as long as somebody is ready to wait."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from proxy.traces.query import Query
from proxy.traces.store import TraceStore
from proxy.traces.trace import Trace

PATIENCE_S = 1.5
"""How long a page looks on for rare traces before it shows what it has."""
NEWEST = ""
"""In the place of a cursor: everything is newer than that."""


@dataclass(frozen=True, slots=True)
class Found:
    """Traces, newest first.

    Attributes:
        traces: At most as many as were wanted.
        older: Cursor for those behind them; None if there are none.
        searched_to: How far back was looked, if it was given up before there were enough traces;
            None otherwise.
    """

    traces: list[Trace]
    older: str | None
    searched_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class News:
    """Traces that came in since a cursor, newest first.

    Attributes:
        traces: Those.
        cursor: For those that come next.
        has_gap: More came than can be shown; older ones of them were left out.
    """

    traces: list[Trace]
    cursor: str
    has_gap: bool = False


async def search(store: TraceStore, query: Query, clock: Callable[[], float]) -> Found:
    """Return what a query wants, or what was found of it in good time.

    Args:
        store: Where to look.
        query: What is wanted, newest first.
        clock: Monotonic clock in seconds.
    """
    give_up_s = clock() + PATIENCE_S
    traces: list[Trace] = []
    older = query.before
    while True:
        page = await store.page(replace(query, before=older, limit=query.limit - len(traces)))
        traces += page.traces
        older = page.cursor
        if older is None or len(traces) >= query.limit:
            return Found(traces, older)
        if clock() >= give_up_s:
            break
    behind = await store.page(Query(tenant=query.tenant, before=older, limit=1))
    if not behind.traces:
        return Found(traces, None)
    return Found(traces, older, behind.traces[0].started_at)


async def news(store: TraceStore, query: Query) -> News:
    """Return what came in since the query's `after`; after a long time only the newest of it."""
    after = query.after or NEWEST
    page = await store.page(query)
    cursor = page.cursor or after
    if len(page.traces) < query.limit:
        return News(list(reversed(page.traces)), cursor)
    cursor = await store.newest()
    newest = await store.page(replace(query, after=None))
    return News(list(newest.traces), cursor, has_gap=True)
