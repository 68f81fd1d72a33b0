"""Authentication of the model API: bearer key -> tenant, before anything else is looked at."""

from proxy.errors import UnknownKey, UnknownPath
from proxy.server.paths import ModelPath
from proxy.tenants import Tenant, Tenants

_SCHEME = "bearer "


def tenant_of(path: ModelPath, key: str | None, tenants: Tenants) -> Tenant:
    """Return the tenant of a request.

    ``/t/<tenant>/v1/…`` names a tenant whose policy passes the caller's own key on to the model
    server; everywhere else the key names the tenant.

    Args:
        path: What was asked for.
        key: The caller's key.
        tenants: All tenants.

    Raises:
        RequestRefused: there is none.
    """
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
