"""Redis goes away and comes back under load: no client feels it, and no trace is lost."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.traces.query import Query
from tests.fakes.redis_process import RedisProcess
from tests.fakes.running_proxy import running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.loading import ANSWER, TENANTS, Load
from tests.flow.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisProcess]:
    """A Redis of the test's own, which loses nothing that it has acknowledged."""
    folder = tmp_path / "redis"
    folder.mkdir()
    server = RedisProcess(folder, durable=True)
    server.start()
    yield server
    server.stop()


async def test_redis_killed_and_restarted_under_load_is_felt_by_nobody(
    tmp_path: Path, upstream: ScriptedUpstream, redis: RedisProcess
) -> None:
    upstream.says(ANSWER)
    async with running_proxy(
        tmp_path, upstream, others={"other": ""}, redis_url=redis.url
    ) as proxy:
        load = Load(proxy)
        await load.run(10)
        under_way = asyncio.create_task(load.run(20))
        await asyncio.to_thread(redis.kill)
        away = await load.store_state()
        await under_way
        await eventually(load.waits_in_the_outbox)
        await asyncio.gather(asyncio.to_thread(redis.start), load.run(20))
        await eventually(load.store_is_back)
        await eventually(load.is_settled)

        assert away == "away: ConnectionError"
        load.assert_nothing_was_felt()
        await load.assert_all_kept_once_and_in_order()
        assert proxy.services.recorder.counters()["dropped"] == 0


async def test_an_outbox_that_is_full_is_said_and_what_it_costs_counted(
    tmp_path: Path, upstream: ScriptedUpstream, redis: RedisProcess
) -> None:
    upstream.says(ANSWER)
    redis.kill()
    async with running_proxy(
        tmp_path, upstream, others={"other": ""}, redis_url=redis.url, max_outbox_bytes=1
    ) as proxy:
        load = Load(proxy)
        await load.run(2)

        async def is_full() -> bool:
            ready = (await proxy.client.get(f"{proxy.address}/readyz")).json()
            return bool(ready["traces"]["outbox_state"] == "failing: OutboxFull")

        await eventually(is_full)
        assert proxy.services.recorder.counters()["waiting"] == 4
        await asyncio.to_thread(redis.start)
        await eventually(load.is_settled)

        load.assert_nothing_was_felt()
        await load.assert_all_kept_once()
        assert not await is_full()


async def test_a_redis_that_hangs_holds_nobody_up(
    tmp_path: Path, upstream: ScriptedUpstream, redis: RedisProcess
) -> None:
    upstream.says(ANSWER)
    async with running_proxy(
        tmp_path, upstream, others={"other": ""}, redis_url=redis.url
    ) as proxy:
        load = Load(proxy)
        await load.run(5)
        redis.hang()
        await load.run(20)  # all of them are answered while it hangs
        redis.resume()
        await eventually(load.is_settled)

        load.assert_nothing_was_felt()
        await load.assert_all_kept_once_and_in_order()


async def test_traces_that_wait_when_the_service_ends_are_delivered_by_the_next(
    tmp_path: Path, upstream: ScriptedUpstream, redis: RedisProcess
) -> None:
    upstream.says(ANSWER)
    redis.kill()
    others = {"other": ""}
    async with running_proxy(tmp_path, upstream, others=others, redis_url=redis.url) as proxy:
        first = Load(proxy)
        await first.run(10)
    redis.start()

    async with running_proxy(tmp_path, upstream, others=others, redis_url=redis.url) as proxy:
        second = Load(proxy)
        await second.run(5)
        await eventually(second.is_settled)

        first.assert_nothing_was_felt()
        for tenant in TENANTS:
            page = await proxy.services.traces.page(Query(tenant=tenant, after="", limit=500))
            assert [trace.id for trace in page.traces] == first.ids(tenant) + second.ids(tenant)
