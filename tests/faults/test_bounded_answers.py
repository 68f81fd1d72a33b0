"""An answer that is longer than what is judged: sent where guards only watch, refused elsewhere."""

import json
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from pydantic import JsonValue

from guards.core.registry import all_guards
from proxy.demo import Said, chunks, completion
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import DONE, write_event
from tests.fakes.raw_client import RawAnswer, request_bytes, said_to
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.faults.wire import reply_bytes
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

MOST_CHARS = 1_000
SENTENCE = "월 이용료는 45,000원이고 가입비는 없습니다. "
LONG = SENTENCE * 60
SHORT = SENTENCE.strip()
QUESTION = "월 이용료는 얼마인가요?"
NOT_CHECKED = "x-guard-not-checked"


def all_in(mode: str) -> str:
    guards = "".join(f"  {name}: {{mode: {mode}}}\n" for name in all_guards())
    return f"{upstream_yaml(RAW)}\nguards:\n{guards}"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    others = {
        "shadow": all_in("shadow"),
        "off": all_in("off"),
        "monitor": f"{upstream_yaml(RAW)}\nstream: {{mode: monitor}}\n",
    }
    folder = tmp_path_factory.mktemp("rig")
    async with open_rig(
        folder, upstream_yaml(RAW), others=others, max_answer_chars=MOST_CHARS
    ) as opened:
        yield opened


async def ask(rig: Rig, tenant: str, answer: str, *, stream: bool) -> RawAnswer:
    source: JsonValue = {"section_title": "제8조", "section_content": SENTENCE}
    body: JsonObject = {
        "model": "m",
        "messages": [{"role": "user", "content": QUESTION}],
        "guard": {"sources": [source]},
        "stream": stream,
    }
    said = Said((answer,))
    if stream:
        written = b"".join([*map(write_event, chunks(body, said)), DONE])
        reply = reply_bytes(written, content_type=b"text/event-stream", length=False)
    else:
        reply = reply_bytes(json.dumps(completion(body, said)).encode())
    rig.raw.act = lambda talk: talk.send(reply)
    sent = json.dumps(body).encode()
    target = b"/v1/chat/completions"
    return await said_to(rig.proxy.address, request_bytes(target, sent, key=rig.proxy.keys[tenant]))


def text_of(answer: RawAnswer, *, stream: bool) -> str:
    if not stream:
        return str(json.loads(answer.body)["choices"][0]["message"]["content"])
    lines = [line for line in answer.body.split(b"\n") if line.startswith(b"data: {")]
    choices = [choice for line in lines for choice in json.loads(line[6:])["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


@each_row("tenant", ["shadow", "off", "monitor"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_where_guards_only_watch_it_is_sent(rig: Rig, tenant: str, *, stream: bool) -> None:
    answer = await ask(rig, tenant, LONG, stream=stream)

    assert answer.status == 200
    assert text_of(answer, stream=stream) == LONG
    assert b"[DONE]" in answer.body or not stream


@each_row("tenant", ["shadow", "monitor"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_what_was_not_judged_is_named(rig: Rig, tenant: str, *, stream: bool) -> None:
    answer = await ask(rig, tenant, LONG, stream=stream)

    [trace_id] = answer.values("x-guard-request-id")
    trace = await rig.proxy.trace_of(trace_id)
    assert "answer_too_long" in trace.not_checked
    assert trace.action_name == "pass"
    assert trace.confidence is None
    assert [choice.text for choice in trace.attempts[0].choices] == [LONG]
    assert list(trace.replies) == [LONG]
    said = answer.body.decode() if stream else ",".join(answer.values(NOT_CHECKED))
    assert "answer_too_long" in said


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_where_a_guard_could_act_it_is_refused(rig: Rig, *, stream: bool) -> None:
    answer = await ask(rig, "app", LONG, stream=stream)

    assert b"upstream_broken" in answer.body
    assert b"answer of more than 1000 characters" in answer.body
    assert LONG.strip().encode() not in answer.body
    assert b"[DONE]" not in answer.body


@each_row("tenant", ["app", "shadow", "off", "monitor"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_one_that_is_short_enough_is_judged(rig: Rig, tenant: str, *, stream: bool) -> None:
    answer = await ask(rig, tenant, SHORT, stream=stream)

    assert answer.status == 200
    assert b"answer_too_long" not in answer.raw
    assert text_of(answer, stream=stream) == SHORT


async def test_verify_refuses_one(rig: Rig) -> None:
    reply = await rig.proxy.send(
        json.dumps({"question": QUESTION, "answer": LONG, "sources": []}).encode(),
        path="/v1/verify",
    )

    assert reply.status_code == 400
    assert reply.json()["error"]["param"] == "answer"
