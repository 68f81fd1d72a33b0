"""Traces in a browser: finding one and reading why, watching them come in, by hand and by key."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.async_api import expect

from tests.browser.desk import APP, Desk, picture
from tests.browser.poison import PAYLOAD, TENANT
from tests.browser.scene import Scene
from tests.flow import pool

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROWS = "#rows > li"
POLL_MS = 2_100
SELECTED = ".selected"


async def test_times_are_the_visitors_own(desk: Desk) -> None:
    moment = "2031-03-05T09:30"
    async with desk.visit("/dashboard/traces") as page:
        await page.get_by_text("기간 직접 지정").click()
        await page.get_by_label("끝", exact=True).fill(moment)
        await page.get_by_role("button", name="찾기").click()

        await expect(page.locator(".chip time")).to_have_attribute(
            "datetime", "2031-03-05T00:30:00+00:00"
        )
        assert await page.get_by_label("끝", exact=True).input_value() == moment


async def test_new_ones_come_in_live_and_disturb_nobody(desk: Desk) -> None:
    desk.scene.upstream.says(pool.FEE)
    path = "/dashboard/traces?live=1&tenant=app"
    async with desk.visit(path, size=(1280, 600), own_clock=True) as page:
        rows = page.locator(ROWS)
        reading = rows.nth(30).locator(".trace-link")
        await reading.focus()
        stood = await reading.bounding_box()

        reply = await desk.scene.proxy.chat(pool.asked(), key=desk.scene.proxy.keys[APP])
        trace = await desk.scene.proxy.trace(reply)

        await page.clock.run_for(POLL_MS)
        await expect(page.locator(f"#trace-{trace.id}")).to_have_count(1)
        await expect(page.locator("#live-state")).to_have_text("새 기록 1건")
        await expect(rows.first).to_have_id(f"trace-{trace.id}")
        await expect(rows).to_have_count(51)
        await expect(rows.nth(31).locator(".trace-link")).to_be_focused()
        stands = await rows.nth(31).locator(".trace-link").bounding_box()
        assert stood is not None
        assert stands is not None
        assert stands["y"] == pytest.approx(stood["y"], abs=1)


async def test_a_live_page_keeps_so_many_lines_and_each_once(desk: Desk) -> None:
    async with desk.visit("/dashboard/traces?live=1&tenant=app", own_clock=True) as page:
        await page.locator("#rows").evaluate("rows => rows.dataset.most = 50")
        newest = await page.locator(ROWS).first.get_attribute("id")
        lines = await page.locator("#rows").evaluate(
            "rows => [...rows.children].slice(0, 3).map(row => row.outerHTML).join('')"
        )
        told = '<input type="hidden" id="live-cursor" name="after" value="1" hx-swap-oob="true">'
        new = lines.replace("trace-", "trace-x", 1)
        await page.route("**/traces/live?*", lambda route: route.fulfill(body=told + new))

        await page.clock.run_for(POLL_MS)
        await expect(page.locator("#live-state")).to_have_text("새 기록 1건")
        assert await page.locator(ROWS).count() == 50
        assert await page.locator(f"#{newest}").count() == 1


async def test_a_live_page_says_that_the_store_is_away(desk: Desk) -> None:
    async with desk.visit("/dashboard/traces?live=1", own_clock=True) as page:
        told = '<input type="hidden" id="live-cursor" name="after" value="1" hx-swap-oob="true"'
        await page.route("**/traces/live?*", lambda route: route.fulfill(body=f"{told} data-away>"))
        await page.clock.run_for(POLL_MS)
        await expect(page.locator("#live-state")).to_contain_text("저장소에 연결할 수 없습니다")

        await page.unroute("**/traces/live?*")
        await page.clock.run_for(POLL_MS)
        await expect(page.locator("#live-state")).to_have_attribute("data-state", "waiting")


async def test_everything_is_reached_by_keys(desk: Desk) -> None:
    async with desk.visit("/dashboard/traces?action=regenerate&door=chat.completions") as page:
        await page.get_by_role("button", name="찾기").focus()
        while not await page.locator(".trace-link").first.evaluate(
            "link => link === document.activeElement"
        ):
            await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.locator("h1")).to_contain_text("다시 물어")

        await page.locator("#place-1").focus()
        await page.keyboard.press("Enter")
        await expect(page.locator("#finding-1")).to_be_focused()
        await expect(page.locator(f"#finding-1{SELECTED}")).to_be_visible()
        await expect(page.locator(f"mark.place-strong{SELECTED}")).to_have_count(1)

        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.locator(f"#source-1 mark{SELECTED} a")).to_be_focused()


async def test_a_finding_opens_the_source_that_it_quotes(desk: Desk) -> None:
    trace = desk.scene.traces["choices"]
    async with desk.visit(f"/dashboard/traces/{trace.id}") as page:
        source = page.locator("#source-1")
        await source.locator("summary").click()
        await expect(source.locator(".text")).to_be_hidden()

        await page.locator("#finding-1 [data-evidence]").click()
        await expect(source.locator(f"mark{SELECTED}").first).to_be_in_viewport()
        await picture(page, "trace-selected")


async def test_several_answers_stand_beside_one_another(desk: Desk) -> None:
    trace = desk.scene.traces["choices"]
    async with desk.visit(f"/dashboard/traces/{trace.id}", language="en") as page:
        first, second = await page.locator(".attempt").all()
        boxes = await first.bounding_box(), await second.bounding_box()
        assert boxes[0] is not None
        assert boxes[1] is not None
        assert boxes[0]["y"] == boxes[1]["y"]
        await expect(first.locator(".answer")).to_have_count(2)
        await expect(page.get_by_text("not read to its end")).to_have_count(2)
        await expect(page.locator("h1")).to_contain_text("The choices had different outcomes")

        await page.get_by_role("link", name="Judge again under a draft").click()
        await expect(page.locator("h1")).to_be_visible()
        assert f"trace={trace.id}" in page.url


async def test_links_inside_a_page_lead_somewhere_without_scripts_too(desk: Desk) -> None:
    trace = desk.scene.traces["choices"]
    async with desk.visit(f"/dashboard/traces/{trace.id}") as page:
        astray = await page.evaluate(
            "[...document.querySelectorAll('main a[href^=\"#\"]')].map(link => link.hash)"
            ".filter(hash => !document.getElementById(hash.slice(1)))"
        )
        assert await page.locator('main a[href^="#"]').count() > 10
        assert astray == []


POISONED = [
    pytest.param(lambda scene: f"/dashboard/traces/{scene.traces['poisoned'].id}", id="trace"),
    pytest.param(
        lambda scene: f"/dashboard/traces/{scene.traces['poisoned-end'].id}",
        id="ended",
        marks=pytest.mark.long,
    ),
    pytest.param(lambda _: f"/dashboard/traces?tenant={TENANT}", id="list"),
    pytest.param(
        lambda _: f"/dashboard/traces?guard={quote(PAYLOAD)}&code={quote(PAYLOAD)}", id="address"
    ),
]


@pytest.mark.parametrize("path", POISONED)
async def test_no_text_becomes_a_part_of_the_page(desk: Desk, path: Callable[[Scene], str]) -> None:
    async with desk.visit(path(desk.scene)) as page:
        await expect(page.locator("#pwn, img[src=x], script:not([src])")).to_have_count(0)
        assert PAYLOAD in await page.locator("main").inner_text()
