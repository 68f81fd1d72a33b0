"""Where a tenant's limits stand in a request's way: behind its key, before its body."""

from collections.abc import Mapping
from uuid import uuid4

from litestar import Litestar
from litestar.datastructures import MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from proxy.limits.counting import Visit
from proxy.limits.headers import limit_headers, refusal
from proxy.limits.limiter import Limiter
from proxy.services import Services
from proxy.tenants import Tenant


class Limiting(ASGIMiddleware):
    """Refuses what is beyond its tenant's limits. Put it behind `Authentication`."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Serve a request if there is room for it.

        Raises:
            TooManyRequests: there is none.
        """
        tenant: Tenant = scope["state"]["tenant"]
        limits = tenant.policy.limits
        if not limits.are_set:
            await next_app(scope, receive, send)
            return
        services: Services = Litestar.from_scope(scope).state.services
        limiter = services.limiter
        visit = Visit(uuid4().hex, tenant.name, limits)
        try:
            count = await limiter.enter(visit)
            if count.full:
                refusals = services.metrics.limited_requests
                refusals.labels(tenant.name, count.full.value).inc()
                raise refusal(limits, count.full, count)
            headers = limit_headers(limits, count)
            await next_app(scope, receive, _sending(send, limiter, visit, headers))
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
