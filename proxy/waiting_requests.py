"""Requests that wait for the scan of their answer, as a gateway sends the two apart.

They are kept in Redis where there is one, so that any replica can judge the answer, else in this
process. Their texts are kept as they came: the answer could not be held against masked sources.
"""

import hashlib
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Final, Protocol

from proxy.errors import RequestStoreUnavailable
from proxy.shared_redis import SharedRedis
from proxy.workers.place import Place

KEPT_S: Final = 600
"""How long a request waits for its answer, in seconds."""
KEPT_AFTER_SCAN_S: Final = 60
"""How long it stays after a scan: a stream may be scanned several times."""
MOST_BYTES_OF_TENANT: Final = 32 * 1024 * 1024
"""In the memory of a process."""
_BYTES_BESIDE: Final = 512
"""About what a request takes in memory beside its own bytes."""
ANSWER_WITHIN_S = 1.0
_KEY: Final = "guard-proxy:waiting:{tenant}:{call}"


class WaitingRequests(Protocol):
    """Where requests wait."""

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

    def put(self, key: str, until_s: float, request: bytes, now_s: float) -> None:
        self.drop(key)
        self._kept[key] = (until_s, request)
        self._size += len(request) + _BYTES_BESIDE
        while len(self._kept) > 1:
            oldest, (oldest_until_s, _) = next(iter(self._kept.items()))
            if self._size <= MOST_BYTES_OF_TENANT and oldest_until_s >= now_s:
                return
            self.drop(oldest)

    def get(self, key: str, until_s: float, now_s: float) -> bytes | None:
        kept_until_s, request = self._kept.get(key, (now_s, None))
        if request is None or kept_until_s < now_s:
            self.drop(key)
            return None
        self._kept[key] = (until_s, request)
        return request

    def drop(self, key: str) -> None:
        if key in self._kept:
            _, request = self._kept.pop(key)
            self._size -= len(request) + _BYTES_BESIDE


class LocalWaitingRequests:
    """Requests in the memory of this process; the oldest of a tenant make room for new ones.

    Args:
        clock: Monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._tenants: defaultdict[str, _Tenant] = defaultdict(_Tenant)

    async def put(self, tenant: str, call_id: str, request: bytes) -> None:
        """Keep a request; see `WaitingRequests.put`."""
        now_s = self._clock()
        self._tenants[tenant].put(_key(tenant, call_id), now_s + KEPT_S, request, now_s)

    async def get(self, tenant: str, call_id: str) -> bytes | None:
        """Return a request; see `WaitingRequests.get`."""
        now_s = self._clock()
        until_s = now_s + KEPT_AFTER_SCAN_S
        return self._tenants[tenant].get(_key(tenant, call_id), until_s, now_s)

    async def close(self) -> None:
        """Forget all requests."""
        self._tenants.clear()


class SharedWaitingRequests:
    """Requests in Redis, for all replicas.

    Args:
        address: See `proxy.redis_address`.
    """

    def __init__(self, address: str) -> None:
        self._redis = SharedRedis(
            address, answer_within_s=ANSWER_WITHIN_S, tries_again=True, decoded=False
        )

    async def put(self, tenant: str, call_id: str, request: bytes) -> None:
        """Keep a request; see `WaitingRequests.put`."""
        async with self._redis.answering(_unavailable) as redis:
            await redis.set(_key(tenant, call_id), request, ex=KEPT_S)

    async def get(self, tenant: str, call_id: str) -> bytes | None:
        """Return a request; see `WaitingRequests.get`."""
        key = _key(tenant, call_id)
        async with self._redis.answering(_unavailable) as redis:
            request = await redis.get(key)
            if request is not None:
                await redis.expire(key, KEPT_AFTER_SCAN_S)
        return request.encode() if isinstance(request, str) else request

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.close()


class NoWaitingRequests:
    """Keeps nothing: each of several workers would know its own requests only."""

    async def put(self, tenant: str, call_id: str, request: bytes) -> None:
        """Refuse to keep a request; see `WaitingRequests.put`."""
        raise RequestStoreUnavailable(
            "with more than one worker, requests wait for their answers in Redis; its operator has "
            "to set GUARD_PROXY_REDIS_URL"
        )

    async def get(self, tenant: str, call_id: str) -> bytes | None:
        """Know nothing."""
        return None

    async def close(self) -> None:
        """Do nothing."""


def open_waiting_requests(
    address: str | None, place: Place, clock: Callable[[], float]
) -> WaitingRequests:
    """Return where requests wait.

    Args:
        address: Of the Redis that replicas share; None for none.
        place: Which of several processes this one is.
        clock: Monotonic, in seconds.
    """
    if address is not None:
        return SharedWaitingRequests(address)
    return LocalWaitingRequests(clock) if place.count == 1 else NoWaitingRequests()


def _key(tenant: str, call_id: str) -> str:
    # A caller chooses the id: it may be long, and hold anything, half of a surrogate pair, too.
    hashed = hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()
    return _KEY.format(tenant=tenant, call=hashed)


def _unavailable(_: Exception) -> RequestStoreUnavailable:
    return RequestStoreUnavailable("Redis does not answer")
