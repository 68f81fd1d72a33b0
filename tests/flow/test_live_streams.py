"""Streams that leave sentence by sentence, while a model writes that the tests set the pace of."""

import json

import pytest
from pydantic import JsonValue

from guards.core.reading import forget_sources, source_text
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.sse import DONE
from tests.fakes.paced_upstream import PacedUpstream, framed
from tests.fakes.rig import Rig
from tests.flow.lending import (
    BODY,
    BOOKS,
    CHINESE,
    CUT_TEMPLATE,
    FEE,
    OTHER_PHONE,
    PERIOD,
    PHONE,
    SENTENCES,
    USAGE,
    WHOLE,
    lending_rig,
    says,
)
from tests.flow.library import SOURCE
from tests.flow.listening import talking
from tests.flow.waiting import eventually

RIG = lending_rig


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_sources_are_read_while_the_model_thinks(rig: Rig, model: PacedUpstream) -> None:
    forget_sources()

    async def figures_are_known() -> bool:
        return "quantities" in vars(source_text(SOURCE))

    async with talking(rig.proxy, model, BODY):
        await eventually(figures_are_known)


async def test_a_sentence_is_there_before_the_model_has_written_the_one_after_the_next(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, BOOKS)
        await listener.hears(PERIOD)
        await says(writing, FEE)
        await listener.hears(BOOKS)
        assert listener.said() == PERIOD + BOOKS
        await writing.finish()
        await listener.rest()

    assert listener.said() == WHOLE
    assert (listener.finish_reasons(), listener.is_done) == (["stop"], True)
    trace = await rig.proxy.trace_of(listener.id)
    assert (trace.action, trace.replies, trace.status) == ("pass", (WHOLE,), 200)
    assert trace.model_text_ms is not None
    assert trace.first_text_ms is not None
    assert trace.model_text_ms <= trace.first_text_ms < trace.duration_ms


async def test_an_untouched_stream_leaves_as_the_model_server_wrote_it(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, BOOKS, FEE)
        await writing.finish(usage=USAGE)
        await listener.rest()

    said: list[JsonObject] = [{"content": sentence} for sentence in SENTENCES]
    sent = listener.choices()
    assert [choice["delta"] for choice in sent] == [{"role": "assistant", "content": ""}, *said, {}]
    assert [choice["finish_reason"] for choice in sent] == [None] * 4 + ["stop"]
    assert listener.chunks[-1] == framed(choices=[], usage=USAGE)
    verdict = listener.content.index(b"\n: x-guard-action: pass\n")
    usage = listener.content.index(b'"usage"')
    assert verdict < usage < listener.content.index(DONE)
    assert listener.content.endswith(DONE)


# What goes with the words.


@pytest.mark.parametrize("length", [1, 2, 5, 11, len(WHOLE)])
async def test_each_token_leaves_once_with_its_own_text(
    rig: Rig, model: PacedUpstream, length: int
) -> None:
    pieces = [WHOLE[start : start + length] for start in range(0, len(WHOLE), length)]
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        for piece in pieces:
            await writing.say(piece, logprobs={"content": tokens_of(piece)})
        await writing.finish()
        await listener.rest()

    assert listener.said() == WHOLE
    sent = [
        (member(choice.get("delta"), "content"), objects(member(choice.get("logprobs"), "content")))
        for choice in listener.choices()
    ]
    assert [token for _, tokens in sent for token in tokens] == tokens_of(WHOLE)
    for text, tokens in sent:
        assert text is None or "".join(str(token["token"]) for token in tokens) == text


def tokens_of(text: str) -> list[JsonValue]:
    """Return a token for each character, so that a cut falls between two of them."""
    return [{"token": one, "logprob": -0.5, "bytes": list(one.encode())} for one in text]


async def test_a_token_that_a_cut_goes_through_is_not_lost(rig: Rig, model: PacedUpstream) -> None:
    tokens: list[JsonValue] = [
        {"token": PERIOD[:-1], "logprob": -0.1},
        {"token": ". 한", "logprob": -0.2},
        {"token": BOOKS[2:], "logprob": -0.3},
    ]
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await writing.say(PERIOD + BOOKS, logprobs={"content": tokens})
        await listener.hears(PERIOD)
        assert listener.said() == PERIOD
        await writing.finish()
        await listener.rest()

    sent = [objects(member(choice.get("logprobs"), "content")) for choice in listener.choices()]
    assert [token for some in sent for token in some] == tokens


