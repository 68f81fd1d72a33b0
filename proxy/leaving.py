"""Waits for a request's job as long as its client does."""

import asyncio

from litestar import Request
from litestar.datastructures import State

from proxy.job import HttpReply


async def done_or_left(
    request: Request[object, object, State],
    task: asyncio.Task[HttpReply],
    within_s: float | None,
    *,
    begun: asyncio.Event | None = None,
) -> None:
    """Wait for the job, at most ``within_s`` seconds; end it if its client hangs up.

    Args:
        request: The client's request.
        task: The job.
        within_s: How long; None for as long as it takes.
        begun: Wait no longer than to the beginning of a stream.
    """
    leaving = asyncio.create_task(_hang_up(request))
    beginning = asyncio.create_task(begun.wait()) if begun else leaving
    try:
        await asyncio.wait(
            {task, leaving, beginning}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED
        )
        if leaving.done():
            task.cancel()
            await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        raise
    finally:
        leaving.cancel()
        beginning.cancel()


async def _hang_up(request: Request[object, object, State]) -> None:
    """Return when the client is gone. The body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
