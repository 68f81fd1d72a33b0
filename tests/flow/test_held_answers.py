"""Answers that do not leave sentence by sentence: JSON, and what a policy buffers or watches."""

import asyncio
import json

import pytest

from policies.verdict import GuardOutcome
from tests.fakes.paced_upstream import PacedUpstream
from tests.fakes.rig import Rig
from tests.fakes.running_proxy import DEADLINE_S
from tests.flow.lending import (
    BODY,
    BOOKS,
    CHINESE,
    FEE,
    PERIOD,
    PHONE,
    WHOLE,
    lending_rig,
    says,
)
from tests.flow.listening import Listener, begun, is_silent, listening, talking
from tests.flow.replies import outcomes

RIG = lending_rig


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_json_leaves_only_as_a_whole(rig: Rig, model: PacedUpstream) -> None:
    body = BODY | {"response_format": {"type": "json_object"}}
    answer = json.dumps(
        {"answer": WHOLE, "note": "연체료는 하루에 70원입니다."}, ensure_ascii=False
    )
    async with talking(rig.proxy, model, body) as (listener, writing):
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


async def test_a_buffered_stream_begins_when_all_of_it_was_judged(
    rig: Rig, model: PacedUpstream
) -> None:
    listened = asyncio.create_task(whole_of(rig, "buffering"))
    first = await begun(model)
    await says(first, PERIOD, PHONE, BOOKS, FEE)
    await first.finish()
    second = await begun(model)
    await says(second, PERIOD, PHONE, BOOKS, FEE)
    assert await is_silent(listened)
    await second.finish()
    listener = await listened

    assert (listener.said(), listener.is_done) == (WHOLE, True)
    headers = listener.reply.headers
    assert (headers["x-guard-action"], headers["x-guard-reasons"]) == ("trim", "contact.invented")
    assert headers["x-guard-attempts"] == "2"
    assert b": x-guard-" not in listener.content


async def whole_of(rig: Rig, tenant: str) -> Listener:
    async with listening(rig.proxy, BODY, tenant=tenant) as listener:
        await listener.rest()
    return listener


async def test_a_watched_stream_leaves_as_it_comes_and_only_the_trace_objects(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY, tenant="watching") as (listener, writing):
        said = ""
        for piece in (CHINESE[:3], CHINESE[3:], PHONE[:6], PHONE[6:]):
            await says(writing, piece)
            said += piece
            await listener.hears(said)
        await writing.finish()
        await listener.rest()

    assert (listener.said(), listener.is_done) == (CHINESE + PHONE, True)
    trace = await rig.proxy.trace_of(listener.id)
    assert (trace.action, len(trace.attempts)) == ("pass", 1)
    assert outcomes(trace, "korean_only") == [GuardOutcome.WOULD_ACT]
    assert outcomes(trace, "contact") == [GuardOutcome.WOULD_ACT]
