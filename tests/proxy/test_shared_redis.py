"""One client for many calls at once: what fails for one of them does not harm the others."""

import asyncio
from typing import cast

import pytest
from redis.asyncio import RedisCluster as ClusterClient

from proxy.shared_redis import SharedRedis
from tests.fakes.redis_cluster import RedisCluster
from tests.proxy.traces.making import until

NAME = "of-this-test"


class Away(Exception):
    """The server cannot be used."""


def connections(cluster: RedisCluster) -> int:
    """Return how many connections of that name the servers have."""
    found = 0
    for node in cluster.nodes:
        with node.client() as client:
            found += sum(one["name"] == NAME for one in client.client_list())
    return found


async def call(shared: SharedRedis) -> None:
    async with shared.answering(Away) as redis:
        await redis.get("anything")


async def test_a_call_that_went_on_while_another_failed_leaves_no_connection(
    cluster: RedisCluster,
) -> None:
    shared = SharedRedis(f"{cluster.url}?client_name={NAME}", answer_within_s=20.0)
    await call(shared)
    client = cast("ClusterClient", shared.client)
    await client.aclose()  # as the library does by itself where a call fails
    await client.get_nodes()[0].execute_command("PING")  # the other call had found its server
    assert connections(cluster) == 1

    await shared.close()

    await until(lambda: connections(cluster) == 0, within_s=20.0)


@pytest.mark.parametrize("turns", range(6))
async def test_a_connection_that_another_call_closes_is_a_server_away(
    cluster: RedisCluster, turns: int
) -> None:
    shared = SharedRedis(cluster.url, answer_within_s=20.0)
    await call(shared)
    server = cast("ClusterClient", shared.client).get_node_from_key("anything")
    assert server
    closing = asyncio.create_task(server.disconnect())
    for _ in range(turns):
        await asyncio.sleep(0)

    [failure] = await asyncio.gather(call(shared), return_exceptions=True)

    await closing
    await call(shared)
    await shared.close()
    assert failure is None or isinstance(failure, Away)


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
