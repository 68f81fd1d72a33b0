"""A policy that has nothing to look at answers with: they pass as they come, and are told of."""

import asyncio
import json
from functools import partial

import pytest
from litestar.types import Message, Send
from pydantic import JsonValue

from guards.core.registry import all_guards
from policies.schema.policy import Action
from proxy.app import create_app
from proxy.demo import Said, chunks, completion
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import DONE, EventReader, without_comments, write_event
from tests.fakes.paced_upstream import PacedUpstream
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import DEADLINE_S, chat_body
from tests.flow.canteen import CHINESE, QUESTION
from tests.flow.leaving import assert_gone
from tests.flow.listening import talking
from tests.tables import each_row

OFF = "guards:\n" + "".join(f"  {name}: {{mode: off}}\n" for name in all_guards())
TEXT_KEPT = "tracing: {text: full}\n"
ANSWER = f"{CHINESE} 점심은 12시부터입니다. [9] " * 20
SOURCES: list[JsonValue] = [
    {"section_title": "식당 안내", "section_content": "점심은 11시 30분부터입니다."}
]
BODY = chat_body(QUESTION, SOURCES)
EVENT_STREAM = {"content-type": "text/event-stream"}


RIG = partial(
    open_rig,
    policy=f"{upstream_yaml(RAW)}\n{OFF}{TEXT_KEPT}",
    others={"watching": f"{upstream_yaml(RAW)}\nstream: {{mode: monitor}}\n{TEXT_KEPT}"},
)
"""It has a tenant that looks at nothing, and one that lets its guards only watch."""


pytestmark = pytest.mark.asyncio(loop_scope="module")


def streamed(text: str, **more: JsonValue) -> list[bytes]:
    """Return the events of an answer, without the mark at the end."""
    asked = BODY | {"stream_options": {"include_usage": True}}
    return [write_event(chunk | more) for chunk in chunks(asked, Said((text,)))]


@each_row("more", "odd")
@each_row("tenant", ["app", "watching"])
async def test_a_stream_that_nobody_looks_at_keeps_its_bytes(
    rig: Rig, tenant: str, more: JsonObject
) -> None:
    said = b"".join(streamed(ANSWER, **more)) + DONE
    rig.raw.says(said, headers=EVENT_STREAM)

    reply = await rig.proxy.send(json.dumps(BODY | {"stream": True}).encode(), tenant=tenant)

    assert without_comments(reply.content) == said
    assert reply.headers["x-guard-action"] == "pass"


async def test_a_plain_reply_that_nobody_looks_at_keeps_its_bytes(rig: Rig) -> None:
    said = json.dumps(completion(BODY, Said((ANSWER,))), indent=3).encode()
    rig.raw.says(said)

    reply = await rig.proxy.chat(BODY)

    assert reply.content == said
    assert "x-guard-not-checked" not in reply.headers


@each_row("stream", [False, True])
async def test_the_trace_tells_what_passed_and_that_no_guard_looked_at_it(
    rig: Rig, stream: bool
) -> None:
    if stream:
        rig.raw.says(b"".join(streamed(ANSWER)) + DONE, headers=EVENT_STREAM)
    else:
        rig.raw.says(json.dumps(completion(BODY, Said((ANSWER,)))).encode())

    trace = await rig.proxy.trace(await rig.proxy.chat(BODY | {"stream": stream}))

    [attempt] = trace.attempts
    assert [choice.text for choice in attempt.choices] == [ANSWER]
    assert attempt.usage is not None
    assert trace.replies == (ANSWER,)
    assert (trace.guards, trace.confidence, trace.action) == ((), None, Action.PASS)
    assert (trace.question, [source.title for source in trace.sources]) == (QUESTION, ["식당 안내"])


async def test_an_empty_answer_and_a_call_of_a_tool_are_told_apart_from_answers(
    rig: Rig,
) -> None:
    tool: JsonObject = {"type": "function", "function": {"name": "search", "arguments": "{}"}}
    message: JsonObject = {"role": "assistant", "content": "찾아보겠습니다.", "tool_calls": [tool]}
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    called = completion(BODY, Said(("",))) | {"choices": [choice]}

    rig.raw.says(json.dumps(completion(BODY, Said(("",)))).encode())
    empty = await rig.proxy.chat(BODY)
    rig.raw.says(json.dumps(called).encode())
    calling = await rig.proxy.chat(BODY | {"tools": [{"type": "function", "function": {}}]})

    assert empty.headers["x-guard-not-checked"] == "empty_answer"
    assert calling.headers["x-guard-not-checked"] == "tool_calls"


@each_row("tenant", ["app", "watching"])
async def test_an_answer_that_breaks_off_ends_with_an_error_behind_what_was_said(
    rig: Rig, tenant: str
) -> None:
    said = streamed(ANSWER)[:9]
    broken = b'data: {"choices": [\n\n'
    rig.raw.says(b"".join([*said, broken]), headers=EVENT_STREAM)

    reply = await rig.proxy.send(json.dumps(BODY | {"stream": True}).encode(), tenant=tenant)

    *passed, error = [event for event in EventReader().feed(reply.content) if event.data]
    assert b"".join(event.raw for event in passed) == b"".join(said)
    assert json.loads(error.data or "")["error"]["code"] == "upstream_broken"
    trace = await rig.proxy.trace(reply)
    assert (trace.error, trace.status) == ("upstream_broken", 502)
    assert trace.replies == (ANSWER[: 3 * len(said) - 3],)


async def test_each_piece_leaves_at_once(rig: Rig) -> None:
    model = PacedUpstream(rig.raw)

    async with talking(rig.proxy, model, BODY | {"stream": True}) as (listener, writing):
        for text in (CHINESE[:2], CHINESE[2:5], "네"):
            await writing.say(text)
            await listener.hears(listener.said() + text)
    await writing.is_left()

    trace = await rig.proxy.trace_of(listener.id)
    assert_gone(trace)
    assert trace.replies == (f"{CHINESE[:5]}네",)


async def test_events_that_come_together_leave_together(rig: Rig) -> None:
    events = streamed(ANSWER)
    rig.raw.says(b"".join(events) + DONE, headers=EVENT_STREAM)
    sent: list[bytes] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            sent.append(message["body"])

    await serve(rig, BODY | {"stream": True}, send)

    assert without_comments(b"".join(sent)) == b"".join(events) + DONE
    assert len(sent) < len(events) / 4


async def serve(rig: Rig, body: JsonObject, send: Send) -> None:
    """Have the app serve a request for a chat completion of a client that stays."""
    scope = {
        "type": "http",
        "method": "POST",
        "raw_path": b"/v1/chat/completions",
        "query_string": b"",
        "headers": [(b"authorization", b"Bearer " + rig.proxy.key.encode())],
    }
    body_of_request = {"type": "http.request", "body": json.dumps(body).encode()}
    messages = [body_of_request | {"more_body": False}]

    async def receive() -> object:
        if not messages:
            await asyncio.sleep(DEADLINE_S)
        return messages.pop()

    async with asyncio.timeout(DEADLINE_S):
        # What a server says has more members than are looked at here.
        await create_app(rig.proxy.services)(scope, receive, send)  # type: ignore[arg-type]
