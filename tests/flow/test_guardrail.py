"""The generic guardrail API over a socket, with the bodies that LiteLLM 1.106.2 posts."""

import asyncio
import json
import time
import tracemalloc
from collections.abc import AsyncGenerator

import httpx
import pytest
import pytest_asyncio
from pydantic import JsonValue

from guards.core.exchange import ContextState
from policies.schema.policy import Action
from proxy import waiting_requests
from proxy.errors import RequestStoreUnavailable
from proxy.guardrail import LONGEST_CALL_ID_CHARS
from proxy.openai_api.json_body import JsonObject
from proxy.pipeline.call import MOST_ANSWER_CHARS
from proxy.replay.judging import why_not
from proxy.traces.trace import NotReplayed
from proxy.views.trace import story_of
from proxy.waiting_requests import (
    KEPT_AFTER_SCAN_S,
    KEPT_S,
    MOST_BYTES_OF_TENANT,
    MOST_SHARED_BYTES,
    LocalWaitingRequests,
    open_waiting_requests,
)
from proxy.workers import ALONE, Place
from tests.fakes.redis_cluster import RedisCluster
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.fakes.virtual_time import in_virtual_time
from tests.flow.canteen import COMPLAINT, COMPLAINT_TEMPLATE, TEMPLATES
from tests.flow.test_judge import AGAINST, ASKED, DOUBTED, judged_proxy
from tests.policies.courses import COURSES, DENIED, POOL
from tests.tables import each_row

PATH = "/v1/beta/litellm_basic_guardrail_api"
CONTEXT = (
    "<context>\n[1] 제31조(주차비) 방문객의 주차비는 1시간에 2천원이다. "
    "주차장은 오전 9시에 연다.\n</context>"
)
QUESTION = "방문객 주차비는 1시간에 얼마인가요?"
RIGHT = "방문객의 주차비는 1시간에 2천원입니다."
WRONG = "방문객의 주차비는 1시간에 9천원입니다."
CITED = f"{RIGHT[:-1]}[†1]. 주차장은 오전 9시에 엽니다[†7]."
MENDED = f"{RIGHT[:-1]}[†1]. 주차장은 오전 9시에 엽니다."
CHINESE = "停车费每小时2000元。"
CALL = "9c0d2792-0334-4afa-9154-fd5553454736"
NUMBERS_TEMPLATE = "수치를 확인하지 못했습니다."
POLICY = (
    f"{TEMPLATES.strip()}\n  numbers: {NUMBERS_TEMPLATE}\nreplacement: {{direct_answer: false}}\n"
)
TENANTS = {
    "other": "",
    "watching": "guards:\n  numbers: {mode: shadow}\n",
    "own-keys": upstream_yaml(RAW, "pass_caller_key: true"),
}


def posted(input_type: str, texts: list[str], **more: JsonValue) -> JsonObject:
    """Return a body as LiteLLM posts it."""
    body: JsonObject = {
        "input_type": input_type,
        "litellm_call_id": CALL,
        "litellm_trace_id": "fe132a34-f899-4ca1-8d05-a15fdbd1e9f9",
        "structured_messages": None,
        "images": None,
        "tools": None,
        "texts": [*texts],
        "request_data": {
            "user_api_key_hash": "litellm_proxy_master_key",
            "user_api_key_user_id": "default_user_id",
        },
        "request_headers": {
            "host": "127.0.0.1:4000",
            "user-agent": "OpenAI/Python 2.17.0",
            "authorization": "[present]",
        },
        "litellm_version": "1.106.2",
        "additional_provider_specific_params": {},
        "tool_calls": None,
        "model": "qwen3",
    }
    return body | more


def asked(question: str = QUESTION, context: str = CONTEXT, **more: JsonValue) -> JsonObject:
    messages: list[JsonValue] = [
        {"role": "system", "content": context},
        {"role": "user", "content": question},
    ]
    return posted("request", [context, question], structured_messages=messages, **more)


