"""API keys of tenants: created here, shown once, stored only as salted hashes.

A key carries 256 random bits, so that one fast hash is enough: slow ones protect secrets that can
be guessed. The salt keeps files from showing that they hold the same key.
"""

import hmac
import re
import secrets
from collections.abc import Iterable

from policies.schema.policy import TENANT_NAME

SECRET_BYTES = 32
SALT_BYTES = 16
WHOLE_HASH = re.compile(r"hmac:[0-9a-f]{32}:[0-9a-f]{64}")
SHOWN_HASH = re.compile(r"hmac:[0-9a-f]{8}…")
_SHOWN = slice(len("hmac:"), len("hmac:") + 8)
_OWN_KEY = re.compile(r"gp-(.+)-[A-Za-z0-9_-]{43}", re.DOTALL)
_KEY_IN_TEXT = re.compile(r"(gp-[a-z0-9][a-z0-9-]{0,62}?-)([A-Za-z0-9_-]{43,})")


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
    return key, salted_hash(key, secrets.token_hex(SALT_BYTES))


def tenant_named_by(key: str) -> str | None:
    """Return the tenant that a key was made for; None for a key that was not made here."""
    found = _OWN_KEY.fullmatch(key)
    return found[1] if found else None


def without_secrets(text: str) -> str:
    """Return a text with the secret part of each key as stars, in a text of the same length."""
    return _KEY_IN_TEXT.sub(lambda key: key[1] + "*" * len(key[2]), text)


def salted_hash(key: str, salt: str) -> str:
    """Return what a policy file stores of a key: ``hmac:<salt>:<hex>``."""
    digest = hmac.digest(bytes.fromhex(salt), key.encode(), "sha256")
    return f"hmac:{salt}:{digest.hex()}"


def matching(key: str, stored: Iterable[str]) -> str | None:
    """Return which of some stored hashes is that of a key; None if none is.

    How long it takes tells nothing of how much of a hash is right.
    """
    return next((one for one in stored if hmac.compare_digest(one, _like(one, key))), None)


def shown_hash(stored: str) -> str:
    """Return the beginning of a stored hash, by which people tell it from others."""
    return f"hmac:{fingerprint(stored)}…"


def fingerprint(stored: str) -> str:
    """Return the first 8 characters of a stored hash's salt, by which people name the key."""
    return stored[_SHOWN]


def _like(stored: str, key: str) -> str:
    """Return a key's hash, made in the same way as a stored one."""
    return salted_hash(key, stored.split(":")[1])
