"""Takes the pictures that the README shows: ``python -m tests.browser.pictures FOLDER``."""

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Page, async_playwright, expect

from tests.browser.chromium import FLAGS, executable
from tests.browser.desk import PHONE, Desk, Look
from tests.browser.scene import Scene, open_scene


async def _as_it_is(_: Page) -> None:
    """Leave a page as it opens."""


async def _checked(page: Page) -> None:
    """Send the form of the playground, and go back to its top."""
    await page.locator("#send").click()
    await expect(page.locator("#result [data-result]")).to_be_focused()
    await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


@dataclass(frozen=True)
class Picture:
    """A picture of a page from its top.

    Attributes:
        path: The page's address.
        height: As much of it as is shown.
        look: How it is looked at.
        prepare: What is done on it before.
    """

    path: Callable[[Scene], str]
    height: int
    look: Look = field(default_factory=Look)
    prepare: Callable[[Page], Awaitable[None]] = _as_it_is


PICTURES: Mapping[str, Picture] = {
    "overview": Picture(lambda _: "/dashboard", 1700),
    "trace-replaced": Picture(
        lambda scene: f"/dashboard/traces/{scene.traces['replaced'].id}", 1480
    ),
    "playground": Picture(lambda _: "/dashboard/playground?example=wrong", 1475, prepare=_checked),
    "policies": Picture(lambda _: "/dashboard/policies", 900),
    "overview-phone": Picture(lambda _: "/dashboard", 975, Look("en", PHONE, dark=True)),
}
"""All of them, by the names of their files."""


async def take(desk: Desk, name: str, folder: Path) -> None:
    """Take a picture."""
    picture, look = PICTURES[name], PICTURES[name].look
    path = picture.path(desk.scene)
    async with desk.visit(path, language=look.language, size=look.size, dark=look.dark) as page:
        await picture.prepare(page)
        whole = int(await page.evaluate("document.documentElement.scrollHeight"))
        await page.screenshot(
            path=folder / f"{name}.png",
            full_page=True,
            clip={
                "x": 0,
                "y": 0,
                "width": look.size[0],
                "height": min(picture.height, whole),
            },
        )


async def main(folder: Path) -> None:
    """Take all pictures, of a proxy whose policies stand in a folder with no more than a name."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        async with async_playwright() as playwright, open_scene(Path()) as scene:
            browser = await playwright.chromium.launch(
                executable_path=executable(), args=list(FLAGS)
            )
            desk = Desk(browser, scene)
            for name in PICTURES:
                await take(desk, name, folder)
            await desk.close()
            await browser.close()


if __name__ == "__main__":
    wanted = Path(sys.argv[1]).resolve()
    wanted.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(wanted))
