"""Saves traces in the background, so that no request waits for a store.

Traces go from a queue in memory to the store, in batches. While the store is away, and when the
queue grows faster than the store takes it, they go to the outbox in the SQLite file instead, and
from there to the store before anything newer does. A trace sent twice, because the answer to the
first time was lost, is kept once by the store.
"""

import asyncio
import contextlib
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from typing import TypeAlias

from policies.schema.sections import Tracing
from proxy.logs import logger
from proxy.settings import Settings
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.masking import stored
from proxy.traces.sqlite import Database, Outbox
from proxy.traces.store import Entry, TraceStore, TraceStoreAway, TraceStoreFailed
from proxy.traces.tally import now_ms
from proxy.traces.trace import Trace
from proxy.workers import ALONE, Place

log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes and times of the recorder.

    Attributes:
        batch: Most traces written at once.
        batch_chars: A batch ends with the trace that goes past this many characters.
        gather_s: How long a batch that is not full waits for more.
        spill_at: A queue this long is moved to the outbox.
        capacity: Most traces in memory; beyond it new ones are dropped.
        long_chars: A trace with more characters than this is masked in a thread.
        very_long_chars: One with more is masked in a process, if there is one: a single search
            through so long a text would hold up all threads.
        most_refusals: How often in a row a store that is there may refuse a batch.
        first_retry_s: Wait after the store's first failure; doubled with each further one.
        last_retry_s: Longest wait between two tries.
    """

    batch: int = 100
    batch_chars: int = 4_000_000
    gather_s: float = 0.1
    spill_at: int = 1_000
    capacity: int = 10_000
    long_chars: int = 20_000
    very_long_chars: int = 200_000
    most_refusals: int = 5
    first_retry_s: float = 0.2
    last_retry_s: float = 5.0


class StoreOutage:
    """Counts a store's failures in a row; logs when it goes and when it is back.

    Args:
        clock: Monotonic clock in seconds.
        random: A number from 0 to 1; spreads the retries of many proxies.
        first_retry_s: Wait after the first failure; doubled with each further one.
        last_retry_s: Longest wait between two tries.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        random: Callable[[], float],
        first_retry_s: float,
        last_retry_s: float,
    ) -> None:
        self._clock = clock
        self._random = random
        self._first_retry_s = first_retry_s
        self._last_retry_s = last_retry_s
        self._since_s: float | None = None
        self._failures = 0
        self._cause: str | None = None

    @property
    def is_now(self) -> bool:
        """True if the store failed last time."""
        return self._since_s is not None

    @property
    def state(self) -> str:
        """``ok``, or ``away: `` and what failed."""
        return f"away: {self._cause}" if self.is_now else "ok"

    def failed(self, error: Exception, *, waiting: int) -> None:
        """Note a failure; ``waiting`` is how many traces wait for the store."""
        self._failures += 1
        self._cause = error.cause if isinstance(error, TraceStoreFailed) else type(error).__name__
        if self._since_s is None:
            self._since_s = self._clock()
            log.warning("trace.store_away", error=error_name(error), waiting=waiting)

    def answered(self, *, outbox: int) -> None:
        """Note a success; ``outbox`` is how many traces wait in the outbox."""
        self._failures = 0
        if self._since_s is not None:
            away_s = round(self._clock() - self._since_s, 3)
            self._since_s = None
            log.info("trace.store_back", away_s=away_s, outbox=outbox)

    def pause_s(self) -> float:
        """Return how long to wait before the next try, in seconds."""
        doubled_s = self._first_retry_s * 2.0 ** min(self._failures - 1, 16)
        return min(doubled_s, self._last_retry_s) * (0.5 + self._random() / 2)


def error_name(error: Exception) -> str:
    """Return what a log line may say of a failure: no text of it, which may quote a request."""
    if isinstance(error, TraceStoreFailed):
        return f"{error.store}:{error.cause}"
    return type(error).__name__


