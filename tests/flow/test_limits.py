"""Limits of a tenant, as its clients meet them: in memory, and shared over Redis."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
import redis.asyncio
from litestar.types import Message, Receive, Scope, Send
from openai.types.chat import ChatCompletionMessageParam

from proxy.app import create_app
from proxy.demo import MODEL
from proxy.openai_api.json_body import JsonObject
from proxy.traces.query import Query
from tests.fakes.paced_upstream import PacedUpstream
from tests.fakes.raw_upstream import RawUpstream
from tests.fakes.redis_process import RedisProcess
from tests.fakes.rig import upstream_yaml
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow import library
from tests.flow.canteen import CLEAN, QUESTION
from tests.flow.listening import Listener, begun, listening
from tests.flow.waiting import eventually

CROWD = 5
ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
CHAT = chat_body(QUESTION)
FIRST = "대출 기간은 9일입니다."
SECOND = " 연체료는 하루에 70원입니다."
CHAT_PATH, VERIFY_PATH, EMBEDDINGS_PATH = "/chat/completions", "/verify", "/embeddings"
VERIFY: JsonObject = {"question": QUESTION, "answer": CLEAN, "sources": []}
EMBEDDINGS: JsonObject = {"model": MODEL, "input": "가"}
DOORS: dict[str, tuple[str, JsonObject]] = {
    "chat": (CHAT_PATH, CHAT),
    "stream": (CHAT_PATH, chat_body(QUESTION, stream=True)),
    "responses": ("/responses", {"model": MODEL, "input": QUESTION}),
    "completions": ("/completions", {"model": MODEL, "prompt": QUESTION}),
    "verify": (VERIFY_PATH, VERIFY),
    "passthrough": (EMBEDDINGS_PATH, EMBEDDINGS),
}
LEFT = "x-ratelimit-remaining-requests"
ALLOWED = "x-ratelimit-limit-requests"
RESETS = "x-ratelimit-reset-requests"


def limits(**numbers: int) -> str:
    said = ", ".join(f"{name}: {number}" for name, number in numbers.items())
    return f"limits: {{{said}}}"


ONE_A_MINUTE = limits(requests_per_minute=1)
ONE_AT_ONCE = limits(concurrent_requests=1)
TENANTS = {
    **{f"{door}-door": limits(requests_per_minute=2) for door in DOORS},
    "counted": limits(requests_per_minute=2),
    "unread": ONE_A_MINUTE,
    "silent": ONE_A_MINUTE,
    "failing": limits(requests_per_minute=5, concurrent_requests=1),
    "sequential": ONE_AT_ONCE,
    "early": ONE_AT_ONCE,
}
ON_RAW = {
    "connections": limits(concurrent_requests=CROWD),
    "told": ONE_A_MINUTE,
    "free": "",
}


@dataclass(frozen=True)
class Place:
    """A proxy with many tenants, before a model that answers and one that waits to be told."""

    proxy: RunningProxy
    raw: RawUpstream
    counted_in: str

    async def ask(
        self, tenant: str, path: str = CHAT_PATH, body: JsonObject = CHAT, *, key: str | None = None
    ) -> httpx.Response:
        return await ask(self.proxy, tenant, path, body, key=key)


async def ask(
    proxy: RunningProxy,
    tenant: str = "app",
    path: str = CHAT_PATH,
    body: JsonObject = CHAT,
    *,
    key: str | None = None,
) -> httpx.Response:
    return await proxy.client.post(
        f"{proxy.base_url}{path}",
        json=body,
        headers={"authorization": f"Bearer {key or proxy.keys[tenant]}"},
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["memory", "redis"])
async def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, redis_server: str
) -> AsyncGenerator[Place, None]:
    url = redis_server if request.param == "redis" else None
    if url:
        async with redis.asyncio.Redis.from_url(url) as client:
            await client.flushdb()
    async with ScriptedUpstream().running() as scripted, RawUpstream().running() as raw:
        scripted.says(CLEAN)
        own_key = "\n".join(
            [upstream_yaml(scripted.address, "pass_caller_key: true"), ONE_A_MINUTE]
        )
        on_raw = {name: f"{upstream_yaml(raw.address)}\n{more}" for name, more in ON_RAW.items()}
        others = TENANTS | on_raw | {"own-key": own_key}
        folder = tmp_path_factory.mktemp("limits")
        async with running_proxy(
            folder, scripted, others=others, redis_url=url, keep_alive_s=0.05
        ) as proxy:
            yield Place(proxy, raw, "ok" if url else "memory")


@pytest.fixture
def model(place: Place) -> PacedUpstream:
    return PacedUpstream(place.raw)


pytestmark = pytest.mark.asyncio(loop_scope="module")


def limited(proxy: RunningProxy, tenant: str, limit: str) -> float:
    """Return how many requests of a tenant were refused, by the metrics."""
    labels = {"tenant": tenant, "limit": limit}
    found = proxy.services.metrics.registry.get_sample_value(
        "guard_proxy_limited_requests_total", labels
    )
    return found or 0.0


def is_away(proxy: RunningProxy) -> bool:
    """Return whether limits have to do without Redis, by the metrics."""
    gauge = "guard_proxy_limits_store_away"
    return proxy.services.metrics.registry.get_sample_value(gauge) == 1


# What a client sees.


@pytest.mark.parametrize("door", DOORS)
async def test_every_door_says_what_is_left_and_refuses_what_is_not(
    place: Place, door: str
) -> None:
    path, body = DOORS[door]
    first, second, third = [await place.ask(f"{door}-door", path, body) for _ in range(3)]

    assert [reply.status_code == 429 for reply in (first, second, third)] == [False, False, True]
    assert [reply.headers[ALLOWED] for reply in (first, second, third)] == ["2", "2", "2"]
    assert [reply.headers[LEFT] for reply in (first, second, third)] == ["1", "0", "0"]
    assert [reply.headers[RESETS] for reply in (first, second)] == ["1m0s", "1m0s"]
    retry_after_s = int(third.headers["retry-after"])
    assert 30 < retry_after_s <= 60
    assert third.json() == {
        "error": {
            "message": "Rate limit reached: 2 requests per minute. "
            f"Try again in {retry_after_s} s.",
            "type": "requests",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    }


async def test_all_doors_count_together(place: Place) -> None:
    replies = [await place.ask("counted", path, body) for path, body in DOORS.values()]

    assert [reply.status_code for reply in replies] == [200, 200, 429, 429, 429, 429]
    assert limited(place.proxy, "counted", "requests_per_minute") == 4


async def test_a_refused_request_leaves_no_trace(place: Place) -> None:
    served = await place.ask("silent")
    for _ in range(3):
        assert (await place.ask("silent")).status_code == 429
    await place.proxy.trace(served)
    page = await place.proxy.services.traces.page(Query(tenant="silent"))

    assert [trace.id for trace in page.traces] == [served.headers["x-guard-request-id"]]


async def test_a_request_is_refused_before_its_body_is_there(place: Place) -> None:
    await place.ask("unread")
    address = urlsplit(place.proxy.address)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(
        f"POST /v1/chat/completions HTTP/1.1\r\nhost: {address.netloc}\r\n"
        f"authorization: Bearer {place.proxy.keys['unread']}\r\n"
        "content-length: 1000\r\n\r\n".encode()
    )
    async with asyncio.timeout(DEADLINE_S):
        status = await reader.readline()
    writer.close()

    assert b" 429 " in status


async def test_a_tenant_whose_callers_bring_their_keys_is_limited_as_one(place: Place) -> None:
    address = f"{place.proxy.address}/t/own-key/v1/chat/completions"
    replies = [
        await place.proxy.client.post(
            address, json=CHAT, headers={"authorization": f"Bearer sk-{caller}"}
        )
        for caller in ("one", "another")
    ]

    assert [reply.status_code for reply in replies] == [200, 429]


async def test_errors_count_and_give_their_place_back(place: Place) -> None:
    broken = await place.ask("failing", body={"messages": "?"})
    unknown = await place.ask("failing", "/nowhere")
    served = await place.ask("failing")

    assert [reply.status_code for reply in (broken, unknown, served)] == [400, 404, 200]
    assert [reply.headers[LEFT] for reply in (broken, unknown, served)] == ["4", "3", "2"]


async def test_our_limit_is_said_in_place_of_the_model_servers(place: Place) -> None:
    headers = {ALLOWED: "9000", LEFT: "8999", RESETS: "12ms", "x-ratelimit-limit-tokens": "777"}
    place.raw.says(b'{"data": []}', headers=headers)
    free = await place.ask("free", EMBEDDINGS_PATH, EMBEDDINGS)
    told = await place.ask("told", EMBEDDINGS_PATH, EMBEDDINGS)

    assert {name: free.headers[name] for name in headers} == headers
    assert (told.headers[ALLOWED], told.headers[LEFT], told.headers[RESETS]) == ("1", "0", "1m0s")
    assert told.headers["x-ratelimit-limit-tokens"] == "777"


# At the same time.


async def stream_in(stack: AsyncExitStack, place: Place, tenant: str) -> Listener:
    """Ask for a stream until there is room for it."""
    body = chat_body(library.ASKED, library.FEES, stream=True)
    listeners: list[Listener] = []

    async def is_in() -> bool:
        asking = listening(place.proxy, body, tenant=tenant)
        listeners.append(await stack.enter_async_context(asking))
        return listeners[-1].reply.status_code == 200

    await eventually(is_in)
    return listeners[-1]


async def test_places_are_taken_until_clients_leave_and_never_lost(
    place: Place, model: PacedUpstream
) -> None:
    for _ in range(3):
        async with AsyncExitStack() as stack:
            listeners = []  # one that nobody holds hangs up
            for number in range(CROWD):
                listeners.append(await stream_in(stack, place, "connections"))
                writing = await begun(model)
                if number % 2:  # the others leave before the first word
                    await writing.say(FIRST)
                    await writing.say(SECOND)
                    await listeners[-1].hears(FIRST)
            refused = [await place.ask("connections", path, body) for path, body in DOORS.values()]

        assert {reply.status_code for reply in refused} == {429}
        assert {reply.headers["retry-after"] for reply in refused} == {"1"}
        assert {reply.json()["error"]["message"] for reply in refused} == {
            f"Rate limit reached: {CROWD} requests at the same time. Try again in 1 s."
        }
        assert ALLOWED not in refused[0].headers

    assert limited(place.proxy, "connections", "concurrent_requests") >= 3 * len(DOORS)


async def test_a_place_is_free_before_the_last_byte_leaves(place: Place) -> None:
    """A client whose next request is there in that moment, which is as early as one can be."""
    app = create_app(place.proxy.services)
    headers = {"authorization": f"Bearer {place.proxy.keys['early']}"}
    again: list[int] = []

    async def asking_again(scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.body" and not message["more_body"]:
                reply = await place.ask("early")
                again.append(reply.status_code)
            await send(message)

        await app(scope, receive, sending)

    # Both sides mean an ASGI app; their types for its messages differ.
    transport = httpx.ASGITransport(asking_again)  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=transport, base_url="http://proxy") as client:
        for path, body in (DOORS["chat"], DOORS["stream"], DOORS["passthrough"]):
            reply = await client.post(f"/v1{path}", json=body, headers=headers)
            assert reply.status_code == 200

    assert again == [200, 200, 200]


# Several proxies, and a Redis that is not there.


async def test_limits_hold_while_redis_is_away_and_nobody_else_notices(tmp_path: Path) -> None:
    server = RedisProcess(tmp_path)
    server.start()
    async with AsyncExitStack() as stack:
        stack.callback(server.stop)
        upstream = await stack.enter_async_context(ScriptedUpstream().running())
        others = {"limited": limits(requests_per_minute=3, concurrent_requests=1)}
        running = running_proxy(tmp_path, upstream, others=others, redis_url=server.url)
        proxy = await stack.enter_async_context(running)

        async def state() -> str:
            ready = await proxy.client.get(f"{proxy.address}/readyz")
            assert (ready.status_code, ready.json()["status"]) == (200, "ready")
            return str(ready.json()["limits"]["store"])

        async def is_back() -> bool:
            return await state() == "ok"

        before = await ask(proxy, "limited")
        server.kill()
        unlimited = await ask(proxy)
        assert await state() == "ok"  # who has no limits does not ask Redis
        during = [await ask(proxy, "limited") for _ in range(3)]
        assert await state() == "away: ConnectionError"
        assert is_away(proxy)
        server.start()
        await eventually(is_back)
        after = await ask(proxy, "limited")
        assert not is_away(proxy)

    assert (before.status_code, unlimited.status_code) == (200, 200)
    assert [reply.status_code for reply in during] == [200, 200, 429]
    assert after.status_code == 429


async def test_a_changed_limit_holds_for_the_next_request(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        upstream = await stack.enter_async_context(ScriptedUpstream().running())
        proxy = await stack.enter_async_context(running_proxy(tmp_path, upstream))
        policy = proxy.services.settings.policies / "app.yaml"
        without = policy.read_text()

        async def allowed(most: int | None) -> httpx.Response:
            fresh = policy.with_name(".app.tmp")
            fresh.write_text(without + (limits(requests_per_minute=most) if most else ""))
            fresh.replace(policy)

            async def is_read() -> bool:
                found = proxy.services.policies.snapshot.tenants["app"].policy.limits
                return found.requests_per_minute == most

            await eventually(is_read)
            return await ask(proxy)

        replies = [await ask(proxy), await allowed(2), await allowed(1), await allowed(5)]
        unlimited = [await allowed(None), *[await ask(proxy) for _ in range(9)]]

    assert [reply.status_code for reply in replies] == [200, 200, 429, 200]
    assert [reply.headers.get(LEFT) for reply in replies] == [None, "1", "0", "3"]
    assert {reply.status_code for reply in unlimited} == {200}
