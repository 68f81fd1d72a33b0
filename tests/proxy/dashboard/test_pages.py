"""The pages, request by request: their rules, their failures, and whose figures they show."""

import re
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import httpx
import pytest
from structlog.testing import capture_logs

from policies.schema.base import Mode
from policies.schema.sections import JudgeRules
from proxy.app import create_app
from proxy.dashboard.access import SAFE_HEADERS, SESSION_COOKIE
from proxy.server.serving import served
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.sqlite import Database
from tests.fakes.running_proxy import ADMIN_TOKEN, RunningProxy, chat_body
from tests.proxy.dashboard.visitor import Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASSET = re.compile(r'(?:src|href)="(/dashboard/static/[^"]+)"')
SOME = "통과"


async def test_every_reply_says_what_may_run(visitor: Visitor, proxy: RunningProxy) -> None:
    replies = [
        await visitor.get("/dashboard"),
        await visitor.get("/dashboard/login"),
        await visitor.get("/dashboard/nowhere"),
        await visitor.client.post("/dashboard/login"),
        await visitor.client.put("/dashboard/login"),
        await visitor.sign_in(proxy.key),
        await visitor.get("/dashboard"),
        await visitor.get("/dashboard/live"),
        await visitor.get("/dashboard", cookie=f"{SESSION_COOKIE}=unknown"),
        await visitor.get("/dashboard/live", hx_request="true", cookie=f"{SESSION_COOKIE}=x"),
    ]
    assert [reply.status_code for reply in replies] == [
        303,
        200,
        404,
        403,
        405,
        303,
        200,
        200,
        303,
        401,
    ]
    for reply in replies:
        assert {name: reply.headers.get(name) for name in SAFE_HEADERS} == SAFE_HEADERS


async def test_the_rules_allow_nothing_inline() -> None:
    rules = SAFE_HEADERS["content-security-policy"]
    assert "unsafe" not in rules
    assert "default-src 'none'" in rules
    assert "frame-ancestors 'none'" in rules


async def test_what_a_page_loads_is_kept_for_good(visitor: Visitor) -> None:
    page = await visitor.get("/dashboard/login")
    addresses = ASSET.findall(page.text)
    assert len(addresses) >= 4
    for address in addresses:
        asset = await visitor.get(address)
        assert asset.status_code == httpx.codes.OK
        assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert asset.headers["x-content-type-options"] == "nosniff"


async def test_an_asset_of_another_version_is_not_kept(visitor: Visitor) -> None:
    asset = await visitor.get("/dashboard/static/older/desk.css")
    assert asset.status_code == httpx.codes.OK
    assert asset.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", ["x/nothing.css", "x/../mounting.py", "x/..%2fmounting.py", "x"])
async def test_there_are_no_other_assets(visitor: Visitor, name: str) -> None:
    asset = await visitor.get(f"/dashboard/static/{name}")
    assert asset.status_code in (httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED)


async def test_the_licences_of_others_work_are_served_with_it(visitor: Visitor) -> None:
    for name in ("htmx-LICENSE.txt", "chart-LICENSE.txt"):
        licence = await visitor.get(f"/dashboard/static/x/vendor/{name}")
        assert "Permission" in licence.text


async def test_a_page_that_does_not_exist_says_so(visitor: Visitor) -> None:
    page = await visitor.get("/dashboard/nowhere", accept_language="en")
    assert page.status_code == httpx.codes.NOT_FOUND
    assert "This page does not exist" in page.text


async def test_the_api_keeps_its_own_errors(visitor: Visitor) -> None:
    assert (await visitor.get("/nowhere")).headers["content-type"] == "application/json"
    assert (await visitor.get("/dashboards")).headers["content-type"] == "application/json"


class BrokenStore(EmbeddedStore):
    async def tallies(self, *_: object) -> NoReturn:
        raise RuntimeError("월 이용료")


