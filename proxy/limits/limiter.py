"""Admits requests within a tenant's limits: by one process, or by all proxies with the same Redis.

In Redis, each tenant has two sorted sets: the visits of the last minute by when they came, and the
running ones by when their lease ends. One script looks at both and counts the visit in both or in
neither, by Redis's own clock, so that proxies need not agree about the time and no two of them
take the same place. A lease is short and renewed as long as its visit lasts: a proxy that is killed
gives up its places by itself.

A Redis that is away holds up no more than one request: until it is back, limits are those of this
process. Then it is first told who is still here, and given back the places of visits that ended
meanwhile.
"""

import asyncio
import contextlib
import time
from collections import OrderedDict, defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Coroutine, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from math import ceil
from pathlib import Path
from uuid import uuid4

from policies.schema.base import Problem
from policies.schema.loader import LoadedPolicy
from policies.schema.sections import Limits
from proxy.errors import TooManyRequests
from proxy.logs import logger
from proxy.settings import Settings

WINDOW_S = 60.0


class Limit(StrEnum):
    """Which limit has no room, by its name in the policy."""

    REQUESTS_PER_MINUTE = "requests_per_minute"
    CONCURRENT_REQUESTS = "concurrent_requests"


@dataclass(frozen=True, slots=True)
class Visit:
    """A request on its way in.

    Attributes:
        limits: What the tenant's policy allows at this moment.
    """

    id: str
    tenant: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class Count:
    """Result of counting a request.

    Attributes:
        full: The limit that has no room for it; None where it is let in and counted.
        wait_s: When there will be room at the earliest; 0 where nobody can know.
        used: Requests of the last minute, this one among them if it is let in.
        resets_in_s: Until none of those counts any more.
    """

    full: Limit | None
    wait_s: float
    used: int
    resets_in_s: float


def limit_headers(limits: Limits, count: Count) -> dict[str, str]:
    """Return the headers of a reply; none where requests per minute have no limit."""
    most = limits.requests_per_minute
    if most is None:
        return {}
    return {
        "x-ratelimit-limit-requests": str(most),
        "x-ratelimit-remaining-requests": str(max(0, most - count.used)),
        "x-ratelimit-reset-requests": duration(count.resets_in_s),
    }


def refusal(limits: Limits, full: Limit, count: Count) -> TooManyRequests:
    """Return the error for a visit that was not let in."""
    said = {
        Limit.REQUESTS_PER_MINUTE: f"{limits.requests_per_minute} requests per minute",
        Limit.CONCURRENT_REQUESTS: f"{limits.concurrent_requests} requests at the same time",
    }
    # Where nobody can know, a place may be free at any moment.
    retry_after_s = max(1, ceil(count.wait_s))
    return TooManyRequests(said[full], retry_after_s, limit_headers(limits, count))


def duration(seconds: float) -> str:
    """Spell a time as OpenAI does, in whole milliseconds: ``20ms``, ``7.66s``, ``1m0s``."""
    ms = ceil(seconds * 1000)
    if ms < 1000:
        return f"{ms}ms"
    minutes, rest_ms = divmod(ms, 60_000)
    return f"{minutes}m{rest_ms / 1000:g}s" if minutes else f"{rest_ms / 1000:g}s"


# It is kept with Redis too, so that a Redis that goes away leaves a count behind and not a hole. A
# limit that this process reaches by itself is reached, whatever the others let in.


@dataclass(slots=True)
class _Visits:
    """One tenant's: ids with when they came, oldest first, and those that are still here."""

    recent: OrderedDict[str, float] = field(default_factory=OrderedDict)
    running: set[str] = field(default_factory=set)


