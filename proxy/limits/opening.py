"""Opens the limiter that the settings ask for."""

import contextlib
import time
from collections.abc import AsyncGenerator, Mapping

from policies.errors import Problem
from policies.loader import LoadedPolicy
from proxy.limits.limiter import Limiter
from proxy.limits.local import LocalCounts
from proxy.limits.shared import SharedCounts
from proxy.settings import Settings


@contextlib.asynccontextmanager
async def open_limiter(settings: Settings) -> AsyncGenerator[Limiter, None]:
    """Open a limiter, on Redis where there is one, and close it in the end."""
    url = settings.redis_url
    shared = None if url is None else SharedCounts(url.get_secret_value())
    limiter = Limiter(LocalCounts(time.monotonic), shared)
    limiter.start()
    try:
        yield limiter
    finally:
        await limiter.close()


def limits_without_count(policies: Mapping[str, LoadedPolicy], settings: Settings) -> list[Problem]:
    """Return the limits that nobody could keep: several workers count together only in Redis."""
    if settings.workers == 1 or settings.redis_url is not None:
        return []
    said = (
        f"each of {settings.workers} workers would count for itself; set GUARD_PROXY_REDIS_URL, or "
        "GUARD_PROXY_WORKERS to 1"
    )
    return [
        Problem(loaded.entry.at(("limits",)), "limits", said)
        for loaded in policies.values()
        if loaded.policy.tenant and loaded.policy.limits.are_set
    ]
