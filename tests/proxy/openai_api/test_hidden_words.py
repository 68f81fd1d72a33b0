"""Words of a model server where nobody looks for them: the reply breaks off, or goes without."""

import json

import pytest
from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.chat import ChatEndpoint
from proxy.openai_api.completions import CompletionsEndpoint
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.openai_api.json_body import JSON_TYPE, JsonObject
from proxy.openai_api.pseudonyms import Pseudonyms
from proxy.openai_api.reply import ChoiceOutcome, Ending, Kept, Replaced, Reply
from proxy.openai_api.responses import ResponsesEndpoint
from proxy.openai_api.sse import DONE, STREAM_TYPE, write_event
from tests.tables import each_row

HIDDEN = "이용료는 99,000원입니다."
SHOWN = "이용료는 45,000원입니다."
MESSAGE: JsonObject = {
    "id": "m0",
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "annotations": [], "text": SHOWN}],
}
ENDING = Ending(id="made", created=1, finish_reason="stop")
BY_NAME = {door.path: door for door in ENDPOINTS}


def read(door: str, *bodies: JsonObject, as_stream: bool = False) -> Reply:
    raw = b"".join(map(write_event, bodies)) + DONE if as_stream else json.dumps(bodies[0]).encode()
    reply: Reply = BY_NAME[door].read_reply(
        raw, STREAM_TYPE if as_stream else JSON_TYPE, Pseudonyms()
    )
    return reply


def response(*items: JsonObject, **members: str) -> JsonObject:
    return {"id": "r", "status": "completed", "output": [*items], **members}


@each_row("choices", "unreadable_choices")
@each_row("door", [ChatEndpoint.path, CompletionsEndpoint.path])
@pytest.mark.parametrize("as_stream", [False, True], ids=["plain", "stream"])
def test_choices_that_nobody_can_tell_break_the_reply(
    door: str, choices: JsonValue, *, as_stream: bool
) -> None:
    good: JsonObject = {"index": 0, "delta": {"content": SHOWN}}
    if door == CompletionsEndpoint.path:
        good = {"index": 0, "text": SHOWN}

    with pytest.raises(UpstreamBroken):
        read(door, {"choices": choices}, {"choices": [good]}, as_stream=as_stream)


@each_row("said", [HIDDEN, [HIDDEN], 1, True])
@each_row("place, as_stream", [("message", False), ("delta", True)])
def test_a_choice_that_says_no_object_breaks_the_reply(
    said: JsonObject, place: str, *, as_stream: bool
) -> None:
    with pytest.raises(UpstreamBroken):
        read(ChatEndpoint.path, {"choices": [{"index": 0, place: said}]}, as_stream=as_stream)


@each_row("door", [ChatEndpoint.path, CompletionsEndpoint.path])
def test_an_error_object_amid_a_stream_breaks_it(door: str) -> None:
    failed: JsonObject = {"object": "error", "message": "out of memory", "code": 500}

    with pytest.raises(UpstreamBroken):
        read(door, failed, {"choices": []}, as_stream=True)


@each_row("member", ["text", "delta", "x_own"])
def test_a_changed_choice_leaves_without_what_nobody_knows(member: str) -> None:
    choice: JsonObject = {"index": 0, "message": {"content": HIDDEN}, member: {"said": HIDDEN}}
    reply = read(ChatEndpoint.path, {"choices": [choice], "x_own": HIDDEN})
    edited = Kept(0, reply, reply.answers[0], SHOWN)

    for outcome in (edited, Replaced(0, SHOWN)):
        written = chat_written(reply, outcome)
        assert HIDDEN not in written
        assert SHOWN in written


