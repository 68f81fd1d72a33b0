"""Verdicts over segments and the verdict over the whole, as one."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guards.core.finding import Finding, Severity, Span
from guards.core.guard import Stage
from policies.edits import Edit, apply
from policies.gating.shown import as_taken_out, placed, put_together
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.verdict import GuardOutcome, GuardResult, Verdict
from tests.tables import each_row


def finding(start: int, end: int, *, guard: str = "numbers", part: str = "answer") -> Finding:
    return Finding(guard, f"{guard}.code", part, Span(start, end), "x")


def result(guard: str, *findings: Finding, action: Action = Action.PASS) -> GuardResult:
    acted = GuardOutcome.NOTED if findings else GuardOutcome.CLEAN
    outcome = acted if action is Action.PASS else GuardOutcome.ACTED
    return GuardResult(guard, Mode.ENFORCE, outcome, action, findings, duration_ms=2.0)


def verdict(*results: GuardResult) -> Verdict:
    action = max((one.action for one in results), key=lambda each: each.rank, default=Action.PASS)
    acting = [one for one in results if action is not Action.PASS and one.action is action]
    reasons = tuple(dict.fromkeys(code for one in acting for code in one.codes))
    return Verdict(Stage.OUTPUT, action, reasons, results)


# --- places ---------------------------------------------------------------------------------------

DISTINCT = "가나다라마바사아자차카타"


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """Draw a text in which each character stands once, and edits that put others in."""
    text = DISTINCT[: draw(st.integers(1, len(DISTINCT)))]
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    texts = st.text("abc", max_size=3)
    return text, [Edit(Span(*place), draw(texts)) for place in list(pairwise(places))[::2]]


@given(edited(), st.data())
def test_a_finding_is_placed_where_a_search_finds_its_words(
    drawn: tuple[str, list[Edit]], data: st.DataObject
) -> None:
    text, edits = drawn
    after = apply(text, edits)
    kept = [place for place, letter in enumerate(after) if letter in text]
    starts = st.sampled_from(kept) if kept else st.nothing()
    first = data.draw(starts)
    last = data.draw(st.sampled_from([place for place in kept if place >= first]))
    judged_from = data.draw(st.integers(0, first))
    seen = finding(first - judged_from, last + 1 - judged_from)

    [one] = placed(verdict(result("numbers", seen)), edits, judged_from).findings

    assert one.span == Span(text.index(after[first]), text.index(after[last]) + 1)


@each_row("seen, original", "placed")
def test_a_span_that_touches_an_edit_is_placed_around_it(seen: Span, original: Span) -> None:
    edits = [Edit(Span(3, 5)), Edit(Span(7, 8), "abc")]

    [one] = placed(verdict(result("numbers", finding(seen.start, seen.end))), edits).findings

    assert one.span == original


@given(edited(), st.data())
def test_places_keep_their_order(drawn: tuple[str, list[Edit]], data: st.DataObject) -> None:
    text, edits = drawn
    length = len(apply(text, edits))
    places = sorted(data.draw(st.lists(st.integers(0, length), min_size=2, max_size=6)))
    seen = [finding(start, end) for start, end in pairwise(places)]

    spans = [one.span for one in placed(verdict(result("numbers", *seen)), edits).findings]

    assert all(0 <= span.start <= span.end <= len(text) for span in spans)
    assert [span.start for span in spans] == sorted(span.start for span in spans)


def test_a_finding_elsewhere_stays_where_it_is() -> None:
    elsewhere = finding(5, 8, part="source:1")

    [one] = placed(verdict(result("conflict", elsewhere)), [Edit(Span(0, 4))], 20).findings

    assert one == elsewhere


def test_what_a_second_reader_took_back_is_placed_too() -> None:
    whole = verdict(GuardResult("numbers", Mode.ENFORCE, GuardOutcome.CLEAN, cleared=(SEEN,)))

    [one] = placed(whole, [Edit(Span(0, 4))]).results

    assert [cleared.span for cleared in one.cleared] == [Span(6, 8)]


def test_without_edits_a_verdict_stays_as_it_is() -> None:
    whole = verdict(result("numbers", SEEN))

    assert placed(whole, []) is whole


# --- putting together -----------------------------------------------------------------------------

SEEN = finding(2, 4)
LATER = finding(20, 24)


def test_without_segments_that_were_changed_the_whole_says_it_all() -> None:
    whole = verdict(result("numbers", SEEN))

    assert put_together([], whole) is whole


def test_what_was_done_to_a_segment_is_told_of_an_answer_that_passes() -> None:
    mended = verdict(result("numbers"), result("names", SEEN, action=Action.FIX))

    both = put_together([mended], verdict(result("numbers"), result("names")))

    assert (both.action, both.reasons) == (Action.FIX, mended.reasons)
    numbers, names = both.results
    assert numbers.outcome is GuardOutcome.CLEAN
    assert (names.outcome, names.action) == (GuardOutcome.ACTED, Action.FIX)
    assert names.findings == (SEEN,)


@each_row("segment, end, told", "orders")
def test_the_strongest_action_is_told_with_all_reasons(
    segment: Action, end: Action, told: Action
) -> None:
    first = verdict(result("numbers", SEEN, action=segment))
    other = finding(20, 24, guard="names")
    whole = verdict(result("numbers"), result("names", other, action=end))

    both = put_together([first], whole)

    assert both.action is told
    assert both.reasons == ("numbers.code", "names.code")


def test_a_guard_that_acted_twice_has_both_findings_and_the_time_of_all_runs() -> None:
    first = verdict(result("numbers", SEEN, action=Action.FIX))
    again = verdict(result("numbers", LATER, action=Action.TRIM))

    both = put_together([first, again], verdict(result("numbers", LATER)))

    [numbers] = both.results
    assert numbers.findings == (SEEN, LATER)
    assert (numbers.action, numbers.duration_ms) == (Action.TRIM, 6.0)


def test_a_guard_that_acted_and_broke_later_is_not_said_to_be_clean_or_broken() -> None:
    broken = GuardResult("numbers", Mode.ENFORCE, GuardOutcome.NOT_RUN, reason="failed:ValueError")

    both = put_together([verdict(result("numbers", SEEN, action=Action.FIX))], verdict(broken))

    [numbers] = both.results
    assert (numbers.outcome, numbers.reason) == (GuardOutcome.ACTED, "")


def test_what_was_only_noted_in_a_segment_is_left_to_the_end() -> None:
    noted = verdict(result("numbers", SEEN), result("names", SEEN, action=Action.FIX))

    both = put_together([noted], verdict(result("numbers"), result("names")))

    assert both.results[0] == result("numbers")


def test_a_segment_that_could_not_be_repaired_is_told_as_taken_out() -> None:
    bad = verdict(result("numbers", SEEN, action=Action.REPLACE), result("names", LATER))

    taken = as_taken_out(bad)

    assert taken.action is Action.TRIM
    assert [one.action for one in taken.results] == [Action.TRIM, Action.PASS]
    assert taken.findings == bad.findings
    assert taken.leading == taken.results[0]


def test_severity_of_a_placed_finding_is_kept() -> None:
    weak = Finding("overlap", "overlap.low", "answer", Span(9, 12), "x", severity=Severity.WEAK)

    [one] = placed(verdict(result("overlap", weak)), [Edit(Span(0, 0), "abc")]).findings

    assert one == Finding(
        "overlap", "overlap.low", "answer", Span(6, 9), "x", severity=Severity.WEAK
    )
