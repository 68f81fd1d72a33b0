"""Requests that wait for their answer, because a gateway sends the two separately.

They are kept in Redis where there is one, so that any replica can judge the answer, else in this
process. Their texts are kept as they came: the answer could not be compared with masked sources.
"""

import asyncio
import hashlib
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from proxy.errors import RequestStoreUnavailable
from proxy.workers import Place

KEPT_S: Final = 600
"""Longest wait of a request for its answer, in seconds."""
KEPT_AFTER_SCAN_S: Final = 60
"""Seconds that it is kept after a scan, as a stream may be scanned several times."""
SWEEP_EVERY_S: Final = 60.0
"""Seconds between removals of expired requests."""
MOST_BYTES_OF_TENANT: Final = 32 * 1024 * 1024
"""In the memory of a process."""
MOST_SHARED_BYTES: Final = 128 * 1024 * 1024
"""Of a tenant in Redis, where traces and limits of all need room, too."""
_BYTES_BESIDE: Final = 512
"""About what a request takes in memory beside its own bytes."""
ANSWER_WITHIN_S = 1.0
_KEY: Final = "guard-proxy:waiting:{{{tenant}}}:{part}"


class WaitingRequests(Protocol):
    """Storage of requests that wait for their answers."""

    async def put(self, tenant: str, call_id: str, request: bytes) -> None:
        """Keep a request until its answer is scanned.

        Raises:
            RequestStoreUnavailable: it cannot be kept.
        """

    async def get(self, tenant: str, call_id: str) -> bytes | None:
        """Return the request that an answer belongs to; None if it is not known (any more).

        Raises:
            RequestStoreUnavailable: nobody can tell.
        """

    async def close(self) -> None:
        """Close the connections."""


class _Tenant:
    """The requests of one tenant, oldest first, each with the time until which it is kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._size = 0

    def put(self, key: str, until_s: float, request: bytes) -> None:
        self.drop(key)
        self._kept[key] = (until_s, request)
        self._size += len(request) + _BYTES_BESIDE
        while len(self._kept) > 1 and self._size > MOST_BYTES_OF_TENANT:
            self.drop(next(iter(self._kept)))

    def get(self, key: str, until_s: float, now_s: float) -> bytes | None:
        kept_until_s, request = self._kept.get(key, (now_s, None))
        if request is None or kept_until_s < now_s:
            self.drop(key)
            return None
        self._kept[key] = (until_s, request)
        return request

    def drop_expired(self, now_s: float) -> bool:
        """Drop what is kept no longer; tell whether anything is left."""
        for key in [key for key, (until_s, _) in self._kept.items() if until_s < now_s]:
            self.drop(key)
        return bool(self._kept)

    def drop(self, key: str) -> None:
        if key in self._kept:
            _, request = self._kept.pop(key)
            self._size -= len(request) + _BYTES_BESIDE


class LocalWaitingRequests:
    """Requests in the memory of this process; the oldest of a tenant make room for new ones.

    Those that have expired are dropped now and then, also if nothing more is asked.

    Args:
        clock: Monotonic, in seconds.
        is_alone: False for one of several workers, which would know its own requests only: then
            none is kept.
    """

    def __init__(self, clock: Callable[[], float], *, is_alone: bool = True) -> None:
        self._clock = clock
        self._is_alone = is_alone
        self._tenants: defaultdict[str, _Tenant] = defaultdict(_Tenant)
        self._sweep_timer: asyncio.TimerHandle | None = None

    async def put(self, tenant: str, call_id: str, request: bytes) -> None:
        """Keep a request; see `WaitingRequests.put`."""
        if not self._is_alone:
            raise RequestStoreUnavailable(
                "with more than one worker, requests wait for their answers in Redis; its operator "
                "has to set GUARD_PROXY_REDIS_URL"
            )
        now_s = self._clock()
        self._tenants[tenant].put(_hash(call_id), now_s + KEPT_S, request)
        if self._sweep_timer is None:
            self._sweep_later()

    async def get(self, tenant: str, call_id: str) -> bytes | None:
        """Return a request; see `WaitingRequests.get`."""
        now_s = self._clock()
        until_s = now_s + KEPT_AFTER_SCAN_S
        return self._tenants[tenant].get(_hash(call_id), until_s, now_s)

    async def close(self) -> None:
        """Forget all requests."""
        self._tenants.clear()
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()

    def _sweep_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._sweep_timer = loop.call_later(SWEEP_EVERY_S, self._sweep)

    def _sweep(self) -> None:
        """Drop what has expired, and look again later if anything is left."""
        self._sweep_timer, now_s = None, self._clock()
        kept = {name: one for name, one in self._tenants.items() if one.drop_expired(now_s)}
        self._tenants = defaultdict(_Tenant, kept)
        if kept:
            self._sweep_later()


_PUT = Path(__file__).with_name("waiting_put.lua").read_text("utf-8")
_GET = Path(__file__).with_name("waiting_get.lua").read_text("utf-8")


class SharedWaitingRequests:
    """Requests in Redis, for all replicas; of a tenant, those that end first make room."""

    def __init__(self, address: str) -> None:
        from proxy.shared_redis import SharedRedis  # takes 9 MB, and many have no Redis

        self._redis = SharedRedis(
            address, answer_within_s=ANSWER_WITHIN_S, tries_again=True, decoded=False
        )

    async def put(self, tenant: str, call_id: str, request: bytes) -> None:
        """Keep a request; see `WaitingRequests.put`."""
        limits = (KEPT_S, MOST_SHARED_BYTES, _BYTES_BESIDE)
        async with self._redis.answering(_unavailable) as redis:
            values = (_hash(call_id), request.decode(), *limits)
            await self._redis.run(redis, _PUT, _keys(tenant), values)

    async def get(self, tenant: str, call_id: str) -> bytes | None:
        """Return a request; see `WaitingRequests.get`."""
        values = (_hash(call_id), KEPT_AFTER_SCAN_S, KEPT_S)
        async with self._redis.answering(_unavailable) as redis:
            request: bytes | None = await self._redis.run(redis, _GET, _keys(tenant), values)
        return request

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.close()


def open_waiting_requests(
    address: str | None, place: Place, clock: Callable[[], float]
) -> WaitingRequests:
    """Return where requests wait."""
    if address is not None:
        return SharedWaitingRequests(address)
    return LocalWaitingRequests(clock, is_alone=place.count == 1)


def _keys(tenant: str) -> list[str]:
    return [_KEY.format(tenant=tenant, part=part) for part in ("order", "texts", "size")]


def _hash(call_id: str) -> str:
    # A caller chooses the id: it may be long, and hold anything, half of a surrogate pair, too.
    return hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()


def _unavailable(_: Exception) -> RequestStoreUnavailable:
    return RequestStoreUnavailable("Redis does not answer")
