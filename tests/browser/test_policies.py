"""Policies in a browser: what is in force, where it comes from, and drafts that write nothing."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.async_api import Page, expect

from tests.browser.desk import APP, DESKTOP, PHONE, Desk, picture
from tests.browser.poison import PAYLOAD
from tests.browser.scene import OTHER

pytestmark = pytest.mark.asyncio(loop_scope="session")
LONG = pytest.mark.long
"""`make faults` looks at it in the other size too."""


PAGE = "/dashboard/policies"
STRICTER = "guards:\n  numbers:\n    action: replace\n    final: replace\n"


@contextmanager
def edited(desk: Desk, more: str) -> Iterator[None]:
    """Add to the file of the tenant on disk, for as long as the block lasts."""
    store = desk.scene.proxy.services.policies
    path = store.directory / f"{APP}.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + more, encoding="utf-8")
    store.reload()
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")
        store.reload()


async def add_to_draft(page: Page, more: str) -> None:
    text = page.locator("#text")
    await text.fill(await text.input_value() + more)


async def press(page: Page, name: str) -> None:
    await page.get_by_role("button", name=name).click()
    await expect(page.locator("#draft-result [data-result]")).to_be_focused()


async def test_policies_broken_on_disk_are_told_of_with_their_line(desk: Desk) -> None:
    version = desk.scene.proxy.services.policies.snapshot.tenants[APP].version
    broken = "guards:\n  numbers:\n    moed: off\n"
    with edited(desk, broken):
        lines = (desk.scene.proxy.services.policies.directory / f"{APP}.yaml").read_text()
        line = lines[: lines.index("moed")].count("\n") + 1
        async with desk.visit(PAGE) as page:
            told = page.get_by_role("region", name="최근에 고친 내용이 적용되지 않았습니다")
            await expect(told).to_contain_text(f"app.yaml:{line}")
            await expect(told).to_contain_text("guards.numbers.moed: is not a known key")
            await expect(told).to_contain_text("마지막으로 적용된 올바른 정책이 계속")
            await expect(page.locator(".policy").first).to_contain_text(version)
            await picture(page, "policies-broken")

            await told.get_by_role("link", name="파일 보기").click()
            await expect(page.locator("#text")).to_have_value(lines_with_hidden_keys(lines))
        async with desk.visit(PAGE, who=OTHER) as page:
            await expect(page.locator(".broken")).to_contain_text("적용되지 않았습니다")
            await expect(page.locator("main")).not_to_contain_text("app.yaml")
    async with desk.visit(PAGE) as page:
        await expect(page.locator(".broken")).to_have_count(0)


def lines_with_hidden_keys(text: str) -> str:
    return re.sub("(hmac:[0-9a-f]{8})[0-9a-f:]+", r"\1…", text)


@pytest.mark.parametrize(
    "size",
    [pytest.param(DESKTOP, id="desktop"), pytest.param(PHONE, id="phone", marks=LONG)],
)
async def test_every_value_says_where_it_comes_from(desk: Desk, size: tuple[int, int]) -> None:
    async with desk.visit(f"{PAGE}/{APP}", size=size) as page:
        await page.get_by_text("적용되는 모든 값").click()
        await page.get_by_label("필터").fill("numbers final")
        rows = page.locator("#values tbody tr:visible")
        await expect(rows).to_have_count(1)
        await expect(rows).to_contain_text("guards.numbers.final")
        await expect(rows).to_contain_text("trim")
        await expect(rows).to_contain_text("default.yaml:")
        await expect(page.locator("#filter-count")).to_have_text("맞는 값 1개")


async def test_a_policy_begins_with_what_is_not_as_shipped(desk: Desk) -> None:
    async with desk.visit(f"{PAGE}/{APP}") as page:
        await expect(page.get_by_label("비교 대상")).to_have_value("default")
        rows = page.locator(".apart tbody tr")
        assert await rows.locator("th").all_inner_texts() == ["upstream.base_url", "shadow_policy"]
        await expect(page.locator("#values")).to_be_hidden()

        await page.get_by_label("비교 대상").select_option("strict")
        row = rows.filter(has_text="guards.numbers.final")
        await expect(row).to_be_visible()
        assert [text.split()[0] for text in await row.locator("td").all_inner_texts()] == [
            "trim",
            "replace",
        ]


async def test_a_wrong_key_in_a_draft_is_told_at_its_line(desk: Desk) -> None:
    async with desk.visit(f"{PAGE}/{APP}/draft") as page:
        before = await page.locator("#text").input_value()
        await add_to_draft(page, f"guards:\n  numbers:\n    moed: off # {PAYLOAD}\n")
        await press(page, "검사하기")
        await picture(page, "draft-wrong")

        told = page.locator(".excerpt .told")
        await expect(told).to_contain_text("moed: off")
        await expect(told).to_contain_text("did you mean 'mode'?")
        assert await page.locator("#pwn").count() == 0
        await told.get_by_role("link").click()
        chosen = await page.evaluate(
            "(() => { const t = document.getElementById('text');"
            " return t.value.slice(t.selectionStart, t.selectionEnd); })()"
        )
        assert chosen.strip().startswith("moed: off")

        await page.locator("#text").fill(before)
        await press(page, "검사하기")
        await expect(page.locator("#draft-result")).to_contain_text("쓸 수 있는 초안입니다")
        await expect(page.locator("#draft-result")).to_contain_text("적용 중인 정책과 똑같이")


async def test_a_draft_that_changes_what_became_of_a_trace(desk: Desk) -> None:
    trace = desk.scene.traces["trimmed"]
    store = desk.scene.proxy.services.policies
    on_disk = (store.directory / f"{APP}.yaml").read_bytes()
    async with desk.visit(f"/dashboard/traces/{trace.id}") as page:
        await page.get_by_role("link", name="정책 초안으로 다시 판정").click()
        await expect(page.locator("#trace")).to_have_value(trace.id)
        await add_to_draft(page, STRICTER)
        await press(page, "이 기록으로 미리 보기")
        await picture(page, "draft-preview")

        preview = page.get_by_role("region", name="기록 하나로 미리 보기")
        assert await preview.locator("h3 .badge").all_inner_texts() == ["일부 삭제", "대체"]
        await expect(page.locator("#draft-result")).to_contain_text("2개 항목이 바뀝니다")

        await press(page, "최근 100건에 적용해 보기")
        moves = page.get_by_role("region", name="최근 기록에 적용한 결과")
        changed = moves.locator("tbody tr:not(.same)")
        await expect(changed.filter(has_text="일부 삭제")).to_contain_text("대체")
        await expect(moves).to_contain_text(
            f"replay --policy {store.directory / 'app.yaml'} --tenant app"
        )
    assert (store.directory / f"{APP}.yaml").read_bytes() == on_disk
