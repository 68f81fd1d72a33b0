"""One trace as a page shows it: its story, its findings, its sources, its steps."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum

import pytest

from guards.core.exchange import ContextState
from guards.core.finding import Finding, Severity, Span, Strength
from policies.schema.base import Mode
from policies.schema.guard_rule import Action
from policies.schema.loader import load_shipped
from policies.schema.sections import StoredText
from policies.schema.store import Snapshot
from policies.verdict import GuardOutcome
from proxy.traces.trace import (
    Change,
    FoundPlace,
    NotReplayed,
    PolicyUsed,
    Replayed,
    ReplayedChoice,
    Step,
    Trace,
    Unknown,
)
from proxy.views import words
from proxy.views.findings import place_of
from proxy.views.trace import WIDTH, Standing, TracePage, waterfall
from tests.proxy.dashboard.recorded import FEE, SOURCES, USED, WRONG, judged, made, trace_with

NOBODY = Snapshot({}, {}, datetime(2031, 3, 5, tzinfo=UTC), {})


def page_of(trace: Trace) -> TracePage:
    return TracePage.of(trace, NOBODY)


EVERY = [
    pytest.param(words.OUTCOMES, GuardOutcome, id="outcomes"),
    pytest.param(words.STRENGTHS, Strength, id="strengths"),
    pytest.param(words.CONTEXTS, ContextState, id="contexts"),
    pytest.param(words.UNKNOWN, Unknown, id="unknown"),
    pytest.param(words.NOT_REPLAYED, NotReplayed, id="not-replayed"),
]


@pytest.mark.parametrize(("words", "kinds"), EVERY)
def test_every_kind_has_a_word(words: Mapping[StrEnum, object], kinds: type[StrEnum]) -> None:
    assert set(words) == set(kinds)


def test_a_finding_has_its_place_and_its_evidence() -> None:
    page = page_of(judged(WRONG))

    [seen] = page.findings
    [quote] = seen.quotes
    [_, marked, _] = page.tries[0].answers[0].pieces
    assert (marked.text, marked.numbers) == ("55,000원", (seen.number,))
    assert (quote.source, quote.place) == (2, Span(0, 20))
    assert page.passages[1].quoted_by == (seen.number,)
    assert page.passages[1].pieces[0].text == "월 이용료는\n45,000원으로 한다."
    assert page.passages[0].quoted_by == ()


def test_numbers_go_on_from_the_question_to_the_last_answer() -> None:
    asked = replace(WRONG, part="question", span=Span(0, 2))
    later = replace(WRONG, span=Span(0, 3))
    page = page_of(judged(WRONG, later).model_copy(update={"findings": (asked,)}))

    assert [(seen.number, seen.finding.span.start) for seen in page.findings] == [
        (1, 0),
        (2, 0),
        (3, 7),
    ]
    assert page.question[0].begins == (1,)


@pytest.mark.parametrize(
    ("finding", "mode", "tone"),
    [
        pytest.param(WRONG, Mode.ENFORCE, "strong", id="strong"),
        pytest.param(replace(WRONG, severity=Severity.WEAK), Mode.ENFORCE, "weak", id="weak"),
        pytest.param(WRONG, Mode.SHADOW, "shadow", id="its-guard-only-watches"),
    ],
)
def test_a_place_shows_how_much_it_weighs(finding: Finding, mode: Mode, tone: str) -> None:
    page = page_of(judged(finding, mode=mode))

    assert [seen.tone for seen in page.findings] == [tone]


def test_of_two_findings_at_a_place_the_stronger_shows() -> None:
    page = page_of(judged(replace(WRONG, severity=Severity.WEAK), WRONG))

    assert page.findings.tone((1, 2)) == "strong"


def test_a_finding_about_a_source_leads_there() -> None:
    page = page_of(judged(replace(WRONG, part="source:규정", span=Span(0, 1), evidence=())))

    assert [seen.in_source for seen in page.findings] == [2]
    assert page.passages[1].pieces[0].numbers == (1,)


def test_quotes_are_found_whatever_the_white_space() -> None:
    assert place_of("월  이용료", "그 월\n이용료는") == Span(2, 7)
    assert place_of("없는 말", "그 월 이용료는") is None
    assert place_of("", "그 월") is None


FOUND = [
    pytest.param((("a", 1), ("b", 1)), ["a", "b"], id="each-its-own"),
    pytest.param((("a", 0), ("b", 2)), ["b", "b"], id="an-empty-place-gave-none"),
    pytest.param((("a", 3),), [None, None], id="the-counts-do-not-tell"),
]


@pytest.mark.parametrize(("found", "formats"), FOUND)
def test_a_source_says_where_it_was_found(
    found: tuple[tuple[str, int], ...], formats: list[str | None]
) -> None:
    places = tuple(
        FoundPlace(format=name, place="messages[0]", count=count) for name, count in found
    )
    page = page_of(trace_with(sources=SOURCES, found=places))

    assert [one.found.format if one.found else None for one in page.passages] == formats


def test_what_left_shows_what_was_changed_and_what_ended_it() -> None:
    trace = judged().model_copy(
        update={
            "replies": ("월 이용료는 \n\n여기까지입니다.",),
            "made": (
                made(
                    Action.REPLACE,
                    changes=(Change(span=Span(7, len(FEE))),),
                    closed_with="closing.cut",
                ),
            ),
        }
    )

    [left] = page_of(trace).left
    [stretch] = left.stretches
    assert (stretch.same, stretch.gone) == ("월 이용료는 ", "55,000원입니다.")
    assert left.closing == "여기까지입니다."


def test_what_was_never_kept_is_not_shown_as_empty() -> None:
    page = page_of(judged(WRONG).model_copy(update={"text": StoredText.NONE, "question": ""}))

    assert not page.has_words
    assert page.tries[0].answers[0].pieces == []
    assert not any(passage.is_open for passage in page.passages)


def test_the_policy_of_then_is_compared_with_that_of_now() -> None:
    loaded = load_shipped("default")
    now = replace(NOBODY, policies={"default": loaded})
    used = PolicyUsed(name="default", version=loaded.version)

    def standing(policy: PolicyUsed) -> Standing:
        return TracePage.of(trace_with(policy=policy), now).standing

    assert standing(used) is Standing.IN_FORCE
    assert standing(used.model_copy(update={"version": "old"})) is Standing.CHANGED
    assert standing(used.model_copy(update={"name": "gone"})) is Standing.GONE


def test_what_only_the_shadow_policy_found_is_told_apart() -> None:
    other = replace(WRONG, code="overlap.low", guard="overlap")
    seen = ReplayedChoice(attempt=1, findings=(WRONG, other))
    trace = judged(WRONG).model_copy(update={"shadow": Replayed(policy=USED, choices=(seen,))})

    assert [one.is_new for one in page_of(trace).foreseen] == [False, True]


def test_steps_lie_on_one_line_of_time() -> None:
    trace = trace_with(
        duration_ms=100.0,
        steps=(
            Step(name="model_1", started_ms=20.0, duration_ms=60.0),
            Step(name="read", started_ms=0.0, duration_ms=0.001),
            Step(name="write", started_ms=100.0, duration_ms=0.0),
        ),
        model_text_ms=50.0,
    )

    bars = waterfall(trace)

    assert [(bar.name, bar.attempt) for bar in bars] == [
        ("Read the request", ""),
        ("Model answers", "1"),
        ("First word of the model", ""),
        ("Write the reply", ""),
    ]
    assert [(bar.left, bar.left + bar.width <= WIDTH) for bar in bars] == [
        (0.0, True),
        (200.0, True),
        (500.0, True),
        (997.0, True),
    ]
    assert bars[1].width == 600.0


def test_a_trace_without_any_time_has_its_steps_all_the_same() -> None:
    trace = trace_with(duration_ms=0.0, steps=(Step(name="odd", started_ms=0.0, duration_ms=0.0),))

    assert [bar.name for bar in waterfall(trace)] == ["odd"]
