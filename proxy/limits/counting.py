"""Counting of requests against limits, and its results."""

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from math import ceil

from policies.schema.sections import Limits
from proxy.errors import TooManyRequests

WINDOW_S = 60.0


class Limit(StrEnum):
    """Which limit has no room, by its name in the policy."""

    REQUESTS_PER_MINUTE = "requests_per_minute"
    CONCURRENT_REQUESTS = "concurrent_requests"


@dataclass(frozen=True, slots=True)
class Visit:
    """A request on its way in.

    Attributes:
        id: Its own.
        tenant: Whose it is.
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
        window_s: How long a visit counts as recent.
    """

    def __init__(self, clock: Callable[[], float], window_s: float = WINDOW_S) -> None:
        self._clock = clock
        self._window_s = window_s
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
        newest_s = next(reversed(visits.recent.values()), now_s - self._window_s)
        return Count(full, wait_s, len(visits.recent), newest_s + self._window_s - now_s)

    def leave(self, visit: Visit) -> None:
        """Note that a visit is over; one that is over already stays so."""
        self._visits[visit.tenant].running.discard(visit.id)

    def forget(self, visit: Visit) -> None:
        """Take a visit back: it was not let in after all."""
        self._visits[visit.tenant].recent.pop(visit.id, None)
        self.leave(visit)

    def _drop_old(self, recent: OrderedDict[str, float], now_s: float) -> None:
        while recent and next(iter(recent.values())) <= now_s - self._window_s:
            recent.popitem(last=False)

    def _full(self, visit: Visit, visits: _Visits, now_s: float) -> tuple[Limit | None, float]:
        most, at_once = visit.limits.requests_per_minute, visit.limits.concurrent_requests
        if most is not None and len(visits.recent) >= most:
            # All above the limit must be too old first, which are several after it was lowered.
            last_s = next(islice(visits.recent.values(), len(visits.recent) - most, None))
            return Limit.REQUESTS_PER_MINUTE, last_s + self._window_s - now_s
        if at_once is not None and len(visits.running) >= at_once:
            return Limit.CONCURRENT_REQUESTS, 0.0
        return None, 0.0
