"""The way into the dashboard and out of it, request by request."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from litestar.stores.memory import MemoryStore

from policies.schema.keys import new_key
from proxy.dashboard.access import LASTS, SESSION_COOKIE, Sessions
from proxy.limits.wrong_keys import MOST_WRONG
from tests.fakes.running_proxy import ADMIN_TOKEN, RunningProxy, running_proxy, tenant_yaml
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.proxy.dashboard.visitor import Visitor

pytestmark = pytest.mark.asyncio(loop_scope="module")

SEE_OTHER = httpx.codes.SEE_OTHER
UNAUTHORIZED = httpx.codes.UNAUTHORIZED


async def test_nobody_is_led_to_the_login_and_back(visitor: Visitor, proxy: RunningProxy) -> None:
    refused = await visitor.get("/dashboard?span=1h&tenant=app")
    assert refused.status_code == SEE_OTHER
    login = await visitor.get(refused.headers["location"])
    assert 'value="/dashboard?span=1h&amp;tenant=app"' in login.text

    entered = await visitor.sign_in(proxy.key, next="/dashboard?span=1h&tenant=app")
    assert entered.headers["location"] == "/dashboard?span=1h&tenant=app"
    assert (await visitor.get(entered.headers["location"])).status_code == httpx.codes.OK


async def test_a_link_to_the_login_leads_nowhere_else(
    visitor: Visitor, proxy: RunningProxy
) -> None:
    entered = await visitor.sign_in(proxy.key, next="https://example.com/")
    assert entered.headers["location"] == "/dashboard"


async def test_the_cookie_is_for_the_dashboard_alone(visitor: Visitor, proxy: RunningProxy) -> None:
    cookie = (await visitor.sign_in(proxy.key)).headers["set-cookie"]
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert parts == {"httponly", "samesite=strict", "path=/dashboard", "max-age=43200"}
    assert proxy.key not in cookie


@pytest.mark.parametrize("key", ["", "gp-app-wrong", "'; --", "열쇠", "a" * 4000])
async def test_a_wrong_key_is_told_politely(visitor: Visitor, key: str) -> None:
    refused = await visitor.sign_in(key)
    assert refused.status_code == UNAUTHORIZED
    assert "등록되지 않은 키입니다" in refused.text
    assert "set-cookie" not in refused.headers
    assert key == "" or key not in refused.text


async def test_a_form_that_is_too_long_is_refused(visitor: Visitor) -> None:
    refused = await visitor.sign_in("a" * 20_000)
    assert refused.status_code == httpx.codes.REQUEST_ENTITY_TOO_LARGE
    assert "처리할 수 없는 요청입니다" in refused.text


@pytest.mark.parametrize("path", ["/dashboard/login", "/dashboard/logout"])
async def test_another_site_cannot_send_forms(
    visitor: Visitor, proxy: RunningProxy, path: str
) -> None:
    sent = await visitor.client.post(
        path, data={"key": proxy.key}, headers={"origin": "https://example.com"}
    )
    assert sent.status_code == httpx.codes.FORBIDDEN
    assert "set-cookie" not in sent.headers


async def test_who_signs_out_is_out(visitor: Visitor, proxy: RunningProxy) -> None:
    await visitor.sign_in(proxy.key)
    token = visitor.client.cookies[SESSION_COOKIE]
    await visitor.send("/dashboard/logout")
    assert SESSION_COOKIE not in visitor.client.cookies

    visitor.client.cookies.set(SESSION_COOKIE, token)
    assert (await visitor.get("/dashboard")).status_code == SEE_OTHER


async def test_a_token_that_nobody_was_given_opens_nothing(visitor: Visitor) -> None:
    visitor.client.cookies.set(SESSION_COOKIE, "chosen-by-somebody-else")
    assert (await visitor.get("/dashboard")).status_code == SEE_OTHER


async def test_signing_in_never_takes_over_a_token(visitor: Visitor, proxy: RunningProxy) -> None:
    visitor.client.cookies.set(SESSION_COOKIE, "planted")
    entered = await visitor.sign_in(proxy.key)
    assert entered.cookies[SESSION_COOKIE] != "planted"


async def test_signing_in_again_ends_the_session_before(
    visitor: Visitor, proxy: RunningProxy
) -> None:
    await visitor.sign_in(proxy.key)
    before = visitor.client.cookies[SESSION_COOKIE]
    await visitor.sign_in(proxy.keys["other"])
    visitor.client.cookies.clear()
    again = await visitor.get("/dashboard", cookie=f"{SESSION_COOKIE}={before}")
    assert again.status_code == SEE_OTHER


async def test_over_https_the_cookie_goes_over_nothing_else(
    visitor: Visitor, proxy: RunningProxy
) -> None:
    # As whoever ends TLS in front of the proxy, on the same machine, says it.
    entered = await visitor.client.post(
        "/dashboard/login",
        data={"key": proxy.key},
        headers={"origin": visitor.address, "x-forwarded-proto": "https"},
    )
    assert "; Secure" in entered.headers["set-cookie"]


async def test_a_part_of_a_page_sends_the_whole_page_to_the_login(visitor: Visitor) -> None:
    refused = await visitor.get(
        "/dashboard/live", hx_request="true", hx_current_url="http://x/dashboard?span=7d"
    )
    assert refused.status_code == UNAUTHORIZED
    assert refused.headers["hx-redirect"] == "/dashboard/login?next=%2Fdashboard%3Fspan%3D7d"


async def test_a_link_on_another_site_is_followed_from_a_page_of_ours(visitor: Visitor) -> None:
    page = await visitor.get("/dashboard?span=7d", sec_fetch_site="cross-site")
    assert page.status_code == httpx.codes.OK
    assert 'content="0; url=/dashboard?span=7d"' in page.text
    assert "form-action" in page.headers["content-security-policy"]


async def test_a_withdrawn_key_ends_the_session(visitor: Visitor, proxy: RunningProxy) -> None:
    policies = proxy.services.policies
    key, key_hash = new_key("leaver")
    file = policies.directory / "leaver.yaml"
    file.write_text(tenant_yaml("leaver", key_hash, "http://127.0.0.1:9"))
    policies.reload()
    await visitor.sign_in(key)
    assert (await visitor.get("/dashboard")).status_code == httpx.codes.OK

    _, other_hash = new_key("leaver")
    file.write_text(tenant_yaml("leaver", other_hash, "http://127.0.0.1:9"))
    policies.reload()
    assert (await visitor.get("/dashboard")).status_code == SEE_OTHER

    file.unlink()
    policies.reload()
    assert (await visitor.get("/dashboard")).status_code == SEE_OTHER


async def test_another_admin_token_ends_the_admins_session(proxy: RunningProxy) -> None:
    store = MemoryStore()
    token = await Sessions(store, proxy.services).begin(ADMIN_TOKEN)
    assert token is not None
    none = proxy.services.settings.model_copy(update={"admin_token": None})
    without = Sessions(store, replace(proxy.services, settings=none))
    assert await without.viewer(token) is None
    assert await without.begin(ADMIN_TOKEN) is None
    assert await without.begin(proxy.key) is not None


async def test_a_session_ends_after_its_time(proxy: RunningProxy) -> None:
    store, services = MemoryStore(), proxy.services
    token = await Sessions(store, services).begin(proxy.key)
    assert token is not None
    now = services.now()

    def seen_after(passed: timedelta) -> Sessions:
        return Sessions(store, replace(services, now=lambda: now + passed))

    just_before = await seen_after(LASTS - timedelta(minutes=1)).viewer(token)
    assert just_before is not None
    assert just_before.tenant == "app"
    assert await seen_after(LASTS + timedelta(minutes=1)).viewer(token) is None


async def test_neither_key_nor_token_is_stored(proxy: RunningProxy) -> None:
    store = MemoryStore()
    token = await Sessions(store, proxy.services).begin(ADMIN_TOKEN)
    assert token is not None
    stored = repr(store._store)
    assert token not in stored
    assert ADMIN_TOKEN not in stored


async def test_who_is_wrong_too_often_waits(tmp_path: Path) -> None:
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(tmp_path, upstream, dashboard=True, dashboard_https=True) as proxy,
        Visitor(proxy.address) as visitor,
    ):
        entered = await visitor.sign_in(proxy.key)
        assert "; Secure" in entered.headers["set-cookie"]
        wrong = [await visitor.sign_in("gp-app-wrong") for _ in range(MOST_WRONG)]
        assert {reply.status_code for reply in wrong} == {UNAUTHORIZED}

        refused = await visitor.sign_in("gp-app-wrong")
        assert refused.status_code == httpx.codes.TOO_MANY_REQUESTS
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert "1분 뒤에" in refused.text

        # Nobody keeps those out who share an address with a guesser and have a key.
        for key in (proxy.key, ADMIN_TOKEN):
            assert (await visitor.sign_in(key)).status_code == SEE_OTHER
