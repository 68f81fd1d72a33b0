"""The protocol of a trace store, its entries and its queries."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from policies.schema.sections import Tracing
from proxy.logs import logger
from proxy.traces.query import Page, Query, codes_of
from proxy.traces.tally import Bucket, BucketKey, Tally, TallyBucket, buckets_of, ms_of
from proxy.traces.trace import PINNED, Feedback, Trace

log = logger(__name__)


class TraceStoreFailed(Exception):
    """A store did not do what was asked; ``cause`` names the failure's type."""

    def __init__(self, said: str, store: str, cause: Exception, reason: str | None = None) -> None:
        super().__init__(f"The {store} trace store {said}: {reason or type(cause).__name__}.")
        self.store = store
        self.cause = type(cause).__name__


class TraceStoreAway(TraceStoreFailed):
    """A store cannot be used right now; ``reason`` tells people more than the failure's type."""

    def __init__(self, store: str, cause: Exception, reason: str | None = None) -> None:
        super().__init__("cannot be used", store, cause, reason)


class TracesRefused(TraceStoreFailed):
    """A store that can be used does not take what it was given."""

    def __init__(self, store: str, cause: Exception) -> None:
        super().__init__("does not take a trace", store, cause)


@dataclass(frozen=True, slots=True)
class Entry:
    """A trace ready to be kept: the record as JSON, and what stores need to know of it.

    Attributes:
        started_ms: When the request came in, in milliseconds since 1970.
        action: Its action in a word; see `Trace.action_name`.
        codes: Codes of its findings, reasons and errors.
        tally: What it adds to the counts.
    """

    id: str
    tenant: str
    tracing: Tracing
    record: str
    started_ms: int
    action: str
    guards: tuple[str, ...]
    codes: tuple[str, ...]
    door: str
    tally: Tally

    @classmethod
    def of(cls, trace: Trace, tracing: Tracing, record: str | None = None) -> "Entry":
        """Return the entry of a trace, whose text must already be what may be kept."""
        return cls(
            id=trace.id,
            tenant=trace.tenant,
            tracing=tracing,
            record=trace.model_dump_json() if record is None else record,
            started_ms=ms_of(trace.started_at),
            action=trace.action_name,
            guards=trace.guards_with_findings,
            codes=codes_of(trace),
            door=trace.door,
            tally=Tally.of(trace),
        )

    @property
    def expires_ms(self) -> int:
        """When it is forgotten, in milliseconds since 1970."""
        return self.started_ms + self.tracing.keep_ms


def added_up(entries: Iterable[Entry]) -> dict[BucketKey, Tally]:
    """Return what entries add to the counts of each of their buckets."""
    groups: dict[tuple[str, int, int], list[Tally]] = {}
    for entry in entries:
        minute_ms = Bucket.MINUTE.start_ms(entry.started_ms)
        groups.setdefault((entry.tenant, minute_ms, entry.tracing.keep_ms), []).append(entry.tally)
    added: dict[BucketKey, list[Tally]] = {}
    for group, tallies in groups.items():
        total = Tally.sum(tallies)
        for kept in buckets_of(*group):
            added.setdefault(kept, []).append(total)
    return {kept: Tally.sum(totals) for kept, totals in added.items()}


_TAIL_S = 0.5
"""Seconds between two looks for new traces."""
PINNED_MS = 2**62
"""How long a pinned trace is kept: for good."""
Decide = Callable[[Trace], Feedback | None]
"""Returns the feedback that a trace is to have; None for none."""


@dataclass(frozen=True, slots=True)
class Relabelled:
    """A trace with another feedback, ready to be kept.

    Attributes:
        entry: The trace as stores have it; a pinned one does not expire.
        added: What it adds to the counts of each of its buckets; less than nothing where a label is
            gone.
    """

    trace: Trace
    entry: Entry
    added: Mapping[BucketKey, Tally]

    @classmethod
    def of(cls, before: Trace, feedback: Feedback | None, tracing: Tracing) -> "Relabelled":
        """Return a trace with its new feedback."""
        trace = before.model_copy(update={"feedback": feedback})
        entry = Entry.of(trace, tracing)
        difference = entry.tally - Tally.of(before)
        is_pinned = trace.has_label(PINNED)
        # A pinned label counts longer than the other requests of its hour are kept.
        keep_ms = PINNED_MS if is_pinned else tracing.keep_ms
        changes = is_pinned or difference.counts
        kept = buckets_of(trace.tenant, entry.started_ms, keep_ms) if changes else ()
        return cls(trace, entry, dict.fromkeys(kept, difference))

    @property
    def is_pinned(self) -> bool:
        """True if it is kept beyond its retention."""
        return self.trace.has_label(PINNED)

    @property
    def label(self) -> str | None:
        """Its label; None for none."""
        return self.trace.feedback.label.value if self.trace.feedback else None


class TraceStore(Protocol):
    """A place that keeps traces. Every method may raise `TraceStoreAway`."""

    async def add(self, batch: Sequence[Entry]) -> None:
        """Keep and count traces in their order; an id that is there already is passed over.

        Raises:
            TracesRefused: they are not taken although the store can be used.
        """

    async def get(self, trace_id: str) -> Trace | None:
        """Return a trace by its id."""

    async def label(self, trace_id: str, decide: Decide, tracing: Tracing) -> Trace | None:
        """Give a trace another feedback, or none, and count the difference.

        Args:
            decide: Returns the new feedback for the trace as it stands; may be asked again when
                somebody else labels it at the same time. What it raises goes through, and nothing
                is changed.
            tracing: How long the trace is kept where it is not pinned.

        Returns:
            The trace as it is now; None if there is none.
        """

    async def page(self, query: Query) -> Page:
        """Return the traces that a query wants.

        Raises:
            BadCursor: the query's cursor is not one of this store's.
        """

    async def newest(self) -> str:
        """Return the cursor behind which, as a query's `after`, only what comes from now on is."""

    async def count(self, query: Query) -> int:
        """Return about how many traces a query wants, whatever its text, cursor and limit.

        Too many rather than too few: it goes by the index alone.
        """

    async def tallies(
        self, tenant: str | None, since: datetime, until: datetime, per: Bucket
    ) -> list[TallyBucket]:
        """Return what was counted, oldest first, with every bucket that the span touches.

        The span is cut to what is kept of such buckets.

        Args:
            tenant: Whose requests; None for all together.
            since: Begin of the span; aware.
            until: End of the span, not part of it; aware.
        """

    async def ping(self) -> None:
        """Return if the store can be used."""

    async def close(self) -> None:
        """Let go of connections."""


async def tail(
    store: TraceStore, query: Query, *, sleep: Callable[[float], Awaitable[None]]
) -> AsyncIterator[Trace]:
    """Yield the traces that come in from now on, or from the query's `after` on; never ends."""
    after = query.after
    if after is None:
        after = await store.newest()
    while True:
        page = await store.page(replace(query, before=None, after=after))
        for trace in page.traces:
            yield trace
        if page.cursor in (None, after):
            await sleep(_TAIL_S)
        after = page.cursor or after


async def walk(store: TraceStore, query: Query) -> AsyncIterator[Trace]:
    """Yield every trace that a query wants, page by page of its `limit`, and end.

    The newest come first, from the query's `before` on, or the oldest, from its `after` on.
    """
    while True:
        page = await store.page(query)
        for trace in page.traces:
            yield trace
        if page.cursor is None or page.cursor == query.after:
            return
        if query.after is None:
            query = replace(query, before=page.cursor)
        else:
            query = replace(query, after=page.cursor)