def answered(*texts: str, **more: JsonValue) -> JsonObject:
    return posted("response", [*texts], **more)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    async with open_rig(tmp_path_factory.mktemp("guardrail"), POLICY, others=TENANTS) as opened:
        yield opened


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def post(rig: Rig, body: JsonObject, tenant: str = "app") -> httpx.Response:
    """Post as LiteLLM does: with the tenant's key in ``x-api-key``."""
    return await rig.proxy.client.post(
        f"{rig.proxy.address}{PATH}", json=body, headers={"x-api-key": rig.proxy.keys[tenant]}
    )


async def told(rig: Rig, *bodies: JsonObject, tenant: str = "app") -> JsonObject:
    """Return what comes of the last of several bodies."""
    for body in bodies:
        reply = await post(rig, body, tenant)
        assert reply.status_code == 200, reply.text
    found: JsonObject = reply.json()
    return found


# Before the model is called.


async def test_a_complaint_is_answered_without_the_model(rig: Rig) -> None:
    assert await told(rig, asked(COMPLAINT)) == {
        "action": "BLOCKED",
        "blocked_reason": COMPLAINT_TEMPLATE,
    }


async def test_a_question_without_evidence_is_not_asked(rig: Rig) -> None:
    reply = await post(rig, asked("연차휴가 규정은 며칠인가요?", "인사 도우미입니다."))

    assert reply.json()["action"] == "BLOCKED"
    assert reply.headers["x-guard-reasons"] == "answerability.no_context"


async def test_tools_may_still_fetch_evidence(rig: Rig) -> None:
    tools: list[JsonValue] = [{"type": "function", "function": {"name": "find"}}]
    body = asked("연차휴가 규정은 며칠인가요?", "인사 도우미입니다.", tools=tools)

    assert await told(rig, body) == {"action": "NONE"}


async def test_a_question_that_may_be_asked_passes_and_its_trace_says_so(rig: Rig) -> None:
    reply = await post(rig, asked())

    assert (reply.json(), reply.headers["x-guard-action"]) == ({"action": "NONE"}, "pass")
    trace = await rig.proxy.trace(reply)
    assert (trace.door, trace.model, trace.question) == ("guardrail", "qwen3", QUESTION)
    assert (trace.context, trace.action, trace.attempts) == (ContextState.FOUND, Action.PASS, ())
    assert "nothing was found that forbids an answer" in story_of(trace)


async def test_a_text_alone_may_be_no_question_and_that_is_said(rig: Rig) -> None:
    """A text to embed is posted like a prompt."""
    reply = await post(rig, posted("request", ["연차휴가 규정은 며칠인가요?"]))

    assert reply.json() == {"action": "NONE"}
    assert reply.headers["x-guard-not-checked"] == "question"


# After it.


@each_row("texts, expected", "answers_are_held_against_the_messages_before_them")
async def test_answers_are_held_against_the_messages_before_them(
    rig: Rig, texts: list[str], expected: JsonObject
) -> None:
    assert await told(rig, asked(), answered(*texts)) == expected


async def test_what_the_policy_only_watches_passes(rig: Rig) -> None:
    assert await told(rig, asked(), answered(WRONG), tenant="watching") == {"action": "NONE"}


async def test_a_prompt_is_the_request_of_its_answer(rig: Rig) -> None:
    """As LiteLLM posts a completion: one text, and no messages."""
    prompt = posted("request", [f"{CONTEXT}\n\n질문: {QUESTION}"])

    assert (await told(rig, prompt, answered(WRONG)))["action"] == "BLOCKED"
    assert await told(rig, prompt, answered(RIGHT)) == {"action": "NONE"}


async def test_messages_beside_the_answer_count_in_place_of_earlier_ones(rig: Rig) -> None:
    messages: list[JsonValue] = [
        {"role": "system", "content": CONTEXT.replace("2천원", "9천원")},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": WRONG},
    ]
    body = answered(WRONG, structured_messages=messages, litellm_call_id="never-seen")

    assert await told(rig, asked(), body) == {"action": "NONE"}


