"""Access: bearer keys of tenants for the model API, and the admin token for traces."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from policies.schema.keys import tenant_named_by
from proxy.errors import TooManyWrongKeys, UnknownKey, UnknownPath
from proxy.logs import logger
from proxy.server.request_head import ModelPath
from proxy.services import Services
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


def plain_key(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the key of the one `x-api-key` header; None if there is none, or more than one."""
    named = [value for name, value in headers if name == b"x-api-key"]
    return named[0].decode("latin-1").strip() or None if len(named) == 1 else None


log = logger(__name__)

ENOUGH_TOKEN_CHARS = 16
"""A shorter admin token can be guessed."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody who may read traces.

    Attributes:
        tenant: The tenant whose traces these are; None for the admin, who may read all.
    """

    tenant: str | None

    @property
    def is_admin(self) -> bool:
        """True if every tenant's traces may be read."""
        return self.tenant is None

    def may_read(self, tenant: str) -> bool:
        """Tell whether a tenant's traces may be read."""
        return self.tenant in (None, tenant)


def viewer_with(key: str, services: Services) -> Viewer | None:
    """Return whose key this is; None if it is neither the admin token nor a tenant's key."""
    token = services.settings.admin_token
    if token and secrets.compare_digest(key.encode(), token.get_secret_value().encode()):
        return Viewer(None)
    tenant = services.tenants.book.by_key(key)
    return Viewer(tenant.name) if tenant else None


async def recognised(key: str, address: str, services: Services) -> Viewer | None:
    """Return whose key this is; one that is nobody's counts against the caller's address.

    Others who share the address, as all do behind one load balancer, go on with the right key. Only
    what might be found by guessing is not even compared once there were too many: then a right
    guess must wait like a wrong one.

    Raises:
        TooManyWrongKeys: it is not to be tried again for a while.
    """
    wait_s = await services.wrong_keys.wait_s(address, services.now().timestamp())
    if wait_s and _may_be_guessed(key, services):
        raise TooManyWrongKeys(wait_s)
    viewer = viewer_with(key, services)
    if viewer is not None:
        return viewer
    if wait_s:
        raise TooManyWrongKeys(wait_s)
    await services.wrong_keys.note(address)
    log.warning("traces.key_refused", client=address)
    return None


def _may_be_guessed(key: str, services: Services) -> bool:
    token = services.settings.admin_token
    is_short = token is not None and len(token.get_secret_value()) < ENOUGH_TOKEN_CHARS
    return is_short and tenant_named_by(key) is None
