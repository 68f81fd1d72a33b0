"""`GET /traces` and `/traces/{id}`: who may read what, and how it is asked for."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
import redis.asyncio
from pydantic import SecretStr

from proxy.limits.wrong_keys import MOST_WRONG
from proxy.openai_api.json_body import JsonObject
from proxy.services import ENOUGH_TOKEN_CHARS
from proxy.traces.trace import Trace
from tests.fakes.redis_process import RedisProcess
from tests.fakes.running_proxy import ADMIN_TOKEN, RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.proxy.dashboard.visitor import Visitor
from tests.tables import each_row

SOURCES: list[JsonObject] = [
    {
        "section_title": "제22조(출장비)",
        "section_content": "국내 출장을 가는 직원에게 1일당 일비 3만원을 지급한다.",
    }
]
ASKED = chat_body("출장 일비는 얼마인가요?", [*SOURCES])
GOOD = "일비는 1일당 3만원입니다."
WRONG = "일비는 1일당 5만원입니다."
SERVED = (("app", GOOD), ("other", GOOD), ("app", WRONG), ("other", WRONG), ("app", GOOD))

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass
class Doors:
    """A proxy that has served two tenants; `ids` are its requests in order."""

    proxy: RunningProxy
    ids: list[str]
    tenants: dict[str, str]

    async def get(
        self, path: str, key: str | None = ADMIN_TOKEN, params: Mapping[str, str] | None = None
    ) -> httpx.Response:
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        return await self.proxy.client.get(
            f"{self.proxy.address}{path}", headers=headers, params=dict(params or {})
        )

    async def listed(self, key: str = ADMIN_TOKEN, **params: str) -> list[str]:
        reply = await self.get("/traces", key, params)
        assert reply.status_code == 200, reply.text
        assert reply.json()["object"] == "list"
        return [trace["id"] for trace in reply.json()["data"]]

    def add(self, reply: httpx.Response, tenant: str) -> None:
        self.ids.append(reply.headers["x-guard-request-id"])
        self.tenants[self.ids[-1]] = tenant

    def of(self, tenant: str) -> list[str]:
        """Return a tenant's ids, newest first."""
        return [one for one in reversed(self.ids) if self.tenants[one] == tenant]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["embedded", "redis"])
async def doors(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    shared_upstream: ScriptedUpstream,
    redis_server: str,
) -> AsyncGenerator[Doors, None]:
    url = redis_server if request.param == "redis" else None
    if url:
        async with redis.asyncio.Redis.from_url(url) as client:
            await client.flushdb()
    folder = tmp_path_factory.mktemp("doors")
    async with running_proxy(folder, shared_upstream, others={"other": ""}, redis_url=url) as proxy:
        made = Doors(proxy, [], {})
        for tenant, answer in SERVED:
            shared_upstream.says(answer)
            made.add(await proxy.chat(ASKED, key=proxy.keys[tenant]), tenant)
        await proxy.trace_of(made.ids[-1])
        yield made


async def test_the_admin_sees_everything_newest_first_up_to_the_largest_page(doors: Doors) -> None:
    assert await doors.listed() == doors.ids[::-1]
    assert await doors.listed(limit="500") == doors.ids[::-1]


async def test_a_tenant_sees_its_own_only_whatever_it_asks_for(doors: Doors) -> None:
    key = doors.proxy.keys["other"]

    assert await doors.listed(key) == doors.of("other")
    assert await doors.listed(key, tenant="app") == doors.of("other")


async def test_one_trace_is_shown_to_its_tenant_and_the_admin_only(doors: Doors) -> None:
    [trace_id, *_] = doors.of("app")

    for key in (ADMIN_TOKEN, doors.proxy.keys["app"]):
        shown = await doors.get(f"/traces/{trace_id}", key)
        assert shown.status_code == 200
        trace = Trace.model_validate_json(shown.content)
        assert (trace.id, trace.tenant, trace.replies) == (trace_id, "app", (GOOD,))
    foreign = await doors.get(f"/traces/{trace_id}", doors.proxy.keys["other"])
    unknown = await doors.get("/traces/none", doors.proxy.keys["other"])
    assert foreign.status_code == unknown.status_code == 404
    # Nothing tells a trace of somebody else from one that does not exist.
    assert foreign.json()["error"]["code"] == unknown.json()["error"]["code"] == "trace_not_found"


