"""Labels in a browser: given, marked by hand and by key, found again, counted, held by a draft."""

import pytest
from playwright.async_api import Page, expect

from proxy.traces.trace import Label, Trace
from tests.browser.desk import APP, DESKTOP, PHONE, Desk, faults_of, fits, picture
from tests.browser.scene import OTHER
from tests.flow import pool

pytestmark = pytest.mark.asyncio(loop_scope="session")
LONG = pytest.mark.long
"""`make faults` looks at it in the other size too."""

LENIENT = "guards:\n  numbers:\n    mode: off\n"
ANSWER = f"{pool.FEE} {pool.HOURS}"


async def played(desk: Desk, says: str = ANSWER) -> Trace:
    """Let the model answer with this once more, and return the trace."""
    desk.scene.upstream.says(says)
    reply = await desk.scene.proxy.chat(pool.asked(), key=desk.scene.proxy.keys[APP])
    return await desk.scene.proxy.trace(reply)


async def saved(page: Page, button: str) -> None:
    await page.get_by_role("button", name=button).click()
    await expect(page.locator("#feedback [role=status]")).to_be_visible()


async def test_what_was_missed_is_marked_with_the_mouse(desk: Desk) -> None:
    trace = await played(desk)
    async with desk.visit(f"/dashboard/traces/{trace.id}", who=APP) as page:
        answer = page.locator("textarea[data-reply]")
        await expect(answer).to_be_hidden()
        await page.get_by_role("radio", name="미탐").check()
        await answer.dblclick(position={"x": 14, "y": 16})
        await expect(page.get_by_label("잘못된 부분 (비워 두어도 됩니다)")).not_to_have_value("")
        await page.get_by_label("메모").fill("요금이 바뀌었습니다")
        assert await faults_of(page) == []
        await picture(page, "feedback")
        await saved(page, "저장")

        assert page.url.endswith("#feedback")
        await expect(page.locator("#feedback .badge").first).to_have_text("미탐")
        await expect(page.get_by_label("메모")).to_have_value("요금이 바뀌었습니다")
    kept = await desk.scene.proxy.trace_of(trace.id)
    assert kept.feedback is not None
    assert kept.feedback.label is Label.MISSED
    assert kept.missed_words
    assert ANSWER.startswith(kept.missed_words)


@pytest.mark.parametrize("size", [DESKTOP, pytest.param(PHONE, marks=LONG)])
async def test_everything_is_done_by_keys_alone(desk: Desk, size: tuple[int, int]) -> None:
    trace = await played(desk)
    async with desk.visit(
        f"/dashboard/traces/{trace.id}", who=APP, language="en", size=size
    ) as page:
        await page.get_by_role("radio", name="Right").focus()
        for _ in range(2):
            await page.keyboard.press("ArrowDown")
        await expect(page.get_by_role("radio", name="Missed")).to_be_checked()
        await page.keyboard.press("Tab")
        await expect(page.locator("textarea[data-reply]")).to_be_focused()
        await page.keyboard.press("Control+Home")
        for _ in range(2):
            await page.keyboard.press("ArrowRight")
        for _ in range(3):
            await page.keyboard.press("Shift+ArrowRight")
        await page.keyboard.press("x")  # which changes nothing
        await expect(page.locator("textarea[data-reply]")).to_have_value(ANSWER)
        await expect(page.get_by_label("Wrong words")).to_have_value("이용료")
        assert await fits(page)
        assert await faults_of(page) == []
        for _ in range(3):
            await page.keyboard.press("Tab")
        await expect(page.get_by_role("checkbox", name="Pin this request")).to_be_focused()
        await page.keyboard.press("Space")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("status").filter(has_text="Saved.")).to_be_visible()
    kept = await desk.scene.proxy.trace_of(trace.id)
    assert kept.feedback is not None
    assert (kept.missed_words, kept.feedback.pinned) == ("이용료", True)


