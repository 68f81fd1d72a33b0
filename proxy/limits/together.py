"""Limits that several processes have to count together, which they can only in Redis."""

from collections.abc import Iterable

from policies.schema.errors import Problem
from policies.schema.loader import LoadedPolicy
from proxy.settings import Settings


def limits_without_count(policies: Iterable[LoadedPolicy], settings: Settings) -> list[Problem]:
    """Return the limits that nobody could keep: each of several workers counts for itself."""
    if settings.workers == 1:
        return []
    return _without_redis(
        policies,
        settings,
        f"each of {settings.workers} workers would count for itself; set GUARD_PROXY_REDIS_URL, or "
        "GUARD_PROXY_WORKERS to 1",
    )


def limits_for_one(policies: Iterable[LoadedPolicy], settings: Settings) -> list[Problem]:
    """Return the limits that are kept as long as one process serves, and no longer."""
    if settings.workers > 1:
        return []
    return _without_redis(
        policies,
        settings,
        "kept by one process only: without GUARD_PROXY_REDIS_URL each replica counts for itself, "
        "and `serve` with more than one worker refuses to start",
    )


def _without_redis(
    policies: Iterable[LoadedPolicy], settings: Settings, said: str
) -> list[Problem]:
    if settings.redis_url is not None:
        return []
    # Those who inherit them are pointed to the same place.
    found = {
        Problem(loaded.entry.at(("limits",)), "limits", said)
        for loaded in policies
        if loaded.policy.tenant and loaded.policy.limits.are_set
    }
    return sorted(found)
