"""The overview: figures that are right, keep themselves up to date, and leave the reader alone."""

import re
from uuid import uuid4

import pytest
from playwright.async_api import Page

from policies.schema.sections import Tracing
from proxy.traces.store import Entry
from tests.browser.desk import ADMIN, APP, PHONE, Desk
from tests.browser.scene import OTHER

pytestmark = pytest.mark.asyncio(loop_scope="session")
LONG = pytest.mark.long
"""`make faults` looks at it in the other size too."""

POLL_MS = 5_100


async def figure(page: Page, title: str) -> str:
    """Return the figure of a tile."""
    tile = page.locator(".tile").filter(has=page.get_by_role("heading", name=title, exact=True))
    return await tile.locator(".tile-value").inner_text()


async def count(page: Page, action: str) -> int:
    """Return how many requests the tile of an action counts."""
    return int(re.sub(r"\D", "", await page.locator(f"#tile-{action}").inner_text()))


async def add(desk: Desk, scene: str, tenant: str) -> None:
    """Let a request of the scene happen once more, to a tenant."""
    services = desk.scene.proxy.services
    again = {"id": uuid4().hex, "tenant": tenant, "started_at": services.now()}
    trace = desk.scene.traces[scene].model_copy(update=again)
    await services.traces.add([Entry.of(trace, Tracing())])


async def test_what_happens_shows_by_itself_and_disturbs_nobody(desk: Desk) -> None:
    async with desk.visit("/dashboard", who=ADMIN, own_clock=True) as page:
        before = await count(page, "replace")
        await page.get_by_text("표로 보기").first.click()
        await page.locator("#tile-replace").focus()
        await page.evaluate("window.scrollTo(0, 120)")
        seen_at = await top_of_chart(page)
        await add(desk, "replaced", APP)

        async with page.expect_response("**/dashboard/live*"):
            await page.clock.run_for(POLL_MS)
        await page.wait_for_function(
            "n => document.querySelector('#tile-replace').textContent.includes(n)", arg=before + 1
        )

        assert await page.evaluate("document.activeElement.id") == "tile-replace"
        assert await top_of_chart(page) == pytest.approx(seen_at, abs=1)
        assert await page.locator("#actions-table").is_visible()
        assert await drawn(page) == await tabled(page)
        # In the visitor's own zone and way, as at first, and not as the server wrote it.
        written = await page.locator("#updated time").inner_text()
        assert re.fullmatch(r"\d\d\. \d\d\. \d\d:\d\d:\d\d", written)


@pytest.mark.parametrize(
    ("size", "language"),
    [
        pytest.param((1280, 900), "ko", id="desktop"),
        pytest.param(PHONE, "en", id="phone", marks=LONG),
    ],
)
async def test_trends_are_drawn_from_their_tables(
    desk: Desk, size: tuple[int, int], language: str
) -> None:
    async with desk.visit(f"/dashboard?span=7d&lang={language}", size=size) as page:
        for name in ("latency", "tokens", "models"):
            chart = page.locator(f"#{name}-chart")
            await chart.scroll_into_view_if_needed()
            assert await chart.is_visible()
            assert await drawn(page, name) == await tabled(page, name)
            assert any(value for row in await drawn(page, name) for value in row)
        width = await page.evaluate("document.documentElement.scrollWidth")
        assert width <= size[0]
        title = {"ko": "응답 시간", "en": "Latency"}[language]
        assert await page.get_by_role("heading", name=title, exact=True).is_visible()
        assert "scripted" in await page.locator("#models tbody").inner_text()


async def top_of_chart(page: Page) -> float:
    return float(await page.evaluate("document.querySelector('canvas').getBoundingClientRect().y"))


async def drawn(page: Page, name: str = "actions") -> list[list[float | None]]:
    """Return a chart's figures, a row for each series."""
    script = "name => Chart.getChart(`${name}-chart`).data.datasets.map(one => one.data)"
    return [list(row) for row in await page.evaluate(script, name)]


async def tabled(page: Page, name: str = "actions") -> list[list[float | None]]:
    """Return the figures of a chart's table, a row for each series."""
    script = """name => [...document.querySelectorAll(`#${name}-table tbody tr`)].map(row =>
        [...row.querySelectorAll('td')].map(td => td.dataset.value ?? td.textContent))"""
    rows = await page.evaluate(script, name)
    return [
        [float(value) if value else None for value in column] for column in zip(*rows, strict=True)
    ]


