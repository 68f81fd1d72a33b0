"""Where a tenant's limits stand in a request's way: behind its key, before its body."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from uuid import uuid4

from litestar.datastructures import MutableScopeHeaders
from litestar.types import Message, Send

from proxy.limits.counting import Visit
from proxy.limits.headers import limit_headers, refusal
from proxy.limits.limiter import Limiter
from proxy.routes.asked import Asked


@asynccontextmanager
async def within_limits(asked: Asked, send: Send) -> AsyncGenerator[Send, None]:
    """Hold a place for a request while it is served, and yield where its reply goes.

    Raises:
        TooManyRequests: there is no place.
    """
    services, tenant = asked.services, asked.tenant
    limits = tenant.policy.limits
    limiter = services.limiter
    visit = Visit(uuid4().hex, tenant.name, limits)
    try:
        count = await limiter.enter(visit)
        if count.full:
            services.metrics.limited_requests.labels(tenant.name, count.full.value).inc()
            raise refusal(limits, count.full, count)
        yield _sending(send, limiter, visit, limit_headers(limits, count))
    finally:
        await limiter.leave(visit)


def _sending(send: Send, limiter: Limiter, visit: Visit, headers: Mapping[str, str]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            sent = MutableScopeHeaders(message)
            for name, value in headers.items():
                sent[name] = value
        elif message["type"] == "http.response.body" and not message["more_body"]:
            # Before its last byte, so that a client with one request at a time finds room.
            await limiter.leave(visit)
        await send(message)

    return sending
