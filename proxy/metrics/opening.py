"""Opens the metrics of a process, or of one among several."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path

from proxy.metrics.metrics import Metrics
from proxy.metrics.shared import keep_together

FOLLOW_EVERY_S = 1.0
"""How old the figures may be that other processes show of this one."""


@contextlib.asynccontextmanager
async def open_metrics(folder: Path | None, number: int) -> AsyncGenerator[Metrics, None]:
    """Open metrics, and let other processes see in the end what they came to.

    Args:
        folder: Where several processes keep their metrics together; None for one by itself.
        number: Which of them this one is.
    """
    if folder is None:
        yield Metrics()
        return
    keep_together(folder, number)
    metrics = Metrics(folder)
    following = asyncio.create_task(_follow_forever(metrics))
    try:
        yield metrics
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        metrics.follow()


async def _follow_forever(metrics: Metrics) -> None:
    while True:
        await asyncio.sleep(FOLLOW_EVERY_S)
        metrics.follow()