async def test_filters_narrow_the_list_together(doors: Doors) -> None:
    replaced = [doors.ids[3], doors.ids[2]]

    assert await doors.listed(tenant="app") == doors.of("app")
    assert await doors.listed(action="replace") == replaced
    assert await doors.listed(action="none") == []
    assert await doors.listed(guard="numbers") == replaced
    assert await doors.listed(guard="korean_only") == []
    assert await doors.listed(tenant="app", action="replace", guard="numbers") == [doors.ids[2]]
    assert await doors.listed(tenant="nobody") == []
    assert await doors.listed(code="numbers") == replaced
    assert await doors.listed(text="5만원") == replaced
    assert await doors.listed(text="5만원", code="names") == []
    assert await doors.listed(door="chat.completions") == doors.ids[::-1]
    assert await doors.listed(door="verify") == []


async def test_a_span_of_time_narrows_the_list(doors: Doors) -> None:
    [trace, *_] = (await doors.get("/traces")).json()["data"]
    last = datetime.fromisoformat(trace["started_at"])
    elsewhere = last.astimezone(timezone(timedelta(hours=9))).isoformat()

    assert await doors.listed(since="1h") == doors.ids[::-1]
    assert await doors.listed(until="1h") == []
    assert await doors.listed(since=elsewhere) == doors.ids[-1:]
    assert await doors.listed(until=elsewhere) == doors.ids[-2::-1]
    assert await doors.listed(since=last.replace(tzinfo=None).isoformat()) == doors.ids[-1:]
    unescaped = elsewhere.replace("+", " ")  # what arrives of a plus that nobody escaped
    assert await doors.listed(since=unescaped) == doors.ids[-1:]


@pytest.mark.parametrize("tenant", [None, "app"], ids=["all", "one-tenant"])
async def test_pages_follow_one_another_by_their_cursor(doors: Doors, tenant: str | None) -> None:
    wanted = doors.ids[::-1] if tenant is None else doors.of(tenant)
    params = {"limit": "2"} | ({} if tenant is None else {"tenant": tenant})
    seen: list[str] = []

    cursor: str | None = ""
    while cursor is not None:
        asked = params | ({"before": cursor} if cursor else {})
        page = (await doors.get("/traces", params=asked)).json()
        assert len(page["data"]) <= 2
        seen += [trace["id"] for trace in page["data"]]
        cursor = page["cursor"]
        assert len(seen) <= len(wanted)

    assert seen == wanted


WRONG_PARAMETERS = [
    ("limit", "0"),
    ("limit", "501"),
    ("limit", "-1"),
    ("limit", "many"),
    ("action", "shout"),
    ("before", "yesterday"),
    ("before", "9" * 30),
    ("text", "가" * 201),
    ("since", "yesterday"),
    ("since", "99999999d"),
    ("until", "2026-13-01"),
    ("until", "9999w"),
]


async def test_a_wrong_parameter_is_refused_by_name(doors: Doors) -> None:
    for param, value in WRONG_PARAMETERS:
        reply = await doors.get("/traces", params={param: value})

        assert reply.status_code == 400, value
        error = reply.json()["error"]
        assert (error["type"], error["param"]) == ("invalid_request_error", param), value
        assert error["message"].startswith(f"Invalid value for '{param}': ")
        assert "Expected `" not in error["message"]


async def test_every_wrong_parameter_is_told_of(doors: Doors) -> None:
    reply = await doors.get("/traces", params={"limit": "x", "action": "shout"})

    said = reply.json()["error"]["message"]
    assert "Invalid value for 'limit': a whole number from 1 to 500 is needed." in said
    assert "Invalid value for 'action': one of " in said


UNKNOWN_KEYS = (None, "wrong", ADMIN_TOKEN[:-1], f"{ADMIN_TOKEN}x", "gp-app-wrong")


@each_row("path", ["/traces", "/traces/none"])
async def test_without_a_known_key_nothing_is_shown(proxy: RunningProxy, path: str) -> None:
    for key in UNKNOWN_KEYS:
        reply = await Doors(proxy, [], {}).get(path, key)

        assert reply.status_code == 401, key
        assert reply.json()["error"]["code"] == "invalid_api_key"
        assert reply.headers["www-authenticate"] == "Bearer"


async def test_a_header_without_a_bearer_key_is_no_key(proxy: RunningProxy) -> None:
    for header in ("Bearer", ADMIN_TOKEN, f"Basic {ADMIN_TOKEN}"):
        reply = await proxy.client.get(f"{proxy.address}/traces", headers={"authorization": header})

        assert reply.status_code == 401, header


