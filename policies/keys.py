"""API keys of tenants: made here, shown once, kept only as hashes.

A plain SHA-256 is enough. Slow, salted hashes protect secrets that can be guessed; a key carries
256 random bits: nothing can be guessed and no two are alike. And every request is hashed once.
"""

import hashlib
import re
import secrets

from policies.policy import TENANT_NAME

SECRET_BYTES = 32


def new_key(tenant: str) -> tuple[str, str]:
    """Make a key for a tenant.

    Returns:
        The key, ``gp-<tenant>-<43 characters>``, and its hash for the tenant's policy file.

    Raises:
        ValueError: the tenant's name is not one that a policy may carry.
    """
    if not re.fullmatch(TENANT_NAME, tenant):
        raise ValueError(f"a tenant's name matches {TENANT_NAME}, not {tenant!r}")
    key = f"gp-{tenant}-{secrets.token_urlsafe(SECRET_BYTES)}"
    return key, hash_key(key)


def hash_key(key: str) -> str:
    """Return what a policy file stores of a key: ``sha256:<hex>``."""
    return "sha256:" + hashlib.sha256(key.encode()).hexdigest()
