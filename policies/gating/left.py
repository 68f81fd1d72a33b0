"""The parts of an answer that can still be changed, as they have not been sent yet."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import itemgetter

from guards.core.finding import Finding, Severity, Span
from guards.core.runner import GuardReport, Outcome
from policies.edits import Edit


def too_late_to_mend(reports: Sequence[GuardReport], left_chars: int) -> tuple[GuardReport, ...]:
    """Return the reports with what could be mended, had it not left, as weak findings.

    A mark that one would have taken out is no reason to take an answer back.
    """
    reports = _mended_together(reports)

    def weighed(found: Finding) -> Finding:
        mendable = found.fix is not None and _has_left(found, left_chars)
        return replace(found, severity=Severity.WEAK) if mendable else found

    return _changed(reports, weighed) if left_chars else reports


def about_the_rest(reports: Sequence[GuardReport], left_chars: int) -> tuple[GuardReport, ...]:
    """Return the reports without findings in what has been sent: those are for the end to judge."""
    return _changed(
        _mended_together(reports), lambda found: None if _has_left(found, left_chars) else found
    )


def edits_of_the_rest(
    edits: Iterable[Edit], answer: str, left_chars: int
) -> tuple[Edit, ...] | None:
    """Return the edits as far as they change what has not left; None if they change more.

    White space before a sentence that is taken out may have been sent; it stays then.
    """
    kept: list[Edit] = []
    for edit in edits:
        if edit.span.start >= left_chars:
            kept.append(edit)
        elif edit.text or answer[edit.span.start : min(edit.span.end, left_chars)].strip():
            return None
        elif edit.span.end > left_chars:
            kept.append(Edit(Span(left_chars, edit.span.end)))
    return tuple(kept)


def _mended_together(reports: Sequence[GuardReport]) -> tuple[GuardReport, ...]:
    """Return the reports with what stands inside a place that goes anyway as going with it.

    An invented article in a line of the list of references whose number no source has.
    """
    going = [
        found
        for report in reports
        for found in report.findings
        if found.fix == "" and found.severity is Severity.STRONG and found.part == "answer"
    ]

    places = _Places(going)

    def joined(found: Finding) -> Finding:
        mendable = found.fix is not None or found.part != "answer"
        around = None if mendable else places.around(found)
        if around is None:
            return found
        return replace(found, span=around.span, observed=around.observed, fix="")

    return _changed(reports, joined) if going else tuple(reports)


class _Places:
    """The places of some findings."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._found = sorted(enumerate(findings), key=lambda one: one[1].span.start)
        self._starts = [one.span.start for _, one in self._found]
        # Up to where what begins so early reaches.
        self._reach = [*accumulate((one.span.end for _, one in self._found), max)]

    def around(self, found: Finding) -> Finding | None:
        """Return the first of the findings in whose place another stands."""
        holding: list[tuple[int, Finding]] = []
        at = bisect_right(self._starts, found.span.start) - 1
        while at >= 0 and self._reach[at] >= found.span.end:
            if self._found[at][1].span.end >= found.span.end:
                holding.append(self._found[at])
            at -= 1
        return min(holding, key=itemgetter(0))[1] if holding else None


def _has_left(finding: Finding, left_chars: int) -> bool:
    return finding.part == "answer" and finding.span.start < left_chars


def _changed(
    reports: Sequence[GuardReport], change: Callable[[Finding], Finding | None]
) -> tuple[GuardReport, ...]:
    return tuple(
        _report(report, change) if report.outcome is Outcome.FOUND else report for report in reports
    )


def _report(report: GuardReport, change: Callable[[Finding], Finding | None]) -> GuardReport:
    # Of a sentence that stands there a thousand times, a thousand findings may become the same one.
    changed = tuple(dict.fromkeys(filter(None, map(change, report.findings))))
    outcome = Outcome.FOUND if changed else Outcome.CLEAN
    return replace(report, findings=changed, outcome=outcome)