@each_row("inside", ["x_own", "provider_specific_fields", "annotations"])
def test_a_changed_stream_leaves_without_what_nobody_knows(inside: str) -> None:
    delta: JsonObject = {"content": HIDDEN, inside: [HIDDEN], "reasoning": "음"}
    choice: JsonObject = {"index": 0, "delta": delta, "x_own": HIDDEN, "finish_reason": "stop"}
    reply = read(ChatEndpoint.path, {"choices": [choice], "x_own": HIDDEN}, as_stream=True)

    written = chat_written(reply, Kept(0, reply, reply.answers[0], SHOWN), stream=True)

    assert HIDDEN not in written
    assert SHOWN in written
    assert '"reasoning":"음"' in written


@each_row("place, as_stream", [("message", False), ("delta", True)])
@each_row("kind", ["reasoning", "thinking"])
def test_thoughts_in_parts_are_named_whatever_holds_them(
    kind: str, place: str, *, as_stream: bool
) -> None:
    said: JsonObject = {"content": [{"type": kind, "text": HIDDEN}]}

    body: JsonObject = {"choices": [{"index": 0, place: said, "finish_reason": "stop"}]}
    reply = read(ChatEndpoint.path, body, as_stream=as_stream)

    assert reply.unseen == (kind,)


@each_row("kind", [["message"], {"message": 1}, 7])
@pytest.mark.parametrize("as_stream", [False, True], ids=["plain", "stream"])
def test_an_item_of_no_kind_breaks_the_response(kind: JsonObject, *, as_stream: bool) -> None:
    item: JsonObject = {"type": kind, "value": HIDDEN}
    added: JsonObject = {"type": "response.output_item.added", "output_index": 0, "item": item}

    with pytest.raises(UpstreamBroken):
        read(ResponsesEndpoint.path, added if as_stream else response(item), as_stream=as_stream)


@pytest.mark.parametrize("as_stream", [False, True], ids=["plain", "stream"])
def test_a_response_that_says_two_texts_is_broken(*, as_stream: bool) -> None:
    body = response(MESSAGE, output_text=HIDDEN)
    last: JsonObject = {"type": "response.completed", "response": body}

    with pytest.raises(UpstreamBroken):
        read(ResponsesEndpoint.path, last if as_stream else body, as_stream=as_stream)


def test_a_number_that_cannot_be_written_again_is_refused() -> None:
    raw = b'{"choices": [{"message": {"content": "."}}], "usage": {"total_tokens": 1e999}}'

    with pytest.raises(UpstreamBroken):
        ChatEndpoint().read_reply(raw, JSON_TYPE, Pseudonyms())


def chat_written(reply: Reply, outcome: ChoiceOutcome, *, stream: bool = False) -> str:
    door = BY_NAME[ChatEndpoint.path]
    asked: JsonObject = {"model": "m", "messages": [{"role": "user", "content": "얼마인가요?"}]}
    request = door.read_request(json.dumps(asked | {"stream": stream}).encode())
    return door.write(request, [reply], [outcome], ENDING).body.decode()


def test_a_changed_response_leaves_without_what_stood_beside_its_text() -> None:
    begun: JsonObject = {"type": "output_text", "text": "", "logprobs": [{"token": HIDDEN}]}
    place: JsonObject = {"item_id": "m0", "output_index": 0, "content_index": 0}
    message = MESSAGE | {"content": [{"type": "output_text", "text": HIDDEN}], "x_own": HIDDEN}
    item: JsonObject = {"output_index": 0, "item": message}
    reply = read(
        ResponsesEndpoint.path,
        {"type": "response.output_item.added", "output_index": 0, "item": MESSAGE},
        {"type": "response.content_part.added", **place, "part": begun},
        {"type": "response.output_text.delta", **place, "delta": HIDDEN, "text": HIDDEN},
        {"type": "response.output_item.done", **item},
        {"type": "response.completed", "response": response(message)},
        as_stream=True,
    )
    door = BY_NAME[ResponsesEndpoint.path]
    request = door.read_request(b'{"model": "m", "input": "?", "stream": true}')

    edited = Kept(0, reply, reply.answers[0], SHOWN)
    written = door.write(request, [reply], [edited], ENDING).body.decode()

    assert HIDDEN not in written
    assert SHOWN in written
