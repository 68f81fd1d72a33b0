"""Authentication of the model API: bearer key -> tenant, before anything else is looked at."""

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send

from proxy.errors import UnknownKey, UnknownPath
from proxy.paths import ModelPath
from proxy.tenants import Tenant, Tenants

_SCHEME = "bearer "


class Authentication(ASGIMiddleware):
    """Finds the tenant of a request, or refuses the request.

    ``/t/<tenant>/v1/…`` names a tenant whose policy passes the caller's own key on to the model
    server; everywhere else the key names the tenant.
    """

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Put the tenant and the caller's key into the connection's state."""
        key = bearer_key(dict(scope["headers"]).get(b"authorization", b""))
        scope["state"]["tenant"] = _tenant(scope, key)
        scope["state"]["caller_key"] = key
        await next_app(scope, receive, send)


def _tenant(scope: Scope, key: str | None) -> Tenant:
    tenants: Tenants = Litestar.from_scope(scope).state.tenants
    path: ModelPath = scope["state"]["model_path"]
    if path.tenant is not None:
        named = tenants.book.open_by_name(path.tenant)
        if named is None:
            raise UnknownPath(path.whole)
        return named
    tenant = tenants.book.by_key(key) if key else None
    if tenant is None:
        raise UnknownKey(missing=key is None)
    return tenant


def bearer_key(header: bytes) -> str | None:
    """Return the key of an ``Authorization`` header; None if it holds none."""
    text = header.decode("latin-1")
    if not text.lower().startswith(_SCHEME):
        return None
    return text[len(_SCHEME) :].strip() or None
