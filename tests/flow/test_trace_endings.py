"""What a trace says of requests that ended early, and of answers that were changed or closed."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from proxy.traces.trace import ReplyOrigin, Trace, applied
from tests.fakes.paced_upstream import PacedUpstream
from tests.fakes.rig import Rig
from tests.flow.leaving import assert_gone
from tests.flow.lending import (
    BODY,
    BOOKS,
    CHINESE,
    CUT_TEMPLATE,
    FEE,
    LANGUAGE_TEMPLATE,
    PERIOD,
    PHONE,
    lending_rig,
    says,
)
from tests.flow.listening import begun, talking

MASKED = " 문의는 [전화번호]로 하세요."
"""`PHONE` as this tenant's traces keep it."""


RIG = lending_rig


pytestmark = pytest.mark.asyncio(loop_scope="module")


def taken_out(trace: Trace, made: ReplyOrigin) -> list[tuple[str, str]]:
    """Return what stood at the places of the changes, and what stands there now."""
    came = trace.attempts[made.attempt - 1].choices[made.choice].text
    return [(came[one.span.start : one.span.end].strip(), one.text) for one in made.changes]


async def counted(rig: Rig, name: str, **labels: str) -> float:
    """Return a metric's value; 0 where it was never counted."""
    text = (await rig.proxy.client.get(f"{rig.proxy.address}/metrics")).text
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def assert_trimmed_so_far(trace: Trace) -> None:
    """The phone number was taken out, and the sentence after the next was being written."""
    assert (trace.action, trace.reasons) == ("trim", ("contact.invented",))
    assert trace.replies == (PERIOD + BOOKS,)
    [attempt] = trace.attempts
    [choice] = attempt.choices
    assert choice.text.startswith(PERIOD + MASKED + BOOKS)
    assert "contact.invented" in [finding.code for finding in choice.findings]
    acted = {run.guard for run in trace.guards if run.outcome == "acted"}
    assert "contact" in acted
    [made] = trace.made
    assert (made.action, made.attempt, made.choice) == ("trim", 1, 0)
    assert applied(choice.text, made.changes) == PERIOD + BOOKS
    assert taken_out(trace, made)[0] == (MASKED.strip(), "")


async def test_a_client_that_leaves_after_a_sentence_was_taken_out(
    rig: Rig, model: PacedUpstream
) -> None:
    gone = {"tenant": "app", "action": "trim", "status": "499"}
    before = await counted(rig, "guard_proxy_requests_total", **gone)

    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, PHONE, BOOKS, FEE[:4])
        await listener.hears(BOOKS)
    await writing.is_left()

    trace = await rig.proxy.trace_of(listener.id)
    assert_gone(trace)
    assert_trimmed_so_far(trace)
    assert trace.attempts[0].error == "client_gone"
    assert await counted(rig, "guard_proxy_requests_total", **gone) == before + 1


async def test_a_model_server_that_breaks_off_after_a_sentence_was_taken_out(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, PHONE, BOOKS, FEE[:4])
        await listener.hears(BOOKS)
        writing.over.set()
        await listener.rest()

    trace = await rig.proxy.trace_of(listener.id)
    assert_trimmed_so_far(trace)
    assert trace.attempts[0].error == trace.error == "upstream_broken"


async def test_where_nothing_was_decided_there_is_no_action(rig: Rig, model: PacedUpstream) -> None:
    gone = {"tenant": "app", "action": "none", "status": "499"}
    before = await counted(rig, "guard_proxy_requests_total", **gone)

    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, BOOKS)
        await listener.hears(PERIOD)
    await writing.is_left()

    trace = await rig.proxy.trace_of(listener.id)
    assert_gone(trace)
    assert (trace.action, trace.action_name, trace.reasons) == (None, "none", ())
    assert trace.attempts[0].choices[0].text == PERIOD + BOOKS
    assert trace.replies == (PERIOD,)
    assert await counted(rig, "guard_proxy_requests_total", **gone) == before + 1


