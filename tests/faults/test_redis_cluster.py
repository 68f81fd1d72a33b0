"""No lost answer, no lost trace: on a Redis Cluster, also while one of its servers goes.

Traces are spread over the servers. Of all else that proxies share each kind is on one, because a
script needs it together.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from proxy.traces.redis_adding import SPREAD
from tests.fakes.redis_cluster import RedisCluster
from tests.fakes.running_proxy import running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.faults.sharing import LIMITED, assert_all_is_shared, two_proxies
from tests.flow.loading import ANSWER, ASKED, Load
from tests.flow.waiting import eventually


@pytest.fixture
def replicated(tmp_path: Path) -> Iterator[RedisCluster]:
    """One whose servers have replicas, for a test to break."""
    servers = RedisCluster(tmp_path / "cluster", replicas=True)
    servers.start()
    yield servers
    servers.stop()


async def test_replicas_share_all_they_share_on_a_cluster(
    tmp_path: Path, cluster: RedisCluster
) -> None:
    async with two_proxies(tmp_path, cluster.url) as (first, second):
        await assert_all_is_shared(first, second)


async def test_scripts_that_a_server_has_forgotten_are_given_to_it_again(
    tmp_path: Path, cluster: RedisCluster
) -> None:
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(
            tmp_path, upstream, others={"other": LIMITED}, redis_url=cluster.url
        ) as proxy,
    ):
        upstream.says(ANSWER)
        await proxy.chat(ASKED, key=proxy.keys["other"])
        for node in cluster.nodes:
            with node.client() as client:
                client.script_flush()

        reply = await proxy.chat(ASKED, key=proxy.keys["other"])

        assert reply.headers["x-ratelimit-remaining-requests"] == "1"
        assert (await proxy.trace(reply)).tenant == "other"
        assert proxy.services.limiter.state == "ok"


@pytest.mark.long
@pytest.mark.parametrize("how", ["kill", "hang"])
async def test_a_server_that_goes_under_load_loses_no_answer_and_no_trace(
    tmp_path: Path, replicated: RedisCluster, how: str
) -> None:
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(
            tmp_path,
            upstream,
            "limits: {requests_per_minute: 100000}",
            others={"other": ""},
            redis_url=replicated.url,
        ) as proxy,
    ):
        upstream.says(ANSWER)
        load = Load(proxy)
        under_way = asyncio.create_task(load.run(200))
        await eventually(load.has_begun)
        server = replicated.primary_of(SPREAD[0].tenants)
        getattr(server, how)()
        await under_way
        await load.run(5)
        await eventually(load.store_is_back)
        await eventually(load.is_settled)
        if how == "hang":
            server.resume()
            await load.run(5)
            await eventually(load.is_settled)

        load.assert_nothing_was_felt()
        await load.assert_all_kept_once()
        assert proxy.services.recorder.counters()["dropped"] == 0


@pytest.mark.long
async def test_without_replicas_a_server_that_goes_takes_its_share_and_nothing_more(
    tmp_path: Path, cluster: RedisCluster
) -> None:
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(tmp_path, upstream, others={"other": ""}, redis_url=cluster.url) as proxy,
    ):
        upstream.says(ANSWER)
        load = Load(proxy)
        server = cluster.primary_of(SPREAD[0].tenants)
        server.kill()
        await load.run(20)
        assert (await load.store_state()).startswith("away")
        listing = await proxy.client.get(
            f"{proxy.address}/traces", headers={"authorization": f"Bearer {proxy.key}"}
        )
        server.start()
        await eventually(load.store_is_back)
        await eventually(load.is_settled)

        assert listing.status_code == httpx.codes.SERVICE_UNAVAILABLE
        load.assert_nothing_was_felt()
        await load.assert_all_kept_once()


async def test_a_cluster_that_is_not_there_is_away_and_no_mistake_of_ours(tmp_path: Path) -> None:
    nowhere = RedisCluster(tmp_path / "never-started")
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(tmp_path, upstream, LIMITED, redis_url=nowhere.url) as proxy,
    ):
        upstream.says(ANSWER)
        reply = await proxy.chat(ASKED)
        ready = (await proxy.client.get(f"{proxy.address}/readyz")).json()

    assert reply.status_code == httpx.codes.OK
    assert ready["status"] == "ready"
    assert ready["traces"]["store"].startswith("away: ")
    assert ready["limits"]["store"].startswith("away: ")
