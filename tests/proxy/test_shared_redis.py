"""One client for many calls at once."""

import asyncio

from proxy.shared_redis import SharedRedis


class Away(Exception):
    """The server cannot be used."""


async def call(shared: SharedRedis) -> None:
    async with shared.answering(Away) as redis:
        await redis.get("anything")


async def test_a_cancellation_that_comes_as_a_call_ends_is_not_lost(redis_url: str) -> None:
    shared = SharedRedis(redis_url, answer_within_s=20.0)
    for turns in range(100):
        cancelled = asyncio.Event()

        async def call_until_then(cancelled: asyncio.Event = cancelled) -> None:
            while not cancelled.is_set():
                await call(shared)

        calling = asyncio.create_task(call_until_then())
        for _ in range(turns):
            await asyncio.sleep(0)
        cancelled.set()
        calling.cancel()
        await asyncio.wait([calling])
        assert calling.cancelled(), f"lost after {turns} turns of the loop"
    await shared.close()
