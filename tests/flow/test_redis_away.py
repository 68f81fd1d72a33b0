"""Redis goes away and comes back under load: no client feels it, and no trace is lost."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from proxy.openai_api.json_body import JsonObject
from proxy.traces.store import Query
from tests.fakes.redis_process import RedisProcess
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import said
from tests.flow.waiting import eventually

SOURCES: list[JsonObject] = [
    {
        "section_title": "제22조(출장비)",
        "section_content": "국내 출장을 가는 직원에게 1일당 일비 3만원을 지급한다.",
    }
]
ASKED = chat_body("출장 일비는 얼마인가요?", [*SOURCES])
ANSWER = "일비는 1일당 3만원입니다."
TENANTS = ("app", "other")


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisProcess]:
    """A Redis of the test's own, which loses nothing that it has acknowledged."""
    folder = tmp_path / "redis"
    folder.mkdir()
    server = RedisProcess(folder, durable=True)
    server.start()
    yield server
    server.stop()


class Load:
    """Clients of two tenants: each asks again as soon as it has its reply."""

    def __init__(self, proxy: RunningProxy) -> None:
        self.proxy = proxy
        self.replies: dict[str, list[httpx.Response]] = {tenant: [] for tenant in TENANTS}

    def ids(self, tenant: str) -> list[str]:
        return [reply.headers["x-guard-request-id"] for reply in self.replies[tenant]]

    async def run(self, times: int) -> None:
        async def ask(tenant: str) -> None:
            for _ in range(times):
                reply = await self.proxy.chat(ASKED, key=self.proxy.keys[tenant])
                self.replies[tenant].append(reply)

        await asyncio.gather(*map(ask, TENANTS))

    async def is_settled(self) -> bool:
        counters = self.proxy.services.recorder.counters()
        return counters["waiting"] == counters["outbox"] == 0

    async def waits_in_the_outbox(self) -> bool:
        return self.proxy.services.recorder.counters()["outbox"] > 0

    async def store_state(self) -> str:
        reply = await self.proxy.client.get(f"{self.proxy.address}/readyz")
        assert (reply.status_code, reply.json()["status"]) == (200, "ready")
        return str(reply.json()["traces"]["store"])

    async def store_is_back(self) -> bool:
        return await self.store_state() == "ok"

    def assert_nothing_was_felt(self) -> None:
        for replies in self.replies.values():
            assert {reply.status_code for reply in replies} == {200}
            assert {said(reply) for reply in replies} == {ANSWER}

    async def assert_all_kept_once_and_in_order(self) -> None:
        for tenant in TENANTS:
            page = await self.proxy.services.traces.page(Query(tenant=tenant, after="", limit=500))
            assert [trace.id for trace in page.traces] == self.ids(tenant)


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
