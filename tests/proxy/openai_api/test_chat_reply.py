import json

import pytest
from pydantic import JsonValue

from proxy.demo import Said, completion
from proxy.errors import UpstreamBroken
from proxy.openai_api.chat import ChatEndpoint, read_reply
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.reply import Ending, Kept, Reply
from proxy.openai_api.sse import DONE, write_event
from tests.tables import each_row

TEXT = "1년에 15일을 받습니다."
CALLS: JsonValue = [
    {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}},
]

CHAT = ChatEndpoint()


def asked(**members: JsonValue) -> ModelRequest:
    messages: JsonValue = [{"role": "user", "content": "휴가는 며칠인가요?"}]
    return CHAT.read_request(json.dumps({"model": "m", "messages": messages} | members).encode())


def plain(*choices: JsonObject, **members: JsonValue) -> Reply:
    body = {"id": "up", "choices": list(choices)} | members
    return read_reply(json.dumps(body).encode(), "application/json")


def plain_said(*texts: str) -> Reply:
    body = completion({"model": "m"}, Said(texts))
    return read_reply(json.dumps(body).encode(), "application/json")


def stream_of(*bodies: JsonObject, end: bytes = DONE) -> Reply:
    raw = b"".join(write_event(body) for body in bodies) + end
    return read_reply(raw, "text/event-stream; charset=utf-8")


def choice_of(message: JsonObject, index: JsonValue = 0) -> JsonObject:
    return {"index": index, "message": message, "finish_reason": "stop"}


def delta_of(
    index: JsonValue = 0, finish_reason: str | None = None, **delta: JsonValue
) -> JsonObject:
    choice: JsonObject = {"index": index, "delta": delta, "finish_reason": finish_reason}
    return {"id": "up", "choices": [choice]}


def visible(content: str, *, structured: bool = False) -> str:
    reply = plain(choice_of({"content": content}))
    return reply.answers[0].visible(structured=structured)


# What a reply says.


@each_row("message, content", "contents")
def test_reads_every_form_of_content(message: JsonObject, content: str) -> None:
    assert plain(choice_of(message)).answers[0].content == content


def test_half_a_character_without_its_other_is_a_broken_character() -> None:
    assert plain(choice_of({"content": "좋아\ud83d요"})).answers[0].content == "좋아\ufffd요"


@each_row("name", ["tool_calls", "function_call"])
def test_a_call_of_a_tool_is_no_answer_yet(name: str) -> None:
    message: JsonObject = {"content": None, name: CALLS}

    assert plain(choice_of(message)).answers[0].tool_turn
    assert stream_of(delta_of(0, "tool_calls", **message)).answers[0].tool_turn


# What a reader sees of it.


def test_reasoning_at_the_start_is_not_seen_and_places_stay() -> None:
    content = f"<think>申请?\n5일?</think>\n{TEXT}"

    assert visible(content).strip() == TEXT
    assert visible(content).index(TEXT) == content.index(TEXT)


@each_row("content", "seen")
def test_no_answer_hides_behind_a_tag(content: str) -> None:
    assert "중국어 申请" in visible(content)


@each_row("content, words", "structured")
def test_of_structured_output_only_values_are_prose(content: str, words: list[str]) -> None:
    seen = visible(content, structured=True)

    expected = [part for word in words for part in word.split()]
    assert seen.split() == expected
    assert len(seen) == len(content)


@each_row("message, unseen", "unseen")
def test_names_what_is_not_looked_at(message: JsonObject, unseen: tuple[str, ...]) -> None:
    assert plain(choice_of(message)).unseen == unseen
    assert stream_of(delta_of(0, "stop", **message)).unseen == unseen


# What cannot be used.

BROKEN_PLAIN = [
    pytest.param(b"<html>", "Expecting value", id="no-json"),
    pytest.param(b"", "Expecting value", id="empty"),
    pytest.param(b"[]", "got list", id="no-object"),
    pytest.param(b"{}", "no choices", id="no-choices"),
    pytest.param(b'{"choices": []}', "no choices", id="empty-choices"),
    pytest.param(b'{"choices": null}', "no choices", id="choices-are-null"),
    pytest.param(b'{"choices": [{}, {}], "choices": []}', "twice", id="key-twice"),
    pytest.param(
        b'{"choices": [{"index": 0, "message": {}}, {"index": 0, "message": {}}]}',
        "same number",
        id="two-choices-with-one-number",
    ),
]


