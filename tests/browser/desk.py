"""The dashboard in a real browser: pages of visitors who are signed in."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from playwright.async_api import Browser, Page

from proxy.dashboard.access import SESSION_COOKIE
from tests.browser.chromium import AXE
from tests.browser.scene import APP, Scene
from tests.fakes.running_proxy import ADMIN_TOKEN

ADMIN = "admin"
DESKTOP = (1280, 900)
PHONE = (360, 740)
SCREENSHOTS = "GUARD_PROXY_SCREENSHOTS"
"""Names the folder that takes pictures of the pages; without it none are taken."""


@dataclass(frozen=True)
class Look:
    """How somebody looks at pages."""

    language: str = "ko"
    size: tuple[int, int] = DESKTOP
    dark: bool = False


@dataclass
class Desk:
    """A browser in front of a proxy's dashboard."""

    browser: Browser
    scene: Scene
    _tokens: dict[str, str] = field(default_factory=dict)
    _open: dict[Look, Page] = field(default_factory=dict)

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
        fresh: bool = False,
        own_clock: bool = False,
    ) -> AsyncGenerator[Page, None]:
        """Open a page as somebody who is signed in, or as nobody.

        When it is left, nothing may have gone wrong in it: no script failed, nothing broke the
        page's own rules on what may run and load, nothing was asked of another host, no request
        failed unless some may.

        Args:
            path: Its address.
            who: The admin, a tenant, or nobody.
            language: What the browser speaks.
            size: Of its window.
            dark: What colours it prefers.
            may_fail: Requests may fail.
            fresh: In a window of its own, for tests that meddle with its requests or its network;
                opening one takes three times as long as going on in one that is open.
            own_clock: In a window of its own, in which time passes when the test says so.
        """
        look = Look(language, size, dark)
        fresh = fresh or own_clock
        page = None if fresh else self._open.pop(look, None)
        page = page or await self._window(look)
        if own_clock:
            await page.clock.install()
        await self._become(who, page)
        said: list[str] = []
        heard = {
            "console": lambda one: said.extend([one.text] if one.type == "error" else []),
            "pageerror": lambda error: said.append(str(error)),
            "request": lambda asked: said.extend(self._abroad(asked.url)),
        }
        for event, hear in heard.items():
            page.on(event, hear)  # type: ignore[call-overload]
        try:
            await page.goto(path)
            yield page
        except BaseException:
            await page.context.close()
            raise
        for event, hear in heard.items():
            page.remove_listener(event, hear)
        if fresh:
            await page.context.close()
        else:
            self._open[look] = page
        assert may_fail or said == []

    async def close(self) -> None:
        """Close all windows; one that is open keeps asking for news."""
        for page in self._open.values():
            await page.context.close()

    async def _window(self, look: Look) -> Page:
        context = await self.browser.new_context(
            base_url=self.address,
            locale={"ko": "ko-KR", "en": "en-US"}[look.language],
            timezone_id="Asia/Seoul",
            viewport={"width": look.size[0], "height": look.size[1]},
            color_scheme="dark" if look.dark else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(10_000)
        return await context.new_page()

    async def _become(self, who: str | None, page: Page) -> None:
        await page.context.clear_cookies()
        if who is not None:
            token = await self._token(who)
            await page.context.add_cookies(
                [{"name": SESSION_COOKIE, "value": token, "url": self.address}]
            )

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


async def unfold(page: Page) -> None:
    """Open whatever is folded."""
    await page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")


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


__all__ = ["ADMIN", "APP", "DESKTOP", "PHONE", "Desk", "faults_of", "fits", "picture", "unfold"]
