"""No lost answer, no lost trace: on a Redis Cluster, also while one of its servers goes.

Each kind of thing that proxies share is on one shard, because a script needs it together.
"""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from pathlib import Path

import httpx
import pytest

from proxy.judge.hints import SharedHints
from proxy.traces.redis_adding import TENANTS as TRACES_KEY
from proxy.traces.store import Query
from proxy.traces.tally import Bucket
from tests.fakes.redis_cluster import RedisCluster
from tests.fakes.running_proxy import ADMIN_TOKEN, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.loading import ANSWER, ASKED, Load
from tests.flow.waiting import eventually
from tests.proxy.dashboard.visitor import Visitor

LIMITED = "limits: {requests_per_minute: 3, concurrent_requests: 2}"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisCluster]:
    servers = RedisCluster(tmp_path_factory.mktemp("cluster"), password="shared-word")
    servers.start()
    yield servers
    servers.stop()


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
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(folders[0], upstream, LIMITED, redis_url=cluster.url) as first,
        running_proxy(folders[1], upstream, LIMITED, redis_url=cluster.url) as second,
    ):
        upstream.says(ANSWER)
        replies = [await proxy.chat(ASKED) for proxy in (first, second, first, second)]
        async with Visitor(first.address) as visitor:
            await visitor.sign_in(ADMIN_TOKEN)
            for proxy, path in product((first, second), ("/dashboard", "/dashboard/traces")):
                page = await visitor.get(f"{proxy.address}{path}")
                assert page.status_code == httpx.codes.OK
        hints = [SharedHints(cluster.url) for _ in range(2)]
        await hints[0].tell("judge", "token", 5.0)

        assert [reply.status_code for reply in replies] == [200, 200, 200, 429]
        for reply, other in zip(replies[:3], (second, first, second), strict=True):
            assert (await other.trace(reply)).tenant == "app"
        assert await second.services.traces.count(Query()) == 3
        now = second.services.now()
        counted = await second.services.traces.tallies(
            None, now - timedelta(minutes=5), now + timedelta(minutes=1), Bucket.MINUTE
        )
        assert sum(bucket.counts.get("requests", 0) for bucket in counted) == 3
        assert await hints[1].heard(["judge"]) == {"judge": "token"}
        ready = (await second.client.get(f"{second.address}/readyz")).json()
        assert (ready["traces"]["store"], ready["limits"]["store"]) == ("ok", "ok")
        for one in hints:
            await one.close()


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
        server = replicated.primary_of(TRACES_KEY)
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
        server = cluster.primary_of(TRACES_KEY)
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
