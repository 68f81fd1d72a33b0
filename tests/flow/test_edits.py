"""Answers that leave with a sentence less, instead of being replaced."""

import json

import pytest
from pydantic import JsonValue

from proxy.demo import Said
from proxy.openai_api.chat import read_reply
from proxy.openai_api.json_body import JsonObject
from tests.fakes.running_proxy import RunningProxy, chat_body
from tests.fakes.scripted_upstream import ScriptedUpstream

POLICY = "stream: {mode: buffer}\nguards: {numbers: {final: trim}}"
CORE = "반려 식물 대여료는 한 달에 2만원입니다."
EXTRA = "대여 신청은 총무팀에 합니다."
BAD = "보증금은 7만원입니다."
SOURCES: list[JsonValue] = [
    {
        "section_title": "제4조(반려 식물 대여)",
        "section_content": "반려 식물 대여료는 한 달에 2만원으로 한다. 대여 신청은 총무팀에 한다.",
    }
]

pytestmark = pytest.mark.asyncio(loop_scope="module")


def request(**more: JsonValue) -> JsonObject:
    return chat_body("반려 식물 대여료는 얼마인가요?", SOURCES, **more)


async def test_a_sentence_is_taken_out_when_the_second_attempt_is_no_better(
    proxy: RunningProxy, upstream: ScriptedUpstream, stream: bool
) -> None:
    upstream.says(f"{CORE} {BAD} {EXTRA}")

    reply = await proxy.chat(request(stream=stream))

    [answer] = read_reply(reply.content, reply.headers["content-type"]).answers
    assert answer.content == f"{CORE} {EXTRA}"
    assert answer.finish_reason == "stop"
    assert reply.headers["x-guard-action"] == "trim"
    assert reply.headers["x-guard-reasons"].startswith("numbers.")
    assert len(upstream.requests) == 2
    trace = await proxy.trace(reply)
    assert trace.action == "trim"
    assert trace.replies == (f"{CORE} {EXTRA}",)
    assert [attempt.choices[0].text for attempt in trace.attempts] == [f"{CORE} {BAD} {EXTRA}"] * 2


async def test_reasoning_before_the_answer_stays_where_it_is(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    upstream.says(f"<think>음, 2만원.</think>{CORE} {BAD} {EXTRA}")

    reply = await proxy.chat(request())

    content = reply.json()["choices"][0]["message"]["content"]
    assert content == f"<think>음, 2만원.</think>{CORE} {EXTRA}"


async def test_a_stream_keeps_what_came_beside_the_text(
    proxy: RunningProxy, upstream: ScriptedUpstream
) -> None:
    said = Said((f"{CORE} {BAD} {EXTRA}",), message={"reasoning_content": "음, 2만원."})
    upstream.script = lambda _: said

    reply = await proxy.chat(request(stream=True))

    events = reply.text.strip().split("\n\n")
    assert events[-1] == "data: [DONE]"
    deltas = [json.loads(event[6:])["choices"][0]["delta"] for event in events[:-1]]
    assert deltas[0]["reasoning_content"] == "음, 2만원."
    assert "".join(delta.get("content") or "" for delta in deltas) == f"{CORE} {EXTRA}"
