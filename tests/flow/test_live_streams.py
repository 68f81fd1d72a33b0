"""Streams that leave sentence by sentence, while a model writes that the tests set the pace of."""

import asyncio
import json
from collections.abc import AsyncGenerator

import openai
import pytest
import pytest_asyncio
from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam
from pydantic import JsonValue

from policies.verdict import GuardOutcome
from proxy.demo.model_server import MODEL
from proxy.openai_api.json_body import JsonObject, member, objects
from proxy.openai_api.sse import DONE, write_event
from tests.fakes.house import RAW, House, open_house, upstream_yaml
from tests.fakes.paced_upstream import PacedUpstream, Writing, framed
from tests.fakes.running_proxy import DEADLINE_S
from tests.flow.library import ASKED, QUESTION
from tests.flow.listening import Listener, begun, listening, talking
from tests.flow.replies import outcomes

PERIOD = "대출 기간은 9일입니다."
BOOKS = " 한 번에 6권까지 빌릴 수 있습니다."
FEE = " 연체료는 하루에 70원입니다."
SENTENCES = (PERIOD, BOOKS, FEE)
WHOLE = "".join(SENTENCES)
PHONE = " 문의는 010-0000-1234로 하세요."
OTHER_PHONE = " 급하면 010-0000-5678로 전화하세요."
CHINESE = "图书馆在一楼。"
LANGUAGE_TEMPLATE = "언어 오류로 답변을 멈추었습니다."
CUT_TEMPLATE = "여기까지만 안내해 드립니다."
TEMPLATES = f"""
templates:
  korean_only: {LANGUAGE_TEMPLATE}
  closing.cut: {CUT_TEMPLATE}
"""
BODY = QUESTION | {"stream": True}
USAGE: JsonObject = {"prompt_tokens": 40, "completion_tokens": 20, "total_tokens": 60}
INCLUDE_USAGE: JsonObject = {"stream_options": {"include_usage": True}}
MOMENT_S = 0.1
"""Long enough for anything that can leave to have left."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_house(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[House, None]:
    here = upstream_yaml(RAW) + TEMPLATES
    others = {
        "buffering": f"{here}stream: {{mode: buffer}}",
        "watching": f"{here}stream: {{mode: monitor}}",
        "filtering": f"{here}replacement: {{finish_reason: content_filter}}",
        "impatient": upstream_yaml(RAW, "timeouts: {idle_s: 0.2}"),
    }
    folder = tmp_path_factory.mktemp("house")
    async with open_house(folder, here, others=others, keep_alive_s=60.0) as house:
        yield house


@pytest.fixture
def model(house: House) -> PacedUpstream:
    return PacedUpstream(house.raw)


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def is_silent(hearing: "asyncio.Task[None]") -> bool:
    """Tell whether nothing of it has come after a moment."""
    done, _ = await asyncio.wait({hearing}, timeout=MOMENT_S)
    return not done


async def says(writing: Writing, *texts: str, choice: int = 0) -> None:
    for text in texts:
        await writing.say(text, choice=choice)


# Sentences leave one by one.


async def test_who_speaks_is_said_before_a_word_is(house: House, model: PacedUpstream) -> None:
    async with talking(house.proxy, model, BODY) as (listener, _):
        await listener.gets(b'"role":"assistant"')

        assert listener.said() == ""
        assert listener.reply.headers["x-guard-action"] == "pending"
        assert listener.reply.headers["content-type"].startswith("text/event-stream")


async def test_a_sentence_is_there_before_the_model_has_written_the_one_after_the_next(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, BOOKS)
        await listener.hears(PERIOD)
        await says(writing, FEE)
        await listener.hears(BOOKS)
        assert listener.said() == PERIOD + BOOKS
        await writing.finish()
        await listener.rest()

    assert listener.said() == WHOLE
    assert (listener.finish_reasons(), listener.is_done) == (["stop"], True)
    trace = await house.proxy.trace_of(listener.id)
    assert (trace.action, trace.replies, trace.status) == ("pass", (WHOLE,), 200)
    assert trace.model_text_ms is not None
    assert trace.first_text_ms is not None
    assert trace.model_text_ms <= trace.first_text_ms < trace.duration_ms


async def test_a_sentence_leaves_with_the_first_letter_of_the_next(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, writing):
        await says(writing, *PERIOD)
        hearing = asyncio.create_task(listener.hears(PERIOD))
        assert await is_silent(hearing)

        await says(writing, " 한")

        await asyncio.wait_for(hearing, DEADLINE_S)


async def test_an_untouched_stream_leaves_as_the_model_server_wrote_it(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, writing):
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
    house: House, model: PacedUpstream, length: int
) -> None:
    pieces = [WHOLE[start : start + length] for start in range(0, len(WHOLE), length)]
    async with talking(house.proxy, model, BODY) as (listener, writing):
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


async def test_a_token_that_a_cut_goes_through_is_not_lost(
    house: House, model: PacedUpstream
) -> None:
    tokens: list[JsonValue] = [
        {"token": PERIOD[:-1], "logprob": -0.1},
        {"token": ". 한", "logprob": -0.2},
        {"token": BOOKS[2:], "logprob": -0.3},
    ]
    async with talking(house.proxy, model, BODY) as (listener, writing):
        await writing.say(PERIOD + BOOKS, logprobs={"content": tokens})
        await listener.hears(PERIOD)
        assert listener.said() == PERIOD
        await writing.finish()
        await listener.rest()

    sent = [objects(member(choice.get("logprobs"), "content")) for choice in listener.choices()]
    assert [token for some in sent for token in some] == tokens


async def test_thoughts_leave_at_once_and_are_named_as_not_checked(
    house: House, model: PacedUpstream
) -> None:
    thought = "자료를 먼저 읽어 보자"
    async with talking(house.proxy, model, BODY) as (listener, writing):
        await writing.chunk({"reasoning_content": thought})
        await listener.gets(thought.encode())
        await says(writing, WHOLE)
        await writing.finish()
        await listener.rest()

    assert (listener.said(name="reasoning_content"), listener.said()) == (thought, WHOLE)
    assert b": x-guard-not-checked: reasoning_content\n" in listener.content
    assert "reasoning_content" in (await house.proxy.trace_of(listener.id)).not_checked


async def test_prose_before_a_call_of_a_tool_leaves_and_so_does_the_call(
    house: House, model: PacedUpstream
) -> None:
    tool: JsonValue = {"type": "function", "function": {"name": "search", "parameters": {}}}
    prose = "자료를 찾아보겠습니다."
    calls: list[JsonObject] = [
        {"index": 0, "id": "call_1", "function": {"name": "search", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"q":'}},
        {"index": 0, "function": {"arguments": '"대출"}'}},
    ]
    async with talking(house.proxy, model, BODY | {"tools": [tool]}) as (listener, writing):
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


# A second attempt, as long as nothing has left.


async def test_a_bad_first_sentence_ends_the_attempt_before_the_model_has(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY | INCLUDE_USAGE) as (listener, first):
        await says(first, CHINESE, FEE)
        await first.is_left()
        second = await begun(model)
        await says(second, PERIOD, BOOKS)
        await listener.hears(PERIOD)
        await second.finish(usage=USAGE)
        await listener.rest()

    assert not first.over.is_set()
    assert listener.said() == PERIOD + BOOKS
    assert CHINESE not in listener.content.decode()
    assert (listener.finish_reasons(), listener.is_done) == (["stop"], True)
    assert len({chunk["id"] for chunk in listener.chunks}) == 1
    trace = await house.proxy.trace_of(listener.id)
    assert (trace.action, trace.reasons) == ("regenerate", ("korean_only.han",))
    assert [attempt.choices[0].text for attempt in trace.attempts] == [CHINESE, PERIOD + BOOKS]
    assert trace.replies == (PERIOD + BOOKS,)


async def test_a_second_attempt_that_is_as_bad_is_replaced(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, first):
        await says(first, CHINESE, FEE)
        second = await begun(model)
        await says(second, CHINESE, FEE)
        await second.finish()
        await listener.rest()

    assert listener.said() == LANGUAGE_TEMPLATE
    assert (listener.finish_reasons(), listener.is_done) == (["stop"], True)
    assert CHINESE not in listener.content.decode()
    assert (await house.proxy.trace_of(listener.id)).replies == (LANGUAGE_TEMPLATE,)


async def test_a_second_attempt_that_fails_before_it_leaves_is_no_failure(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, first):
        await says(first, CHINESE, FEE)
        second = await begun(model)
        await says(second, PERIOD)
        second.over.set()
        await listener.rest()

    assert (listener.said(), listener.is_done) == (LANGUAGE_TEMPLATE, True)
    trace = await house.proxy.trace_of(listener.id)
    assert [attempt.error for attempt in trace.attempts] == [None, "upstream_broken"]


async def test_a_second_attempt_that_fails_after_it_began_to_leave_is_an_error(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, first):
        await says(first, CHINESE, FEE)
        second = await begun(model)
        await says(second, PERIOD, BOOKS)
        await listener.hears(PERIOD)
        second.over.set()
        await listener.rest()

    await assert_broken_off(house, listener, PERIOD, "upstream_broken")


async def test_one_choice_leaves_while_another_is_asked_for_again(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY | {"n": 2}) as (listener, first):
        await first.chunk({"role": "assistant", "content": ""}, choice=1)
        await says(first, CHINESE, FEE, choice=1)
        await says(first, PERIOD, BOOKS, choice=0)
        await listener.hears(PERIOD, choice=0)
        await first.finish(choices=(1, 0), usage=USAGE)
        second = await begun(model)
        await says(second, FEE, PERIOD)
        await listener.hears(FEE, choice=1)
        await second.finish(usage=USAGE)
        await listener.rest()

    assert second.body.get("n") in (None, 1)
    assert [listener.said(number) for number in (0, 1)] == [PERIOD + BOOKS, FEE + PERIOD]
    assert [listener.finish_reasons(number) for number in (0, 1)] == [["stop"], ["stop"]]
    assert listener.is_done
    assert CHINESE not in listener.content.decode()
    trace = await house.proxy.trace_of(listener.id)
    assert trace.replies == (PERIOD + BOOKS, FEE + PERIOD)


# Afterwards: taken out, or the end.


async def test_a_bad_second_sentence_is_taken_out_and_the_third_leaves(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, PHONE, BOOKS, FEE)
        await listener.hears(BOOKS)
        assert listener.said() == PERIOD + BOOKS
        await writing.finish()
        await listener.rest()

    assert listener.said() == WHOLE
    assert PHONE not in listener.content.decode()
    trace = await house.proxy.trace_of(listener.id)
    assert (trace.action, trace.reasons) == ("trim", ("contact.invented",))
    assert b": x-guard-action: trim\n" in listener.content
    assert trace.attempts[0].choices[0].text.startswith(PERIOD + " 문의는")


async def test_two_bad_sentences_end_the_answer_with_a_word_that_says_so(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, PHONE, BOOKS, OTHER_PHONE, FEE)
        await writing.finish()
        await listener.rest()

    assert listener.said() == f"{PERIOD}{BOOKS}\n\n{CUT_TEMPLATE}"
    assert (listener.finish_reasons(), listener.is_done) == (["stop"], True)
    trace = await house.proxy.trace_of(listener.id)
    assert (trace.action, trace.replies) == ("replace", (listener.said(),))


@pytest.mark.parametrize(("tenant", "reason"), [("app", "stop"), ("filtering", "content_filter")])
async def test_what_may_not_leave_at_all_ends_the_answer_as_the_policy_says(
    house: House, model: PacedUpstream, tenant: str, reason: str
) -> None:
    async with talking(house.proxy, model, BODY, tenant=tenant) as (listener, writing):
        await says(writing, PERIOD, " ", CHINESE, FEE)
        await writing.finish()
        await listener.rest()

    assert listener.said() == f"{PERIOD}\n\n{CUT_TEMPLATE}"
    assert (listener.finish_reasons(), listener.is_done) == ([reason], True)
    assert b": x-guard-reasons: korean_only.han\n" in listener.content


@pytest.mark.parametrize(
    ("last", "left", "action"),
    [
        pytest.param(" 연체료는 하루에 800", "", "fix", id="wrong-so-far"),
        pytest.param(" 연체료는 하루에 70", " 연체료는 하루에 70", "pass", id="right-so-far"),
    ],
)
async def test_a_torn_last_sentence_is_left_out_only_where_it_is_wrong(
    house: House, model: PacedUpstream, last: str, left: str, action: str
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, BOOKS, last)
        await writing.finish("length")
        await listener.rest()

    assert listener.said() == PERIOD + BOOKS + left
    assert (listener.finish_reasons(), listener.is_done) == (["length"], True)
    assert (await house.proxy.trace_of(listener.id)).action == action


# Failures on the way.


async def assert_broken_off(house: House, listener: Listener, left: str, code: str) -> None:
    """The stream stays visibly cut, and its trace has what the client got."""
    assert listener.said() == left
    assert (listener.finish_reasons(), listener.is_done) == ([], False)
    assert member(listener.chunks[-1]["error"], "code") == code
    trace = await house.proxy.trace_of(listener.id)
    assert (trace.error, trace.replies) == (code, (left,))
    assert trace.attempts[-1].error == code


async def test_a_stream_that_the_model_server_cuts_ends_with_an_error(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, BOOKS)
        await listener.hears(PERIOD)
        writing.over.set()
        await listener.rest()

    await assert_broken_off(house, listener, PERIOD, "upstream_broken")


async def test_an_error_of_the_model_server_in_its_stream_ends_ours(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, BOOKS)
        await listener.hears(PERIOD)
        await writing.send(write_event({"error": {"message": "out of memory"}}))
        await listener.rest()

    await assert_broken_off(house, listener, PERIOD, "upstream_broken")


async def test_a_model_server_that_falls_silent_is_not_waited_for(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY, tenant="impatient") as (listener, writing):
        await says(writing, PERIOD, BOOKS)
        await listener.hears(PERIOD)
        await listener.rest()
        await writing.is_left()

    await assert_broken_off(house, listener, PERIOD, "upstream_timeout")


async def test_the_sdk_raises_what_cuts_a_stream(house: House, model: PacedUpstream) -> None:
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": ASKED}]
    beginning = asyncio.create_task(begun(model))
    async with house.proxy.sdk() as client:
        stream = await client.chat.completions.create(
            model=MODEL, messages=asked, stream=True, extra_body={"guard": BODY["guard"]}
        )
        writing = await beginning
        await says(writing, PERIOD, BOOKS)
        texts = [await next_text(stream), await next_text(stream)]
        writing.over.set()
        with pytest.raises(openai.APIError) as caught:
            await anext(stream)

    assert "".join(texts) == PERIOD
    assert caught.value.code == "upstream_broken"


async def next_text(stream: openai.AsyncStream[ChatCompletionChunk]) -> str:
    return (await anext(stream)).choices[0].delta.content or ""


async def test_the_sdk_sees_the_answer_and_nothing_of_the_verdict(
    house: House, model: PacedUpstream
) -> None:
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": ASKED}]
    beginning = asyncio.create_task(begun(model))
    async with house.proxy.sdk() as client:
        stream = await client.chat.completions.create(
            model=MODEL, messages=asked, stream=True, extra_body={"guard": BODY["guard"]}
        )
        writing = await beginning
        await says(writing, PERIOD, PHONE, BOOKS)
        await writing.finish()
        chunks = [chunk async for chunk in stream]

    deltas = [chunk.choices[0].delta.content or "" for chunk in chunks]
    assert "".join(deltas) == PERIOD + BOOKS
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"


# Answers that do not leave sentence by sentence.


async def test_json_leaves_only_as_a_whole(house: House, model: PacedUpstream) -> None:
    body = BODY | {"response_format": {"type": "json_object"}}
    answer = json.dumps(
        {"answer": WHOLE, "note": "연체료는 하루에 70원입니다."}, ensure_ascii=False
    )
    async with talking(house.proxy, model, body) as (listener, writing):
        await says(writing, *answer)
        hearing = asyncio.create_task(listener.hears(PERIOD))
        assert await is_silent(hearing)
        await writing.finish()
        await asyncio.wait_for(hearing, DEADLINE_S)
        await listener.rest()

    assert (listener.said(), listener.finish_reasons(), listener.is_done) == (
        answer,
        ["stop"],
        True,
    )


async def test_json_that_stays_wrong_becomes_a_refusal(house: House, model: PacedUpstream) -> None:
    body = BODY | {"response_format": {"type": "json_object"}}
    wrong = json.dumps({"answer": CHINESE}, ensure_ascii=False)
    async with talking(house.proxy, model, body) as (listener, first):
        await says(first, wrong)
        await first.finish()
        second = await begun(model)
        await says(second, wrong)
        await second.finish()
        await listener.rest()

    assert (listener.said(), listener.said(name="refusal")) == ("", LANGUAGE_TEMPLATE)
    assert (listener.finish_reasons(), listener.is_done) == (["stop"], True)


async def test_a_buffered_stream_begins_when_all_of_it_was_judged(
    house: House, model: PacedUpstream
) -> None:
    listened = asyncio.create_task(whole_of(house, "buffering"))
    first = await begun(model)
    await says(first, PERIOD, PHONE, BOOKS, FEE)
    await first.finish()
    second = await begun(model)
    await says(second, PERIOD, PHONE, BOOKS, FEE)
    await asyncio.wait({listened}, timeout=MOMENT_S)
    assert not listened.done()
    await second.finish()
    listener = await listened

    assert (listener.said(), listener.is_done) == (WHOLE, True)
    headers = listener.reply.headers
    assert (headers["x-guard-action"], headers["x-guard-reasons"]) == ("trim", "contact.invented")
    assert headers["x-guard-attempts"] == "2"
    assert b": x-guard-" not in listener.content


async def test_an_untouched_buffered_stream_is_the_model_servers_own(
    house: House, model: PacedUpstream
) -> None:
    listened = asyncio.create_task(whole_of(house, "buffering"))
    writing = await begun(model)
    await says(writing, PERIOD, BOOKS)
    await writing.finish()

    listener = await listened

    assert listener.reply.headers["x-guard-action"] == "pass"
    assert listener.content == writing.content.partition(b"\r\n\r\n")[2]


async def whole_of(house: House, tenant: str) -> Listener:
    async with listening(house.proxy, BODY, tenant=tenant) as listener:
        await listener.rest()
    return listener


async def test_a_watched_stream_leaves_as_it_comes_and_only_the_trace_objects(
    house: House, model: PacedUpstream
) -> None:
    async with talking(house.proxy, model, BODY, tenant="watching") as (listener, writing):
        said = ""
        for piece in (CHINESE[:3], CHINESE[3:], PHONE[:6], PHONE[6:]):
            await says(writing, piece)
            said += piece
            await listener.hears(said)
        await writing.finish()
        await listener.rest()

    assert (listener.said(), listener.is_done) == (CHINESE + PHONE, True)
    trace = await house.proxy.trace_of(listener.id)
    assert (trace.action, len(trace.attempts)) == ("pass", 1)
    assert outcomes(trace, "korean_only") == [GuardOutcome.WOULD_ACT]
    assert outcomes(trace, "contact") == [GuardOutcome.WOULD_ACT]
