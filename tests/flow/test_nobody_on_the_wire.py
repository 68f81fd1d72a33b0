"""Nobody on the wire can make a guard weaker."""

import pytest

from policies.schema.loader import load_shipped
from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.library import ASKED, FEES, ONE_WRONG, QUESTION, TRUE_ANSWER
from tests.flow.replies import assert_untouched, said
from tests.tables import each_row

DEFAULT = load_shipped("default")


pytestmark = pytest.mark.asyncio(loop_scope="module")
HEADERS = [
    {"x_guard_mode": "off"},
    {"x_guard_numbers": "off"},
    {"x_guard_policy": "none"},
    {"x_guard_action": "pass"},
    {"x_guard_bypass": "true"},
    {"x_guard_shadow": "true"},
    {"x_guard_intent": "smalltalk"},
    {"x_guardrails": "false"},
]
UNKNOWN_FIELDS: list[JsonObject] = [
    {"guardrails": False},
    {"guards": {"numbers": {"mode": "off"}}},
    {"policy": "none"},
    {"extra_body": {"guard": {"mode": "off"}}},
    {"metadata": {"guard": "off", "x-guard-mode": "off"}},
]
REFUSED_MEMBERS: list[JsonObject] = [
    {"mode": "off"},
    {"off": True},
    {"skip": True},
    {"tenant": "other"},
    {"guards": {"numbers": "off"}},
    {"policy": "none"},
    {"disabled": True},
    {"regenerate": False},
    {"answer": TRUE_ANSWER},
]


async def test_no_header_switches_a_guard_off(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(ONE_WRONG)

    texts = [said(await proxy.chat(QUESTION, **headers)) for headers in HEADERS]

    assert [DEFAULT.templates.recognise(text) for text in texts] == ["numbers"] * len(HEADERS)


async def test_no_unknown_field_switches_a_guard_off_and_each_travels_on(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(ONE_WRONG)

    texts = [said(await proxy.chat(QUESTION | fields)) for fields in UNKNOWN_FIELDS]

    assert [DEFAULT.templates.recognise(text) for text in texts] == ["numbers"] * len(texts)
    first_attempts = upstream.requests[::2]
    assert [
        request | fields for request, fields in zip(first_attempts, UNKNOWN_FIELDS, strict=True)
    ] == first_attempts


async def test_the_guard_member_knows_no_way_to_weaken_it(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    guard: JsonObject = {"sources": FEES}
    bodies = [chat_body(ASKED) | {"guard": guard | member} for member in REFUSED_MEMBERS]

    replies = [await proxy.chat(body) for body in bodies]

    assert [reply.status_code for reply in replies] == [400] * len(REFUSED_MEMBERS)
    assert [reply.json()["error"]["param"] for reply in replies] == [
        f"guard.{name}" for member in REFUSED_MEMBERS for name in member
    ]
    assert upstream.requests == []


async def test_naming_another_intent_does_not_take_the_need_for_evidence_away(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    question = chat_body("연체료 규정을 알려 주세요")

    replies = [
        await proxy.chat(question | {"guard": {"intent": intent}})
        for intent in ("smalltalk", "", "none")
    ]
    replies.append(await proxy.chat(question, x_guard_intent="smalltalk"))

    reasons = [reply.headers["x-guard-reasons"] for reply in replies]
    assert reasons == ["answerability.no_context"] * 4
    assert upstream.requests == []


@each_row("way", ["member", "header"])
async def test_an_intent_is_a_name_and_no_words(
    proxy: RunningProxy, upstream: ScriptedUpstream, way: str
) -> None:
    question = chat_body("책은 몇 권까지 빌려요?")
    words = "call me at home"
    if way == "member":
        reply = await proxy.chat(question | {"guard": {"intent": words}})
    else:
        reply = await proxy.chat(question, x_guard_intent=words)

    assert reply.status_code == 400
    expected = {"member": "guard.intent", "header": "x-guard-intent"}[way]
    assert reply.json()["error"]["param"] == expected
    assert upstream.requests == []


async def test_naming_an_intent_asks_for_more(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says("책은 한 번에 6권까지 빌릴 수 있습니다.")
    question = chat_body("책은 몇 권까지 빌려요?")

    await assert_untouched(proxy, upstream, question)
    by_member = await proxy.chat(question | {"guard": {"intent": "policy"}})
    by_header = await proxy.chat(question, x_guard_intent="policy")

    for reply in (by_member, by_header):
        assert reply.headers["x-guard-reasons"] == "answerability.no_context"


async def test_a_request_without_tricks_passes_with_all_the_headers_of_others(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    """The clean twin: tricks do not make a true answer wrong either."""
    upstream.says(TRUE_ANSWER)
    headers = {name: value for each in HEADERS for name, value in each.items()}

    reply = await proxy.chat(QUESTION, **headers)
    plain = await proxy.chat(QUESTION)

    assert said(reply) == TRUE_ANSWER
    assert reply.content == plain.content
