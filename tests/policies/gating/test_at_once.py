"""Which answers are judged at once when all of them is known, and what it comes to."""

import pytest

from policies.gating.shown import Kind
from policies.schema.policy import Action
from tests.policies.gating.hall import (
    BOOKING,
    CALL,
    CANCELLING,
    DEPOSIT,
    FEE,
    PARKING,
    PLACES,
    SOUND,
    TRUE,
    Passage,
    begun,
    known,
    known_behind,
    passed,
)
from tests.tables import each_row

ALL = " ".join(TRUE)
RECKONED = "모두 합하면 85,000원입니다."
"""A sum that does not say of what; two amounts of the sources give it."""
SECTION = " ".join(
    f"{words} {sentence}"
    for words in ("공지한 대로", "안내문에 따라", "지금도")
    for sentence in (FEE, BOOKING, CANCELLING, PARKING, PLACES, DEPOSIT, SOUND)
)
SECTIONS = [f"## {name}\n\n{SECTION}" for name in ("요금", "예약", "취소", "주차", "보증금")]


def kinds(passage: Passage) -> list[Kind]:
    return [look.kind for look, _ in passage.looks]


def test_a_good_answer_is_looked_at_by_both_rules() -> None:
    passage = known(ALL)

    assert kinds(passage) == [Kind.SEGMENTS, Kind.WHOLE]
    assert {look.exchange.answer for look, _ in passage.looks} == {ALL}
    assert passage.left == ALL


def test_what_left_counts_as_if_it_had_left_in_segments() -> None:
    at_once, in_segments = known(ALL), passed([*ALL])

    assert len(in_segments.releases) == len(TRUE) - 1
    [release] = at_once.releases
    assert release.as_it_came
    assert release.end == at_once.gate.done == in_segments.gate.done
    assert release.text == at_once.gate.shown == in_segments.gate.shown
    assert at_once.looks[-1][0].possible == in_segments.looks[-1][0].possible


def test_each_place_from_which_segments_are_read_has_its_look() -> None:
    answer = "\n\n".join(SECTIONS[:3])
    passage = known(answer)
    read = {
        (look.exchange.answer or "")[: look.possible.edit_from]
        for look, _ in passed(answer).looks
        if look.kind is Kind.SEGMENT
    }
    begins = {look.exchange.answer or "" for look, _ in passage.looks if look.kind is Kind.SEGMENTS}

    assert kinds(passage) == [*[Kind.SEGMENTS] * len(begins), Kind.WHOLE]
    assert len(begins) > 1
    assert all(any(one.startswith(before) for one in begins) for before in read)
    assert all(answer.endswith(one) for one in begins)


@each_row("answer", "an_answer_with_a_fault_goes_through_in_segments")
def test_an_answer_with_a_fault_goes_through_in_segments(answer: str) -> None:
    passage = known(answer)

    assert kinds(passage)[:2] == [Kind.SEGMENTS, Kind.SEGMENT]
    assert [step.text for step in passage.releases] == [
        step.text for step in passed(answer).releases
    ]


@each_row(
    "answer",
    [
        pytest.param("\n\n".join(SECTIONS * 2), id="too-many-places-to-read-from"),
        pytest.param(f"{FEE} {BOOKING}[†1] {PARKING} {DEPOSIT}", id="numbers-may-change"),
        pytest.param(FEE, id="one-sentence"),
    ],
)
def test_other_answers_are_not_tried(answer: str) -> None:
    assert Kind.SEGMENTS not in kinds(known(answer))


def test_nor_is_one_that_may_have_to_be_written_again_when_all_was_said() -> None:
    assert Kind.SEGMENTS not in kinds(known(ALL, begun(at_once=False)))


def test_nor_one_of_which_something_was_looked_at() -> None:
    assert Kind.SEGMENTS not in kinds(passed([f"{FEE} {BOOKING} ", PARKING]))


def test_what_comes_together_once_something_has_left_is_looked_at_together() -> None:
    passage = passed([f"{FEE} ", ALL.removeprefix(f"{FEE} ")])

    assert kinds(passage) == [Kind.SEGMENT, Kind.SEGMENTS, Kind.WHOLE]
    assert [step.text for step in passage.releases] == [FEE, f" {' '.join(TRUE[1:-1])}"]
    assert passage.left == ALL


def test_of_a_good_answer_that_ends_with_what_comes_together_only_the_whole_is_looked_at() -> None:
    passage = known_behind(len(FEE) + 2, ALL)

    assert kinds(passage) == [Kind.SEGMENT, Kind.WHOLE]
    assert [step.text for step in passage.releases] == [FEE, f" {' '.join(TRUE[1:-1])}"]
    assert passage.looks[-1][0].possible == passed(ALL).looks[-1][0].possible
    assert passage.left == ALL


@each_row("fault", "of_one_with_something_to_be_weighed_the_segments_are_looked_at")
def test_of_one_with_something_to_be_weighed_the_segments_are_looked_at(fault: str) -> None:
    answer = f"{FEE} {BOOKING} {fault} {PARKING} {DEPOSIT}"
    passage = known_behind(len(FEE) + 2, answer)

    assert kinds(passage)[:3] == [Kind.SEGMENT, Kind.WHOLE, Kind.SEGMENTS]
    assert passage.left == passed([*answer]).left


def test_the_first_sentence_waits_for_no_other() -> None:
    first, *_ = passed(ALL).looks

    assert (first[0].kind, first[0].exchange.answer) == (Kind.SEGMENT, FEE)


def test_of_what_comes_together_with_a_fault_each_segment_is_looked_at() -> None:
    answer = f"{FEE} {BOOKING} {CALL} {PARKING} {DEPOSIT}"
    passage = passed([f"{FEE} ", answer.removeprefix(f"{FEE} ")])

    assert kinds(passage)[:3] == [Kind.SEGMENT, Kind.SEGMENTS, Kind.SEGMENT]
    assert passage.left == passed([*answer]).left == answer.replace(f" {CALL}", "")


def test_a_sentence_with_a_value_that_was_reckoned_is_looked_at_alone_too() -> None:
    passage = known(f"{FEE} {RECKONED} {BOOKING} {PARKING}")

    assert kinds(passage) == [Kind.SEGMENTS, Kind.SEGMENTS, Kind.WHOLE]
    assert passage.looks[1][0].exchange.answer == f"{FEE} {RECKONED}"


def test_a_second_attempt_is_used_up_by_the_first_bad_segment() -> None:
    passage = known(f"{FEE} {CALL} {BOOKING}", begun(may_regenerate=True))

    assert passage.gate.shown == FEE
    assert passage.gate.verdict is not None
    assert passage.gate.verdict.action is not Action.REGENERATE
    assert known(f"{CALL} {FEE}", begun(may_regenerate=True)).gate.stopped