class BatchDelivery:
    """Delivers batches in order.

    Args:
        most_refusals: How often in a row the store may refuse, without being away, before the
            traces are tried one by one and those refused again are dropped.
    """

    def __init__(self, store: TraceStore, most_refusals: int) -> None:
        self._store = store
        self._most_refusals = most_refusals
        self._refusals = 0

    async def deliver(self, batch: Sequence[Entry]) -> int:
        """Bring a batch to the store; return how many of it had to be dropped.

        Raises:
            Exception: The store did not take it; it is to be tried again.
        """
        try:
            await self._store.add(batch)
        except TraceStoreAway:
            raise
        except Exception:
            self._refusals += 1
            if self._refusals < self._most_refusals:
                raise
            dropped = [await self._is_dropped(entry) for entry in batch]
        else:
            dropped = []
        self._refusals = 0
        return sum(dropped)

    async def _is_dropped(self, entry: Entry) -> bool:
        try:
            await self._store.add([entry])
        except TraceStoreAway:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it was so every time
            # Not `exception`: a store's words may quote the request.
            log.error(  # noqa: TRY400
                "trace.refused",
                id=entry.id,
                tenant=entry.tenant,
                error=error_name(error),
                record_chars=len(entry.record),
            )
            return True
        return False


@dataclass(slots=True)
class _Counts:
    queued: int = 0
    delivered: int = 0
    outboxed: int = 0
    dropped: int = 0
    refused: int = 0


_TRIES_APART = 2
"""A process that judges too long a text is ended, and what waits there with it."""
_Placed = tuple[int, Entry]
RunApart: TypeAlias = Callable[[Callable[[], Entry | Exception]], Future[Entry | Exception]]


