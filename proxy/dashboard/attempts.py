"""Limits how often somebody may be wrong at the login."""

import math

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter

MOST_WRONG = 10
_LIMIT = RateLimitItemPerMinute(MOST_WRONG)


class Attempts:
    """Counts wrong keys of the last minute by the caller's address, in this process."""

    def __init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    async def wait_s(self, address: str, now_s: float) -> int:
        """Return how long a caller has to wait before another try; 0 if not at all."""
        if await self._limiter.test(_LIMIT, address):
            return 0
        stats = await self._limiter.get_window_stats(_LIMIT, address)
        return max(1, math.ceil(stats.reset_time - now_s))

    async def note_wrong(self, address: str) -> None:
        """Count a wrong key."""
        await self._limiter.hit(_LIMIT, address)
