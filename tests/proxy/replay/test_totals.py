"""What another policy changes, added up over requests."""

from dataclasses import replace

import pytest

from proxy.replay.comparison import (
    Change,
    Compared,
    GuardTotals,
    TenantTotals,
    Totals,
    UnknownTotals,
)
from proxy.traces.trace import NotReplayed, PolicyUsed, Unknown

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
