"""Sentences that are taken out, and answers of which too little would be left."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Span
from policies.edits import Edit, apply, without_overlaps
from policies.schema.policy import Trimming
from policies.trimming import is_complete_without, trim
from tests.tables import each_row

QUESTION = "육아휴직은 며칠이고 급여는 얼마인가요?"
CORE = "육아휴직은 최대 90일이며 급여는 월 70만원입니다."
EXTRA = "신청서는 총무팀에 제출합니다."
BAD = "승인은 나흘 안에 납니다."
LIMITS = Trimming()


@each_row("answer, left", "trimmed")
def test_takes_out(answer: str, left: str) -> None:
    start = answer.index(BAD)

    edits = trim(QUESTION, answer, [Span(start, start + len(BAD))], LIMITS)

    assert edits is not None
    assert apply(answer, edits) == left


@each_row("answer, bad", "too_little")
def test_leaves_alone_what_cannot_stand_without(answer: str, bad: list[str]) -> None:
    spans = [Span(answer.index(text), answer.index(text) + len(text)) for text in bad]

    assert trim(QUESTION, answer, spans, LIMITS) is None


def test_how_much_may_go_is_the_policys() -> None:
    answer = f"{CORE} {EXTRA} {BAD} 서류는 원본으로 냅니다."
    spans = [Span(answer.index(text), answer.index(text) + 1) for text in (EXTRA, BAD)]

    assert trim(QUESTION, answer, spans, Trimming(most_claims=2)) is not None
    assert trim(QUESTION, answer, spans, Trimming(most_claims=2, most_share=0.3)) is None
    assert trim(QUESTION, answer, spans[:1], Trimming(most_claims=0)) is None


def test_an_answer_stands_without_what_was_not_asked_for() -> None:
    answer = f"{CORE} 서류는 두 가지입니다.\n- {EXTRA}\n- {BAD}"

    def without(text: str) -> bool:
        start = answer.index(text)
        return is_complete_without(QUESTION, answer, [Edit(Span(start, start + len(text)))])

    assert without("서류는 두 가지입니다.")
    assert without("서류")
    assert not without(CORE)
    assert not without(EXTRA)


def test_nothing_bad_is_nothing_to_take_out() -> None:
    assert trim(QUESTION, f"{CORE} {EXTRA}", [], LIMITS) is None


places = st.tuples(st.integers(0, 30), st.integers(0, 10)).map(
    lambda pair: Edit(Span(pair[0], pair[0] + pair[1]), "x")
)


@given(st.lists(places))
def test_edits_that_are_kept_do_not_overlap(edits: list[Edit]) -> None:
    kept = without_overlaps(edits)

    assert all(before.span.end <= after.span.start for before, after in pairwise(kept))
    assert set(kept) <= set(edits)


@given(st.text(min_size=0, max_size=40), st.lists(places, max_size=3))
def test_what_no_edit_touches_stays(text: str, edits: list[Edit]) -> None:
    inside = [edit for edit in edits if edit.span.end <= len(text)]
    kept = without_overlaps(inside)

    taken = sum(edit.span.end - edit.span.start for edit in kept)
    assert len(apply(text, kept)) == len(text) - taken + len(kept)
