"""What this process has let in: the whole count without Redis, and the floor of it with Redis.

It is kept with Redis too, so that a Redis that goes away leaves a count behind and not a hole. A
limit that this process reaches by itself is reached, whatever the others let in.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from proxy.limits.counting import WINDOW_S, Count, Limit, Visit


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
