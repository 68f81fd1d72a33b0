"""Replies to completions: read, judged piece by piece, and written."""

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from proxy.errors import UpstreamBroken
from proxy.openai_api.endpoint import LiveStream, Piece
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.pseudonyms import Pseudonyms
from proxy.openai_api.reply import ChoiceOutcome, Ending, Kept, Replaced, Reply
from proxy.openai_api.sse import DONE, EventReader, json_bytes, write_event
from tests.proxy.openai_api.completions.making import (
    DOOR,
    ENDING,
    HELD,
    NOBODY,
    PHONE,
    PROMPT,
    USAGE,
    asked,
    body_of,
    choice,
    choices_of,
    finishes_of,
    plain,
    said,
    stream_of,
    streamed,
    texts_of,
    valid_body,
    valid_chunks,
    valid_events,
)
from tests.tables import each_row


def test_without_a_reason_the_last_event_tells_that_a_stream_is_complete() -> None:
    [answer] = streamed(body_of(choice("닫습니다.", finish=None))).answers

    assert answer.content == "닫습니다."


def test_without_its_last_event_the_reason_does() -> None:
    [answer] = streamed(*said("닫습니다."), end=b"").answers

    assert answer.content == "닫습니다."


@each_row(
    "chunks, end",
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


@each_row(
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


LOGPROBS: JsonObject = {
    "tokens": ["밤 ", "10시에 ", "닫습니다."],
    "token_logprobs": [-0.1, -0.2, -0.3],
    "top_logprobs": [{"밤 ": -0.1}, {"10시에 ": -0.2}, {"닫습니다.": -0.3}],
    "text_offset": [0, 2, 7],
}
SAID = "밤 10시에 닫습니다."
TEXT = st.text(alphabet="가나다 .[]전화번호-1\n😀", max_size=40)


def live(pseudonyms: Pseudonyms = NOBODY, **members: JsonValue) -> LiveStream:
    stream = DOOR.live(asked(stream=True, **members))
    stream.restore_with(pseudonyms)
    return stream


def read(stream: LiveStream, raw: bytes) -> list[Piece]:
    reader = EventReader()
    events = [*reader.feed(raw), *reader.close()]
    pieces = [piece for event in events if event.says_something for piece in stream.read(event)]
    return [*pieces, *stream.read_end(said_done=any(event.is_done for event in events))]


def written(stream: LiveStream, pieces: Sequence[Piece]) -> bytes:
    return b"".join(map(stream.write, pieces))


def cut(text: str, places: Sequence[int]) -> list[str]:
    ends = sorted({min(place, len(text)) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(ends)] or [text]


@given(TEXT, st.lists(st.integers(0, 40)), st.booleans())
def test_however_the_events_are_cut_the_answer_is_the_same(
    text: str, places: list[int], ends_at_once: bool
) -> None:
    pieces = cut(text, places)
    chunks = said(*pieces)
    if ends_at_once:
        chunks = [*said(*pieces[:-1])[:-1], body_of(choice(pieces[-1]))]
    stream = live(HELD)

    found = read(stream, stream_of(chunks))

    assert "".join(piece.text for piece in found) == HELD.restore(text)
    assert [piece.finish_reason for piece in found if piece.finish_reason] == ["stop"]
    assert found[-1].finish_reason == "stop"
    assert stream.reply().answers == streamed(*said(text), pseudonyms=HELD).answers
    assert texts_of(valid_events(written(stream, found))) == HELD.restore(text)


def test_text_and_reason_in_one_event_are_two_pieces() -> None:
    event = body_of(
        choice(SAID, finish="length", logprobs=LOGPROBS, token_ids=[1, 2, 3], stop_reason=7)
    )

    text, end = read(live(), stream_of([event]))

    assert (text.text, text.finish_reason) == (SAID, None)
    assert text.chunk["choices"] == [
        choice(SAID, finish=None, logprobs=LOGPROBS, token_ids=[1, 2, 3])
    ]
    assert (end.text, end.finish_reason) == ("", "length")
    assert end.chunk["choices"] == [choice("", finish="length", stop_reason=7)]


@each_row("at", "a_piece_is_cut_with_its_tokens")
def test_a_piece_is_cut_with_its_tokens(at: int) -> None:
    stream = live()
    [piece, _] = read(
        stream,
        stream_of([body_of(choice(SAID, finish=None, logprobs=LOGPROBS, token_ids=[1, 2, 3])),
                   body_of(choice(""))]),
    )  # fmt: skip

    first, second = stream.split(piece, at)

    assert (first.text, second.text) == (SAID[:at], SAID[at:])
    tokens = [*_tokens(first), *_tokens(second)]
    assert tokens == LOGPROBS["tokens"]
    assert SAID[:at].startswith("".join(_tokens(first)))
    assert texts_of(valid_events(written(stream, [first, second]))) == SAID


def test_tokens_that_do_not_spell_the_text_leave_last() -> None:
    stream = live()
    logprobs: JsonObject = {"tokens": ["token_id:1", "token_id:2"], "token_logprobs": [-1, -2]}
    [piece, _] = read(
        stream, stream_of([body_of(choice(SAID, finish=None, logprobs=logprobs)), *said()])
    )

    first, second = stream.split(piece, 4)

    assert first.chunk["choices"] == [choice(SAID[:4], finish=None)]
    assert _tokens(second) == logprobs["tokens"]


def test_a_changed_text_leaves_without_what_tells_of_the_old_one() -> None:
    stream = live()
    chunk = body_of(
        choice("밤 9시", finish=None, logprobs=LOGPROBS, odd="밤 9시"), __verbose="밤 9시", odd="밤"
    )
    spoken = read(stream, stream_of([chunk, *said()]))[:1]

    [event] = valid_events(stream.write_text(0, "밤 10시", spoken))

    assert event == body_of(choice("밤 10시", finish=None))


def test_the_usage_of_all_attempts_ends_the_stream() -> None:
    stream = live(stream_options={"include_usage": True})
    chunks = [*said("네"), body_of(usage=USAGE)]
    pieces = read(stream, stream_of(chunks))

    same = stream.write_end(USAGE, ENDING)
    more: JsonObject = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    [added] = valid_chunks(stream.write_end(more, ENDING))

    assert [piece.choice for piece in pieces] == [0, 0]
    assert same == write_event(body_of(usage=USAGE)) + DONE
    assert added["usage"] == more


def test_what_belongs_to_no_choice_passes_by_itself() -> None:
    progress = body_of(prompt_progress={"total": 4, "processed": 2})
    stream = live()

    pieces = read(stream, stream_of([progress, *said("네")]))

    assert (pieces[0].choice, pieces[0].text) == (None, "")
    assert stream.write(pieces[0]) == write_event(progress)


def test_a_second_attempt_goes_on_under_the_same_name_and_numbers() -> None:
    stream = live(n=3)
    read(stream, stream_of([body_of(choice("가", at)) for at in range(3)]))

    stream.begin_again([2, 0])
    again = [
        {**body_of(choice("나", 0)), "id": "second", "created": 99},
        {**body_of(choice("다", 1)), "id": "second", "created": 99},
    ]
    pieces = read(stream, stream_of(again))
    events = valid_events(written(stream, pieces))

    assert [piece.choice for piece in pieces] == [2, 2, 0, 0]
    assert (texts_of(events, 2), texts_of(events, 0)) == ("나", "다")
    assert {(event["id"], event["created"]) for event in events} == {("up", 5)}
    assert [answer.content for answer in stream.reply().answers] == ["나", "다"]


def test_nothing_leaves_of_choices_that_a_second_attempt_was_not_asked_for() -> None:
    stream = live()
    read(stream, stream_of(said("가")))
    stream.begin_again([0])

    assert read(stream, stream_of([body_of(choice("나", 1))])) == []


def test_the_prompt_is_the_first_event_of_every_choice_that_echoes() -> None:
    stream = live(echo=True, n=2)
    pieces = read(stream, stream_of([body_of(choice("네", 1)), body_of(choice("예", 0))]))

    events = valid_events(written(stream, pieces[:2]) + stream.write_text(0, "정정합니다.", ()))

    assert "".join(piece.text for piece in pieces) == "네예"
    assert texts_of(events, 1) == f"{PROMPT}네"
    assert texts_of(events, 0) == f"{PROMPT}정정합니다."


def _tokens(piece: Piece) -> list[str]:
    [one] = choices_of(piece.chunk)
    return list(one["logprobs"]["tokens"]) if one["logprobs"] else []


TEMPLATE = "확인된 자료가 없어 답변드리지 못했습니다."
TOKENS: JsonObject = {
    "tokens": ["밤 ", "9시"],
    "token_logprobs": [-0.1, -0.2],
    "top_logprobs": [{"밤 ": -0.1}, {"9시": -0.2}],
    "text_offset": [0, 2],
}


def kept(reply: Reply, at: int = 0, index: int = 0) -> Kept:
    return Kept(index, reply, reply.answers[at])


def edited(reply: Reply, content: str, finish: str | None = None) -> Kept:
    return Kept(0, reply, reply.answers[0], content, finish)


def test_an_edited_answer_has_the_new_text_and_no_tokens() -> None:
    reply = plain(
        choice("밤 9시", logprobs=TOKENS, token_ids=[1, 2], stop_reason=None, odd="밤 9시"),
        __verbose={"content": "밤 9시"},
        odd="밤 9시",
        system_fingerprint="fp",
    )

    body = valid_body(DOOR.write(asked(), [reply], [edited(reply, "밤 10시")], ENDING).body)

    assert body["choices"] == [choice("밤 10시", stop_reason=None)]
    assert (body["id"], body["system_fingerprint"], body["usage"]) == ("up", "fp", USAGE)
    assert "9시" not in json.dumps(body, ensure_ascii=False)


def test_a_replaced_stream_is_the_template() -> None:
    request = asked(stream=True, stream_options={"include_usage": True})
    chunks = valid_chunks(DOOR.write(request, [], [Replaced(0, TEMPLATE)], ENDING).body)

    assert texts_of(chunks) == TEMPLATE
    assert finishes_of(chunks) == ["content_filter"]
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


def test_choices_of_two_attempts_leave_together() -> None:
    first = plain(choice("가", 0), choice("나", 1))
    second = plain(choice("다", 0))
    outcomes = [kept(first), Kept(1, second, second.answers[0])]

    body = valid_body(DOOR.write(asked(n=2), [first, second], outcomes, ENDING).body)

    assert body["choices"] == [choice("가", 0), choice("다", 1)]
    assert body["usage"] == {"prompt_tokens": 6, "completion_tokens": 4, "total_tokens": 10}


def test_a_plain_answer_to_a_stream_stays_plain_and_the_other_way_round_if_told() -> None:
    reply = plain(choice("네"))
    told = Ending(id="x", created=7, finish_reason="stop", as_stream=True)

    assert DOOR.write(asked(stream=True), [reply], [kept(reply)], ENDING).body == reply.raw
    chunks = valid_chunks(DOOR.write(asked(), [reply], [kept(reply)], told).body)
    assert (texts_of(chunks), finishes_of(chunks)) == ("네", ["stop"])


def test_the_prompt_stands_before_every_answer_that_echoes() -> None:
    request = asked(echo=True, n=3)
    reply = plain(choice("네", 0), choice("9시", 1), choice("아", 2))
    outcomes: list[ChoiceOutcome] = [
        kept(reply),
        Kept(1, reply, reply.answers[1], "10시"),
        Replaced(2, TEMPLATE),
    ]

    body = valid_body(DOOR.write(request, [reply], outcomes, ENDING).body)

    assert [one["text"] for one in choices_of(body)] == [
        f"{PROMPT}네",
        f"{PROMPT}10시",
        f"{PROMPT}{TEMPLATE}",
    ]
