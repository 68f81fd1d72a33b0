"""The dashboard in a real browser: pages of visitors who are signed in."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from playwright.async_api import Browser, Page

from proxy.dashboard.signing_in import SESSION_COOKIE
from tests.browser.chromium import AXE
from tests.browser.scene import APP, Scene
from tests.fakes.running_proxy import ADMIN_TOKEN

ADMIN = "admin"
DESKTOP = (1280, 900)
PHONE = (360, 740)
SCREENSHOTS = "GUARD_PROXY_SCREENSHOTS"
"""Names the folder that takes pictures of the pages; without it none are taken."""


@dataclass
class Desk:
    """A browser in front of a proxy's dashboard."""

    browser: Browser
    scene: Scene
    _tokens: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return self.scene.proxy.address

    def key(self, who: str) -> str:
        """Return what somebody signs in with: the admin, or a tenant."""
        return ADMIN_TOKEN if who == ADMIN else self.scene.proxy.keys[who]

    @asynccontextmanager
    async def visit(
        self,
        path: str = "/dashboard",
        *,
        who: str | None = ADMIN,
        language: str = "ko",
        size: tuple[int, int] = DESKTOP,
        dark: bool = False,
        may_fail: bool = False,
    ) -> AsyncGenerator[Page, None]:
        """Open a page as somebody who is signed in, or as nobody.

        When it is closed, nothing may have gone wrong in it: no script failed, nothing broke the
        page's own rules on what may run and load, nothing was asked of another host, no request
        failed unless some may.
        """
        context = await self.browser.new_context(
            base_url=self.address,
            locale={"ko": "ko-KR", "en": "en-US"}[language],
            timezone_id="Asia/Seoul",
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(10_000)
        if who is not None:
            await context.add_cookies(
                [{"name": SESSION_COOKIE, "value": await self._token(who), "url": self.address}]
            )
        page = await context.new_page()
        said: list[str] = []
        page.on(
            "console",
            lambda message: said.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda asked: said.extend(self._abroad(asked.url)))
        try:
            await page.goto(path)
            yield page
        finally:
            await context.close()
        assert may_fail or said == []

    def _abroad(self, url: str) -> list[str]:
        return [] if url.startswith((self.address, "data:")) else [f"asked of others: {url}"]

    async def _token(self, who: str) -> str:
        if who not in self._tokens:
            reply = await self.scene.proxy.client.post(
                f"{self.address}/dashboard/login",
                data={"key": self.key(who)},
                headers={"origin": self.address},
            )
            self._tokens[who] = reply.cookies[SESSION_COOKIE]
            self.scene.proxy.client.cookies.clear()
        return self._tokens[who]


async def picture(page: Page, name: str) -> None:
    """Take a picture of the whole page, if somebody asked for pictures."""
    folder = os.environ.get(SCREENSHOTS)
    if folder:
        await page.screenshot(path=f"{folder}/{name}.png", full_page=True)


async def faults_of(page: Page) -> list[str]:
    """Return what axe-core finds serious or critical on a page, each with where it is."""
    # Run by the debugger, so that the page's own rules stay in force.
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{violation['id']}: {node['html']}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


async def fits(page: Page) -> bool:
    """Tell whether a page is no wider than its window."""
    return bool(
        await page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    )


__all__ = ["ADMIN", "APP", "DESKTOP", "PHONE", "Desk", "faults_of", "fits", "picture"]
