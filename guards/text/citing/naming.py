"""Mends citations by name: the right name, page or article is put in, or the name is taken out.

Of a mark that names several provisions of law, those that no source holds are taken out; the mark
goes with the last of them.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from guards.core.exchange import Source
from guards.core.finding import Finding, Severity, Span
from guards.core.reading import Reading
from guards.text.citing.articles import RightArticles
from guards.text.citing.references import ReferenceLine
from guards.text.slots.citation_mark import FILE, PAGES, CitationMark, MarkKind, read_marks
from guards.text.slots.source_name import SourceNames, names_in

_FILE = re.compile(rf"{FILE}(?![A-Za-z0-9])", re.IGNORECASE)
_PAGE = re.compile(rf"[\s,(]{{1,3}}{PAGES}\)?\s*$")
_DIGITS = re.compile(r"\d{1,4}(?:\s?[-~]\s?\d{1,4})?")
_start_of = attrgetter("start")


class Naming:
    """The names by which one answer cites the sources of its request."""

    def __init__(self, reading: Reading, names: SourceNames) -> None:
        answer = reading.answer
        self._raw = answer.text.raw if answer else ""
        self._text = answer.text if answer else None
        self._names = names
        self._articles = RightArticles(reading)

    def without(self, mark: CitationMark, unknown: Sequence[str]) -> str:
        """Return a mark without the names that no source has."""
        if unknown == (mark.target,):
            return self._with_right_article(mark)
        kept = without_names(mark.target, unknown)
        return self.with_target(mark, kept) if kept else ""

    def with_target(self, mark: CitationMark, target: str) -> str:
        """Return a mark with another target."""
        return self._raw[mark.start : mark.end].replace(mark.target, target, 1)

    def put_right(self, mark: CitationMark) -> str | None:
        """Return a mark without what is wrong about a source that exists; None if nothing is."""
        target = self._names.without_wrong_places(mark.target)
        if target is None:
            target = self._names.with_right_heading(mark.target)
        return target and self.with_target(mark, target)

    def of_other(self, mark: CitationMark, source: Source) -> str:
        """Return a mark that names another source as it named its own; empty if none can."""
        called = _called(source, mark.target)
        target = next((name for name in called if self._names.named(name) == (source,)), None)
        return self.with_target(mark, target) if target else ""

    def line_of(self, line: ReferenceLine, source: Source) -> str:
        """Return a line of references with the name of a source; empty if it has none."""
        called = _called(source, line.target)
        # Here the number tells which of several pieces of a file is meant.
        target = next((name for name in called if self._names.named(name) == (source,)), called[0])
        written = self._raw[line.span.start : line.span.end]
        return written.replace(line.target, target, 1) if target else ""

    def wrong_place(self, line: ReferenceLine) -> str | None:
        """Return a line without its page; None if it gives none, or one that may be right."""
        if _FILE.search(line.target) is None:
            return None
        target = self._names.without_wrong_places(line.target)
        written = self._raw[line.span.start : line.span.end]
        return written.replace(line.target, target, 1) if target else None

    def line_without(self, line: ReferenceLine, unknown: Sequence[str]) -> str:
        """Return a line without the names that no source has; empty if it has no other."""
        kept = without_names(line.target, unknown)
        written = self._raw[line.span.start : line.span.end]
        return written.replace(line.target, kept, 1) if kept else ""

    def _with_right_article(self, mark: CitationMark) -> str:
        """Return a mark with the article that its sentence means; empty if that is not clear."""
        laws = self._text.laws if self._text else ()
        first, last = (bisect_left(laws, at, key=_start_of) for at in (mark.start, mark.end))
        if last - first != 1:
            return ""
        inside = laws[first]
        right = self._articles.written(inside)
        if right is None:
            return ""
        return self._raw[mark.start : inside.start] + right + self._raw[inside.end : mark.end]


def _called(source: Source, old: str) -> tuple[str, ...]:
    """Return what a source may be called in the manner of another name, the likest one first."""
    by_file = _FILE.search(old) is not None
    name = (source.file or source.title) if by_file else (source.title or source.file)
    if not name or source.page is None:
        return (name,)
    page = _PAGE.search(old)
    if page is None:
        return name, f"{name}, p.{source.page}"
    return (name + _DIGITS.sub(str(source.page), page[0].rstrip(), count=1),)


def without_names(target: str, unknown: Sequence[str]) -> str:
    """Return a list of names without some of them."""
    return ", ".join(piece for piece in names_in(target) if piece not in unknown)


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
