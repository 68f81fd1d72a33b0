"""Keeps the list of references at the end of an answer true to its marks."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from guards.core.exchange import Source
from guards.core.finding import Span
from guards.text.citing.references import ReferenceLine, References, marks_in_body, read_references
from guards.text.sentences import place_to_remove
from guards.text.slots.citation_mark import CitationMark, MarkStyle
from guards.text.slots.source_name import Numbering
from policies.edits import Edit
from policies.schema.sections import ReferenceList

_OPENING_CHARS = 40


def cited_as(source: Source) -> str:
    """Return a source's file, else its title, with the page; a nameless one's opening words.

    On one line, whatever the source is called.
    """
    name = " ".join((source.file or source.title).split())
    name = name or opening_words(source, _OPENING_CHARS)
    return name if source.page is None else f"{name}, p.{source.page}"


def opening_words(source: Source, most_chars: int) -> str:
    """Return how a source's text begins, on one line and in quotes."""
    line = " ".join(source.text.split())
    return f'"{line}"' if len(line) <= most_chars else f'"{line[:most_chars].rstrip()}…"'


HEADING = "### References"
_RULE_BEFORE = re.compile(r"(?:^|\n)[ \t]*(?P<rule>(?:-{3,}|\*{3,}|_{3,})[ \t]*\n\s*)$")


@dataclass(frozen=True, slots=True)
class Cited:
    """Which numbers an answer cites outside its list.

    Attributes:
        before: Before anything was mended.
        after: Since then.
    """

    before: frozenset[int]
    after: frozenset[int]

    @property
    def gone(self) -> frozenset[int]:
        """Numbers that the answer no longer cites."""
        return self.before - self.after


def cited_in(text: str) -> frozenset[int]:
    """Return the numbers that a text cites outside its list."""
    marks = marks_in_body(text, read_references(text))
    return frozenset(number for mark in marks for number in mark.numbers)


def unlisted(text: str, cited: Cited) -> tuple[Edit, ...]:
    """Return the edits that take out of the list what is cited no more, with the last its heading.

    Args:
        text: The answer after its citations changed.
        cited: What it cites.
    """
    references = read_references(text)
    if references is None:
        return ()
    stays = [_stays(line, cited) for line in references.lines]
    if not any(stays):
        return (Edit(place_of_list(text, references)),)
    return tuple(_removals(text, references.lines, stays))


def list_edits(
    text: str, cited: Cited, numbering: Numbering, wanted: ReferenceList
) -> tuple[Edit, ...]:
    """Return the edits that make the list agree with the marks.

    Lines of numbers that nobody cites any more go, and numbers that are new get a line in the
    list's own style. A list of which nothing is cited any more goes with its heading.

    Args:
        text: The answer with its marks mended.
        cited: What it cites.
        numbering: What its numbers mean.
        wanted: The policy's wish.
    """
    if wanted is ReferenceList.NEVER:
        return ()
    references = read_references(text)
    if references is None:
        return _new_list(text, numbering) if wanted is ReferenceList.ALWAYS else ()
    stays = [_stays(line, cited) for line in references.lines]
    new = list(_new_lines(text, references, cited, numbering))
    if not any(stays):
        return _replaced(text, references, [line.text for line in new])
    kept = [line for line, stay in zip(references.lines, stays, strict=True) if stay]
    removals = _removals(text, references.lines, stays)
    return tuple(sorted([*removals, *(_placed(line, kept) for line in new)]))


def _stays(line: ReferenceLine, cited: Cited) -> bool:
    return line.number is None or line.number in cited.after or not cited.gone


def _removals(text: str, lines: Sequence[ReferenceLine], stays: Sequence[bool]) -> list[Edit]:
    removals = []
    for stay, group in groupby(zip(lines, stays, strict=True), key=lambda pair: pair[1]):
        going = [line for line, _ in group]
        if not stay:
            place = place_to_remove(text, going[0].span.start, going[-1].span.end)
            removals.append(Edit(Span(*place)))
    return removals


def _replaced(text: str, references: References, new: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edit that puts other lines in the place of all; without any the list goes."""
    if new:
        whole = Span(references.lines[0].span.start, references.lines[-1].span.end)
        return (Edit(whole, "\n".join(new)),)
    return (Edit(place_of_list(text, references)),)


def place_of_list(text: str, references: References) -> Span:
    """Return the place of a whole list, with its heading and a rule above it."""
    rule = _RULE_BEFORE.search(text, 0, references.start)
    start = rule.start("rule") if rule else references.start
    return Span(*place_to_remove(text, start, references.end))


@dataclass(frozen=True, slots=True)
class _NewLine:
    number: int
    text: str


def _new_lines(
    text: str, references: References, cited: Cited, numbering: Numbering
) -> Iterator[_NewLine]:
    """Yield lines for numbers that are new, written like the list's first numbered one."""
    like = next((line for line in references.lines if line.number is not None), None)
    if like is None:
        return
    target_at = text.find(like.target, like.number_span.end)
    before = text[like.span.start : like.number_span.start]
    between = text[like.number_span.end : target_at]
    listed = {line.number for line in references.lines}
    for number in sorted(cited.after - cited.before - listed):
        source = numbering.source_of(number)
        if source is not None:
            name = _named_alike(source, references.lines, numbering)
            written = like.number_written(text, number)
            yield _NewLine(number, f"{before}{written}{between}{name}")


def _named_alike(source: Source, lines: Iterable[ReferenceLine], numbering: Numbering) -> str:
    """Return the name of a source: its title where the list gives titles and no files."""
    for line in lines:
        named = None if line.number is None else numbering.source_of(line.number)
        if named and named.title and named.title in line.target and source.title:
            is_by_file = named.file and named.file in line.target
            return cited_as(source) if is_by_file else source.title
    return cited_as(source)


def _placed(new: _NewLine, kept: Sequence[ReferenceLine]) -> Edit:
    """Return the edit that puts a line behind those of lower numbers."""
    lower = [line for line in kept if line.number is not None and line.number < new.number]
    if lower:
        at = lower[-1].span.end
        return Edit(Span(at, at), f"\n{new.text}")
    at = kept[0].span.start
    return Edit(Span(at, at), f"{new.text}\n")


def _new_list(text: str, numbering: Numbering) -> tuple[Edit, ...]:
    """Return the edit that adds a list to an answer that has none."""
    marks = [mark for mark in marks_in_body(text, None) if mark.numbers]
    numbers = sorted({number for mark in marks for number in mark.numbers})
    meant = [(number, numbering.source_of(number)) for number in numbers]
    lines = [
        f"- {_head(text, marks[0], number)} {cited_as(source)}"
        for number, source in meant
        if source
    ]
    if not lines:
        return ()
    end = len(text.rstrip())
    return (Edit(Span(end, end), "\n".join([f"\n\n{HEADING}", *lines])),)


def _head(text: str, like: CitationMark, number: int) -> str:
    """Return the mark that heads a line, in the answer's own style where that is a bracket."""
    if like.style is MarkStyle.LIST and not like.place:
        return like.written(text, [number])
    return f"[{number}]"