@each_row("beside", "a_list_without_a_question_does_not_hide_the_earlier_messages")
async def test_a_list_without_a_question_does_not_hide_the_earlier_messages(
    rig: Rig, beside: list[JsonValue]
) -> None:
    body = answered(WRONG, structured_messages=beside)

    assert (await told(rig, asked(), body))["action"] == "BLOCKED"


async def test_an_empty_list_of_messages_leaves_the_prompt(rig: Rig) -> None:
    prompt = posted("request", [f"{CONTEXT}\n\n질문: {QUESTION}"], structured_messages=[])

    assert (await told(rig, prompt, answered(WRONG)))["action"] == "BLOCKED"


async def test_an_answer_too_long_to_be_judged_is_refused_where_a_guard_could_act(
    rig: Rig,
) -> None:
    too_long = "가" * (MOST_ANSWER_CHARS + 1)
    await told(rig, asked())
    reply = await post(rig, answered(RIGHT, too_long))

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "texts[1]")


async def test_an_answer_too_long_to_be_judged_passes_where_guards_only_watch(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder, too_long = tmp_path_factory.mktemp("watching"), "가" * (MOST_ANSWER_CHARS + 1)
    async with open_rig(folder, "stream: {mode: monitor}\n") as watching:
        await told(watching, asked())
        reply = await post(watching, answered(too_long))

    assert reply.json() == {"action": "NONE"}
    assert "answer_too_long" in reply.headers["x-guard-not-checked"]


async def test_a_value_in_json_is_judged_and_never_cut(rig: Rig) -> None:
    await told(rig, asked())
    reply = await post(rig, answered(json.dumps({"답": WRONG}, ensure_ascii=False)))

    assert reply.json() == {"action": "BLOCKED", "blocked_reason": NUMBERS_TEMPLATE}


async def test_a_turn_that_calls_tools_is_no_answer_and_that_is_said(rig: Rig) -> None:
    tools: list[JsonValue] = [{"type": "function", "function": {"name": "find"}}]
    call: list[JsonValue] = [{"id": "1", "type": "function", "function": {"name": "find"}}]
    await told(rig, asked(tools=tools))

    for texts in ([], ["찾아보겠습니다."]):
        reply = await post(rig, answered(*texts, tool_calls=call))

        assert reply.json() == {"action": "NONE"}
        assert reply.headers["x-guard-not-checked"] == "tool_calls"


async def test_a_choice_that_calls_tools_leaves_no_other_choice_unjudged(rig: Rig) -> None:
    tools: list[JsonValue] = [{"type": "function", "function": {"name": "find"}}]
    call: list[JsonValue] = [{"id": "1", "type": "function", "function": {"name": "find"}}]

    reply = await told(rig, asked(tools=tools), answered(RIGHT, WRONG, tool_calls=call))

    assert reply["action"] == "BLOCKED"


async def test_a_trace_holds_the_answer_its_sources_and_what_was_found(rig: Rig) -> None:
    await told(rig, asked())
    reply = await post(rig, answered(RIGHT, WRONG))

    trace = await rig.proxy.trace(reply)
    assert (trace.door, trace.action, trace.status) == ("guardrail", Action.REPLACE, 200)
    assert [one.text for one in trace.attempts[0].choices] == [RIGHT, WRONG]
    assert "2천원" in trace.sources[0].text
    assert trace.reasons == ("numbers.value_differs",)
    assert trace.replies == (RIGHT, NUMBERS_TEMPLATE)


async def test_an_answer_of_unknown_messages_is_refused_and_never_passes(rig: Rig) -> None:
    for call_id in ("never-seen", None):
        reply = await post(rig, answered(RIGHT, litellm_call_id=call_id))

        assert reply.status_code == 409
        error = reply.json()["error"]
        assert (error["code"], error["param"]) == ("unknown_call", "litellm_call_id")
        assert "[pre_call, post_call]" in error["message"]


async def test_another_tenant_does_not_know_the_call(rig: Rig) -> None:
    await told(rig, asked(litellm_call_id="of-app"))

    reply = await post(rig, answered(RIGHT, litellm_call_id="of-app"), "other")

    assert reply.status_code == 409


async def test_guards_of_an_answer_are_not_replayed(rig: Rig) -> None:
    await told(rig, asked())
    trace = await rig.proxy.trace(await post(rig, answered(RIGHT)))

    assert why_not(trace) is NotReplayed.VERIFICATION


async def test_the_judge_of_the_tenant_is_asked_about_an_answer(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    texts = [f"[{place}] {one.title} {one.text}" for place, one in enumerate((COURSES, POOL), 1)]
    context = "\n".join(["<context>", *texts, "</context>"])
    async with (
        ScriptedUpstream(AGAINST).running() as judge,
        ScriptedUpstream().running() as upstream,
        judged_proxy(tmp_path_factory.mktemp("judge"), upstream, judge.address) as proxy,
    ):
        for body in (asked(ASKED, context), answered(DOUBTED)):
            reply = await proxy.send(json.dumps(body).encode(), path=PATH)
            assert reply.status_code == 200, reply.text

    assert len(judge.requests) == 1
    assert reply.json()["action"] != "NONE"
    assert DENIED not in reply.text


# Who may ask, and what is refused.


async def test_the_key_may_come_as_a_bearer_key_too(rig: Rig) -> None:
    reply = await rig.proxy.send(json.dumps(asked()).encode(), path=PATH)

    assert reply.json() == {"action": "NONE"}


@each_row("headers", "nobody_without_a_key")
async def test_nobody_without_a_key(rig: Rig, headers: dict[str, str]) -> None:
    reply = await rig.proxy.client.post(f"{rig.proxy.address}{PATH}", json=asked(), headers=headers)

    assert (reply.status_code, reply.json()["error"]["code"]) == (401, "invalid_api_key")


async def test_x_api_key_opens_no_other_endpoint(rig: Rig) -> None:
    reply = await rig.proxy.client.post(
        f"{rig.proxy.base_url}/verify", json={}, headers={"x-api-key": rig.proxy.key}
    )

    assert reply.status_code == 401


@each_row("change, param", "a_wrong_member_is_named")
async def test_a_wrong_member_is_named(rig: Rig, change: JsonObject, param: str) -> None:
    reply = await post(rig, asked() | change)

    assert (reply.status_code, reply.json()["error"]["param"]) == (400, param)


# Where requests wait.


async def test_replicas_know_each_others_requests(
    redis_server: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("replicas")
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(folder, upstream, redis_url=redis_server) as first,
    ):
        kept = await first.send(json.dumps(asked()).encode(), path=PATH)
        address = first.services.settings.shared_redis
        assert (kept.json(), address) == ({"action": "NONE"}, redis_server)
        async with running_proxy(
            tmp_path_factory.mktemp("second"), upstream, redis_url=redis_server
        ) as second:
            reply = await second.send(json.dumps(answered(WRONG)).encode(), path=PATH)

    assert reply.json()["action"] == "BLOCKED"


async def test_callers_with_keys_of_their_own_do_not_share_calls(rig: Rig) -> None:
    """Whoever guesses the id of a call must not choose the sources of its answer."""
    url = f"{rig.proxy.address}/t/own-keys{PATH}"

    async def sent(key: str, body: JsonObject) -> JsonValue:
        reply = await rig.proxy.client.post(url, json=body, headers={"x-api-key": key})
        action: JsonValue = reply.json()["action"]
        return action

    await sent("sk-of-one", asked())
    await sent("sk-of-another", asked(context=CONTEXT.replace("2천원", "9천원")))

    assert await sent("sk-of-one", answered(WRONG)) == "BLOCKED"
    assert await sent("sk-of-another", answered(WRONG)) == "NONE"


async def test_an_id_that_is_too_long_is_refused(rig: Rig) -> None:
    reply = await post(rig, asked(litellm_call_id="x" * (LONGEST_CALL_ID_CHARS + 1)))

    assert reply.status_code == 400
    assert reply.json()["error"]["param"] == "litellm_call_id"
    assert "xxx" not in reply.text


async def test_without_a_store_that_all_know_a_request_is_refused() -> None:
    gone = open_waiting_requests("redis://127.0.0.1:9", ALONE, time.monotonic)
    alone = open_waiting_requests(None, Place(number=1, count=2), time.monotonic)

    for waiting in (gone, alone):
        with pytest.raises(RequestStoreUnavailable):
            await waiting.put("app", CALL, b"{}")
        await waiting.close()


async def test_a_request_waits_for_ten_minutes_and_a_minute_after_a_scan() -> None:
    now_s = 0.0
    waiting = LocalWaitingRequests(lambda: now_s)
    await waiting.put("app", CALL, b"{}")

    now_s = KEPT_S
    assert await waiting.get("app", CALL) == b"{}"
    now_s += KEPT_AFTER_SCAN_S
    assert await waiting.get("app", CALL) == b"{}"
    now_s += KEPT_AFTER_SCAN_S + 1
    assert await waiting.get("app", CALL) is None


async def test_requests_that_have_expired_leave_the_memory_though_nobody_asks() -> None:
    async def held_bytes() -> int:
        waiting = LocalWaitingRequests(asyncio.get_running_loop().time)
        tracemalloc.start()
        try:
            await waiting.put("app", CALL, bytes(10_000_000))
            await asyncio.sleep(2 * KEPT_S)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
            await waiting.close()

    assert await asyncio.to_thread(in_virtual_time, held_bytes()) < 1_000_000


async def test_the_oldest_request_of_a_tenant_makes_room_and_no_other_tenants() -> None:
    waiting = LocalWaitingRequests(lambda: 0.0)
    half = bytes(MOST_BYTES_OF_TENANT // 2 - 1_000)
    await waiting.put("other", "1", half)
    for name in ("1", "2", "3"):
        await waiting.put("app", name, half)

    assert await waiting.get("app", "1") is None
    assert await waiting.get("app", "2") == await waiting.get("app", "3") == half
    assert await waiting.get("other", "1") == half


@pytest.mark.parametrize("place", ["memory", "redis", "cluster"])
async def test_an_id_may_hold_anything(
    redis_server: str, redis_cluster: RedisCluster, place: str
) -> None:
    address = {"memory": None, "redis": redis_server, "cluster": redis_cluster.url}[place]
    waiting = open_waiting_requests(address, ALONE, time.monotonic)
    try:
        await waiting.put("app", "\ud800", b"{}")

        assert await waiting.get("app", "\ud800") == b"{}"
        assert await waiting.get("app", "\ud801") is None
    finally:
        await waiting.close()


async def test_long_ids_take_no_memory() -> None:
    waiting = LocalWaitingRequests(lambda: 0.0)
    tracemalloc.start()
    try:
        for number in range(20):
            await waiting.put("app", f"{number}" + "x" * 1_000_000, b"{}")
        held_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert held_bytes < 2_000_000


async def test_many_small_requests_make_room_too() -> None:
    """Each takes much more memory than its own bytes."""
    waiting = LocalWaitingRequests(lambda: 0.0)
    for number in range(100_000):
        await waiting.put("app", str(number), b"{}")

    assert await waiting.get("app", "0") is None
    assert await waiting.get("app", "99999") == b"{}"


async def test_requests_of_one_tenant_do_not_fill_redis(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine may take longer than a second for so many bytes.
    monkeypatch.setattr(waiting_requests, "ANSWER_WITHIN_S", 30.0)
    waiting = open_waiting_requests(redis_url, ALONE, time.monotonic)
    third = b"x" * (MOST_SHARED_BYTES // 3)
    try:
        await waiting.put("other", "0", b"{}")
        for name in ("0", "1", "2"):
            await waiting.put("app", name, third)
        await waiting.put("app", "2", third)

        assert await waiting.get("app", "0") is None
        assert await waiting.get("app", "1") == await waiting.get("app", "2") == third
        assert await waiting.get("other", "0") == b"{}"
    finally:
        await waiting.close()
