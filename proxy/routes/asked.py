"""What is known of a request for the model API before its body is read."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from litestar.types import HTTPScope, Receive, Send

from proxy.server.paths import ModelPath
from proxy.services import Services
from proxy.tenants import Tenant


@dataclass(frozen=True, slots=True)
class Asked:
    """A request on its way to its endpoint.

    Attributes:
        services: What the endpoints work with.
        scope: The request's head, as the web server read it.
        path: What was asked for.
        tenant: Who asks.
        caller_key: The caller's bearer key.
        own_methods: Methods of the endpoint of our own at that path; none where there is none.
    """

    services: Services
    scope: HTTPScope
    path: ModelPath
    tenant: Tenant
    caller_key: str | None
    own_methods: frozenset[str]

    @property
    def headers(self) -> dict[str, str]:
        """The headers by their names in lower case; several of one name as one list."""
        found: dict[str, str] = {}
        for raw_name, raw_value in self.scope["headers"]:
            name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
            found[name] = f"{found[name]}, {value}" if name in found else value
        return found


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Something that serves requests.

    Attributes:
        name: What metrics call it.
        serve: Serves one; may raise `GuardProxyError` before it has sent anything.
    """

    name: str
    serve: Callable[[Asked, Receive, Send], Awaitable[None]]