async def test_thoughts_leave_at_once_and_are_named_as_not_checked(
    rig: Rig, model: PacedUpstream
) -> None:
    thought = "자료를 먼저 읽어 보자"
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await writing.chunk({"reasoning_content": thought})
        await listener.gets(thought.encode())
        await says(writing, WHOLE)
        await writing.finish()
        await listener.rest()

    assert (listener.said(name="reasoning_content"), listener.said()) == (thought, WHOLE)
    assert b": x-guard-not-checked: reasoning_content\n" in listener.content
    assert "reasoning_content" in (await rig.proxy.trace_of(listener.id)).not_checked


async def test_prose_before_a_call_of_a_tool_leaves_and_so_does_the_call(
    rig: Rig, model: PacedUpstream
) -> None:
    tool: JsonValue = {"type": "function", "function": {"name": "search", "parameters": {}}}
    prose = "자료를 찾아보겠습니다."
    calls: list[JsonObject] = [
        {"index": 0, "id": "call_1", "function": {"name": "search", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"q":'}},
        {"index": 0, "function": {"arguments": '"대출"}'}},
    ]
    async with talking(rig.proxy, model, BODY | {"tools": [tool]}) as (listener, writing):
        await says(writing, prose)
        await writing.chunk({"tool_calls": [calls[0]]})
        await listener.gets(b"call_1")
        assert listener.said() == prose
        for call in calls[1:]:
            await writing.chunk({"tool_calls": [call]})
            await listener.gets(
                json.dumps(call, ensure_ascii=False, separators=(",", ":")).encode()
            )
        await writing.finish("tool_calls")
        await listener.rest()

    sent = [objects(member(one.get("delta"), "tool_calls")) for one in listener.choices()]
    assert [call for some in sent for call in some] == calls
    assert (listener.said(), listener.finish_reasons()) == (prose, ["tool_calls"])
    assert listener.is_done


# Afterwards: taken out, or the end.


async def test_a_bad_second_sentence_is_taken_out_and_the_third_leaves(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, PHONE, BOOKS, FEE)
        await listener.hears(BOOKS)
        assert listener.said() == PERIOD + BOOKS
        await writing.finish()
        await listener.rest()

    assert listener.said() == WHOLE
    assert PHONE not in listener.content.decode()
    trace = await rig.proxy.trace_of(listener.id)
    assert (trace.action, trace.reasons) == ("trim", ("contact.invented",))
    assert b": x-guard-action: trim\n" in listener.content
    assert trace.attempts[0].choices[0].text.startswith(PERIOD + " 문의는")


async def test_two_bad_sentences_end_the_answer_with_a_word_that_says_so(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, PHONE, BOOKS, OTHER_PHONE, FEE)
        await writing.finish()
        await listener.rest()

    assert listener.said() == f"{PERIOD}{BOOKS}\n\n{CUT_TEMPLATE}"
    assert (listener.finish_reasons(), listener.is_done) == (["stop"], True)
    trace = await rig.proxy.trace_of(listener.id)
    assert (trace.action, trace.replies) == ("replace", (listener.said(),))


@pytest.mark.parametrize(("tenant", "reason"), [("app", "stop"), ("filtering", "content_filter")])
async def test_what_may_not_leave_at_all_ends_the_answer_as_the_policy_says(
    rig: Rig, model: PacedUpstream, tenant: str, reason: str
) -> None:
    async with talking(rig.proxy, model, BODY, tenant=tenant) as (listener, writing):
        await says(writing, PERIOD, " ", CHINESE, FEE)
        await writing.finish()
        await listener.rest()

    assert listener.said() == f"{PERIOD}\n\n{CUT_TEMPLATE}"
    assert (listener.finish_reasons(), listener.is_done) == ([reason], True)
    assert b": x-guard-reasons: korean_only.han\n" in listener.content


@pytest.mark.parametrize(
    ("last", "left", "action"),
    [
        pytest.param(" 연체료는 하루에 800원이", "", "fix", id="wrong-so-far"),
        pytest.param(
            " 연체료는 하루에 70원이", " 연체료는 하루에 70원이", "pass", id="right-so-far"
        ),
    ],
)
async def test_a_torn_last_sentence_is_left_out_only_where_it_is_wrong(
    rig: Rig, model: PacedUpstream, last: str, left: str, action: str
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, BOOKS, last)
        await writing.finish("length")
        await listener.rest()

    assert listener.said() == PERIOD + BOOKS + left
    assert (listener.finish_reasons(), listener.is_done) == (["length"], True)
    assert (await rig.proxy.trace_of(listener.id)).action == action
