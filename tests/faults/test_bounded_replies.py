"""What one reply may take is bounded by what was asked for, whatever a model server sends."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Iterable
from types import FrameType

import pytest
import pytest_asyncio
from pydantic import JsonValue

from policies.inspection import Inspector
from proxy.openai_api.json_body import OF_REPLY, OF_REQUEST, JsonObject
from proxy.openai_api.sse import MOST_EVENT_BYTES
from tests.faults.wire import QUESTION, TEXT, Wire, open_wire, reply_bytes
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
DONE = b"data: [DONE]\n\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def wire(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Wire, None]:
    async with open_wire(tmp_path_factory.mktemp("wire")) as opened:
        yield opened


def body(path: str, **more: JsonValue) -> bytes:
    asked: JsonObject = {"messages": [{"role": "user", "content": QUESTION}]}
    if path == COMPLETIONS:
        asked = {"prompt": QUESTION}
    return json.dumps({"model": "m", **asked, **more}).encode()


def choice(path: str, number: int, *, streamed: bool = False) -> JsonObject:
    said: JsonObject = {"role": "assistant", "content": TEXT}
    made: JsonObject = {"delta" if streamed else "message": said}
    if path == COMPLETIONS:
        made = {"text": TEXT}
    return {"index": number, "finish_reason": "stop", **made}


def event(choices: Iterable[JsonObject]) -> bytes:
    return b"data: " + json.dumps({"id": "c", "choices": [*choices]}).encode() + b"\n\n"


def stream(*events: bytes) -> bytes:
    return reply_bytes(b"".join(events), content_type=b"text/event-stream", length=False)


def replying(wire: Wire, reply: bytes) -> None:
    wire.rig.raw.act = lambda talk: talk.send(reply)


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
@pytest.mark.parametrize(("asked", "given"), [(1, 2), (2, 3), (2, 20_000)])
async def test_more_choices_than_were_asked_for_are_a_broken_reply(
    wire: Wire, path: str, asked: int, given: int
) -> None:
    choices = [choice(path, number) for number in range(given)]
    replying(wire, reply_bytes(json.dumps({"id": "c", "choices": choices}).encode()))

    answer = await wire.ask(path.encode(), body(path, n=asked))

    assert answer.status == 502
    assert answer.refusal()["code"] == "upstream_broken"


@pytest.mark.parametrize("path", [CHAT, COMPLETIONS])
@pytest.mark.parametrize("together", [False, True], ids=["an-event-each", "in-one-event"])
@pytest.mark.parametrize(("asked", "given"), [(1, 2), (2, 20_000)])
@pytest.mark.parametrize("hold", [False, True], ids=["live", "held"])
async def test_more_choices_than_were_asked_for_break_a_stream(
    wire: Wire, path: str, asked: int, given: int, *, together: bool, hold: bool
) -> None:
    choices = [choice(path, number, streamed=True) for number in range(given)]
    events = [event(choices)] if together else [event([one]) for one in choices]
    replying(wire, stream(*events, DONE))

    answer = await wire.ask(path.encode(), body(path, n=asked, stream=True, guard={"hold": hold}))

    assert b"upstream_broken" in answer.body
    assert answer.raw.count(TEXT.encode()) + answer.raw.count(
        json.dumps(TEXT)[1:-1].encode()
    ) <= asked  # fmt: skip
    assert DONE not in answer.body


@each_row("path", [CHAT, COMPLETIONS])
async def test_as_many_choices_as_were_asked_for_go_out(wire: Wire, path: str) -> None:
    choices = [choice(path, number) for number in range(3)]
    replying(wire, reply_bytes(json.dumps({"id": "c", "choices": choices}).encode()))

    answer = await wire.ask(path.encode(), body(path, n=3))

    assert answer.status == 200
    assert len(json.loads(answer.body)["choices"]) == 3


@pytest.mark.parametrize(
    "filler", [b"a", b"\ra", b": a\n"], ids=["no-line-end", "returns", "lines"]
)
async def test_an_event_without_end_is_given_up_soon(wire: Wire, filler: bytes) -> None:
    size = 4 * MOST_EVENT_BYTES
    replying(wire, stream(b"data: " + filler * (size // len(filler))))

    answer = await wire.ask(CHAT.encode(), body(CHAT, stream=True))

    assert answer.status == 502
    assert answer.refusal()["code"] == "upstream_broken"


@each_row("path", [CHAT, COMPLETIONS])
@pytest.mark.parametrize("hold", [False, True], ids=["live", "held"])
async def test_what_follows_done_is_neither_judged_nor_sent(
    wire: Wire, path: str, *, hold: bool
) -> None:
    late = choice(path, 0, streamed=True)
    said = json.dumps(late).replace(json.dumps(TEXT), '"LATE"').encode()
    after = b'data: {"id": "c", "choices": [' + said + b"]}\n\n"
    replying(wire, stream(event([choice(path, 0, streamed=True)]), DONE, after))

    answer = await wire.ask(path.encode(), body(path, stream=True, guard={"hold": hold}))

    assert b"LATE" not in answer.raw
    assert DONE in answer.body


@each_row("value", [b"[]", b"{}", b'{"a": 1}'])
async def test_more_values_than_can_be_read_are_refused(wire: Wire, value: bytes) -> None:
    in_reply, in_request = (
        b"[" + b",".join([value] * (most.containers + 1)) + b"]" for most in (OF_REPLY, OF_REQUEST)
    )
    replying(wire, reply_bytes(b'{"id": "c", "choices": [], "x": ' + in_reply + b"}"))

    answer = await wire.ask(CHAT.encode(), body(CHAT))
    refused = await wire.ask(CHAT.encode(), body(CHAT)[:-1] + b', "metadata": ' + in_request + b"}")

    assert answer.status == 502
    assert answer.refusal()["code"] == "upstream_broken"
    assert refused.status == 400


async def test_a_long_answer_with_all_its_log_probabilities_is_sent(wire: Wire) -> None:
    one: JsonObject = {"token": "가", "logprob": -0.1, "bytes": [234, 176, 128]}
    told: JsonObject = choice(CHAT, 0)
    told["logprobs"] = {"content": [{**one, "top_logprobs": [one] * 20}] * 4_000}
    sent = json.dumps({"id": "c", "choices": [told]}).encode()
    assert sent.count(b"{") + sent.count(b"[") > OF_REQUEST.containers
    replying(wire, reply_bytes(sent))

    answer = await wire.ask(CHAT.encode(), body(CHAT))

    assert answer.status == 200


@each_row("filler", [b": x\n\n", b"\n", b"\r\n", b"event: ping\n\n"])
async def test_what_says_nothing_in_a_stream_is_passed_over(wire: Wire, filler: bytes) -> None:
    said = event([choice(CHAT, 0, streamed=True)])
    replying(wire, stream(filler * 50_000, said, filler * 1_000, DONE))

    answer = await wire.ask(CHAT.encode(), body(CHAT, stream=True))

    assert answer.status == 200
    assert TEXT.encode() in answer.body
    assert DONE in answer.body


async def test_others_have_their_turn_between_two_sentences(wire: Wire) -> None:
    said = event([{"index": 0, "delta": {"content": "이용료는 45,000원입니다. "}}])
    replying(wire, stream(said * 30, DONE))
    in_a_row = most_in_a_row = 0

    def count(frame: FrameType, kind: str, _: object) -> None:
        nonlocal in_a_row, most_in_a_row
        if kind == "call" and frame.f_code is Inspector.inspect.__code__:
            in_a_row += 1
            most_in_a_row = max(in_a_row, most_in_a_row)

    async def others() -> None:
        nonlocal in_a_row
        while True:
            await asyncio.sleep(0)
            in_a_row = 0

    beside = asyncio.create_task(others())
    sys.setprofile(count)
    try:
        reply = await wire.ask(CHAT.encode(), body(CHAT, stream=True))
    finally:
        sys.setprofile(None)
        beside.cancel()

    assert reply.status == 200
    assert most_in_a_row == 1


async def test_what_follows_done_is_not_judged_in_a_trace(wire: Wire) -> None:
    late: JsonObject = {"index": 0, "delta": {"content": "LATE"}}
    replying(wire, stream(event([choice(CHAT, 0, streamed=True)]), DONE, event([late])))

    answer = await wire.ask(CHAT.encode(), body(CHAT, stream=True))

    [trace_id] = answer.values("x-guard-request-id")
    trace = await wire.rig.proxy.trace_of(trace_id)
    assert "LATE" not in trace.model_dump_json()
