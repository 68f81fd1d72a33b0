"""What was decided about the segments of an answer, put together with what was about all of it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from guards.core.finding import Finding, Span
from policies.edits import Edit, left_by
from policies.schema.guard_rule import Action
from policies.verdict import GuardOutcome, GuardResult, Verdict


def put_together(segments: Sequence[Verdict], whole: Verdict) -> Verdict:
    """Return the verdict over an answer with what its segments had led to.

    Args:
        segments: Verdicts over segments that were mended or taken out.
        whole: The verdict over what was left of the answer.
    """
    if not segments:
        return whole
    results = tuple(
        _with_earlier(result, [one for heard in segments for one in heard.results])
        for result in whole.results
    )
    action = max((whole.action, *(one.action for one in segments)), key=lambda each: each.rank)
    reasons = dict.fromkeys(code for one in (*segments, whole) for code in one.reasons)
    return replace(whole, action=action, reasons=tuple(reasons), results=results)


def _with_earlier(result: GuardResult, earlier: Iterable[GuardResult]) -> GuardResult:
    """Return a guard's result with those by which it acted on a segment."""
    acted = [
        one for one in earlier if one.guard == result.guard and one.outcome is GuardOutcome.ACTED
    ]
    if not acted:
        return result
    found = dict.fromkeys(finding for one in (*acted, result) for finding in one.findings)
    action = max((one.action for one in (*acted, result)), key=lambda each: each.rank)
    spent_ms = result.duration_ms + sum(one.duration_ms for one in acted)
    return replace(
        result,
        outcome=GuardOutcome.ACTED,
        action=action,
        findings=tuple(found),
        reason="",
        duration_ms=spent_ms,
    )


def placed(verdict: Verdict, edits: Iterable[Edit], shift: int = 0) -> Verdict:
    """Return a verdict over an edited answer, with its findings at their places in the original.

    Args:
        verdict: The verdict.
        edits: What was changed in the original before it was judged.
        shift: Where in the edited answer the judged text began.
    """
    places = list(left_by(edits))
    if not places and not shift:
        return verdict
    results = tuple(
        replace(
            one,
            findings=tuple(_placed(found, places, shift) for found in one.findings),
            cleared=tuple(_placed(found, places, shift) for found in one.cleared),
        )
        for one in verdict.results
    )
    return replace(verdict, results=results)


def _placed(found: Finding, places: Sequence[tuple[Edit, Edit]], shift: int) -> Finding:
    if found.part != "answer":
        return found
    start = _start(found.span.start + shift, places)
    end = max(start, _end(found.span.end + shift, places))
    return replace(found, span=Span(start, end))


def _start(place: int, places: Sequence[tuple[Edit, Edit]]) -> int:
    """Return where something was that begins at a place of the edited text."""
    grown = 0
    for edit, seen in places:
        if place < seen.span.start:
            break
        if place < seen.span.end:
            return edit.span.start
        grown = seen.span.end - edit.span.end
    return place - grown


def _end(place: int, places: Sequence[tuple[Edit, Edit]]) -> int:
    """Return up to where something was that ends at a place of the edited text."""
    grown = 0
    for edit, seen in places:
        if place <= seen.span.start:
            break
        if place <= seen.span.end:
            return edit.span.end
        grown = seen.span.end - edit.span.end
    return place - grown


def as_taken_out(verdict: Verdict) -> Verdict:
    """Return the verdict over a text that was taken out although it could not be repaired."""
    results = tuple(
        replace(one, action=Action.TRIM) if one.outcome is GuardOutcome.ACTED else one
        for one in verdict.results
    )
    return replace(verdict, action=Action.TRIM, results=results, edits=())