class Recorder:
    """Takes traces from requests and brings them to a store.

    Args:
        outbox: Where they wait while the store cannot take them.
        clock: Monotonic clock in seconds.
        random: A number from 0 to 1; spreads the retries of many proxies.
        sleep: Waits so many seconds.
        limits: See `Limits`.
    """

    def __init__(
        self,
        store: TraceStore,
        outbox: Outbox,
        *,
        clock: Callable[[], float],
        random: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        limits: Limits | None = None,
    ) -> None:
        self._outbox = outbox
        self._sleep = sleep
        self._limits = limits = limits or Limits()
        self._delivery = BatchDelivery(store, limits.most_refusals)
        self._outage = StoreOutage(clock, random, limits.first_retry_s, limits.last_retry_s)
        self._queue: deque[_Placed] = deque()
        self._in_hand: list[_Placed] = []  # on the way to the store: older than all that waits
        self._waiting_in_outbox = 0  # counted before it is written, so that nothing overtakes it
        self._next_place = 0
        self._counts = _Counts()
        self.outbox_state = "ok"
        """How the outbox took what it had to: ``ok``, or ``failing: `` and why."""
        self.run_apart: RunApart | None = None
        """Masks very long traces in another process; None for a thread of this one."""
        self._drops_now = False
        self._is_closed = False
        self._work = asyncio.Event()
        self._surplus = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._masking: set[asyncio.Task[None]] = set()

    @property
    def is_away(self) -> bool:
        """True if the store failed last time."""
        return self._outage.is_now

    @property
    def state(self) -> str:
        """State of the store at the last write: ``ok``, or ``away: `` and the failure."""
        return self._outage.state

    def counters(self) -> dict[str, int]:
        """Return totals (queued, delivered, outboxed, dropped, refused) and what waits."""
        return {
            **asdict(self._counts),
            "waiting": len(self._in_hand) + len(self._queue),
            "outbox": self._waiting_in_outbox,
        }

    async def start(self) -> None:
        """Begin to deliver, first of all what an earlier run left in the outbox.

        Raises:
            TraceStoreAway: The outbox cannot be read.
        """
        self._waiting_in_outbox, self._next_place = await self._outbox.waiting()
        self._work.set()
        self._tasks = [
            asyncio.create_task(self._deliver_forever(), name="traces-deliver"),
            asyncio.create_task(self._spill_forever(), name="traces-spill"),
        ]

    def record(self, trace: Trace, tracing: Tracing) -> None:
        """Take a trace; never waits and never fails. Call `start` first.

        What the policy does not want kept is gone before the trace is queued.
        """
        if trace.chars <= self._limits.long_chars:
            self._take(_entry(trace, tracing))
            return
        masking = asyncio.create_task(self._take_long(trace, tracing))
        self._masking.add(masking)
        masking.add_done_callback(self._masking.discard)

    async def _take_long(self, trace: Trace, tracing: Tracing) -> None:
        made = partial(_entry, trace, tracing)
        if self.run_apart is not None and trace.chars > self._limits.very_long_chars:
            for _ in range(_TRIES_APART):
                try:
                    self._take(await asyncio.wrap_future(self.run_apart(made)))
                except Exception:  # noqa: BLE001, S112 - its process has died, or is closed
                    continue
                return
        self._take(await asyncio.to_thread(made))

    def _take(self, entry: Entry | Exception) -> None:
        if isinstance(entry, Exception):
            self._drop("not_encodable", type(entry).__name__)
            return
        if self._is_closed or len(self._queue) >= self._limits.capacity:
            self._drop("closed" if self._is_closed else "queue_full")
            return
        self._drops_now = False
        self._counts.queued += 1
        self._queue.append((self._next_place, entry))
        self._next_place += 1
        self._work.set()
        if self._has_surplus():
            self._surplus.set()

    async def close(self, within_s: float = 5.0) -> None:
        """Deliver what can be delivered, and leave the rest in the outbox for the next start."""
        await asyncio.gather(*self._masking)
        self._is_closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            async with asyncio.timeout(within_s / 2):
                while not self.is_away and (self._in_hand or self._queue):
                    await self._deliver_some()
        except Exception as error:  # noqa: BLE001 - the outbox is tried next, whatever happened
            self._outage.failed(error, waiting=len(self._queue))
        left = [*self._in_hand, *self._queue]
        try:
            async with asyncio.timeout(within_s / 2):
                while left:  # not all at once: there may be room for some
                    await self._put_aside(left[: self._limits.batch])
                    del left[: self._limits.batch]
        except Exception as error:  # noqa: BLE001 - nowhere left to put them
            self._counts.dropped += len(left)
            log.warning("trace.lost", traces=len(left), error=error_name(error))
        self._in_hand.clear()
        self._queue.clear()

    async def _deliver_forever(self) -> None:
        while True:
            await self._work.wait()
            await self._gather()
            try:
                await self._deliver_some()
            except Exception as error:  # noqa: BLE001 - whatever fails, the traces wait
                self._outage.failed(error, waiting=len(self._queue))
                await self._set_hand_free()
                self._surplus.set()
                await self._sleep(self._outage.pause_s())

    async def _spill_forever(self) -> None:
        while True:
            await self._surplus.wait()
            await self._gather()
            if not self._has_surplus():
                self._surplus.clear()
                continue
            # They leave the queue only when they are in the file; meanwhile nobody takes them,
            # because the outbox counts them already.
            batch = self._first_of_queue()
            if await self._is_put_aside(batch):
                self._leave_queue(batch)
            else:
                await self._sleep(self._limits.last_retry_s)

    async def _gather(self) -> None:
        """Let a small batch grow."""
        if 0 < len(self._queue) < self._limits.batch:
            await self._sleep(self._limits.gather_s)

    def _has_surplus(self) -> bool:
        """Tell whether the queue holds what ought to wait in the outbox."""
        least = 1 if self.is_away else self._limits.spill_at
        return len(self._queue) >= least

    async def _deliver_some(self) -> None:
        """Bring the oldest traces to the store."""
        if self._in_hand:
            await self._deliver_hand()
        elif self._waiting_in_outbox:
            await self._deliver_from_outbox()
        elif self._queue:
            self._in_hand = self._first_of_queue()
            self._leave_queue(self._in_hand)
            await self._deliver_hand()
        else:
            self._work.clear()

    async def _deliver_hand(self) -> None:
        await self._bring([entry for _, entry in self._in_hand])
        self._in_hand = []

    async def _deliver_from_outbox(self) -> None:
        outboxed = self._counts.outboxed
        batch = self._cut(await self._outbox.first(self._limits.batch))
        if batch:
            await self._bring(batch)
            await self._outbox.remove(batch)
            # Only an empty answer says that it is empty.
            self._waiting_in_outbox = max(1, self._waiting_in_outbox - len(batch))
        elif self._counts.outboxed == outboxed:
            self._waiting_in_outbox = 0

    async def _set_hand_free(self) -> None:
        """Put aside what the store did not take; if that fails too, it stays in hand."""
        if self._in_hand and await self._is_put_aside(self._in_hand):
            self._in_hand = []

    async def _is_put_aside(self, batch: Sequence[_Placed]) -> bool:
        """Put traces aside, and tell whether that could be done."""
        try:
            await self._put_aside(batch)
        except Exception as error:  # noqa: BLE001 - whatever fails, the traces wait
            self.outbox_state = f"failing: {error_name(error)}"
            log.warning("trace.outbox_failed", error=error_name(error), waiting=len(self._queue))
            return False
        return True

    async def _put_aside(self, batch: Sequence[_Placed]) -> None:
        self._waiting_in_outbox += len(batch)
        self._counts.outboxed += len(batch)
        try:
            await self._outbox.put(batch)
        except BaseException:
            self._waiting_in_outbox -= len(batch)
            self._counts.outboxed -= len(batch)
            raise
        self.outbox_state = "ok"

    def _first_of_queue(self) -> list[_Placed]:
        placed = list(islice(self._queue, self._limits.batch))
        return placed[: len(self._cut([entry for _, entry in placed]))]

    def _leave_queue(self, batch: Sequence[_Placed]) -> None:
        for _ in batch:
            self._queue.popleft()

    def _cut(self, entries: list[Entry]) -> list[Entry]:
        """Return as many of the first entries as one batch may hold, at least one."""
        chars = 0
        for place, entry in enumerate(entries, start=1):
            chars += len(entry.record)
            if chars > self._limits.batch_chars:
                return entries[:place]
        return entries

    async def _bring(self, batch: Sequence[Entry]) -> None:
        refused = await self._delivery.deliver(batch)
        self._counts.refused += refused
        self._counts.delivered += len(batch) - refused
        self.outbox_state = "ok"  # nothing needs it now
        self._outage.answered(outbox=self._waiting_in_outbox)

    def _drop(self, reason: str, error: str = "") -> None:
        """Count a lost trace; only the first of a row is logged."""
        self._counts.dropped += 1
        if not self._drops_now:
            log.warning("trace.dropped", reason=reason, error=error, waiting=len(self._queue))
        self._drops_now = True


