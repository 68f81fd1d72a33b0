"""Redis goes away and comes back under load: no client feels it, and no trace is lost."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.redis_process import RedisProcess
from tests.fakes.running_proxy import running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.loading import ANSWER, Load
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