async def test_words_that_are_not_there_are_told_and_nothing_is_lost(desk: Desk) -> None:
    trace = await played(desk)
    path = f"/dashboard/traces/{trace.id}"
    async with desk.visit(path, who=APP, may_fail=True, fresh=True) as page:
        await page.get_by_role("radio", name="미탐").check()
        await page.get_by_label("잘못된 부분 (비워 두어도 됩니다)").fill("없는 말")
        await page.get_by_label("메모").fill("쓰던 메모")
        await page.get_by_role("button", name="저장").click()

        await expect(page.get_by_role("alert")).to_have_text("보낸 답변에 이 말이 없습니다.")
        await expect(page.get_by_label("메모")).to_have_value("쓰던 메모")
        await expect(page.get_by_role("radio", name="미탐")).to_be_checked()
    assert (await desk.scene.proxy.trace_of(trace.id)).feedback is None


async def test_labelled_traces_are_found_and_counted(desk: Desk) -> None:
    trace = await played(desk, pool.WRONG_FEE)
    async with desk.visit(f"/dashboard/traces/{trace.id}", who=APP) as page:
        await page.get_by_role("radio", name="오탐").check()
        await saved(page, "저장")

        await page.goto("/dashboard/traces")
        await page.get_by_label("평가").select_option(label="오탐")
        await page.get_by_role("button", name="찾기").click()
        await expect(page.locator(".chip")).to_contain_text("오탐")
        await expect(page.locator("#rows > li").first).to_have_id(f"trace-{trace.id}")
        await expect(page.locator("#rows .label-note").first).to_have_text("오탐")

        await page.goto("/dashboard")
        labels = page.locator("#labels")
        await expect(labels).to_contain_text("괄호 안은")
        # Where nothing but one false alarm is known: none of one, and what that leaves open.
        await expect(labels.locator("tbody tr").filter(has_text="수치")).to_contain_text(
            "0% (0%–79.3%)"
        )
        await picture(page, "overview-labels")
        assert await faults_of(page) == []
    async with desk.visit("/dashboard", who=OTHER, language="en", size=PHONE) as page:
        await expect(page.locator("#labels")).to_contain_text("it is not known how often")
        assert await fits(page)


@pytest.mark.parametrize(
    ("language", "size"),
    [pytest.param("ko", DESKTOP, marks=LONG), ("ko", PHONE), pytest.param("en", PHONE, marks=LONG)],
)
async def test_a_draft_shows_which_labelled_requests_get_better_or_worse(
    desk: Desk, language: str, size: tuple[int, int]
) -> None:
    alarm, caught = await played(desk, pool.WRONG_FEE), await played(desk, pool.WRONG_LOCKER)
    for trace, label in ((alarm, "false_alarm"), (caught, "right")):
        reply = await desk.scene.proxy.client.post(
            f"{desk.scene.proxy.base_url}/feedback",
            json={"request_id": trace.id, "label": label},
            headers={"authorization": f"Bearer {desk.scene.proxy.keys[APP]}"},
        )
        assert reply.status_code == 200
    button = {"ko": "평가한 요청으로 시험", "en": "Try on labelled requests"}[language]
    better, worse = {"ko": ("나아짐", "나빠짐"), "en": ("Better", "Worse")}[language]
    path = f"/dashboard/policies/{APP}/draft"
    async with desk.visit(path, language=language, size=size) as page:
        text = page.locator("#text")
        await text.fill(await text.input_value() + LENIENT)
        await page.get_by_role("button", name=button).click()
        await expect(page.locator("#draft-result [data-result]")).to_be_focused()

        row = {
            trace.id: page.locator("#draft-result tr").filter(
                has=page.locator(f"a[href*='{trace.id}']")
            )
            for trace in (alarm, caught)
        }
        await expect(row[alarm.id]).to_contain_text(better)
        await expect(row[caught.id]).to_contain_text(worse)
        await expect(page.locator("#draft-result")).to_contain_text("--label any")
        await picture(page, f"draft-labelled-{language}")
        assert await faults_of(page) == []
        assert await fits(page)
