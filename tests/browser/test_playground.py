"""The playground: a model is asked, an answer checked, and all that came of it is shown."""

import asyncio

import pytest
from playwright.async_api import Page, expect

from proxy.demo import Said
from proxy.traces.query import Query
from proxy.traces.trace import Delivery, Trace
from tests.browser.desk import APP, Desk, picture
from tests.fakes.running_proxy import DEADLINE_S
from tests.flow import pool

pytestmark = pytest.mark.asyncio(loop_scope="session")


PAGE = "/dashboard/playground"


async def fill(page: Page) -> None:
    """Ask about the pool, with its sources in a box each."""
    await page.get_by_role("textbox", name="질문", exact=True).fill(pool.QUESTION)
    await page.get_by_label("모델", exact=True).fill("scripted-ko")
    for number, source in enumerate(pool.SOURCES, start=1):
        if number > 1:
            await page.get_by_role("button", name="출처 추가").click()
        assert isinstance(source, dict)
        box = page.get_by_role("group", name=f"출처 {number}", exact=True)
        await box.get_by_label("제목").fill(str(source["section_title"]))
        await box.get_by_label("본문").fill(str(source["section_content"]))
        await box.get_by_label("파일").fill(str(source["file"]))
        await box.get_by_label("쪽").fill(str(source["page"]))


async def send(page: Page) -> None:
    await page.locator("#send").click()
    # Whoever reads with the ears is led to what came of it.
    await expect(page.locator("#result [data-result]")).to_be_focused()


async def stands(page: Page) -> list[str]:
    """Return the sign and the word of each sentence."""
    return [text.strip() for text in await page.locator(".claims .stand").all_inner_texts()]


async def trace_of(desk: Desk, page: Page) -> Trace:
    """Return the trace that the result leads to."""
    link = page.locator("#result").get_by_role("link", name="추적 기록 보기")
    href = await link.get_attribute("href")
    assert href is not None
    return await desk.scene.proxy.trace_of(href.rpartition("/")[2])


async def test_a_wrong_answer_of_the_model_stands_beside_what_left(desk: Desk) -> None:
    desk.scene.upstream.says(f"{pool.FEE} {pool.HOURS} {pool.WRONG_LOCKER}")
    async with desk.visit(PAGE, who=APP) as page:
        await fill(page)
        await send(page)
        await page.evaluate("scrollTo(0, 0)")
        await picture(page, "playground-asked")

        original = page.get_by_role("region", name="원래 답변", exact=True)
        left = page.get_by_role("region", name="내보낸 답변")
        await expect(original.locator("del")).to_contain_text("30,000원")
        await expect(left).not_to_contain_text("30,000원")
        await expect(left).to_contain_text("45,000원")
        assert await stands(page) == ["✓ 정확", "✓ 정확", "✗ 부정확"]
        await expect(page.locator(".figures")).to_contain_text("66.7%")
        trace = await trace_of(desk, page)
    shown = str(desk.scene.upstream.requests[-1]["messages"])
    assert "사물함 보증금은 10,000원으로 하고" in shown  # the model could read the sources
    assert (trace.tenant, trace.door, trace.action_name) == (APP, "chat.completions", "trim")
    assert [(source.file, source.page) for source in trace.sources] == [
        ("solnae.pdf", 3),
        ("solnae.pdf", 4),
        ("solnae.pdf", 5),
    ]


async def test_boxes_come_and_go_and_the_focus_stays_near(desk: Desk) -> None:
    async with desk.visit(PAGE, who=APP) as page:
        await page.get_by_role("button", name="출처 추가").press("Enter")
        second = page.get_by_role("group", name="출처 2", exact=True)
        await expect(second.get_by_label("제목")).to_be_focused()
        await page.keyboard.type("둘째")

        await page.get_by_role("button", name="출처 1 빼기").press("Enter")
        only = page.get_by_role("group", name="출처 1", exact=True)
        await expect(only.get_by_label("제목")).to_have_value("둘째")
        await expect(page.get_by_role("button", name="출처 1 빼기")).to_be_focused()
        await page.keyboard.press("Enter")  # the last one is emptied
        await expect(only.get_by_label("제목")).to_have_value("")
        await expect(only.get_by_label("제목")).to_be_focused()


async def test_a_long_request_says_that_it_runs_and_ends_when_nobody_waits(desk: Desk) -> None:
    desk.scene.upstream.script = lambda _: Said(("늦은 답변입니다.",), piece_pause_s=30)
    async with desk.visit(PAGE, who=APP, may_fail=True) as page:  # htmx logs what was ended
        await fill(page)
        await page.get_by_role("textbox", name="질문", exact=True).fill("퇴근 시간은 몇 시인가요?")
        async with page.expect_request("**/dashboard/playground"):
            await page.locator("#send").click()
        await expect(page.locator("#running")).to_contain_text("모델에 묻고 있습니다")
        await page.get_by_role("button", name="취소").click()
        await expect(page.get_by_text("취소했습니다.")).to_be_visible()
        await expect(page.locator("#running")).to_be_hidden()
        await expect(page.locator("#send")).to_be_focused()
    gone = await _ended(desk, "퇴근 시간은 몇 시인가요?")
    assert (gone.delivery, gone.error) == (Delivery.CLIENT_GONE, "client_gone")


async def _ended(desk: Desk, question: str) -> Trace:
    """Return the trace of a question, once it is written."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            page = await desk.scene.proxy.services.traces.page(Query(tenant=APP, text=question))
            if page.traces:
                return page.traces[0]
            await asyncio.sleep(0.01)


async def test_a_trace_fills_the_form(desk: Desk) -> None:
    trace = desk.scene.traces["trimmed"]
    async with desk.visit(f"/dashboard/traces/{trace.id}") as page:
        await page.get_by_role("link", name="시험해 보기에서 열기").click()
        await expect(page.get_by_role("textbox", name="질문", exact=True)).to_have_value(
            pool.QUESTION
        )
        await expect(page.get_by_role("textbox", name="검사할 답변")).to_have_value(
            trace.attempts[0].choices[0].text
        )
        third = page.get_by_role("group", name="출처 3", exact=True)
        await expect(third.get_by_label("쪽")).to_have_value("5")
        await expect(page.get_by_label("테넌트")).to_have_value(APP)
        await send(page)
        assert await stands(page) == ["✓ 정확", "✓ 정확", "✗ 부정확"]
