"""The trace in the making, and its way through JSON."""

from contextlib import suppress
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import ContextState, Source
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Stage
from policies.schema.base import Mode
from policies.schema.guard_rule import Action
from policies.verdict import GuardOutcome
from proxy.traces.builder import TraceBuilder
from proxy.traces.trace import (
    Attempt,
    Choice,
    Delivery,
    FoundPlace,
    GuardRun,
    PolicyUsed,
    Trace,
    Usage,
)

STARTED = datetime(2026, 3, 5, 10, 30, tzinfo=UTC)


class Clock:
    """A clock that goes on only when told."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def a_builder(clock: Clock) -> TraceBuilder:
    return TraceBuilder(
        id="one",
        tenant="acme",
        policy=PolicyUsed(name="acme", version="0123abcd"),
        door="chat.completions",
        started_at=STARTED,
        clock=clock,
    )


def test_steps_are_timed_from_the_start_also_when_one_fails() -> None:
    clock = Clock()
    builder = a_builder(clock)
    clock.now_s += 0.5
    with builder.step("input"):
        clock.now_s += 0.25
        with builder.step("read"):
            clock.now_s += 0.125
    with suppress(ConnectionError), builder.step("upstream"):
        clock.now_s += 1.0
        raise ConnectionError

    trace = builder.finished(status=502, error="upstream_unreachable")

    steps = [(step.name, step.started_ms, step.duration_ms) for step in trace.steps]
    assert steps == [("input", 500, 375), ("read", 750, 125), ("upstream", 875, 1000)]
    assert trace.duration_ms == 1875


def test_what_the_pipeline_set_is_in_the_trace() -> None:
    builder = a_builder(Clock())
    builder.question = "연차는 며칠인가요?"
    builder.sources = (Source(id="1", title="제15조", text="15일이다."),)
    builder.context = ContextState.FOUND
    builder.found = (FoundPlace(format="guard.sources", place="guard.sources", count=1),)
    builder.attempts.append(Attempt(choices=(Choice(text="30일입니다."),), usage=Usage()))
    run = GuardRun(
        guard="numbers",
        mode=Mode.ENFORCE,
        stage=Stage.OUTPUT,
        outcome=GuardOutcome.ACTED,
        attempt=1,
    )
    builder.guards.append(lambda: [run])
    builder.action = Action.REPLACE
    builder.reasons = ("numbers.not_in_sources",)
    builder.replies = ("확인되지 않습니다.",)

    trace = builder.finished(status=200, delivery=Delivery.CLIENT_GONE)

    assert trace.question == "연차는 며칠인가요?"
    assert trace.sources[0].title == "제15조"
    assert trace.attempts[0].choices[0].text == "30일입니다."
    assert trace.guards_with_findings == ("numbers",)
    assert (trace.action, trace.reasons) == (Action.REPLACE, ("numbers.not_in_sources",))
    assert (trace.status, trace.error, trace.delivery) == (200, None, Delivery.CLIENT_GONE)


def test_a_finished_trace_does_not_change_with_its_builder() -> None:
    builder = a_builder(Clock())
    trace = builder.finished(status=200)

    builder.attempts.append(Attempt())
    with builder.step("late"):
        pass

    assert (trace.attempts, trace.steps) == ((), ())


TEXTS = st.text(max_size=20)
FINDINGS = st.builds(
    Finding,
    guard=TEXTS,
    code=TEXTS,
    part=TEXTS,
    span=st.builds(Span, st.integers(0, 99), st.integers(0, 99)),
    observed=TEXTS,
    severity=st.sampled_from(Severity),
    strength=st.sampled_from(Strength),
    expected=st.tuples(TEXTS, TEXTS),
    evidence=st.tuples(st.builds(Evidence, TEXTS, TEXTS)),
    score=st.floats(0, 1),
)
TRACES = st.builds(
    Trace,
    id=TEXTS,
    tenant=TEXTS,
    policy=st.builds(PolicyUsed, name=TEXTS, version=TEXTS),
    started_at=st.datetimes(timezones=st.just(UTC)),
    duration_ms=st.floats(0, 1e6),
    question=TEXTS,
    sources=st.tuples(
        st.builds(
            Source,
            id=TEXTS,
            title=TEXTS,
            text=TEXTS,
            page=st.none() | st.integers(),
            score=st.none() | st.floats(allow_nan=False),
        )
    ),
    findings=st.tuples(FINDINGS),
    attempts=st.tuples(
        st.builds(Attempt, choices=st.tuples(st.builds(Choice, findings=st.tuples(FINDINGS))))
    ),
    confidence=st.none() | st.floats(0, 1),
)


@given(TRACES)
def test_nothing_is_lost_on_the_way_through_json(trace: Trace) -> None:
    assert Trace.model_validate_json(trace.model_dump_json()) == trace


def test_a_trace_of_a_newer_proxy_can_still_be_read() -> None:
    trace = a_builder(Clock()).finished(status=200)
    newer = trace.model_dump_json()[:-1] + ',"added_later":1}'

    assert Trace.model_validate_json(newer) == trace
