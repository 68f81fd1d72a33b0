import json
import re

import pytest

from guards.core.exchange import Source
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Edited, Ending, Kept, Replaced
from proxy.openai_api.responses.reply import ResponsesReply
from proxy.openai_api.sse import write_event
from tests.proxy.openai_api.responses.wire import (
    DOOR,
    ENDING,
    JSON,
    NAMES,
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

TEMPLATE = "제공된 자료에서 확인되지 않습니다."
REPORT: JsonObject = {"action": "fix"}


@pytest.mark.parametrize("name", NAMES)
def test_a_kept_stream_leaves_with_its_own_bytes(name: str) -> None:
    reply = read(recorded(name))
    asked = request_of(stream=True)

    written = DOOR.write(asked, [reply], [Kept(0, reply, reply.answers[0])], ENDING)

    assert written.content_type == STREAM
    if name == "only_whole_items":  # a stream without deltas is given the ones it lacks
        assert texts_said(checked(written.body)) == reply.answers[0].content
    else:
        assert written.body == recorded(name)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "cut_short"])
def test_an_edited_stream_says_the_new_text_wherever_it_says_it(name: str) -> None:
    reply = read(recorded(name))
    edited = Edited(0, reply, reply.answers[0], TEMPLATE)

    written = DOOR.write(request_of(stream=True), [reply], [edited], ENDING)

    events = checked(written.body)
    assert texts_said(events) == TEMPLATE
    assert final_of(written.body).output_text == TEMPLATE
    for sentence in re.findall(r"[^.]+\.", reply.answers[0].content):
        assert sentence.strip() not in written.body.decode()


def test_an_edit_of_one_part_leaves_the_other_as_it_was() -> None:
    reply = read(recorded("two_parts"))
    content = reply.answers[0].content.replace("7시", "6시")

    edited = Edited(0, reply, reply.answers[0], content)
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
    edited = Edited(0, reply, reply.answers[0], "연차는 16일입니다.")

    written = DOOR.write(request_of(), [reply], [edited], ENDING)

    assert text not in written.body.decode()
    assert parsed(written.body).output_text == "연차는 16일입니다."


@pytest.mark.parametrize("stream", [False, True])
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


@pytest.mark.parametrize("stream", [False, True])
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
    items = [message("연차는 ", "15일입니다."), CALL]
    reply = read_plain(response_of(*items))
    asked, kept = request_of(stream=True), [Kept(0, reply, reply.answers[0])]
    promised = Ending(id="r1", created=1, finish_reason="stop", as_stream=True)

    assert DOOR.write(asked, [reply], kept, ENDING).content_type == JSON
    final = final_of(DOOR.write(asked, [reply], kept, promised).body)

    assert final.output_text == "연차는 15일입니다."
    assert final.output[1].to_dict() == CALL | {"parsed_arguments": None}
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


@pytest.mark.parametrize("stream", [False, True])
def test_our_own_prompt_is_not_echoed_to_the_client(*, stream: bool) -> None:
    asked, reply = prompted_echo(stream=stream)

    written = DOOR.write(asked, [reply], [Kept(0, reply, reply.answers[0])], ENDING)

    assert "출처는 다음과 같이 표기" not in written.body.decode()
    final = final_of(written.body) if stream else parsed(written.body)
    assert final.instructions == "존댓말로 답하세요."
    assert final.output_text == reply.answers[0].content


CALL: JsonObject = {
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
