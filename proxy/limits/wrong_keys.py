"""Limits wrong keys at the login and at `/traces`."""

import hashlib
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from ipaddress import IPv6Address, IPv6Network, ip_address
from pathlib import Path

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter

from proxy.limits.limiter import CountsAway
from proxy.logs import logger
from proxy.workers import ALONE, Place

log = logger(__name__)

MOST_WRONG = 10
_CUSTOMER_PREFIX = 64
"""Bits of an IPv6 address that a caller cannot choose."""


_WRONG = "guard-proxy:{limits}:wrong:"
_WINDOW_S = 60
_US = 1_000_000

_COUNT = Path(__file__).with_name("wrong_keys.lua").read_text("utf-8")


class WrongKeys:
    """Counts wrong keys of the last minute by the caller's address.

    All proxies with the same Redis count together. Without one, and while it is away, each process
    counts for itself.

    Args:
        place: Which of several processes this one is: where each counts for itself, all of one
            machine together let no more be tried than one.
        address: See `proxy.shared_redis`; None without Redis.
        answer_within_s: A Redis that takes longer counts as away.
    """

    def __init__(
        self, place: Place = ALONE, address: str | None = None, *, answer_within_s: float = 0.5
    ) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._limit = RateLimitItemPerMinute(max(1, MOST_WRONG // place.count))
        self._redis = None
        if address is not None:
            from proxy.shared_redis import SharedRedis  # takes 9 MB, and many have no Redis

            self._redis = SharedRedis(address, answer_within_s=answer_within_s)

    async def wait_s(self, address: str, now_s: float) -> int:
        """Return how long a caller has to wait before another try; 0 if not at all."""
        caller = _caller_at(address)
        shared_s = await self._shared_s(caller, is_wrong=False)
        if shared_s is not None:
            return math.ceil(shared_s)
        if await self._limiter.test(self._limit, caller):
            return 0
        stats = await self._limiter.get_window_stats(self._limit, caller)
        return max(1, math.ceil(stats.reset_time - now_s))

    async def note(self, address: str) -> None:
        """Count a wrong key, here too: Redis may go away."""
        caller = _caller_at(address)
        await self._shared_s(caller, is_wrong=True)
        await self._limiter.hit(self._limit, caller)

    async def close(self) -> None:
        """Close the connections."""
        if self._redis is not None:
            await self._redis.close()

    async def _shared_s(self, caller: str, *, is_wrong: bool) -> float | None:
        """Return how long a caller has to wait for all proxies; None if unknown.

        Only the hash of the caller is stored.
        """
        if self._redis is None:
            return None
        key = _WRONG + hashlib.sha256(caller.encode()).hexdigest()
        try:
            async with self._redis.answering(CountsAway) as redis:
                wait_us = await self._redis.run(
                    redis, _COUNT, [key], [MOST_WRONG, int(is_wrong), _WINDOW_S * _US]
                )
        except CountsAway as away:
            log.warning("wrong_keys.counted_alone", error=away.cause)
            return None
        return int(wait_us) / _US


@asynccontextmanager
async def open_wrong_keys(address: str | None, place: Place) -> AsyncGenerator[WrongKeys, None]:
    """Open a count of wrong keys, in Redis where there is one, and close it in the end."""
    wrong_keys = WrongKeys(place, address)
    try:
        yield wrong_keys
    finally:
        await wrong_keys.close()


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
    return str(IPv6Network((int(found), _CUSTOMER_PREFIX), strict=False))
