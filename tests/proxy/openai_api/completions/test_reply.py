"""Whole replies to completions, as answers to judge."""

import pytest

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import KEEP_ALIVE, json_bytes
from tests.proxy.openai_api.completions.making import (
    DOOR,
    HELD,
    NOBODY,
    PHONE,
    USAGE,
    body_of,
    choice,
    choices_of,
    plain,
    said,
    stream_of,
    streamed,
    texts_of,
    valid_body,
    valid_chunks,
)

STREAM = "text/event-stream; charset=utf-8"


def test_every_choice_is_an_answer() -> None:
    reply = plain(choice("하나", 1), choice("둘", 0, finish="length"))

    assert [(one.index, one.content, one.finish_reason) for one in reply.answers] == [
        (1, "하나", "stop"),
        (0, "둘", "length"),
    ]
    assert not any(answer.tool_turn for answer in reply.answers)
    assert reply.usage == USAGE
    assert not reply.is_stream


def test_a_stream_is_joined() -> None:
    reply = streamed(*said("밤 ", "10시에 ", "닫습니다."), body_of(usage=USAGE))

    assert [(one.content, one.finish_reason) for one in reply.answers] == [
        ("밤 10시에 닫습니다.", "stop")
    ]
    assert reply.usage == USAGE
    assert reply.is_stream


def test_the_choices_of_a_stream_are_told_apart() -> None:
    reply = streamed(
        body_of(choice("가", 1, finish=None), choice("나", 0, finish=None)),
        body_of(choice("다", 0, finish=None)),
        body_of(choice("라", 1), choice("", 0)),
    )

    assert [(one.index, one.content) for one in reply.answers] == [(0, "나다"), (1, "가라")]


def test_a_stream_may_say_its_last_words_with_its_reason() -> None:
    [answer] = streamed(body_of(choice("닫습니다.", finish="length"))).answers

    assert (answer.content, answer.finish_reason) == ("닫습니다.", "length")


def test_without_a_reason_the_last_event_tells_that_a_stream_is_complete() -> None:
    [answer] = streamed(body_of(choice("닫습니다.", finish=None))).answers

    assert answer.content == "닫습니다."


def test_without_its_last_event_the_reason_does() -> None:
    [answer] = streamed(*said("닫습니다."), end=b"").answers

    assert answer.content == "닫습니다."


@pytest.mark.parametrize(
    ("chunks", "end"),
    [
        pytest.param([body_of(choice("밤 10시", finish=None))], b"", id="broken-off"),
        pytest.param([body_of(usage=USAGE)], b"data: [DONE]\n\n", id="no-choice"),
        pytest.param([{"error": {"message": "full"}}], b"", id="an-error"),
        pytest.param([body_of(choice(7))], b"", id="a-text-that-is-none"),
        pytest.param(
            [body_of({"index": 0, "delta": {"content": "닫습니다."}, "finish_reason": "stop"})],
            b"",
            id="a-chat",
        ),
    ],
)
def test_a_stream_that_nobody_can_judge_is_broken(chunks: list[JsonObject], end: bytes) -> None:
    with pytest.raises(UpstreamBroken):
        streamed(*chunks, end=end)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"nothing", id="no-json"),
        pytest.param(json_bytes(body_of()), id="no-choices"),
        pytest.param(json_bytes(body_of(choice(["a"]))), id="a-text-that-is-none"),
        pytest.param(json_bytes(body_of(choice("a"), choice("b"))), id="one-number-twice"),
        pytest.param(json_bytes(body_of({"index": 0, "message": {"content": "a"}})), id="a-chat"),
    ],
)
def test_a_reply_that_nobody_can_judge_is_broken(raw: bytes) -> None:
    with pytest.raises(UpstreamBroken):
        DOOR.read_reply(raw, "application/json", NOBODY)


def test_halves_of_a_character_are_joined() -> None:
    [answer] = streamed(*said("좋아요 \ud83d", "\ude00")).answers

    assert answer.content == "좋아요 😀"


def test_what_carries_words_unlooked_at_is_named() -> None:
    reply = plain(choice("<think>음</think>네", reasoning="음"), __verbose={"content": "네"})
    spoken = streamed(*said("네"), body_of(choice("", reasoning_content="음")))

    assert sorted(reply.unseen) == ["__verbose", "reasoning", "think"]
    assert spoken.unseen == ("reasoning_content",)


def test_without_stand_ins_the_bytes_stay() -> None:
    raw = KEEP_ALIVE + stream_of(said("네")).replace(b"\n\n", b"\r\n\r\n")

    assert DOOR.read_reply(raw, STREAM, NOBODY).raw == raw


def test_a_plain_answer_gets_the_identifier_and_loses_its_tokens() -> None:
    logprobs: JsonObject = {"tokens": ["[전화번호-1]"], "token_logprobs": [-0.1]}
    reply = plain(choice("[전화번호-1]입니다.", logprobs=logprobs, token_ids=[1]), pseudonyms=HELD)

    [left] = choices_of(valid_body(reply.raw))

    assert reply.answers[0].content == f"{PHONE}입니다."
    assert left == choice(f"{PHONE}입니다.")


def test_a_plain_answer_without_a_stand_in_keeps_its_bytes() -> None:
    raw = b'{"choices": [ {"index":0,"text":"ok","finish_reason":"stop"} ]}'

    assert DOOR.read_reply(raw, "application/json", HELD).raw == raw


def test_a_streamed_stand_in_gets_the_identifier_wherever_it_is_cut() -> None:
    whole = "번호는 [전화번호-1]입니다."
    for at in range(len(whole) + 1):
        reply = streamed(*said(whole[:at], whole[at:]), pseudonyms=HELD)

        assert reply.answers[0].content == f"번호는 {PHONE}입니다."
        assert texts_of(valid_chunks(reply.raw)) == f"번호는 {PHONE}입니다."


def test_what_was_kept_back_is_said_before_the_choice_ends() -> None:
    reply = streamed(*said("네 [전화번호"), pseudonyms=HELD)

    chunks = valid_chunks(reply.raw)

    assert texts_of(chunks) == "네 [전화번호"
    assert chunks[-1]["choices"] == [choice("")]


def test_what_was_kept_back_is_said_if_the_choice_never_ends() -> None:
    reply = streamed(body_of(choice("네 [전화번호", finish=None)), pseudonyms=HELD)

    assert reply.answers[0].content == "네 [전화번호"
    assert texts_of(valid_chunks(reply.raw)) == "네 [전화번호"


def test_a_stream_without_a_stand_in_keeps_its_events() -> None:
    chunks = said("밤 ", "10시에 ", "닫습니다.")

    assert streamed(*chunks, pseudonyms=HELD).raw == stream_of(chunks)
