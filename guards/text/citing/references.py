"""Reads the list of references at the end of an answer, and the meaning of its numbers.

A list has a heading (``### References``, ``참고 문헌``, ``출처:``), or else every line of it begins
with a citation's number (``[^1]: …``, ``[1]: …``, ``[†1] …``) or with LightRAG's ``[DC]`` or
``[KG]``. Numbers in brackets without a heading count only where the answer cites so. It ends the
answer: what comes behind it is no more than one closing remark, or stands behind a blank line if
every line of the list says what it names.

Numbers in brackets that cite nothing are left out: ``[0, 1] 구간`` is an interval, and ``a[i][0]``
and ``[안내][2]`` hang on brackets that are no mark.

The places where a text names its sources (marks, and pages of documents) hold no figure, name or
way that a source would have to hold; every reading of those leaves them out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from guards.core.finding import Span
from guards.text.scripts import without_code
from guards.text.slots.citation_mark import (
    FILE,
    PAGES,
    SUPERSCRIPTS,
    CitationMark,
    MarkKind,
    MarkStyle,
    lowered,
    raised,
    read_marks,
)

_INTERVAL_BEHIND = re.compile(r"[ \t]?(?:(?:닫힌|열린|반열린)[ \t]?|[폐개])?(?:구간|범위)")
_STOPS = (".", "!", "?", "。")
_LOOK_BACK_CHARS = 4


def without_no_citations(raw: str, marks: Iterable[CitationMark]) -> Iterator[CitationMark]:
    """Yield the marks of a text that may cite.

    Args:
        raw: The text.
        marks: What looks like a mark in it, in order.
    """
    behind = 0
    for mark in marks:
        is_bare = mark.kind is MarkKind.PLAIN and mark.style is MarkStyle.LIST
        hangs = raw[mark.start - 1 : mark.start] == "]" and behind != mark.start
        if not is_bare or not (hangs or _is_interval(raw, mark)):
            yield mark
            behind = mark.end


def _is_interval(raw: str, mark: CitationMark) -> bool:
    if len(mark.numbers) < 2 or _INTERVAL_BEHIND.match(raw, mark.end) is None:
        return False
    before = raw[max(0, mark.start - _LOOK_BACK_CHARS) : mark.start]
    return not before.rstrip().endswith(_STOPS)


_HEADING = re.compile(
    r"^[ \t]*+(?:#{1,6}[ \t]*+)?[*_]{0,3}[ \t]*+(?:📚|📎|🔗|📖|📄)?[ \t]*+"
    r"(?:참고[ \t]?(?:자료|문헌|문서|출처)|출처(?:[ \t]?(?:목록|정보))?"
    r"|인용(?:[ \t]?(?:출처|문헌|목록))?|근거[ \t]?(?:자료|문서)|각주"
    r"|References?|Sources?|Citations?|Bibliography|Footnotes)"
    r"[ \t]*+[*_]{0,3}[ \t]*+[:：]?[ \t]*+[*_]{0,3}[ \t]*+$",
    re.IGNORECASE,
)
# "참고:" may also head remarks.
_NOTES_HEADING = re.compile(r"^[ \t]*[*_]{0,3}(?:※[ \t]?)?참고[*_]{0,3}[ \t]*[:：][*_]{0,3}[ \t]*$")
_SOURCE_LINE = re.compile(
    r"^[ \t]*(?:[-*>•][ \t]+)?[*_]{0,2}(?:※[ \t]?)?"
    r"(?:출처|참고[ \t]?(?:자료|문헌|문서)|근거[ \t]?(?:자료|문서)?)"
    r"[*_]{0,2}[ \t]?[:：][*_]{0,2}[ \t]*(?P<target>[^\s\[\]【】][^\n\[\]【】]{0,200}?)[ \t]*$",
    re.MULTILINE,
)
_BULLET = r"[ \t]*(?:[-*+•·▪○●>][ \t]+)?"
_LINE = re.compile(
    rf"{_BULLET}(?:[*_]{{0,2}}"
    r"(?:\[\^(?P<note>\d{1,3})\][ \t]*:"
    r"|\[†?[ \t]?(?P<square>\d{1,3})(?:,[ \t]?pp?\.[ \t]?\d{1,4})?[ \t]?\][ \t]*:?"
    r"|\[\[(?P<double>\d{1,3})\]\][ \t]*:?"
    r"|【†?(?P<lens>\d{1,3})】[ \t]*:?"
    r"|\[(?:출처|문서|자료|참고|[Ss]ource)[ \t]?(?P<label>\d{1,3})\][ \t]*:?"
    r"|\((?:출처|문서|자료|참고)[ \t]?(?P<round>\d{1,3})\)[ \t]*:?"
    r"|<sup>(?P<sup>\d{1,3})</sup>[ \t]*:?"
    rf"|(?P<raised>[{SUPERSCRIPTS}]{{1,3}})|(?:\[?(?P<kind>KG|DC)\]))"
    r"[*_]{0,2})[ \t]*(?P<target>[^\n]*\S)"
)
_LISTED = re.compile(
    r"[ \t]*(?:(?P<number>\d{1,3})[.)][ \t]+|[-*+•·▪○●>][ \t]+)(?P<target>[^\n]*\S)"
)
_FILE = re.compile(rf"{FILE}(?![A-Za-z0-9])", re.IGNORECASE)
_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$")
_LISTED_FORMS = (_HEADING, _NOTES_HEADING, _LINE, _RULE)
_NUMBERS = ("note", "square", "double", "lens", "label", "round", "sup", "raised")
_SENTENCE = re.compile(r"(?:다|요|죠|까|오)[.!?]*[ \t)\]*_]*$")
_MOST_LINES = 100
_TEXTS_KEPT = 8
_MOST_CLOSING_LINES = 2
_LONGEST_PLAIN_CHARS = 120


@dataclass(frozen=True, slots=True)
class ReferenceLine:
    """A line of the list.

    Attributes:
        span: The whole line, without its line break.
        number: The number that it explains; None if it has none.
        number_span: Where the number's digits stand; empty, at the line's start, without one.
        target: What it names: a file, a title, an address.
    """

    span: Span
    number: int | None
    number_span: Span
    target: str

    def number_written(self, raw: str, number: int) -> str:
        """Return another number as it has to stand at `number_span` of the whole text `raw`."""
        old = raw[self.number_span.start : self.number_span.end]
        return raised((number,), old) if old[:1] in SUPERSCRIPTS else str(number)


@dataclass(frozen=True, slots=True)
class References:
    """The list.

    Attributes:
        start: Where it begins, with its heading, in code points.
        end: Where its last line ends.
        heading: The heading's line without its line break; empty, at `start`, without one.
        lines: Its lines, in order; at least one.
    """

    start: int
    end: int
    heading: Span
    lines: tuple[ReferenceLine, ...]


# Marks, claims and places of an answer ask one after the other.
@lru_cache(maxsize=_TEXTS_KEPT)
def read_references(text: str) -> References | None:
    """Return the list of references at the end of a text, if it has one."""
    lines = _last_lines(without_code(text))
    for at in range(len(lines) - 1, -1, -1):
        may_tell = _NOTES_HEADING.match(lines[at].text) is not None
        if may_tell or _HEADING.match(lines[at].text):
            entries = _entries(lines[at + 1 :], may_tell=may_tell)
            return _references(lines[at].span, entries) if entries else None
    return _without_heading(text, lines)


def may_be_listed(text: str) -> bool:
    """Tell whether some lines of a text, with others behind it, could be a list of references."""
    lines = without_code(text).splitlines()
    return any(form.match(line) for line in lines for form in _LISTED_FORMS)


def read_source_lines(text: str) -> tuple[ReferenceLine, ...]:
    """Return the lines that only say what the answer rests on: ``출처: 이용안내.pdf``."""
    return tuple(
        ReferenceLine(Span(*line.span()), None, Span(line.start(), line.start()), line["target"])
        for line in _SOURCE_LINE.finditer(without_code(text))
    )


def marks_in_body(text: str, references: References | None) -> tuple[CitationMark, ...]:
    """Return the citation marks of a text that do not stand in its list of references."""
    marks = (mark for mark in read_marks(text) if not in_references(mark.start, references))
    return tuple(without_no_citations(text, marks))


def in_references(position: int, references: References | None) -> bool:
    """Tell whether a place of a text is in its list of references."""
    return references is not None and references.start <= position < references.end


class _TextLine(NamedTuple):
    """A line that is not blank; `is_apart` tells whether one before it is."""

    text: str
    start: int
    is_apart: bool

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text.rstrip()))


def _last_lines(text: str) -> list[_TextLine]:
    """Return the last lines of a text that are not blank."""
    lines: list[_TextLine] = []
    start = 0
    is_apart = False
    for line in text.splitlines(keepends=True):
        if line.strip():
            lines.append(_TextLine(line.rstrip(), start, is_apart))
        is_apart = not line.strip()
        start += len(line)
    return lines[-_MOST_LINES:]


def _entries(lines: Sequence[_TextLine], *, may_tell: bool) -> list[ReferenceLine]:
    """Return the lines under a heading; none if the answer goes on behind them.

    Args:
        lines: The lines.
        may_tell: The heading may be one of remarks, so that only files and numbers of marks count.
    """
    entries: list[ReferenceLine] = []
    for line in lines:
        entry = _numbered_line(line) or _list_line(line) or _plain(line)
        if entry and may_tell and not _may_name(entry):
            entry = None
        if entry is None:
            break
        entries.append(entry)
    rest = lines[len(entries) :]
    is_closed = len(rest) <= _MOST_CLOSING_LINES or (
        rest[0].is_apart and all(map(_may_name, entries))
    )
    return entries if is_closed else []


def _may_name(entry: ReferenceLine) -> bool:
    """Tell whether a line under a heading of remarks names a source: by a file, or a number."""
    is_numbered = entry.number is not None and not _SENTENCE.search(entry.target)
    return is_numbered or _FILE.search(entry.target) is not None


def _without_heading(text: str, lines: Sequence[_TextLine]) -> References | None:
    """Return a list that only its own form shows."""
    closing = 0
    while closing < min(_MOST_CLOSING_LINES, len(lines)) and not _numbered_line(
        lines[-1 - closing]
    ):
        closing += 1
    entries: list[ReferenceLine] = []
    at = len(lines) - closing
    while at and (entry := _numbered_line(lines[at - 1])):
        entries.insert(0, entry)
        at -= 1
    if not entries or not at:
        return None
    body = text[: entries[0].span.start]
    if not all(_explains(text, entry) for entry in entries) and not _cites(body, entries):
        return None
    rule = lines[at - 1].span if _RULE.match(lines[at - 1].text) else None
    return _references(rule or Span(entries[0].span.start, entries[0].span.start), entries)


def _cites(body: str, entries: Sequence[ReferenceLine]) -> bool:
    cited = {number for mark in read_marks(body) for number in mark.numbers}
    has_sentence = any(_SENTENCE.search(entry.target) for entry in entries)
    return not has_sentence and any(entry.number in cited for entry in entries)


def _explains(text: str, entry: ReferenceLine) -> bool:
    """Tell whether a line by its form explains a number, as ``[^1]: …`` and ``[DC] …`` do."""
    label = text[entry.number_span.end : entry.number_span.end + 3].replace("*", "").lstrip(" \t")
    return entry.number is None or label.startswith("]:")


def _numbered_line(line: _TextLine) -> ReferenceLine | None:
    """Return a line that begins with the number of a citation."""
    match = _LINE.match(line.text)
    if match is None:
        return None
    group = next((name for name in _NUMBERS if match[name] is not None), None)
    if group is None:
        return _entry(line, None, 0, match["target"])
    number = int(lowered(match[group]))
    return _entry(line, number, match.start(group), match["target"], match.end(group))


def _list_line(line: _TextLine) -> ReferenceLine | None:
    match = _LISTED.match(line.text)
    if match is None:
        return None
    if match["number"] is None:
        return _entry(line, None, 0, match["target"])
    begin, end = match.span("number")
    # The number of "2. [†9] …" is the mark's.
    if inner := _numbered_line(
        _TextLine(match["target"], line.start + match.start("target"), False)
    ):
        return replace(inner, span=line.span)
    return _entry(line, int(match["number"]), begin, match["target"], end)


def _plain(line: _TextLine) -> ReferenceLine | None:
    """Return a line that is no sentence, such as a bare title."""
    if _SENTENCE.search(line.text) or len(line.text) > _LONGEST_PLAIN_CHARS:
        return None
    return _entry(line, None, 0, line.text.strip())


def _entry(
    line: _TextLine, number: int | None, begin: int, target: str, end: int = 0
) -> ReferenceLine:
    digits = Span(line.start + begin, line.start + max(begin, end))
    return ReferenceLine(line.span, number, digits, target.strip())


def _references(heading: Span, entries: Sequence[ReferenceLine]) -> References:
    return References(heading.start, entries[-1].span.end, heading, tuple(entries))


_PAGE_OF_FILE = re.compile(rf"{FILE}[\"'」』]?[\s,(:·]{{1,3}}(?P<page>{PAGES})", re.IGNORECASE)
_PAGE_OF_TITLE = re.compile(rf"[\s,(]{{1,3}}(?P<page>{PAGES})\)?[ \t]*$")
_NAMES_PAGE = re.compile(r"[pP]\.|쪽|페이지")
_PAGE_LOOK_BACK_CHARS = 24
_PLACES_KEPT = 32


# Figures, names and ways of a text ask one after the other.
@lru_cache(maxsize=_PLACES_KEPT)
def citation_places(text: str) -> tuple[tuple[int, int], ...]:
    """Return the half-open places in a text that name its sources, in order.

    Words that a mark stands around (``<cite id="1">…</cite>``) are not among them.
    """
    places: list[tuple[int, int]] = []
    for start, end in sorted((*_of_marks(text), *_of_pages(text))):
        if not places or places[-1][1] <= start:
            places.append((start, end))
    return tuple(places)


def _of_marks(text: str) -> Iterator[tuple[int, int]]:
    for mark in read_marks(text):
        if not mark.wrapped:
            yield mark.start, mark.end
            continue
        words = text.rfind(mark.wrapped, mark.start, mark.end)
        yield mark.start, words
        yield words + len(mark.wrapped), mark.end


def _of_pages(text: str) -> Iterator[tuple[int, int]]:
    if not _NAMES_PAGE.search(text):
        return
    for found in _PAGE_OF_FILE.finditer(text):
        yield found.span("page")
    references = read_references(text)
    for line in references.lines if references else ():
        end = line.span.end
        page = _PAGE_OF_TITLE.search(text, max(line.span.start, end - _PAGE_LOOK_BACK_CHARS), end)
        if page:
            yield page.span("page")
