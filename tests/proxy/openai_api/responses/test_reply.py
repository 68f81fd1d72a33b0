"""Whole replies of responses: read, and written."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Source
from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Answer, Ending, Kept, Replaced
from proxy.openai_api.responses.endpoint import ResponsesReply
from proxy.openai_api.responses.output import spread
from proxy.openai_api.sse import json_bytes, write_event
from tests.proxy.openai_api.responses.wire import (
    DOOR,
    ENDING,
    JSON,
    NAMES,
    NO_PSEUDONYMS,
    STREAM,
    checked,
    events_of,
    final_of,
    message,
    parsed,
    read,
    read_plain,
    recorded,
    request_of,
    response_of,
    shown_text,
    texts_said,
)
from tests.tables import each_row

CALL: JsonObject = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
REASONING: JsonObject = {"type": "reasoning", "id": "r", "summary": []}
SEARCH: JsonObject = {"type": "web_search_call", "id": "w", "status": "completed"}
CUT: JsonObject = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
FILTERED: JsonObject = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
STEERED: JsonObject = {"status": "incomplete", "incomplete_details": {"reason": "steered"}}
REFUSAL: JsonObject = {"type": "refusal", "refusal": "답할 수 없습니다."}

READ: list[object] = [
    pytest.param([message("가나")], {}, ("가나", False, "stop"), id="one-part"),
    pytest.param([message("가", "나"), message("다")], {}, ("가나다", False, "stop"), id="parts"),
    pytest.param([REASONING, SEARCH, message("가")], {}, ("가", False, "stop"), id="other-items"),
    pytest.param([message("가"), CALL], {}, ("가", True, "tool_calls"), id="call-of-a-tool"),
    pytest.param([message("가")], CUT, ("가", False, "length"), id="cut-short"),
    pytest.param([message("가")], FILTERED, ("가", False, "content_filter"), id="filtered"),
    pytest.param([message("가")], STEERED, ("가", False, "incomplete"), id="for-another-reason"),
    pytest.param([], {}, ("", False, "stop"), id="nothing"),
    pytest.param([message()], {}, ("", False, "stop"), id="no-parts"),
]


@each_row("items, members, said", READ)
def test_reads_a_plain_reply(
    items: list[JsonObject], members: JsonObject, said: tuple[str, bool, str]
) -> None:
    reply = read_plain(response_of(*items, **members))

    assert reply.answers == (Answer(0, *said),)
    assert not reply.is_stream


UNSEEN: list[object] = [
    pytest.param([message("가")], (), id="text"),
    pytest.param([message("가"), CALL], (), id="calls-are-the-clients-own"),
    pytest.param([REASONING, SEARCH, message("가")], ("reasoning", "web_search_call"), id="items"),
    pytest.param([message("가") | {"content": [REFUSAL]}], ("refusal",), id="refusal"),
    pytest.param([{"type": "hologram", "id": "h"}], ("unknown_item",), id="unknown-and-wordless"),
    pytest.param([message("<think>흠</think>가")], ("think",), id="reasoning-in-the-text"),
    pytest.param(
        [message("가") | {"content": [{"type": "output_text", "text": "가", "annotations": [{}]}]}],
        ("annotations",),
        id="annotations",
    ),
]


@each_row("items, names", UNSEEN)
def test_what_is_not_looked_at_is_named(items: list[JsonObject], names: tuple[str, ...]) -> None:
    assert read_plain(response_of(*items)).unseen == names


BROKEN: list[object] = [
    pytest.param(b"[]", "got list", id="no-object"),
    pytest.param(b"<html>", "Expecting value", id="no-json"),
    pytest.param(b'{"id": "x"}', "no output", id="no-output"),
    pytest.param(b'{"output": [], "output": [{}]}', "appears twice", id="two-outputs"),
    pytest.param(json_bytes(response_of(status="failed")), "failed", id="failed"),
    pytest.param(json_bytes(response_of(error={"code": "x"})), "failed", id="error"),
    pytest.param(json_bytes(response_of(status="queued")), "not ended", id="still-to-come"),
    pytest.param(json_bytes(response_of(status="in_progress")), "not ended", id="under-way"),
    pytest.param(json_bytes(response_of(message() | {"content": "가"})), "no list", id="string"),
    pytest.param(
        json_bytes(response_of(message() | {"content": [{"type": "table"}]})), "no text", id="part"
    ),
    pytest.param(
        json_bytes(response_of({"type": "essay", "content": [{"text": "가"}]})),
        "unknown kind",
        id="item-of-an-unknown-kind-with-words",
    ),
    pytest.param(
        json_bytes(response_of(message("가"), output_text="나")), "two different", id="two-texts"
    ),
]


@each_row("raw, problem", BROKEN)
def test_a_reply_that_nobody_could_read_is_broken(raw: bytes, problem: str) -> None:
    with pytest.raises(UpstreamBroken, match=problem):
        DOOR.read_reply(raw, JSON, NO_PSEUDONYMS)


@each_row("name, content, reason, unseen", "recorded")
def test_reads_a_recorded_stream(
    name: str, content: str, reason: str, unseen: tuple[str, ...]
) -> None:
    reply = read(recorded(name))

    [answer] = reply.answers
    assert (answer.content, answer.finish_reason) == (content, reason)
    assert set(reply.unseen) == set(unseen)
    assert reply.is_stream
    assert isinstance(reply.usage, dict)


@each_row("name", NAMES)
def test_a_stream_says_what_its_whole_response_says(name: str) -> None:
    response = events_of(recorded(name))[-1]["response"]
    assert isinstance(response, dict)

    assert read(recorded(name)).answers == read_plain(response).answers


def test_two_texts_at_once_are_broken() -> None:
    events = events_of(recorded("two_parts"))
    late = next(event for event in events if event["type"] == "response.output_text.delta")
    events.insert(-2, late)

    with pytest.raises(UpstreamBroken, match="mixes two texts"):
        read(b"".join(map(write_event, events)))


@given(st.lists(st.text(), min_size=1, max_size=4), st.text())
def test_no_word_of_a_changed_answer_is_lost(parts: list[str], text: str) -> None:
    after = spread(parts, text)

    assert "".join(after) == text
    assert len(after) == len(parts)
    assert spread(parts, "".join(parts)) == parts


TEMPLATE = "제공된 자료에서 확인되지 않습니다."
REPORT: JsonObject = {"action": "fix"}


@each_row("name", NAMES)
def test_a_kept_stream_leaves_with_its_own_bytes(name: str) -> None:
    reply = read(recorded(name))
    asked = request_of(stream=True)

    written = DOOR.write(asked, [reply], [Kept(0, reply, reply.answers[0])], ENDING)

    assert written.content_type == STREAM
    if name == "only_whole_items":  # a stream without deltas is given the ones it lacks
        assert texts_said(checked(written.body)) == reply.answers[0].content
    else:
        assert written.body == recorded(name)


@each_row("name", "an_edited_stream_says_the_new_text_wherever_it_says_it")
def test_an_edited_stream_says_the_new_text_wherever_it_says_it(name: str) -> None:
    reply = read(recorded(name))
    edited = Kept(0, reply, reply.answers[0], TEMPLATE)

    written = DOOR.write(request_of(stream=True), [reply], [edited], ENDING)

    events = checked(written.body)
    assert texts_said(events) == TEMPLATE
    assert final_of(written.body).output_text == TEMPLATE
    for sentence in re.findall(r"[^.]+\.", reply.answers[0].content):
        assert sentence.strip() not in written.body.decode()


def test_an_edit_of_one_part_leaves_the_other_as_it_was() -> None:
    reply = read(recorded("two_parts"))
    content = reply.answers[0].content.replace("7시", "6시")

    edited = Kept(0, reply, reply.answers[0], content)
    written = DOOR.write(request_of(stream=True), [reply], [edited], ENDING)

    before, after = objects(objects(final_dict(written.body)["output"])[1]["content"])
    assert before == objects(objects(final_dict(recorded("two_parts"))["output"])[1]["content"])[0]
    assert after == {
        "type": "output_text",
        "annotations": [],
        "text": " 저녁 6시 이후는 무료입니다.",
        "logprobs": [],
    }
    assert final_of(written.body).output_text == content


def test_an_edited_text_loses_its_tokens_and_whatever_may_repeat_it() -> None:
    text = "연차는 15일입니다."
    item = message(text, echo=text)
    part = objects(item["content"])[0]
    part |= {"logprobs": [{"token": text}], "spelled": text}
    reply = read_plain(response_of(item, output_text=text, output_messages=[text]))
    edited = Kept(0, reply, reply.answers[0], "연차는 16일입니다.")

    written = DOOR.write(request_of(), [reply], [edited], ENDING)

    assert text not in written.body.decode()
    assert parsed(written.body).output_text == "연차는 16일입니다."


@each_row("stream", [False, True])
def test_a_reply_of_our_own_when_nobody_was_asked(*, stream: bool) -> None:
    asked = request_of(stream=stream, instructions="존댓말로 답하세요.")

    written = DOOR.write(asked, [], [Replaced(0, TEMPLATE)], ENDING)

    final = final_of(written.body) if stream else parsed(written.body)
    assert final.id == "resp_guard_r1"
    assert final.output_text == TEMPLATE
    assert final.usage is not None
    assert final.usage.total_tokens == 0
    assert final.instructions == "존댓말로 답하세요."
    if stream:
        kinds = [str(event["type"]).removeprefix("response.") for event in checked(written.body)]
        assert kinds == [
            "created", "in_progress", "output_item.added", "content_part.added",
            "output_text.delta", "output_text.done", "content_part.done", "output_item.done",
            "completed",
        ]  # fmt: skip


@each_row("stream", [False, True])
def test_usage_is_that_of_all_attempts_and_the_report_goes_with_the_response(
    *, stream: bool
) -> None:
    first, second = read(recorded("answer")), read(recorded("without_ends_of_texts"))
    asked = request_of(stream=stream)
    ending = Ending(id="r1", created=1, finish_reason="stop", report=REPORT, as_stream=stream)

    written = DOOR.write(asked, [first, second], [Kept(0, second, second.answers[0])], ending)

    response = final_dict(written.body) if stream else json.loads(written.body)
    assert response["guard"] == REPORT
    assert response["usage"] == {
        "input_tokens": 170,
        "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 0},
        "output_tokens": 42,
        "output_tokens_details": {"reasoning_tokens": 9},
        "total_tokens": 212,
    }
    assert shown_text(response) == "회의실은 2층입니다."


def test_a_plain_reply_to_a_stream_stays_plain_unless_a_stream_was_promised() -> None:
    items = [message("연차는 ", "15일입니다."), TOOL_CALL]
    reply = read_plain(response_of(*items))
    asked, kept = request_of(stream=True), [Kept(0, reply, reply.answers[0])]
    promised = Ending(id="r1", created=1, finish_reason="stop", as_stream=True)

    assert DOOR.write(asked, [reply], kept, ENDING).content_type == JSON
    final = final_of(DOOR.write(asked, [reply], kept, promised).body)

    assert final.output_text == "연차는 15일입니다."
    assert final.output[1].to_dict() == TOOL_CALL | {"parsed_arguments": None}
    checked(DOOR.write(asked, [reply], kept, promised).body)


def test_words_that_nobody_read_never_leave_with_a_kept_stream() -> None:
    events = events_of(recorded("answer"))
    events.insert(5, {"type": "response.output_text.snapshot", "whole": "비밀 요약"})
    reply = read(b"".join(write_event(event) for event in events))

    written = DOOR.write(
        request_of(stream=True), [reply], [Kept(0, reply, reply.answers[0])], ENDING
    )

    assert "비밀" not in written.body.decode()
    assert texts_said(checked(written.body)) == reply.answers[0].content
    assert "unknown_event" in reply.unseen


def test_what_the_last_event_says_beyond_the_stream_never_leaves() -> None:
    stream = recorded("without_ends_of_texts").decode()
    head, tail = stream.rsplit('data: {"type": "response.completed"', 1)
    tail = tail.replace("2층입니다.", "3층입니다.")
    reply = read(f'{head}data: {{"type": "response.completed"{tail}'.encode())

    written = DOOR.write(
        request_of(stream=True), [reply], [Kept(0, reply, reply.answers[0])], ENDING
    )

    assert reply.answers[0].content == "회의실은 2층입니다."
    assert final_of(written.body).output_text == "회의실은 2층입니다."
    assert "3층" not in written.body.decode()


def prompted_echo(*, stream: bool) -> tuple[ModelRequest, ResponsesReply]:
    """Return a request with instructions, and a reply that echoes them with our prompt in them."""
    asked = request_of(stream=stream, instructions="존댓말로 답하세요.")
    told = DOOR.prompted(asked.body, [Source(id="1", text="연차는 15일", title="연차")])
    assert told is not None
    members: JsonObject = {"instructions": told["instructions"]}
    if not stream:
        return asked, read_plain(response_of(message("15일입니다."), **members))
    events = events_of(recorded("answer"))
    for event in events:
        if isinstance(event.get("response"), dict):
            event["response"] = objects([event["response"]])[0] | members
    return asked, read(b"".join(map(write_event, events)))


@each_row("stream", [False, True])
def test_our_own_prompt_is_not_echoed_to_the_client(*, stream: bool) -> None:
    asked, reply = prompted_echo(stream=stream)

    written = DOOR.write(asked, [reply], [Kept(0, reply, reply.answers[0])], ENDING)

    assert "출처는 다음과 같이 표기" not in written.body.decode()
    final = final_of(written.body) if stream else parsed(written.body)
    assert final.instructions == "존댓말로 답하세요."
    assert final.output_text == reply.answers[0].content


TOOL_CALL: JsonObject = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "arguments": '{"query":"연차"}',
    "call_id": "call_1",
    "name": "find_rule",
}


def final_dict(stream: bytes) -> JsonObject:
    response = member(events_of(stream)[-1], "response")
    assert isinstance(response, dict)
    return response
