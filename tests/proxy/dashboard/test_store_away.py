"""Redis goes away while somebody looks: the dashboard says so, and goes on when it is back."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.fakes.redis_process import RedisProcess
from tests.fakes.running_proxy import running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.waiting import eventually
from tests.proxy.dashboard.visitor import Visitor

AWAY = httpx.codes.SERVICE_UNAVAILABLE


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisProcess]:
    server = RedisProcess(tmp_path)
    server.start()
    yield server
    server.stop()


async def test_says_so_until_it_is_back(tmp_path: Path, redis: RedisProcess) -> None:
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(tmp_path, upstream, redis_url=redis.url, dashboard=True) as proxy,
        Visitor(proxy.address) as visitor,
    ):
        await visitor.sign_in(proxy.key)
        assert (await visitor.get("/dashboard")).status_code == httpx.codes.OK

        # A restart in between is no failure; the sessions are gone with what it held.
        redis.stop()
        redis.start()
        assert (await visitor.get("/dashboard")).status_code == httpx.codes.SEE_OTHER
        await visitor.sign_in(proxy.key)

        redis.stop()
        page = await visitor.get("/dashboard")
        assert page.status_code == AWAY
        assert page.headers["retry-after"] == "5"
        assert "지금은 저장소에 연결할 수 없습니다" in page.text
        told = (await visitor.get("/dashboard/live", accept_language="en")).text
        assert "The store cannot be reached right now" in told
        assert (await visitor.sign_in(proxy.key)).status_code == AWAY
        assert (await visitor.get("/dashboard/login")).status_code == httpx.codes.OK

        redis.start()

        async def sees_the_overview() -> bool:
            await visitor.sign_in(proxy.key)
            return (await visitor.get("/dashboard")).status_code == httpx.codes.OK

        await eventually(sees_the_overview)