@pytest.mark.parametrize("token", [None, SecretStr("")], ids=["none", "empty"])
async def test_where_no_token_is_set_nobody_is_admin(
    tmp_path: Path, upstream: ScriptedUpstream, token: SecretStr | None
) -> None:
    async with running_proxy(tmp_path, upstream, admin_token=token) as proxy:
        for guess in ("None", "null", "**********", ADMIN_TOKEN):
            reply = await Doors(proxy, [], {}).get("/traces", guess)
            assert reply.status_code == 401, guess
        own = await Doors(proxy, [], {}).get("/traces", proxy.key)

    assert own.status_code == 200


async def test_traces_of_a_store_that_is_away_cannot_be_read_and_all_else_goes_on(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    store = RedisProcess(tmp_path)
    store.start()
    upstream.says(GOOD)
    async with running_proxy(tmp_path, upstream, redis_url=store.url) as proxy:
        doors = Doors(proxy, [], {})
        assert await doors.listed() == []
        store.kill()
        refused = [await doors.get(path) for path in ("/traces", "/traces/none")]
        served = await proxy.chat(ASKED)
        ready = await doors.get("/readyz")
        alive = await doors.get("/healthz")

    for reply in refused:
        assert reply.status_code == 503
        error = reply.json()["error"]
        assert (error["type"], error["code"]) == ("server_error", "trace_store_unavailable")
    assert served.status_code == alive.status_code == ready.status_code == 200
    assert ready.json()["status"] == "ready"
    assert ready.json()["traces"]["store"].startswith("away: ")


async def test_a_cursor_of_another_kind_of_store_is_refused_or_read(doors: Doors) -> None:
    """A stream's place is none in a table; a table's place is a stream's place without a part."""
    reply = await doors.get("/traces", params={"before": "5-3"})

    if doors.proxy.services.settings.redis_url is None:
        assert reply.status_code == 400
        assert reply.json()["error"]["param"] == "before"
    else:
        assert (reply.status_code, reply.json()["data"]) == (200, [])


async def test_requests_that_came_to_no_action_can_be_listed(doors: Doors) -> None:
    refused = await doors.proxy.chat({"model": 3}, key=doors.proxy.keys["app"])
    doors.add(refused, "app")
    trace = await doors.proxy.trace(refused)

    assert await doors.listed(action="none") == [trace.id]
    assert await doors.listed(action="none", tenant="other") == []


# Wrong keys.


async def guessed(proxy: RunningProxy, times: int) -> list[httpx.Response]:
    guesses = (f"guess-{number}" for number in range(times))
    return [await Doors(proxy, [], {}).get("/traces/none", guess) for guess in guesses]


async def test_who_is_wrong_too_often_has_to_wait_and_who_is_right_has_not(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    async with running_proxy(tmp_path, upstream) as proxy:
        doors = Doors(proxy, [], {})
        wrong = await guessed(proxy, MOST_WRONG)
        refused = (await guessed(proxy, 1))[0]
        right = [await doors.get("/traces", key) for key in (ADMIN_TOKEN, proxy.key)]
        again = await doors.get("/traces", "gp-app-guess")
        unsaid = await doors.get("/traces", None)

    assert {reply.status_code for reply in wrong} == {401}
    assert refused.json()["error"]["code"] == "too_many_wrong_keys"
    assert (refused.status_code, again.status_code, unsaid.status_code) == (429, 429, 401)
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert [reply.status_code for reply in right] == [200, 200]


async def test_a_short_token_is_not_even_compared_once_there_were_too_many_guesses(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    token = "t" * (ENOUGH_TOKEN_CHARS - 1)
    async with running_proxy(tmp_path, upstream, admin_token=SecretStr(token)) as proxy:
        doors = Doors(proxy, [], {})
        before = await doors.get("/traces", token)
        await guessed(proxy, MOST_WRONG)
        after = await doors.get("/traces", token)
        tenant = await doors.get("/traces", proxy.key)

    assert [reply.status_code for reply in (before, after, tenant)] == [200, 429, 200]


async def test_guesses_at_the_dashboard_and_at_the_traces_count_together(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    async with (
        running_proxy(tmp_path, upstream, dashboard=True) as proxy,
        Visitor(proxy.address) as visitor,
    ):
        await guessed(proxy, MOST_WRONG)
        refused = await visitor.sign_in("guess")

    assert refused.status_code == 429
