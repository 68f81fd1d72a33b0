"""Who may read traces: whoever has the admin token every tenant's, a tenant's key its own."""

import secrets
from dataclasses import dataclass

from proxy.services import Services


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody who may read traces.

    Attributes:
        tenant: The tenant whose traces these are; None for the admin, who may read all.
    """

    tenant: str | None

    @property
    def is_admin(self) -> bool:
        """Whether every tenant's traces may be read."""
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
