"""Opens the limiter that the settings ask for."""

import contextlib
import time
from collections.abc import AsyncGenerator

from proxy.limits.limiter import Limiter
from proxy.limits.local import LocalCounts
from proxy.limits.shared import SharedCounts
from proxy.settings import Settings


@contextlib.asynccontextmanager
async def open_limiter(settings: Settings) -> AsyncGenerator[Limiter, None]:
    """Open a limiter, on Redis where there is one, and close it in the end."""
    address = settings.shared_redis
    shared = None if address is None else SharedCounts(address)
    limiter = Limiter(LocalCounts(time.monotonic), shared)
    limiter.start()
    try:
        yield limiter
    finally:
        await limiter.close()
