"""What a replay says of a request, and of all of them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from guards.core.finding import Finding, Span
from guards.core.guard import Stage
from policies.schema.base import Mode
from policies.schema.loader import load_shipped
from policies.schema.policy import Action
from policies.schema.sections import StoredText
from policies.verdict import GuardOutcome
from proxy.replay.comparison import (
    LONGEST_EXCERPT_CHARS,
    By,
    Change,
    Compared,
    GuardTotals,
    KeyFinding,
    TenantTotals,
    Totals,
    UnknownTotals,
    compared,
)
from proxy.replay.workers import compare_all, packed
from proxy.traces.trace import (
    Attempt,
    Choice,
    GuardRun,
    NotReplayed,
    PolicyUsed,
    ReplayedChoice,
    ReplayResult,
    Trace,
    Unknown,
)
from tests.proxy.replay.asking import unanswerable
from tests.proxy.traces.making import a_trace
from tests.tables import each_row

TEXT = "연차는 30일이고 출장비는 9만원입니다."


def finding(code: str, observed: str) -> Finding:
    start = TEXT.index(observed)
    return Finding(
        guard=code.partition(".")[0],
        code=code,
        part="answer",
        span=Span(start, start + len(observed)),
        observed=observed,
        expected=("15일",),
    )


def run_of(guard: str, outcome: GuardOutcome) -> GuardRun:
    return GuardRun(guard=guard, mode=Mode.ENFORCE, stage=Stage.OUTPUT, outcome=outcome)


def a_request(
    action: Action, findings: Sequence[tuple[str, str]] = (), reasons: Sequence[str] = ()
) -> Trace:
    choice = Choice(text=TEXT, findings=tuple(finding(*one) for one in findings))
    return a_trace("one", action=action).model_copy(
        update={
            "attempts": (Attempt(choices=(choice,)),),
            "reasons": tuple(reasons),
            "replies": (TEXT,),
        }
    )


def tried(
    action: Action | None,
    findings: Sequence[tuple[str, str]] = (),
    reasons: Sequence[str] = (),
    **more: object,
) -> ReplayResult:
    found = ReplayedChoice(attempt=1, findings=tuple(finding(*one) for one in findings))
    return ReplayResult(
        policy=PolicyUsed(name="next", version="89abcdef"),
        action=action,
        reasons=tuple(reasons),
        choices=(found,) if findings else (),
        replies=(TEXT,),
    ).model_copy(update=more)


@each_row("before, after, reasons, seen", "the_finding_that_makes_the_difference_is_named")
def test_the_finding_that_makes_the_difference_is_named(
    before: Sequence[tuple[str, str]],
    after: Sequence[tuple[str, str]],
    reasons: tuple[Sequence[str], Sequence[str]],
    seen: tuple[tuple[str, str], By] | None,
) -> None:
    trace = a_request(Action.PASS, before, reasons[0])

    change = compared(trace, tried(Action.REPLACE, after, reasons[1])).change

    assert change is not None
    assert (change.reasons_before, change.reasons_after) == tuple(map(tuple, reasons))
    if seen is None:
        assert change.seen is None
    else:
        (code, observed), by = seen
        assert change.seen == KeyFinding(code, observed, ("15일",), by)


def test_which_guards_acted_is_known_of_both() -> None:
    runs = {
        GuardOutcome.ACTED: ("numbers", "names"),
        GuardOutcome.WOULD_ACT: ("scope",),
        GuardOutcome.NOTED: ("overlap",),
        GuardOutcome.NOT_RUN: ("intent",),
        GuardOutcome.CLEAN: ("quality",),
    }
    all_runs = tuple(run_of(guard, outcome) for outcome, some in runs.items() for guard in some)
    trace = a_request(Action.TRIM).model_copy(update={"guards": all_runs})

    one = compared(trace, tried(Action.TRIM, guards=(run_of("quality", GuardOutcome.ACTED),)))

    assert one.acted_before == {"numbers", "names"}
    assert one.acted_after == {"quality"}


def test_no_more_of_the_texts_goes_on_than_is_shown() -> None:
    long = "가" * 10_000
    trace = a_request(Action.PASS).model_copy(update={"question": long})
    longer = Finding("quality", "quality.repetition", "answer", Span(0, 9), long, expected=(long,))
    found = (ReplayedChoice(attempt=1, findings=(longer,)),)

    change = compared(trace, tried(Action.REPLACE, choices=found)).change

    assert change is not None
    assert change.seen is not None
    texts = (change.question, change.seen.observed, *change.seen.expected)
    assert {len(text) for text in texts} == {LONGEST_EXCERPT_CHARS}


def test_traces_are_judged_in_their_order_and_one_that_breaks_ends_nothing() -> None:
    broken = unanswerable("broken").model_copy(update={"sources": None})
    wordless = a_trace("wordless").model_copy(update={"text": StoredText.NONE})
    traces = [unanswerable("one"), broken, wordless, unanswerable("two")]

    one, failed, untold, two = compare_all(packed(load_shipped("strict")), traces)

    assert [each.id for each in (one, failed, untold, two)] == ["one", "broken", "wordless", "two"]
    assert (one.before, one.after, two.after) == ("pass", "replace", "replace")
    assert (failed.not_run, failed.failure) == (NotReplayed.FAILED, "TypeError")
    assert untold.not_run is NotReplayed.NO_TEXT


USED = PolicyUsed(name="acme", version="0123abcd")
CHANGE = Change("연차는 며칠인가요?", (), ("numbers.value_differs",), None, only_words=False)
SAME = Compared("same", "acme", USED, "pass", "pass")
OTHER = replace(SAME, id="other", after="replace", change=CHANGE)
WORDS = replace(SAME, id="words", change=replace(CHANGE, only_words=True))
AGAIN = replace(OTHER, id="again", after="regenerate", unknown=Unknown.NO_SECOND_ATTEMPT)
PART = replace(SAME, id="part", after="unknown", unknown=Unknown.REST_NOT_READ)
SKIPPED = replace(SAME, id="skipped", after="unknown", not_run=NotReplayed.NO_TEXT)
ENDED = replace(SAME, id="ended", after="unknown", unknown=Unknown.NO_ANSWER)


def totals_of(*some: Compared, most_examples: int = 0) -> Totals:
    totals = Totals(most_examples=most_examples)
    for one in some:
        totals.add(one)
    return totals


def test_changed_requests_are_a_share_of_the_judged_ones() -> None:
    totals = totals_of(SAME, OTHER, WORDS, AGAIN, PART, SKIPPED, ENDED)

    assert (totals.read, totals.judged, totals.changed, totals.only_words) == (7, 5, 3, 1)
    assert totals.share == pytest.approx(3 / 5)
    assert totals.skipped == {NotReplayed.NO_TEXT: 1, Unknown.NO_ANSWER: 1}
    assert totals.actions == {
        ("pass", "pass"): 2,
        ("pass", "replace"): 1,
        ("pass", "regenerate"): 1,
        ("pass", "unknown"): 1,
    }
    assert totals.changes == {
        ("pass", "replace"): ["other"],
        ("pass", "pass"): ["words"],
        ("pass", "regenerate"): ["again"],
    }


def test_without_any_the_share_is_none() -> None:
    assert totals_of(SKIPPED).share == 0


def test_what_nobody_knows_is_counted_by_its_reason() -> None:
    totals = totals_of(AGAIN, AGAIN, PART, SAME)

    assert totals.unknown == {
        Unknown.NO_SECOND_ATTEMPT: UnknownTotals(requests=2, changed=2),
        Unknown.REST_NOT_READ: UnknownTotals(requests=1, changed=0),
    }


def test_guards_are_counted_by_what_they_did_and_would_do() -> None:
    acted = frozenset({"numbers", "names"})
    some = replace(SAME, acted_before=acted, acted_after=frozenset({"numbers"}))
    others = replace(SAME, acted_before=frozenset(), acted_after=frozenset({"numbers"}))
    part = replace(PART, acted_before=acted)  # who would have acted on the rest, nobody knows

    totals = totals_of(some, some, others, part)

    assert totals.guards == {
        "numbers": GuardTotals(before=2, after=3, only_before=0, only_after=1),
        "names": GuardTotals(before=2, after=0, only_before=2, only_after=0),
    }


def test_tenants_and_their_policies_are_told_apart() -> None:
    newer = PolicyUsed(name="acme", version="89abcdef")
    totals = totals_of(OTHER, replace(SAME, policy=newer), replace(AGAIN, tenant="other"))

    assert totals.tenants == {
        "acme": TenantTotals(judged=2, changed=1, unknown=0),
        "other": TenantTotals(judged=1, changed=1, unknown=1),
    }
    assert totals.policies == {USED: 2, newer: 1}


def test_examples_are_of_as_many_kinds_as_there_are() -> None:
    some = [replace(OTHER, id=str(number)) for number in range(5)]

    totals = totals_of(*some, WORDS, AGAIN, most_examples=4)

    assert [one.id for one in totals.examples] == ["0", "words", "again", "1"]
    assert [one.id for one in totals_of(*some, most_examples=9).examples] == list("01234")
    assert totals_of(*some).examples == []


def test_what_broke_is_named_by_its_first_request() -> None:
    broken = replace(SAME, id="1", not_run=NotReplayed.FAILED, failure="KeyError")

    totals = totals_of(broken, replace(broken, id="2"), replace(broken, id="3", failure="OSError"))

    assert totals.failures == {"KeyError": "1", "OSError": "3"}
    assert totals.skipped == {NotReplayed.FAILED: 3}


def test_labels_are_counted() -> None:
    assert totals_of(SAME, replace(SAME, holds_labels=True)).holding_labels == 1