async def test_a_refused_request_has_no_action(rig: Rig) -> None:
    reply = await rig.proxy.chat({"model": 3}, key=rig.proxy.keys["app"])

    trace = await rig.proxy.trace(reply)

    assert (trace.status, trace.action, trace.attempts) == (400, None, ())


async def test_a_client_that_leaves_the_second_attempt_leaves_what_was_said_in_both(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, first):
        await says(first, CHINESE, FEE)
        second = await begun(model)
        await says(second, PERIOD, BOOKS)
        await listener.hears(PERIOD)
    await second.is_left()

    trace = await rig.proxy.trace_of(listener.id)
    assert_gone(trace)
    assert (trace.action, trace.reasons) == ("regenerate", ("korean_only.han",))
    assert [attempt.choices[0].text for attempt in trace.attempts] == [CHINESE, PERIOD + BOOKS]
    assert [attempt.error for attempt in trace.attempts] == [None, "client_gone"]
    assert [made.attempt for made in trace.made] == [2]


async def test_a_trimmed_answer_says_what_was_taken_out(rig: Rig, model: PacedUpstream) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, PHONE, BOOKS, FEE)
        await writing.finish()
        await listener.rest()

    trace = await rig.proxy.trace_of(listener.id)
    [made] = trace.made
    assert taken_out(trace, made) == [(MASKED.strip(), "")]
    assert (made.action, made.closed_with, made.replaced_with) == ("trim", "", "")
    assert trace.closings == ()


async def test_a_closed_answer_names_the_template_and_all_that_was_done(
    rig: Rig, model: PacedUpstream
) -> None:
    closing = {"tenant": "app", "template": "closing.cut"}
    before = await counted(rig, "guard_proxy_closings_total", **closing)

    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await says(writing, PERIOD, PHONE, BOOKS, " ", CHINESE, FEE)
        await writing.finish()
        await listener.rest()

    assert listener.said() == f"{PERIOD}{BOOKS}\n\n{CUT_TEMPLATE}"
    # What closed it first, then what took a sentence out before.
    reasons = ("korean_only.han", "contact.invented")
    assert f": x-guard-reasons: {','.join(reasons)}\n".encode() in listener.content
    trace = await rig.proxy.trace_of(listener.id)
    assert (trace.action, trace.reasons) == ("replace", reasons)
    assert trace.closings == ("closing.cut",)
    [made] = trace.made
    assert (made.closed_with, made.replaced_with, made.attempt) == ("closing.cut", "", 1)
    came = trace.attempts[0].choices[0].text
    assert applied(came, made.changes) == PERIOD + BOOKS
    assert await counted(rig, "guard_proxy_closings_total", **closing) == before + 1


async def test_a_template_in_the_place_of_an_answer_is_named_and_is_no_closing(
    rig: Rig, model: PacedUpstream
) -> None:
    before = await counted(rig, "guard_proxy_closings_total")

    async with talking(rig.proxy, model, BODY) as (listener, first):
        await says(first, CHINESE, FEE)
        second = await begun(model)
        await says(second, CHINESE, FEE)
        await second.finish()
        await listener.rest()

    trace = await rig.proxy.trace_of(listener.id)
    [made] = trace.made
    assert (made.action, made.replaced_with, made.closed_with) == ("replace", "korean_only", "")
    assert (made.changes, trace.replies) == ((), (LANGUAGE_TEMPLATE,))
    assert await counted(rig, "guard_proxy_closings_total") == before


async def test_what_would_have_been_done_is_known_of_a_watched_answer(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY, tenant="watching") as (listener, writing):
        await says(writing, PERIOD, PHONE, BOOKS)
        await writing.finish()
        await listener.rest()

    trace = await rig.proxy.trace_of(listener.id)
    assert (trace.action, trace.would, trace.made[0].changes) == ("pass", "regenerate", ())
