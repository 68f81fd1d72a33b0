"""Provisions that no source holds, named in a citation mark: the mark goes, or names the rest."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from guards.core.finding import Finding, Severity, Span
from guards.text.citing.naming import without_names
from guards.text.slots.citation_mark import CitationMark, MarkKind, read_marks
from guards.text.slots.source_name import names_in

_start_of = attrgetter("start")


def with_marks_mended(raw: str, findings: Sequence[Finding]) -> list[Finding]:
    """Return findings on provisions of an answer, those in citation marks with a fix.

    Args:
        raw: The answer.
        findings: What was found of its provisions; those that have a fix, or are weak, stay.
    """
    marks = [mark for mark in read_marks(raw) if mark.kind is MarkKind.NAMED or mark.place]
    inside = [_mark_around(finding, marks) for finding in findings]
    invented: dict[CitationMark, list[str]] = defaultdict(list)
    for finding, mark in zip(findings, inside, strict=True):
        if mark is not None:
            invented[mark].append(raw[finding.span.start : finding.span.end])
    return [
        finding if mark is None else _widened(raw, finding, mark, invented[mark])
        for finding, mark in zip(findings, inside, strict=True)
    ]


def _mark_around(finding: Finding, marks: Sequence[CitationMark]) -> CitationMark | None:
    if finding.severity is Severity.WEAK or finding.fix is not None:
        return None
    at = bisect_right(marks, finding.span.start, key=_start_of) - 1
    return marks[at] if at >= 0 and finding.span.end <= marks[at].end else None


def _widened(raw: str, finding: Finding, mark: CitationMark, invented: Sequence[str]) -> Finding:
    """Return a finding on a whole mark, mended by leaving out what names invented provisions."""
    written = raw[mark.start : mark.end]
    if mark.place:
        fix = written.replace(mark.place, "", 1)
        return replace(finding, span=Span(mark.start, mark.end), observed=written, fix=fix)
    unknown = [name for name in names_in(mark.target) if any(law in name for law in invented)]
    kept = without_names(mark.target, unknown)
    fix = written.replace(mark.target, kept, 1) if kept else ""
    return replace(finding, span=Span(mark.start, mark.end), observed=written, fix=fix)