async def test_the_admin_chooses_a_tenant(desk: Desk) -> None:
    async with desk.visit("/dashboard?span=7d") as page:
        everybody = int((await figure(page, "요청")).replace(",", ""))
        await page.get_by_label("테넌트").select_option(OTHER)
        await page.wait_for_url("**tenant=library*")
        assert int((await figure(page, "요청")).replace(",", "")) < everybody
        assert await figure(page, "오류") == "100%"
        assert "span=7d" in page.url
        await page.get_by_role("link", name="30일").click()
        await page.wait_for_url("**span=30d*")
        assert "tenant=library" in page.url


async def test_a_page_without_requests_says_what_to_do_and_fills_by_itself(desk: Desk) -> None:
    async with desk.visit("/dashboard?tenant=newcomer", own_clock=True) as page:
        assert await page.get_by_role("heading", name="아직 요청이 없습니다").is_visible()
        assert f"{desk.address}/v1/chat/completions" in await page.locator("pre").inner_text()

        await add(desk, "passed", "newcomer")
        await page.clock.run_for(POLL_MS)
        await page.locator("#tiles").wait_for()
        assert await figure(page, "통과") == "100%"


async def test_a_session_that_ends_leads_to_the_login_and_back(desk: Desk) -> None:
    async with desk.visit("/dashboard/login", who=None, may_fail=True, own_clock=True) as page:
        await page.get_by_label("관리자 토큰 또는 API 키").fill(desk.key(APP))
        await page.get_by_role("button", name="로그인").click()
        await page.goto("/dashboard?span=1h")
        other_tab = await page.context.new_page()
        await other_tab.goto("/dashboard")
        await other_tab.get_by_role("button", name="로그아웃").click()
        await other_tab.get_by_role("heading", name="로그인").wait_for()
        await other_tab.close()

        await page.clock.run_for(POLL_MS)
        await page.get_by_role("heading", name="로그인").wait_for()
        assert await page.locator("input[name=next]").get_attribute("value") == "/dashboard?span=1h"


async def test_a_service_that_is_gone_is_told_and_waited_for(desk: Desk) -> None:
    async with desk.visit("/dashboard", may_fail=True, own_clock=True) as page:
        await page.context.set_offline(True)
        await page.clock.run_for(POLL_MS)
        notice = page.get_by_role("status")
        await notice.get_by_text("서비스에 연결할 수 없습니다").wait_for()

        await page.context.set_offline(False)
        await page.clock.run_for(POLL_MS)
        await notice.wait_for(state="hidden")


async def test_a_page_that_nobody_sees_asks_for_nothing(desk: Desk) -> None:
    async with desk.visit("/dashboard", own_clock=True) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.evaluate("Object.defineProperty(document, 'hidden', {value: true})")
        await page.clock.run_for(4 * POLL_MS)
        assert [url for url in asked if "/live" in url] == []


@pytest.mark.parametrize(
    "size",
    [pytest.param((1280, 900), id="desktop"), pytest.param(PHONE, id="phone", marks=LONG)],
)
async def test_everything_can_be_reached_by_keyboard(desk: Desk, size: tuple[int, int]) -> None:
    async with desk.visit("/dashboard", size=size) as page:
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.className") == "skip"
        reached = [await focused(page)]
        while (await tab(page)) != "BODY":
            reached.append(await focused(page))
        wanted = await page.locator("a[href], button, select, summary").all()
        shown = [one for one in wanted if await one.is_visible()]
        assert len({place for place, _ in reached}) >= len(shown)
        assert [place for place, outlined in reached if not outlined] == []


async def tab(page: Page) -> str:
    await page.keyboard.press("Tab")
    return str(await page.evaluate("document.activeElement.tagName"))


async def focused(page: Page) -> tuple[str, bool]:
    """Return what has the focus, and whether one can see that it has."""
    script = """() => {
        const one = document.activeElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(one);
        return [one.outerHTML, outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2];
    }"""
    place, outlined = await page.evaluate(script)
    return str(place), bool(outlined)
