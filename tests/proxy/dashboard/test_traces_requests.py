"""The pages about traces, request by request: whose they show, and what they refuse."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from policies.schema.policy import Action
from proxy.app import create_app
from proxy.server.serving import served
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.query import Page, Query
from proxy.traces.sqlite import Database
from proxy.traces.store import TraceStoreAway
from proxy.traces.trace import Trace
from tests.fakes.running_proxy import ADMIN_TOKEN, RunningProxy
from tests.proxy.dashboard.visitor import Visitor
from tests.proxy.traces.making import a_trace, entries

pytestmark = pytest.mark.asyncio(loop_scope="module")

OURS = a_trace("ours", tenant="app", question="우리 질문", action=Action.REPLACE)
THEIRS = a_trace("theirs", tenant="other", question="남의 질문")


@pytest_asyncio.fixture(scope="module", loop_scope="module", autouse=True)
async def stored(proxy: RunningProxy) -> AsyncGenerator[None, None]:
    await proxy.services.traces.add(entries(OURS, THEIRS))
    yield


@pytest_asyncio.fixture(loop_scope="module")
async def tenant(proxy: RunningProxy, visitor: Visitor) -> Visitor:
    await visitor.sign_in(proxy.key)
    return visitor


@pytest_asyncio.fixture(loop_scope="module")
async def admin(visitor: Visitor) -> Visitor:
    await visitor.sign_in(ADMIN_TOKEN)
    return visitor


async def test_a_tenant_sees_its_own_whatever_it_asks_for(tenant: Visitor) -> None:
    for path in ("/dashboard/traces", "/dashboard/traces?tenant=other", "/dashboard/traces/live"):
        page = await tenant.get(path)
        assert "우리 질문" in page.text
        assert "남의 질문" not in page.text


@pytest.mark.parametrize("path", ["/dashboard/traces/theirs", "/dashboard/traces/theirs/json"])
async def test_another_tenants_trace_is_not_there(tenant: Visitor, path: str) -> None:
    hidden, unknown = await tenant.get(path), await tenant.get(path.replace("theirs", "unknown"))

    assert hidden.status_code == unknown.status_code == httpx.codes.NOT_FOUND
    assert hidden.text == unknown.text.replace("unknown", "theirs")


async def test_the_admin_sees_all_or_one(admin: Visitor) -> None:
    both = (await admin.get("/dashboard/traces")).text
    one = (await admin.get("/dashboard/traces?tenant=other")).text

    assert "우리 질문" in both
    assert "남의 질문" in both
    assert "우리 질문" not in one
    assert (await admin.get("/dashboard/traces/theirs")).status_code == httpx.codes.OK


async def test_a_trace_can_be_taken_along(tenant: Visitor) -> None:
    file = await tenant.get("/dashboard/traces/ours/json")

    assert Trace.model_validate_json(file.content) == OURS
    assert file.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        pytest.param("action=explode", "조치가 올바르지 않습니다", id="action"),
        pytest.param("since=gestern", "시각을 읽을 수 없습니다", id="time"),
        pytest.param("span=3y", "기간이 올바르지 않습니다", id="span"),
        pytest.param("before=12-3", "더 이상 없습니다", id="cursor-of-another-store"),
    ],
)
async def test_an_address_that_asks_for_what_cannot_be(
    admin: Visitor, query: str, said: str
) -> None:
    page = await admin.get(f"/dashboard/traces?{query}")

    assert page.status_code == httpx.codes.BAD_REQUEST
    assert said in page.text
    assert 'class="trace-link"' not in page.text
    live = await admin.get(f"/dashboard/traces/live?{query.replace('before', 'after')}")
    assert live.status_code == httpx.codes.BAD_REQUEST


async def test_without_any_trace_the_page_says_how_to_make_one(admin: Visitor) -> None:
    page = await admin.get("/dashboard/traces?tenant=nobody")

    assert "아직 추적 기록이 없습니다" in page.text
    assert f"{admin.address}/v1/chat/completions" in page.text


class AwayStore(EmbeddedStore):
    """Cannot be used."""

    async def page(self, query: Query) -> Page:
        raise TraceStoreAway("embedded", OSError())


async def test_a_live_page_is_told_that_the_store_is_away(
    proxy: RunningProxy, tmp_path: Path
) -> None:
    database = await Database.open(tmp_path / "away.sqlite3")
    away = replace(proxy.services, traces=AwayStore(database, lambda: 0))
    async with served(create_app(away)) as address, Visitor(address) as visitor:
        await visitor.sign_in(ADMIN_TOKEN)
        live = await visitor.get("/dashboard/traces/live?after=17", hx_request="true")
        page = await visitor.get("/dashboard/traces")
    await database.close()

    assert live.status_code == httpx.codes.OK
    assert 'value="17"' in live.text
    assert "data-away" in live.text
    assert page.status_code == httpx.codes.SERVICE_UNAVAILABLE
