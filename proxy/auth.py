"""Access to traces: by the admin token, or by a tenant's key."""

import secrets
from dataclasses import dataclass

from policies.schema.keys import tenant_named_by
from proxy.errors import TooManyWrongKeys
from proxy.logs import logger
from proxy.services import Services

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
