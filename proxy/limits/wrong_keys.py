"""Limits how often somebody may be wrong about a key that opens more than a tenant's own."""

import math
from ipaddress import IPv6Address, IPv6Network, ip_address

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter

from proxy.workers.place import ALONE, Place

MOST_WRONG = 10
_OF_ONE_CUSTOMER = 64
"""Bits of an IPv6 address that a caller cannot choose."""


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
        caller = _caller_at(address)
        if await self._limiter.test(self._limit, caller):
            return 0
        stats = await self._limiter.get_window_stats(self._limit, caller)
        return max(1, math.ceil(stats.reset_time - now_s))

    async def note(self, address: str) -> None:
        """Count a wrong key."""
        await self._limiter.hit(self._limit, _caller_at(address))


def _caller_at(address: str) -> str:
    """Return what all addresses have in common that one caller may come from.

    All who have no address are one caller: what stands there then somebody may have made up.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return ""
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), _OF_ONE_CUSTOMER), strict=False))
