"""A trace: its JSON, the changes of an answer, and moments as people write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.exchange import Source
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from proxy.traces.builder import TraceBuilder
from proxy.traces.query import UnknownMoment, moment
from proxy.traces.trace import (
    LONGEST_CHARS,
    MOST_PIECES,
    Attempt,
    Choice,
    PolicyUsed,
    Trace,
    applied,
    changes,
)
from tests.tables import each_row

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


A, B, C = "대출 기간은 9일입니다.", "연체료는 하루에 800원입니다.", "한 번에 6권까지 빌립니다."


@each_row("came, left, expected", "changed")
def test_says_what_stands_where_now(came: str, left: str, expected: list[tuple[str, str]]) -> None:
    found = changes(came, left)

    assert [(came[one.span.start : one.span.end], one.text) for one in found] == expected


ANSWERS = st.lists(st.sampled_from([A, B, C, "네", "\n", "- ", "가", "9"]), max_size=12).map(
    " ".join
)


@given(ANSWERS, ANSWERS)
def test_the_changes_make_of_what_came_what_left(came: str, left: str) -> None:
    assert applied(came, changes(came, left)) == left


@each_row(
    "long",
    [
        pytest.param(f"{A} " * MOST_PIECES, id="many-sentences"),
        pytest.param("가" * LONGEST_CHARS + " ", id="many-characters"),
    ],
)
def test_of_a_very_long_answer_there_is_one_change(long: str) -> None:
    [change] = changes(f"{long}{B}", f"{long}{C}")

    assert applied(f"{long}{B}", [change]) == f"{long}{C}"


SEOUL = timezone(timedelta(hours=9))
NOW = datetime(2026, 11, 22, 18, 30, tzinfo=SEOUL)

UNDERSTOOD = [
    pytest.param("90s", datetime(2026, 11, 22, 18, 28, 30, tzinfo=SEOUL), id="seconds"),
    pytest.param("90m", datetime(2026, 11, 22, 17, 0, tzinfo=SEOUL), id="minutes"),
    pytest.param("24h", datetime(2026, 11, 21, 18, 30, tzinfo=SEOUL), id="hours"),
    pytest.param(" 7d ", datetime(2026, 11, 15, 18, 30, tzinfo=SEOUL), id="days"),
    pytest.param("2w", datetime(2026, 11, 8, 18, 30, tzinfo=SEOUL), id="weeks"),
    pytest.param("2026-11-22", datetime(2026, 11, 22, tzinfo=SEOUL), id="date"),
    pytest.param("2026-11-22T09:00", datetime(2026, 11, 22, 9, tzinfo=SEOUL), id="time-here"),
    pytest.param("2026-11-22 09:00:01", datetime(2026, 11, 22, 9, 0, 1, tzinfo=SEOUL), id="space"),
    pytest.param("2026-11-22T09:00Z", datetime(2026, 11, 22, 9, tzinfo=UTC), id="utc"),
    pytest.param("2026-11-22T09:00+09:00", datetime(2026, 11, 22, tzinfo=UTC), id="zone"),
]


@each_row("said, meant", UNDERSTOOD)
def test_understands(said: str, meant: datetime) -> None:
    assert moment(said, NOW) == meant


@each_row("said", "meaningless")
def test_refuses_with_what_may_be_said(said: str) -> None:
    with pytest.raises(UnknownMoment, match="24h, 7d") as refused:
        moment(said, NOW)

    assert repr(said) in str(refused.value)