@each_row("raw, problem", BROKEN_PLAIN)
def test_a_plain_reply_that_cannot_be_read(raw: bytes, problem: str) -> None:
    with pytest.raises(UpstreamBroken, match=problem) as caught:
        read_reply(raw, "application/json")

    assert caught.value.status == 502


BROKEN_STREAM = [
    pytest.param(b"", "no choices", id="empty"),
    pytest.param(DONE, "no choices", id="nothing-but-the-end"),
    pytest.param(b"data: {oops}\n\n", "an event of its stream", id="no-json"),
    pytest.param(write_event(delta_of(content="1년에")), "broke off", id="no-end"),
    pytest.param(
        write_event(delta_of(0, "stop")) + write_event(delta_of(1, content="둘")),
        "broke off",
        id="one-choice-without-an-end",
    ),
    pytest.param(
        write_event(delta_of(content="1년에")) + write_event({"error": {"message": "x"}}) + DONE,
        "ended with an error",
        id="error-event",
    ),
]


@each_row("raw, problem", BROKEN_STREAM)
def test_a_stream_that_cannot_be_used(raw: bytes, problem: str) -> None:
    with pytest.raises(UpstreamBroken, match=problem):
        read_reply(raw, "text/event-stream")


def test_an_error_of_the_model_server_is_not_repeated() -> None:
    with pytest.raises(UpstreamBroken) as caught:
        stream_of({"error": {"message": "rank 3 out of memory at 10.0.0.7"}})

    assert "10.0.0.7" not in str(caught.value)


# What leaves.


def ending(report: JsonObject | None = None, *, as_stream: bool | None = None) -> Ending:
    return Ending("made", 1_800_000_000, "stop", report, as_stream=as_stream)


def kept(reply: Reply) -> list[Kept]:
    return [Kept(answer.index, reply, answer) for answer in reply.answers]


@each_row("index", [None, "0"])
def test_choices_without_a_number_are_kept_whole(index: JsonValue) -> None:
    message: JsonObject = {"role": "assistant", "content": TEXT, "x_own": 1}
    reply = plain(choice_of(message, index))

    written = CHAT.write(asked(), [reply], kept(reply), ending(report={"action": "pass"}))

    assert json.loads(written.body)["choices"] == [choice_of(message, 0)]


def test_a_stream_without_numbers_is_kept_whole() -> None:
    reply = stream_of(delta_of(None, content="1년"), delta_of(None, "stop", content="에"))

    written = CHAT.write(
        asked(stream=True), [reply], kept(reply), ending(report={"action": "pass"})
    )

    again = read_reply(written.body, written.content_type)
    assert [(one.content, one.finish_reason) for one in again.answers] == [("1년에", "stop")]


def test_a_plain_reply_is_written_as_a_stream_once_a_stream_was_promised() -> None:
    reply = plain_said("하나", "둘")

    written = CHAT.write(asked(stream=True, n=2), [reply], kept(reply), ending(as_stream=True))

    again = read_reply(written.body, written.content_type)
    assert [one.content for one in again.answers] == ["하나", "둘"]
    assert written.body.endswith(DONE)


def test_calls_of_tools_get_their_numbers_in_a_promised_stream() -> None:
    reply = plain(choice_of({"role": "assistant", "content": None, "tool_calls": CALLS}))

    written = CHAT.write(asked(stream=True), [reply], kept(reply), ending(as_stream=True))

    first = json.loads(written.body.split(b"\n")[0].removeprefix(b"data: "))
    [call] = first["choices"][0]["delta"]["tool_calls"]
    assert (call["index"], call["id"]) == (0, "c1")


@each_row("content", "unreadable")
def test_content_that_nobody_could_judge_is_refused(content: JsonValue) -> None:
    with pytest.raises(UpstreamBroken):
        plain(choice_of({"content": content}))


def test_usage_of_all_replies_is_added_up_to_the_last_detail() -> None:
    first = plain(
        choice_of({"content": "申请"}),
        usage={"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12, "cost": 0.5},
    )
    second = plain(
        choice_of({"content": TEXT}),
        usage={
            "prompt_tokens": 20,
            "completion_tokens": 3,
            "total_tokens": 23,
            "prompt_tokens_details": {"cached_tokens": 8},
            "cost": None,
        },
    )

    written = CHAT.write(asked(), [first, second], kept(second), ending())

    assert json.loads(written.body)["usage"] == {
        "prompt_tokens": 30,
        "completion_tokens": 5,
        "total_tokens": 35,
        "prompt_tokens_details": {"cached_tokens": 8},
        "cost": 0.5,
    }
