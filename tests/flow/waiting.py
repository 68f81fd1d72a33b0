"""Waiting for what other tasks and processes bring about: on a condition, with a deadline."""

import asyncio
from collections.abc import Awaitable, Callable

DEADLINE_S = 30.0


async def eventually(holds: Callable[[], Awaitable[bool]]) -> None:
    """Return as soon as a condition holds; fail if it does not in time."""
    async with asyncio.timeout(DEADLINE_S):
        while not await holds():  # noqa: ASYNC110 - what other processes do sets no event
            await asyncio.sleep(0.02)
