"""Whole replies to completions, as answers to judge."""

import pytest

from proxy.errors import UpstreamBroken
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.sse import json_bytes
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
    streamed,
    texts_of,
    valid_body,
    valid_chunks,
)


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


def test_what_carries_words_unlooked_at_is_named() -> None:
    reply = plain(choice("<think>음</think>네", reasoning="음"), __verbose={"content": "네"})
    spoken = streamed(*said("네"), body_of(choice("", reasoning_content="음")))

    assert sorted(reply.unseen) == ["__verbose", "reasoning", "think"]
    assert spoken.unseen == ("reasoning_content",)


def test_a_plain_answer_gets_the_identifier_and_loses_its_tokens() -> None:
    logprobs: JsonObject = {"tokens": ["[전화번호-1]"], "token_logprobs": [-0.1]}
    reply = plain(choice("[전화번호-1]입니다.", logprobs=logprobs, token_ids=[1]), pseudonyms=HELD)

    [left] = choices_of(valid_body(reply.raw))

    assert reply.answers[0].content == f"{PHONE}입니다."
    assert left == choice(f"{PHONE}입니다.")


def test_a_streamed_stand_in_gets_the_identifier_wherever_it_is_cut() -> None:
    whole = "번호는 [전화번호-1]입니다."
    for at in range(len(whole) + 1):
        reply = streamed(*said(whole[:at], whole[at:]), pseudonyms=HELD)

        assert reply.answers[0].content == f"번호는 {PHONE}입니다."
        assert texts_of(valid_chunks(reply.raw)) == f"번호는 {PHONE}입니다."
