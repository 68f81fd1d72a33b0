"""The caller's own identifiers come back, in plain replies and in streams."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from guards.text.personal_data.kinds import PersonalKind
from proxy.openai_api.chat import read_reply
from proxy.openai_api.chat.reply import restored
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import DONE, KEEP_ALIVE, EventReader, json_bytes, write_event
from proxy.pipeline.pseudonyms import Pseudonyms

PHONE = "010-0000-1234"
HELD = Pseudonyms({PHONE: PersonalKind.PHONE})
STREAM = "text/event-stream; charset=utf-8"


def plain(message: JsonObject, **more: JsonValue) -> JsonObject:
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": "stop", **more}
    return {"id": "c", "choices": [choice], "usage": {"total_tokens": 3}}


def chunk(delta: JsonObject, finish: str | None = None, **more: JsonValue) -> bytes:
    choice: JsonObject = {"index": 0, "delta": delta, "finish_reason": finish, **more}
    return write_event({"id": "c", "choices": [choice]})


def deltas(body: bytes) -> list[dict[str, Any]]:
    reader = EventReader()
    events = [event.data for event in reader.feed(body) + reader.close()]
    said = [json.loads(data) for data in events if data and data != "[DONE]"]
    return [choice["delta"] for one in said for choice in one["choices"]]


def content(body: bytes, content_type: str = STREAM) -> str:
    return read_reply(body, content_type).answers[0].content


def test_a_plain_answer_gets_the_identifier() -> None:
    body = restored(
        json_bytes(plain({"role": "assistant", "content": "[전화번호-1]입니다."})),
        "application/json",
        HELD,
    )

    assert json.loads(body) == plain({"role": "assistant", "content": f"{PHONE}입니다."})


def test_calls_of_tools_get_it_too_and_stay_json() -> None:
    arguments = json.dumps({"phone": "[전화번호-1]", "note": 'a "b"'}, ensure_ascii=False)
    call: JsonObject = {
        "id": "1",
        "type": "function",
        "function": {"name": "book", "arguments": arguments},
    }
    body = restored(
        json_bytes(plain({"content": None, "tool_calls": [call]})), "application/json", HELD
    )

    [made] = json.loads(body)["choices"][0]["message"]["tool_calls"]

    assert json.loads(made["function"]["arguments"]) == {"phone": PHONE, "note": 'a "b"'}


def test_tokens_that_spell_out_the_placeholder_do_not_come_along() -> None:
    body = restored(
        json_bytes(
            plain({"content": "[전화번호-1]"}, logprobs={"content": []}, token_ids=[1, 2, 3])
        ),
        "application/json",
        HELD,
    )

    [choice] = json.loads(body)["choices"]

    assert choice["logprobs"] is None
    assert "token_ids" not in choice


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        pytest.param(b'{ "choices" : [ {"message": {"content": "[1]"}} ] }', "", id="plain"),
        pytest.param(chunk({"content": "네"}) + chunk({}, "stop") + DONE, STREAM, id="stream"),
        pytest.param(
            chunk({"content": "네", "tool_calls": None, "function_call": None}), STREAM, id="nulls"
        ),
        pytest.param(b"no JSON", "application/json", id="broken"),
        pytest.param(b"data: no JSON\n\n", STREAM, id="broken-stream"),
    ],
)
def test_a_reply_without_placeholders_is_the_same_to_the_byte(
    body: bytes, content_type: str
) -> None:
    assert restored(body, content_type, HELD) == body


def test_a_request_that_hid_nothing_gets_the_reply_as_it_is() -> None:
    body = json_bytes(plain({"content": "[전화번호-1]"}))

    assert restored(body, "application/json", Pseudonyms()) is body


TEXT = "연락처는 [전화번호-1]이고 [1]번 자료에 [전화번호-1] 있습니다. [전화"


@given(st.lists(st.integers(0, len(TEXT)), max_size=8), st.booleans())
def test_a_stream_cut_anywhere_says_the_same(cuts: list[int], ended: bool) -> None:
    places = [0, *sorted(cuts), len(TEXT)]
    pieces = [TEXT[start:end] for start, end in pairwise(places)]
    end = chunk({}, "stop") if ended else b""
    stream = b"".join(chunk({"content": piece}) for piece in pieces) + end + DONE

    assert content(restored(stream, STREAM, HELD)) == TEXT.replace("[전화번호-1]", PHONE)


def test_arguments_are_put_together_by_their_call() -> None:
    def call(index: int, arguments: str) -> JsonObject:
        return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}

    stream = (
        chunk(call(0, '{"a": "[전화')) + chunk(call(1, '{"b": ['))
        + chunk(call(0, '번호-1]"}')) + chunk(call(1, "1]}")) + chunk({}, "tool_calls") + DONE
    )  # fmt: skip
    said = {0: "", 1: ""}
    for delta in deltas(restored(stream, STREAM, HELD)):
        for one in delta.get("tool_calls", []):
            said[one["index"]] += one["function"]["arguments"]

    assert (json.loads(said[0]), json.loads(said[1])) == ({"a": PHONE}, {"b": [1]})


def test_what_is_kept_back_comes_with_the_end_whatever_it_belongs_to() -> None:
    stream = chunk(
        {
            "content": "[가",
            "reasoning_content": "[나",
            "tool_calls": [{"index": 2, "function": {"arguments": "[다"}}],
            "function_call": {"arguments": "[라"},
        }
    ) + chunk({}, "stop")

    last = deltas(restored(stream, STREAM, HELD))[-1]

    assert last == {
        "content": "[가",
        "reasoning_content": "[나",
        "tool_calls": [{"index": 2, "function": {"arguments": "[다"}}],
        "function_call": {"arguments": "[라"},
    }


def test_choices_and_thoughts_are_kept_apart() -> None:
    first, second = (
        chunk({"reasoning": "[전화번"}),
        chunk({"content": "[전화번호-", "reasoning": "호-1]"}),
    )
    stream = first + second + chunk({"content": "1]"}) + chunk({}, "stop") + DONE

    said = deltas(restored(stream, STREAM, HELD))

    assert "".join(delta.get("reasoning", "") for delta in said) == PHONE
    assert "".join(delta.get("content", "") for delta in said) == PHONE


def test_parts_of_a_content_and_comments_are_carried_along() -> None:
    parts: list[Any] = [{"type": "text", "text": "[전화번호-1]"}]
    stream = KEEP_ALIVE + chunk({"content": parts}) + chunk({}, "stop") + DONE

    body = restored(stream, STREAM, HELD)

    assert body.startswith(KEEP_ALIVE)
    assert content(body) == PHONE