def _entry(trace: Trace, tracing: Tracing) -> Entry | Exception:
    """Return what is kept of a trace, or why it cannot be; a trace must never fail its request."""
    try:
        return Entry.of(stored(trace, tracing.text), tracing)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is counted and logged
        return error


@contextlib.asynccontextmanager
async def open_traces(
    settings: Settings, limits: Limits | None = None, place: Place = ALONE
) -> AsyncGenerator[tuple[TraceStore, Recorder], None]:
    """Open the store and a recorder that delivers to it, and close both in the end.

    Raises:
        TraceStoreAway: the SQLite file cannot be opened. A Redis that is away is waited for.
    """
    async with contextlib.AsyncExitStack() as stack:
        database = await Database.open(settings.sqlite_path)
        stack.push_async_callback(database.close)
        store = _store(settings, database)
        stack.push_async_callback(store.close)
        outbox = Outbox(database, now_ms, place, settings.max_outbox_bytes)
        # The random number only spreads retries in time.
        recorder = Recorder(
            store, outbox, clock=time.monotonic, random=random.random, limits=limits
        )
        await recorder.start()
        stack.push_async_callback(recorder.close)
        yield store, recorder


@contextlib.asynccontextmanager
async def open_store(settings: Settings) -> AsyncGenerator[TraceStore, None]:
    """Open the store for reading, and close it in the end.

    Raises:
        TraceStoreAway: the SQLite file cannot be opened, or nobody has made it yet.
    """
    async with contextlib.AsyncExitStack() as stack:
        if settings.shared_redis is None:
            database = await Database.open(settings.sqlite_path, may_create=False)
            stack.push_async_callback(database.close)
            yield EmbeddedStore(database, now_ms)
            return
        store = _redis_store(settings.shared_redis)
        stack.push_async_callback(store.close)
        yield store


def _store(settings: Settings, database: Database) -> TraceStore:
    if settings.shared_redis is None:
        return EmbeddedStore(database, now_ms)
    return _redis_store(settings.shared_redis)


def _redis_store(address: str) -> TraceStore:
    # Its library costs a tenth of a second, which is much for a command that needs none.
    from proxy.traces.redis import RedisStore

    return RedisStore(address)
