"""Every page: nothing serious for axe-core, no wider than a phone, and a picture of it."""

import pytest

from tests.browser.desk import DESKTOP, PHONE, Desk, faults_of, fits, picture, unfold
from tests.browser.pages import FAILURES, PAGES

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Both languages, both sizes and both colour schemes, each once.
LOOKS = [("ko", DESKTOP, False, ""), ("en", PHONE, True, "-phone")]
# In the suite, pages take turns at the looks; `make faults` runs the other half.
CASES = [
    pytest.param(
        name, *look, id=f"{name}{look[-1]}", marks=[pytest.mark.long] if (place + turn) % 2 else []
    )
    for place, name in enumerate([*PAGES, *FAILURES])
    for turn, look in enumerate(LOOKS)
]


@pytest.mark.parametrize(("name", "language", "size", "dark", "suffix"), CASES)
async def test_no_serious_fault(
    desk: Desk, name: str, language: str, size: tuple[int, int], dark: bool, suffix: str
) -> None:
    fails = name in FAILURES
    path = (FAILURES if fails else PAGES)[name](desk.scene)
    async with desk.visit(path, language=language, size=size, dark=dark, may_fail=fails) as page:
        await picture(page, f"{name}{suffix}")
        await unfold(page)
        assert await faults_of(page) == []
        assert await fits(page)
        assert await page.locator("html").get_attribute("lang") == language
        assert await page.locator(".failure").count() == int(fails)
