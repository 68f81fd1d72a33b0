"""Streams of two attempts, and streams that break off, while they are let out."""

import asyncio

import pytest
from pydantic import JsonValue

from proxy.openai_api.json_body import member
from proxy.openai_api.sse import DONE, write_event
from tests.fakes.paced_upstream import PacedUpstream, framed
from tests.fakes.raw_upstream import http_reply
from tests.fakes.rig import Rig
from tests.flow.lending import (
    BODY,
    BOOKS,
    CHINESE,
    FEE,
    INCLUDE_USAGE,
    LANGUAGE_TEMPLATE,
    PERIOD,
    USAGE,
    lending_rig,
    says,
)
from tests.flow.listening import Listener, begun, listening, talking

RIG = lending_rig


pytestmark = pytest.mark.asyncio(loop_scope="module")


# A second attempt, as long as nothing has left.


async def test_a_bad_first_sentence_ends_the_attempt_before_the_model_has(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY | INCLUDE_USAGE) as (listener, first):
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
    trace = await rig.proxy.trace_of(listener.id)
    assert (trace.action, trace.reasons) == ("regenerate", ("korean_only.han",))
    assert [attempt.choices[0].text for attempt in trace.attempts] == [CHINESE, PERIOD + BOOKS]
    assert trace.replies == (PERIOD + BOOKS,)


@pytest.mark.parametrize("ends_well", [True, False])
async def test_a_bad_answer_that_comes_all_at_once_is_asked_for_again(
    rig: Rig, model: PacedUpstream, ends_well: bool
) -> None:
    async def heard() -> str:
        async with listening(rig.proxy, BODY) as listener:
            await listener.rest()
            return listener.said()

    choices: list[JsonValue] = [{"index": 0, "delta": {"content": one}} for one in (CHINESE, FEE)]
    said = b"".join(write_event(framed(choices=[choice])) for choice in choices)
    body = said + DONE if ends_well else said
    hearing = asyncio.create_task(heard())
    first = await model.next()
    await first.send(http_reply(body, headers={"content-type": "text/event-stream"}))
    second = await begun(model)
    await says(second, PERIOD)
    await second.finish()

    assert await hearing == PERIOD


async def test_a_second_attempt_that_fails_before_it_leaves_is_no_failure(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, first):
        await says(first, CHINESE, FEE)
        second = await begun(model)
        await says(second, PERIOD)
        second.over.set()
        await listener.rest()

    assert (listener.said(), listener.is_done) == (LANGUAGE_TEMPLATE, True)
    trace = await rig.proxy.trace_of(listener.id)
    assert [attempt.error for attempt in trace.attempts] == [None, "upstream_broken"]


async def test_a_second_attempt_that_fails_after_it_began_to_leave_is_an_error(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, first):
        await says(first, CHINESE, FEE)
        second = await begun(model)
        await says(second, PERIOD, BOOKS)
        await listener.hears(PERIOD)
        second.over.set()
        await listener.rest()

    await assert_broken_off(rig, listener, PERIOD, "upstream_broken")


async def test_one_choice_leaves_while_another_is_asked_for_again(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY | {"n": 2}) as (listener, first):
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
    trace = await rig.proxy.trace_of(listener.id)
    assert trace.replies == (PERIOD + BOOKS, FEE + PERIOD)


# Failures on the way.


async def assert_broken_off(rig: Rig, listener: Listener, left: str, code: str) -> None:
    """The stream stays visibly cut, and its trace has what the client got."""
    assert listener.said() == left
    assert (listener.finish_reasons(), listener.is_done) == ([], False)
    assert member(listener.chunks[-1]["error"], "code") == code
    trace = await rig.proxy.trace_of(listener.id)
    assert (trace.error, trace.replies) == (code, (left,))
    assert trace.attempts[-1].error == code


async def test_a_model_server_that_falls_silent_is_not_waited_for(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY, tenant="impatient") as (listener, writing):
        await says(writing, PERIOD, BOOKS)
        await listener.hears(PERIOD)
        await listener.rest()
        await writing.is_left()

    await assert_broken_off(rig, listener, PERIOD, "upstream_timeout")
