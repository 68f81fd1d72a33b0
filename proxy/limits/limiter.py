"""Lets visits in: by what this process knows, and by what Redis knows of all proxies.

Redis is never felt more than once: when it is away, limits are those of this process until it is
back. Then it is first told who is still here, and given back what it is owed: places of visits that
ended meanwhile.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable

from policies.schema.base import Problem
from policies.schema.loader import LoadedPolicy
from proxy.limits.counting import LEASE_S, Count, CountsAway, LocalCounts, SharedCounts, Visit
from proxy.logs import logger
from proxy.settings import Settings

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
