"""Requests that wait for the scan of their answer, as a gateway sends the two apart.

They are kept in Redis where there is one, so that any replica can judge the answer, else in this
process. Their texts are kept as they came: the answer could not be held against masked sources.
"""

import hashlib
from collections import OrderedDict
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


class LocalWaitingRequests:
    """Requests in the memory of this process; the oldest of a tenant make room for new ones.

    Args:
        clock: Monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._tenants: dict[str, OrderedDict[str, tuple[float, bytes]]] = {}

    async def put(self, tenant: str, call_id: str, request: bytes) -> None:
        """Keep a request; see `WaitingRequests.put`."""
        kept = self._fresh(tenant)
        kept[call_id] = (self._clock() + KEPT_S, request)
        kept.move_to_end(call_id)
        size = sum(len(one) for _, one in kept.values())
        while size > MOST_BYTES_OF_TENANT and len(kept) > 1:
            _, (_, oldest) = kept.popitem(last=False)
            size -= len(oldest)

    async def get(self, tenant: str, call_id: str) -> bytes | None:
        """Return a request; see `WaitingRequests.get`."""
        kept = self._fresh(tenant)
        if call_id not in kept:
            return None
        _, request = kept[call_id]
        kept[call_id] = (self._clock() + KEPT_AFTER_SCAN_S, request)
        return request

    async def close(self) -> None:
        """Forget all requests."""
        self._tenants.clear()

    def _fresh(self, tenant: str) -> OrderedDict[str, tuple[float, bytes]]:
        """Return a tenant's requests without those whose time is over."""
        kept, now_s = self._tenants.setdefault(tenant, OrderedDict()), self._clock()
        for call_id in [name for name, (until_s, _) in kept.items() if until_s < now_s]:
            del kept[call_id]
        return kept


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
    # A caller chooses the id: it may be long, and hold anything.
    return _KEY.format(tenant=tenant, call=hashlib.sha256(call_id.encode()).hexdigest())


def _unavailable(_: Exception) -> RequestStoreUnavailable:
    return RequestStoreUnavailable("Redis does not answer")
