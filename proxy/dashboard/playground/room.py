"""How much may be tried at once, so that the apps' own requests are not kept waiting."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import uuid4

from proxy.dashboard.playground.problems import NO_ROOM, CannotTry, limit_reached
from proxy.limits.counting import Visit
from proxy.limits.headers import refusal
from proxy.services import Services
from proxy.tenants import Tenant

MOST_AT_ONCE = 4


class Room:
    """Lets in a few tries at once, each of which counts as a request of its tenant besides."""

    def __init__(self, most: int = MOST_AT_ONCE) -> None:
        self._most = most
        self._inside = 0

    @asynccontextmanager
    async def place(self, services: Services, tenant: Tenant) -> AsyncGenerator[None, None]:
        """Hold a place while something is tried.

        Raises:
            CannotTry: there is none, or the tenant has reached a limit of its policy.
        """
        if self._inside >= self._most:
            raise CannotTry(NO_ROOM)
        self._inside += 1
        visit = Visit(uuid4().hex, tenant.name, tenant.policy.limits)
        try:
            if visit.limits.are_set:
                await _enter(services, visit)
            yield
        finally:
            self._inside -= 1
            await services.limiter.leave(visit)


async def _enter(services: Services, visit: Visit) -> None:
    count = await services.limiter.enter(visit)
    if count.full:
        services.metrics.limited_requests.labels(visit.tenant, count.full.value).inc()
        raise CannotTry(limit_reached(refusal(visit.limits, count.full, count)))
