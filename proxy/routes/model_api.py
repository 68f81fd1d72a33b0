"""The model API: who asks, whether there is room, and which endpoint serves it.

It stands beside the web framework, whose routing and wrapping would cost more than all that is done
here. A request is refused by its key before its limits are looked at, and by those before its body
is read.
"""

from collections.abc import Mapping
from typing import Final
from uuid import uuid4

from litestar.types import HTTPScope, Receive, Send

from proxy.auth import bearer_key, tenant_of
from proxy.errors import GuardProxyError, InternalError
from proxy.logs import failure, logger
from proxy.openai_api.doors import DOORS
from proxy.routes.asked import Asked, Endpoint
from proxy.routes.doors import door_endpoint
from proxy.routes.limiting import within_limits
from proxy.routes.passthrough import PASS_THROUGH
from proxy.routes.verify import VERIFY
from proxy.server.asgi_reply import HttpReply, error_reply, send_whole
from proxy.server.client_limits import Kind
from proxy.server.paths import ModelPath
from proxy.services import Services
from proxy.telemetry.counting import InFlight

log = logger(__name__)

_OWN: Final[Mapping[str, Endpoint]] = {
    **{f"/{door.path}": door_endpoint(door) for door in DOORS},
    "/verify": VERIFY,
}
_OWN_METHODS = frozenset({"POST"})
_NONE: Final[frozenset[str]] = frozenset()


class ModelApi:
    """Serves requests for the model API.

    Args:
        services: What the endpoints work with.
    """

    def __init__(self, services: Services) -> None:
        self._services = services

    async def serve(self, path: ModelPath, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Serve one request.

        Args:
            path: What it asks for.
            scope: Its head.
            receive: Where its body comes from.
            send: Where its reply goes.
        """
        own = _OWN.get(path.below)
        endpoint = own if own and scope["method"] in _OWN_METHODS else PASS_THROUGH
        with InFlight(self._services.metrics, endpoint.name, send) as counted:
            try:
                self._services.capacity.take(Kind.REQUESTS)
                try:
                    await self._enter(endpoint, path, scope, receive, counted)
                finally:
                    self._services.capacity.give_back(Kind.REQUESTS)
            except Exception as error:
                if counted.has_begun:
                    raise  # without its end the client sees that the reply is cut
                await send_whole(counted.send, reply_to(error))

    async def _enter(
        self,
        endpoint: Endpoint,
        path: ModelPath,
        scope: HTTPScope,
        receive: Receive,
        counted: InFlight,
    ) -> None:
        named = (value for name, value in scope["headers"] if name == b"authorization")
        key = bearer_key(next(named, b""))
        tenant = tenant_of(path, key, self._services.tenants)
        own_methods = _OWN_METHODS if path.below in _OWN else _NONE
        asked = Asked(self._services, scope, path, tenant, key, own_methods)
        if not tenant.policy.limits.are_set:
            await endpoint.serve(asked, receive, counted.send)
            return
        async with within_limits(asked, counted.send) as send:
            try:
                await endpoint.serve(asked, receive, send)
            except Exception as error:
                if counted.has_begun:
                    raise
                await send_whole(send, reply_to(error))


def reply_to(error: Exception) -> HttpReply:
    """Return an error as a client sees it; what nobody expected goes to the log."""
    if not isinstance(error, GuardProxyError):
        request_id = uuid4().hex
        log.error("request.failed", request_id=request_id, **failure(error))
        error = InternalError(request_id)
    return error_reply(error)
