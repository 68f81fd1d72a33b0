"""Whole replies that leave, each read by OpenAI's own types."""

import json

from proxy.openai_api.completions.reply import CompletionReply
from proxy.openai_api.json_body import JsonObject
from proxy.openai_api.reply import ChoiceOutcome, Edited, Ending, Kept, Replaced
from tests.proxy.openai_api.completions.making import (
    DOOR,
    ENDING,
    PROMPT,
    USAGE,
    asked,
    choice,
    choices_of,
    finishes_of,
    plain,
    texts_of,
    valid_body,
    valid_chunks,
)

TEMPLATE = "확인된 자료가 없어 답변드리지 못했습니다."
LOGPROBS: JsonObject = {
    "tokens": ["밤 ", "9시"],
    "token_logprobs": [-0.1, -0.2],
    "top_logprobs": [{"밤 ": -0.1}, {"9시": -0.2}],
    "text_offset": [0, 2],
}


def kept(reply: CompletionReply, at: int = 0, index: int = 0) -> Kept:
    return Kept(index, reply, reply.answers[at])


def edited(reply: CompletionReply, content: str, finish: str | None = None) -> Edited:
    return Edited(0, reply, reply.answers[0], content, finish)


def test_an_edited_answer_has_the_new_text_and_no_tokens() -> None:
    reply = plain(
        choice("밤 9시", logprobs=LOGPROBS, token_ids=[1, 2], stop_reason=None, odd="밤 9시"),
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
        Edited(1, reply, reply.answers[1], "10시"),
        Replaced(2, TEMPLATE),
    ]

    body = valid_body(DOOR.write(request, [reply], outcomes, ENDING).body)

    assert [one["text"] for one in choices_of(body)] == [
        f"{PROMPT}네",
        f"{PROMPT}10시",
        f"{PROMPT}{TEMPLATE}",
    ]
