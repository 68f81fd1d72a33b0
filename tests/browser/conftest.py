"""The dashboard in Debian's Chromium, before a proxy in which much has happened.

All tests of this folder share one browser and one proxy, and run in one event loop, the session's.
"""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from tests.browser.chromium import FLAGS, executable, why_no_axe, why_no_browser
from tests.browser.desk import Desk
from tests.browser.scene import Scene, open_scene

# The first draft starts a process, which takes a busy machine more than Playwright's five seconds.
expect.set_options(timeout=30_000)

# What cannot run here is left out; what the suite says about it at its end is in the top folder.
collect_ignore_glob = (
    ["test_*.py"] if why_no_browser() else ["test_accessibility*.py"] if why_no_axe() else []
)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncGenerator[Browser, None]:
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
        yield opened
        await opened.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scene(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Scene, None]:
    async with open_scene(tmp_path_factory.mktemp("scene")) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def desk(browser: Browser, scene: Scene) -> AsyncGenerator[Desk, None]:
    """The dashboard of the scene."""
    opened = Desk(browser, scene)
    yield opened
    await opened.close()
