"""The trace in the making, and its way through JSON."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Source
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from proxy.traces.builder import TraceBuilder
from proxy.traces.trace import (
    Attempt,
    Choice,
    PolicyUsed,
    Trace,
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
