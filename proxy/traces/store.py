"""Where traces are kept: the protocol of a store, what goes in, and what is asked of it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pydantic import ValidationError

from policies.policy import Tracing
from proxy.logs import logger
from proxy.traces.trace import Trace

log = logger(__name__)


class TraceStoreFailed(Exception):
    """A store did not do what was asked; ``cause`` names the failure's type."""

    def __init__(self, said: str, store: str, cause: Exception) -> None:
        super().__init__(f"The {store} trace store {said}: {type(cause).__name__}.")
        self.store = store
        self.cause = type(cause).__name__


class TraceStoreAway(TraceStoreFailed):
    """A store cannot be used right now."""

    def __init__(self, store: str, cause: Exception) -> None:
        super().__init__("cannot be used", store, cause)


class TracesRefused(TraceStoreFailed):
    """A store that can be used does not take what it was given."""

    def __init__(self, store: str, cause: Exception) -> None:
        super().__init__("does not take a trace", store, cause)


class BadCursor(ValueError):
    """A cursor that this store never gave; each kind of store has its own form."""

    def __init__(self, cursor: str) -> None:
        super().__init__(f"{cursor!r} is no cursor of this trace store")


@dataclass(frozen=True, slots=True)
class Keep:
    """How long a trace is kept, by its tenant's policy.

    Attributes:
        days: Age at which it is forgotten, counted from the request's start.
        last: About how many of the tenant's traces are kept.
    """

    days: float
    last: int

    @classmethod
    def of(cls, tracing: Tracing) -> "Keep":
        """Return what a policy says."""
        return cls(days=tracing.keep_days, last=tracing.keep_last)

    @property
    def ms(self) -> int:
        """The age in milliseconds."""
        return int(self.days * 86_400_000)


@dataclass(frozen=True, slots=True)
class Entry:
    """A trace ready to be kept: the record as JSON, and what stores index it by.

    Attributes:
        action: Its action in a word; see `Trace.action_name`.
        guards: Guards that found something in it.
        expires_ms: When it is forgotten, in milliseconds since 1970.
    """

    id: str
    tenant: str
    action: str
    guards: tuple[str, ...]
    expires_ms: int
    keep: Keep
    record: str

    @classmethod
    def of(cls, trace: Trace, keep: Keep) -> "Entry":
        """Return the entry of a trace, whose text must already be what may be kept."""
        return cls(
            id=trace.id,
            tenant=trace.tenant,
            action=trace.action_name,
            guards=trace.guards_with_findings,
            expires_ms=int(trace.started_at.timestamp() * 1000) + keep.ms,
            keep=keep,
            record=trace.model_dump_json(),
        )


@dataclass(frozen=True, slots=True)
class Query:
    """Which traces are wanted.

    Attributes:
        tenant: Of this tenant only; None for all.
        action: That came to this action only, one of `ACTION_NAMES`.
        guard: In which this guard found something only.
        before: Older than this cursor; newest first.
        after: Newer than this cursor; oldest first; empty for all from the oldest on. At most one
            of the two is given, and with neither the newest come first.
        limit: At most this many.
    """

    tenant: str | None = None
    action: str | None = None
    guard: str | None = None
    before: str | None = None
    after: str | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Page:
    """Traces in the query's order, and where to go on.

    Attributes:
        traces: The traces; may be fewer than asked for although there are more.
        cursor: The next page's `before` (or `after`); None where nothing is left. With `after`
            there is always one, because more may come.
    """

    traces: tuple[Trace, ...]
    cursor: str | None


def readable(record: str) -> Trace | None:
    """Return the trace of a record; None, and a line in the log, if it cannot be read."""
    try:
        return Trace.model_validate_json(record)
    except ValidationError as error:
        log.warning("trace.unreadable", errors=error.error_count(), record_chars=len(record))
        return None


class TraceStore(Protocol):
    """A place that keeps traces. Every method may raise `TraceStoreAway`."""

    async def add(self, batch: Sequence[Entry]) -> None:
        """Keep traces in their order; an id that is there already is passed over.

        Raises:
            TracesRefused: they are not taken although the store can be used.
        """

    async def get(self, trace_id: str) -> Trace | None:
        """Return a trace by its id."""

    async def page(self, query: Query) -> Page:
        """Return the traces that a query wants.

        Raises:
            BadCursor: the query's cursor is not one of this store's.
        """

    async def ping(self) -> None:
        """Return if the store can be used."""

    async def close(self) -> None:
        """Let go of connections."""


async def tail(
    store: TraceStore,
    query: Query,
    *,
    sleep: Callable[[float], Awaitable[None]],
    interval_s: float = 0.5,
) -> AsyncIterator[Trace]:
    """Yield the traces that come in from now on, or from the query's `after` on; never ends."""
    after = query.after
    if after is None:
        after = (await store.page(Query(tenant=query.tenant, limit=1))).cursor or ""
    while True:
        page = await store.page(replace(query, before=None, after=after))
        for trace in page.traces:
            yield trace
        if page.cursor in (None, after):
            await sleep(interval_s)
        after = page.cursor or after
