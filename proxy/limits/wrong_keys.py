"""Limits how often somebody may be wrong about a key that opens more than a tenant's own."""

import math

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter

from proxy.workers.place import ALONE, Place

MOST_WRONG = 10


class WrongKeys:
    """Counts wrong keys of the last minute by the caller's address, in this process.

    Args:
        place: Which of several processes this one is: all together let no more be tried than one.
    """

    def __init__(self, place: Place = ALONE) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._limit = RateLimitItemPerMinute(max(1, MOST_WRONG // place.count))

    async def wait_s(self, address: str, now_s: float) -> int:
        """Return how long a caller has to wait before another try; 0 if not at all."""
        if await self._limiter.test(self._limit, address):
            return 0
        stats = await self._limiter.get_window_stats(self._limit, address)
        return max(1, math.ceil(stats.reset_time - now_s))

    async def note(self, address: str) -> None:
        """Count a wrong key."""
        await self._limiter.hit(self._limit, address)
