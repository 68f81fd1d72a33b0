"""What a page shows once something was tried on it: nothing serious for axe-core, and it fits."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.desk import DESKTOP, PHONE, Desk, faults_of, fits, picture, unfold

pytestmark = pytest.mark.asyncio(loop_scope="session")


DRAFT = "\nguards:\n  numbers:\n    action: replace\n    final: replace\n"
KO = ("ko", DESKTOP, False, "")
EN = ("en", PHONE, True, "-phone")
LONG = pytest.mark.long
CHECKED = [
    pytest.param("wrong", *KO, id="wrong"),
    pytest.param("wrong", *EN, id="wrong-phone", marks=LONG),
    pytest.param("citations", *KO, id="citations", marks=LONG),
    pytest.param("citations", *EN, id="citations-phone"),
]
DRAFTED = [pytest.param(*KO, id="ko", marks=LONG), pytest.param(*EN, id="phone")]


async def nothing_serious(page: Page, name: str) -> None:
    await unfold(page)
    await page.evaluate("scrollTo(0, 0)")
    await picture(page, name)
    assert await faults_of(page) == []
    assert await fits(page)


@pytest.mark.parametrize(("example", "language", "size", "dark", "suffix"), CHECKED)
async def test_a_checked_answer(
    desk: Desk, example: str, language: str, size: tuple[int, int], dark: bool, suffix: str
) -> None:
    path = f"/dashboard/playground?example={example}"
    async with desk.visit(path, language=language, size=size, dark=dark) as page:
        await page.locator("#send").click()
        await expect(page.locator("#result [data-result]")).to_be_focused()
        await nothing_serious(page, f"playground-{example}{suffix}")


@pytest.mark.parametrize(("language", "size", "dark", "suffix"), DRAFTED)
async def test_a_draft(
    desk: Desk, language: str, size: tuple[int, int], dark: bool, suffix: str
) -> None:
    path = f"/dashboard/policies/app/draft?trace={desk.scene.traces['trimmed'].id}"
    async with desk.visit(path, language=language, size=size, dark=dark) as page:
        text = page.locator("#text")
        before = await text.input_value()
        for name, more in (("one", DRAFT), ("many", DRAFT), ("check", "moed: off\n")):
            await text.fill(before + more)
            await page.locator(f"button[value={name}]").click()
            await expect(page.locator("#draft-result [data-result]")).to_be_focused()
            await nothing_serious(page, f"draft-{name}{suffix}")