async def test_what_breaks_is_told_by_a_number_and_logged(
    proxy: RunningProxy, tmp_path: Path
) -> None:
    database = await Database.open(tmp_path / "broken.sqlite3")
    broken = replace(proxy.services, traces=BrokenStore(database, lambda: 0))
    async with served(create_app(broken)) as address, Visitor(address) as visitor:
        await visitor.sign_in(proxy.key)
        with capture_logs() as lines:
            page = await visitor.get("/dashboard")
    await database.close()
    assert page.status_code == httpx.codes.INTERNAL_SERVER_ERROR
    [line] = [line for line in lines if line["event"] == "dashboard.failed"]
    assert line["request_id"] in page.text
    assert "이용료" not in page.text + repr(line)


async def test_the_language_stays_chosen(visitor: Visitor) -> None:
    chosen = await visitor.get("/dashboard/login?lang=en", accept_language="ko")
    assert 'lang="en"' in chosen.text
    later = await visitor.get("/dashboard/login", accept_language="ko")
    assert "<h1>Sign in</h1>" in later.text
    back = await visitor.get("/dashboard/login?lang=ko")
    assert "<h1>로그인</h1>" in back.text


async def test_a_tenant_sees_its_own_figures_whatever_it_asks_for(
    proxy: RunningProxy, visitor: Visitor
) -> None:
    for tenant, times in (("app", 3), ("other", 2)):
        for _ in range(times):
            reply = await proxy.chat(chat_body("안녕하세요?"), key=proxy.keys[tenant])
            await proxy.trace(reply)

    await visitor.sign_in(proxy.keys["other"])
    for address in ("/dashboard", "/dashboard?tenant=app", "/dashboard/live?tenant=app"):
        assert requests_on(await visitor.get(address)) == 2
    assert "tenant-switch" not in (await visitor.get("/dashboard")).text

    await visitor.sign_in(ADMIN_TOKEN)
    assert requests_on(await visitor.get("/dashboard")) == 5
    assert requests_on(await visitor.get("/dashboard?tenant=app")) == 3
    page = await visitor.get("/dashboard?tenant=app")
    assert '<option value="app" selected>' in page.text


async def test_what_addresses_say_is_never_markup(visitor: Visitor) -> None:
    await visitor.sign_in(ADMIN_TOKEN)
    page = await visitor.get('/dashboard?tenant="><script>alert(1)</script>&span=<b>&x={{7*7}}')
    assert page.status_code == httpx.codes.OK
    assert "<script>alert" not in page.text
    assert "<b>" not in page.text
    assert "49" not in page.text.split("tenant-switch")[1].split("</form>")[0]


async def test_only_the_admin_reads_what_is_wrong_with_the_policies(
    visitor: Visitor, proxy: RunningProxy
) -> None:
    policies = proxy.services.policies
    file = policies.directory / "draft.yaml"
    file.write_text("extends: default\nguards:\n  numbers:\n    mode: loud\n")
    policies.reload()
    try:
        await visitor.sign_in(ADMIN_TOKEN)
        told = (await visitor.get("/dashboard")).text
        assert "최근 수정이 적용되지 않음" in told
        assert "draft.yaml" in told
        await visitor.sign_in(proxy.key)
        told = (await visitor.get("/dashboard")).text
        assert "최근 수정이 적용되지 않음" in told
        assert "draft.yaml" not in told
    finally:
        file.unlink()
        policies.reload()


async def test_a_tenant_sees_its_own_judge_and_no_queue(
    visitor: Visitor, proxy: RunningProxy
) -> None:
    rules = JudgeRules(mode=Mode.ENFORCE, base_url="http://127.0.0.1:9/v1", model="none")
    for tenant in ("app", "other"):
        proxy.services.judges.of(tenant, rules)

    await visitor.sign_in(ADMIN_TOKEN)
    told = (await visitor.get("/dashboard")).text
    assert "app 판정 모델" in told
    assert "other 판정 모델" in told
    assert "임시 보관함의 기록" in told
    await visitor.sign_in(proxy.key)
    told = (await visitor.get("/dashboard")).text
    assert "app 판정 모델" in told
    assert "other 판정 모델" not in told
    assert "임시 보관함의 기록" not in told


def requests_on(page: httpx.Response) -> int:
    """Return how many requests an overview counts."""
    found = re.search(r'tile-title">요청</h2>\s*<p class="tile-value">([\d,]+)<', page.text)
    assert found is not None, page.text
    return int(found[1].replace(",", ""))
