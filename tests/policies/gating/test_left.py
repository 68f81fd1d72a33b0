"""What can no longer be done about the beginning of an answer that has left."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Finding, Severity, Span
from guards.core.runner import GuardReport, Outcome
from policies.edits import Edit, about_the_rest, apply, edits_of_the_rest, too_late_to_mend
from tests.tables import each_row

LEFT_CHARS = 10


def finding(start: int, end: int, *, part: str = "answer", fix: str | None = None) -> Finding:
    return Finding("g", "g.code", part, Span(start, end), "x" * (end - start), fix=fix)


def found(*findings: Finding) -> GuardReport:
    return GuardReport("g", Outcome.FOUND, findings)


# --- findings -------------------------------------------------------------------------------------

MENDED = [
    pytest.param(finding(3, 6, fix=""), Severity.WEAK, id="has-left"),
    pytest.param(finding(9, 12, fix="x"), Severity.WEAK, id="begins-in-what-has-left"),
    pytest.param(finding(10, 12, fix=""), Severity.STRONG, id="has-not-left"),
    pytest.param(finding(3, 6), Severity.STRONG, id="could-never-be-mended"),
    pytest.param(finding(3, 6, part="question", fix=""), Severity.STRONG, id="not-in-the-answer"),
]


@each_row("seen, severity", MENDED)
def test_what_could_have_been_mended_is_no_reason_to_take_an_answer_back(
    seen: Finding, severity: Severity
) -> None:
    [report] = too_late_to_mend([found(seen)], LEFT_CHARS)

    [weighed] = report.findings
    assert weighed.severity is severity
    assert (weighed.span, weighed.fix, report.outcome) == (seen.span, seen.fix, Outcome.FOUND)


def test_while_nothing_has_left_all_can_still_be_mended() -> None:
    reports = (found(finding(0, 6, fix="")),)

    assert too_late_to_mend(reports, 0) == reports
    assert about_the_rest(reports, 0) == reports


def test_what_a_loop_repeats_is_told_once_when_it_goes_with_the_loop() -> None:
    loop = finding(20, 80, fix="")
    inside = [finding(start, start + 3) for start in range(20, 80, 6)]

    [report] = too_late_to_mend([found(loop, *inside, finding(0, 3))], 0)

    assert report.findings == (loop, finding(0, 3))


def test_what_has_left_is_not_judged_again_with_the_next_segment() -> None:
    before, across, after = finding(3, 6), finding(9, 12), finding(10, 12)
    elsewhere = finding(3, 6, part="question")

    [report] = about_the_rest([found(before, across, after, elsewhere)], LEFT_CHARS)

    assert report.findings == (after, elsewhere)


def test_a_guard_that_saw_only_what_has_left_is_clean() -> None:
    [report] = about_the_rest([found(finding(3, 6))], LEFT_CHARS)

    assert (report.outcome, report.findings) == (Outcome.CLEAN, ())


def test_a_guard_that_did_not_run_is_never_called_clean() -> None:
    broken = GuardReport("g", Outcome.NOT_RUN, reason="failed:ValueError", error=ValueError())

    assert about_the_rest([broken], LEFT_CHARS) == (broken,)
    assert too_late_to_mend([broken], LEFT_CHARS) == (broken,)


# --- edits ----------------------------------------------------------------------------------------

ANSWER = "하나다. 둘이다.  셋이다."
"""Its first two sentences end at 4 and 9."""

EDITS = [
    pytest.param([], 9, [], id="none"),
    pytest.param([Edit(Span(11, 15))], 9, [Edit(Span(11, 15))], id="behind-what-has-left"),
    pytest.param([Edit(Span(9, 15))], 9, [Edit(Span(9, 15))], id="right-behind-it"),
    pytest.param([Edit(Span(9, 15))], 11, [Edit(Span(11, 15))], id="the-gap-has-left"),
    pytest.param([Edit(Span(9, 11))], 11, [], id="only-a-gap-that-has-left"),
    pytest.param([Edit(Span(9, 15))], 12, None, id="its-first-letter-has-left"),
    pytest.param([Edit(Span(9, 15), "넷")], 11, None, id="a-gap-that-has-left-is-written-anew"),
    pytest.param([Edit(Span(5, 8), "둘")], 9, None, id="mends-what-has-left"),
    pytest.param([Edit(Span(4, 4), "[1]")], 9, None, id="puts-a-word-into-what-has-left"),
    pytest.param([Edit(Span(9, 9), "[1]")], 9, [Edit(Span(9, 9), "[1]")], id="puts-one-behind-it"),
    pytest.param([Edit(Span(5, 8)), Edit(Span(11, 15))], 9, None, id="one-too-late-is-enough"),
]


@each_row("edits, left_chars, kept", EDITS)
def test_only_what_has_not_left_can_be_edited(
    edits: list[Edit], left_chars: int, kept: list[Edit] | None
) -> None:
    assert edits_of_the_rest(edits, ANSWER, left_chars) == (None if kept is None else tuple(kept))


@st.composite
def rounds(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """Draw an answer and edits of it that do not overlap."""
    answer = draw(st.text("가나 \n", max_size=20))
    places = sorted(draw(st.lists(st.integers(0, len(answer)), max_size=8)))
    texts = st.sampled_from(["", "", "x"])
    return answer, [Edit(Span(*place), draw(texts)) for place in list(pairwise(places))[::2]]


@given(rounds(), st.data())
def test_what_has_left_stays_and_the_rest_loses_what_it_had_to(
    drawn: tuple[str, list[Edit]], data: st.DataObject
) -> None:
    answer, edits = drawn
    left_chars = data.draw(st.integers(0, len(answer)))
    kept = edits_of_the_rest(edits, answer, left_chars)
    if kept is None:
        assert any(edit.span.start < left_chars for edit in edits), "it is too late for one of them"
        return

    edited = apply(answer, kept)

    assert edited.startswith(answer[:left_chars])
    # Blanks that have left may stand where none would; all else is as if nothing had left.
    assert "".join(edited.split()) == "".join(apply(answer, edits).split())


# --- what goes with something else ----------------------------------------------------------------

INSIDE = finding(3, 5)
JOINED = [
    pytest.param(finding(2, 6, fix=""), Span(2, 6), "", id="inside-what-goes"),
    pytest.param(finding(2, 6, fix="x"), Span(3, 5), None, id="inside-what-is-mended"),
    pytest.param(finding(4, 6, fix=""), Span(3, 5), None, id="only-touched"),
    pytest.param(finding(2, 6, part="question", fix=""), Span(3, 5), None, id="other-text"),
]


@each_row("around, span, fix", JOINED)
def test_what_stands_inside_a_place_that_goes_anyway_goes_with_it(
    around: Finding, span: Span, fix: str | None
) -> None:
    [_, inner] = too_late_to_mend([found(around), found(INSIDE)], 0)
    [_, of_segment] = about_the_rest([found(around), found(INSIDE)], 0)

    assert inner == of_segment
    [joined] = inner.findings
    assert (joined.span, joined.fix) == (span, fix)
    assert len(joined.observed) == span.end - span.start


def test_a_weak_finding_takes_nothing_out() -> None:
    weak = replace(finding(2, 6, fix=""), severity=Severity.WEAK)

    [_, inner] = too_late_to_mend([found(weak), found(INSIDE)], 0)

    assert inner.findings == (INSIDE,)
