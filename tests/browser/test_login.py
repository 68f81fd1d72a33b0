"""The way in: with the admin token, with a tenant's key, with neither."""

import pytest
from playwright.async_api import expect

from tests.browser.desk import ADMIN, Desk

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIELD = "관리자 토큰 또는 API 키"


async def test_the_admin_signs_in_and_out_by_keyboard(desk: Desk) -> None:
    async with desk.visit("/dashboard?span=7d", who=None) as page:
        await expect(page.get_by_label(FIELD)).to_be_focused()  # given when the page is first drawn
        await page.keyboard.type(desk.key(ADMIN))
        await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="개요", exact=True).wait_for()
        assert page.url == f"{desk.address}/dashboard?span=7d"
        assert await page.locator(".who").inner_text() == "관리자"

        await page.get_by_role("button", name="로그아웃").press("Enter")
        await page.get_by_role("heading", name="로그인").wait_for()
        await page.goto("/dashboard")
        assert page.url.startswith(f"{desk.address}/dashboard/login")


async def test_a_link_from_elsewhere_finds_who_is_signed_in(desk: Desk) -> None:
    async with desk.visit("/dashboard?span=1h", may_fail=True, fresh=True) as page:
        elsewhere = "http://elsewhere.test/"
        link = f'<a href="{desk.address}/dashboard?span=30d">open</a>'
        await page.route(
            elsewhere, lambda route: route.fulfill(body=link, content_type="text/html")
        )
        await page.goto(elsewhere)
        await page.get_by_role("link", name="open").click()
        await page.get_by_role("heading", name="개요", exact=True).wait_for()
        assert page.url == f"{desk.address}/dashboard?span=30d"