class LocalCounts:
    """Counts in memory. Nothing in here waits, so that no two visits take the same place.

    Args:
        clock: Monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._visits: defaultdict[str, _Visits] = defaultdict(_Visits)

    def enter(self, visit: Visit) -> Count:
        """Count a visit in if there is room for it."""
        now_s = self._clock()
        visits = self._visits[visit.tenant]
        self._drop_old(visits.recent, now_s)
        full, wait_s = self._full(visit, visits, now_s)
        if full is None:
            if visit.limits.requests_per_minute is not None:
                visits.recent[visit.id] = now_s
            if visit.limits.concurrent_requests is not None:
                visits.running.add(visit.id)
        newest_s = next(reversed(visits.recent.values()), now_s - WINDOW_S)
        return Count(full, wait_s, len(visits.recent), newest_s + WINDOW_S - now_s)

    def leave(self, visit: Visit) -> None:
        """Note that a visit is over; one that is over already stays so."""
        self._visits[visit.tenant].running.discard(visit.id)

    def forget(self, visit: Visit) -> None:
        """Take a visit back: it was not let in after all."""
        self._visits[visit.tenant].recent.pop(visit.id, None)
        self.leave(visit)

    def _drop_old(self, recent: OrderedDict[str, float], now_s: float) -> None:
        while recent and next(iter(recent.values())) <= now_s - WINDOW_S:
            recent.popitem(last=False)

    def _full(self, visit: Visit, visits: _Visits, now_s: float) -> tuple[Limit | None, float]:
        most, at_once = visit.limits.requests_per_minute, visit.limits.concurrent_requests
        if most is not None and len(visits.recent) >= most:
            # All above the limit must be too old first, which are several after it was lowered.
            last_s = next(islice(visits.recent.values(), len(visits.recent) - most, None))
            return Limit.REQUESTS_PER_MINUTE, last_s + WINDOW_S - now_s
        if at_once is not None and len(visits.running) >= at_once:
            return Limit.CONCURRENT_REQUESTS, 0.0
        return None, 0.0


LEASE_S = 30.0
_RECENT = "guard-proxy:{limits}:recent:"
_RUNNING = "guard-proxy:{limits}:running:"
_US = 1_000_000

# No tenant can have this name.
_REHEARSAL = ":rehearsal"

_ENTER = Path(__file__).with_name("enter.lua").read_text("utf-8")
_RENEW = Path(__file__).with_name("renew.lua").read_text("utf-8")
_KNOWN, _ALL = "XX", "CH"


class CountsAway(Exception):
    """Redis does not answer, or will not count."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(f"limits cannot be counted in Redis: {type(cause).__name__}")
        self.cause = type(cause).__name__


class SharedCounts:
    """Counts in Redis. Every call raises `CountsAway` where Redis cannot be used.

    Args:
        url: See `proxy.shared_redis`.
        answer_within_s: A server that takes longer counts as away, like one that is gone. The
            requests that find it out are held this long, and no others.
        window_s: How long a visit counts as recent.
        lease_s: How long a visit counts as running without being renewed.
    """

    def __init__(
        self,
        url: str,
        *,
        answer_within_s: float = 0.5,
        window_s: float = WINDOW_S,
        lease_s: float = LEASE_S,
    ) -> None:
        self._window_us = round(window_s * _US)
        self._lease_us = round(lease_s * _US)
        from proxy.shared_redis import SharedRedis  # takes 9 MB, and many have no Redis

        self._redis = SharedRedis(url, answer_within_s=answer_within_s)

    async def enter(self, visit: Visit) -> Count:
        """Count a visit in if there is room for it."""
        limits = visit.limits
        async with self._redis.answering(CountsAway) as redis:
            full, wait_us, used, resets_us = await self._redis.run(
                redis,
                _ENTER,
                [_RECENT + visit.tenant, _RUNNING + visit.tenant],
                [
                    visit.id,
                    self._window_us,
                    self._lease_us,
                    limits.requests_per_minute or 0,
                    limits.concurrent_requests or 0,
                ],
            )
        return Count(Limit(full) if full else None, wait_us / _US, used, resets_us / _US)

    async def renew(self, visits: Collection[Visit]) -> None:
        """Let visits count as running for a while longer; one that is over stays so."""
        await self._lease(visits, _KNOWN)

    async def count_again(self, visits: Collection[Visit]) -> None:
        """Let visits count as running, whether Redis still knows of them or not."""
        await self._lease(visits, _ALL)

    async def leave(self, visits: Collection[Visit]) -> None:
        """Note that visits are over; one that is over already stays so."""
        async with self._redis.pipeline(CountsAway) as pipeline:
            for visit in visits:
                pipeline.zrem(_RUNNING + visit.tenant, visit.id)
            await pipeline.execute()

    async def rehearse(self) -> None:
        """Count a visit of nobody in and out: a server that answers may still refuse to count.

        Connections that broke meanwhile would make it look away again, one after the other.
        """
        async with self._redis.answering(CountsAway):
            await self._redis.forget_idle_connections()
        nobody = Limits(requests_per_minute=100, concurrent_requests=100)
        visit = Visit(uuid4().hex, _REHEARSAL, nobody)
        await self.enter(visit)
        await self.leave([visit])

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.close()

    async def _lease(self, visits: Collection[Visit], which: str) -> None:
        async with self._redis.answering(CountsAway) as redis:
            await self._redis.run(
                redis,
                _RENEW,
                [_RUNNING + visit.tenant for visit in visits],
                [self._lease_us, which, *(visit.id for visit in visits)],
            )


log = logger(__name__)

RETRY_S = 1.0


class Limiter:
    """Counts visits in and out.

    Args:
        local: What this process has let in.
        shared: What all proxies have let in; None without Redis.
        sleep: Waits so many seconds.
        retry_s: How long a Redis that is away is left alone before it is tried again.
        renew_s: How often the leases of running visits are renewed.
    """

    def __init__(
        self,
        local: LocalCounts,
        shared: SharedCounts | None,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        retry_s: float = RETRY_S,
        renew_s: float = LEASE_S / 3,
    ) -> None:
        self._local = local
        self._shared = shared
        self._sleep = sleep
        self._retry_s = retry_s
        self._renew_s = renew_s
        self._away: str | None = None
        self._leased: dict[str, Visit] = {}  # running, and counted as such by Redis
        self._untold: dict[str, Visit] = {}  # running, and came while Redis was away
        self._owed: list[Visit] = []  # over, while Redis still counts them as running
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_away(self) -> bool:
        """True if Redis is configured but cannot be used."""
        return self._away is not None

    @property
    def state(self) -> str:
        """State of the counters: ``memory`` without Redis, ``ok`` with it, or ``away: …``."""
        if self._shared is None:
            return "memory"
        return f"away: {self._away}" if self._away else "ok"

    def start(self) -> None:
        """Begin to renew leases."""
        if self._shared is not None:
            self._begin(self._renew_forever(self._shared))

    async def enter(self, visit: Visit) -> Count:
        """Count a visit in if there is room for it. Call `leave` in the end, whatever came of it.

        It takes no longer than Redis may take to answer.
        """
        count = self._local.enter(visit)
        if count.full or self._shared is None:
            return count
        if visit.limits.concurrent_requests is not None:
            (self._untold if self.is_away else self._leased)[visit.id] = visit
        if self.is_away:
            return count
        try:
            shared = await self._shared.enter(visit)
        except CountsAway as away:
            # It may have been counted all the same, and keeps its lease therefore.
            self._note_away(self._shared, away)
            return count
        if shared.full:
            self._local.forget(visit)
            self._leased.pop(visit.id, None)
        return shared

    async def leave(self, visit: Visit) -> None:
        """Count a visit out; one that is over already, or was never let in, stays so."""
        self._local.leave(visit)
        self._untold.pop(visit.id, None)
        if self._shared is not None and self._leased.pop(visit.id, None) is not None:
            # A request that is cancelled gives its place back too.
            await asyncio.shield(self._begin(self._give_back(self._shared, visit)))

    async def close(self) -> None:
        """Stop what runs in the background and close the connections to Redis."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._shared is not None:
            await self._shared.close()

    def _begin(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _give_back(self, shared: SharedCounts, visit: Visit) -> None:
        if not self.is_away:
            try:
                await shared.leave([visit])
            except CountsAway as away:
                self._note_away(shared, away)
            else:
                return
        self._owed.append(visit)

    async def _renew_forever(self, shared: SharedCounts) -> None:
        while True:
            await self._sleep(self._renew_s)
            if self._leased and not self.is_away:
                try:
                    await shared.renew(self._leased.values())
                except CountsAway as away:
                    self._note_away(shared, away)

    def _note_away(self, shared: SharedCounts, away: CountsAway) -> None:
        if self._away is None:
            self._away = away.cause
            log.warning("limits.store_away", error=away.cause, counted_in="this process")
            self._begin(self._wait_for(shared))

    async def _wait_for(self, shared: SharedCounts) -> None:
        while self.is_away:
            await self._sleep(self._retry_s)
            try:
                await shared.rehearse()
                # It may have come back empty. Whoever leaves from here on is owed to it below.
                self._leased |= self._untold
                self._untold.clear()
                await shared.count_again(self._leased.values())
                while self._owed:
                    paid = self._owed[:]
                    await shared.leave(paid)
                    del self._owed[: len(paid)]
            except CountsAway as away:
                self._away = away.cause
            else:
                self._away = None
                log.info("limits.store_back")


@contextlib.asynccontextmanager
async def open_limiter(settings: Settings) -> AsyncGenerator[Limiter, None]:
    """Open a limiter, on Redis where there is one, and close it in the end."""
    address = settings.shared_redis
    shared = None if address is None else SharedCounts(address)
    limiter = Limiter(LocalCounts(time.monotonic), shared)
    limiter.start()
    try:
        yield limiter
    finally:
        await limiter.close()


def limits_without_count(policies: Iterable[LoadedPolicy], settings: Settings) -> list[Problem]:
    """Return the limits that nobody could keep: each of several workers counts for itself."""
    if settings.workers == 1:
        return []
    return _without_redis(
        policies,
        settings,
        f"each of {settings.workers} workers would count for itself; set GUARD_PROXY_REDIS_URL, or "
        "GUARD_PROXY_WORKERS to 1",
    )


def limits_for_one(policies: Iterable[LoadedPolicy], settings: Settings) -> list[Problem]:
    """Return the limits that are kept as long as one process serves, and no longer."""
    if settings.workers > 1:
        return []
    return _without_redis(
        policies,
        settings,
        "kept by one process only: without GUARD_PROXY_REDIS_URL each replica counts for itself, "
        "and `serve` with more than one worker refuses to start",
    )


def _without_redis(
    policies: Iterable[LoadedPolicy], settings: Settings, said: str
) -> list[Problem]:
    if settings.redis_url is not None:
        return []
    # Those who inherit them are pointed to the same place.
    found = {
        Problem(loaded.entry.at(("limits",)), "limits", said)
        for loaded in policies
        if loaded.policy.tenant and loaded.policy.limits.are_set
    }
    return sorted(found)
