"""Corrects an answer's citations, its numbering and its list of references.

Four passes, each over the result of the one before: the given edits; the text around removed marks;
the list of references; the numbers. An answer without errors stays as it is.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from guards.core.exchange import Source
from guards.core.finding import Span
from guards.text.citing.references import (
    ReferenceLine,
    References,
    marks_in_body,
    read_references,
    read_source_lines,
)
from guards.text.laws.index import LawIndex
from guards.text.particles import agreeing, agrees, particle_at
from guards.text.sentences import place_to_remove
from guards.text.slots.citation_mark import CitationMark, MarkStyle, read_marks
from guards.text.slots.source_name import Numbering, SourceNames
from policies.edits import Edit, apply, left_by, then, without_overlaps
from policies.healing import heal
from policies.schema.sections import CitationRules, ReferenceList, Renumber

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
        before: Before anything was corrected.
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
    """Return the edits that take out of the list what is cited no more, at last its heading too."""
    references = read_references(text)
    if references is None:
        return ()
    stays = [_stays(line, cited) for line in references.lines]
    if not any(stays):
        return (Edit(place_of_list(text, references)),)
    return tuple(_unlisted_lines(text, references.lines, stays))


def list_edits(
    text: str, cited: Cited, numbering: Numbering, wanted: ReferenceList
) -> tuple[Edit, ...]:
    """Return the edits that make the list agree with the marks.

    Lines of numbers that nobody cites any more go, and numbers that are new get a line in the
    list's own style. A list of which nothing is cited any more goes with its heading.
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
    removals = _unlisted_lines(text, references.lines, stays)
    return tuple(sorted([*removals, *(_edit_to_add(line, kept) for line in new)]))


def _stays(line: ReferenceLine, cited: Cited) -> bool:
    return line.number is None or line.number in cited.after or not cited.gone


def _unlisted_lines(text: str, lines: Sequence[ReferenceLine], stays: Sequence[bool]) -> list[Edit]:
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


def _edit_to_add(new: _NewLine, kept: Sequence[ReferenceLine]) -> Edit:
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


_MARK_OPENERS = ("[", "【", "(", "<", *"⁰¹²³⁴⁵⁶⁷⁸⁹")


def agreement(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits of particles that have to follow a change.

    A particle changes only if it agreed with what stood there. A mark that is written onto a word
    (``규정[1]은``) leaves the particle to that word.
    """
    return [followed for edit in edits if (followed := _followed(text, edit)) is not None]


def _followed(text: str, edit: Edit) -> Edit | None:
    start, end = edit.span.start, edit.span.end
    old, particle = text[start:end], particle_at(text, end)
    if not particle or not edit.text or _is_note(text, start) or not agrees(particle, old):
        return None
    wanted = agreeing(particle, edit.text)
    return None if wanted == particle else Edit(Span(end, end + len(particle)), wanted)


def _is_note(text: str, start: int) -> bool:
    return text.startswith(_MARK_OPENERS, start) and start > 0 and not text[start - 1].isspace()


@dataclass(frozen=True, slots=True)
class NumberingEdits:
    """Edits of an answer's reference list and citation numbers, in two rounds.

    Attributes:
        listed: They make the list agree with the marks.
        changes: Edits of what those make: marks and list get their new numbers.
        numbers: The new number of every citation that gets one.
    """

    listed: tuple[Edit, ...]
    changes: tuple[Edit, ...] = ()
    numbers: Mapping[int, int] = field(default_factory=dict)


def numbered(
    text: str,
    cited: Cited,
    numbering_of: Callable[[References | None], Numbering],
    meant: Numbering,
    rules: CitationRules,
) -> NumberingEdits:
    """Return the edits to the list and the numbers of a corrected answer."""
    numbers = _closed_gaps(cited, meant, rules)
    if numbers:
        always = rules.renumber is Renumber.ALWAYS
        wanted = ReferenceList.ALWAYS if always else rules.references
        listed = list_edits(text, cited, meant, wanted)
        with_list = apply(text, listed)
        changes = _renumbered(with_list, numbers)
        references = read_references(apply(with_list, changes))
        now = numbering_of(references)
        means_the_same = all(
            now.source_of(numbers.get(number, number)) == meant.source_of(number)
            for number in cited.after
        )
        if means_the_same and _explains(references):
            return NumberingEdits(listed, changes, numbers)
    return NumberingEdits(list_edits(text, cited, meant, rules.references))


def _closed_gaps(cited: Cited, meant: Numbering, rules: CitationRules) -> dict[int, int]:
    """Return the new number of every citation that would get one; empty if all keep theirs."""
    stays = rules.renumber is Renumber.NEVER or rules.references is ReferenceList.NEVER
    if stays or not cited.gone:
        return {}
    survivors = sorted(number for number in cited.after if meant.source_of(number))
    pairs = zip(survivors, range(1, len(survivors) + 1), strict=True)
    return {old: new for old, new in pairs if old != new}


def _explains(references: References | None) -> bool:
    return references is not None and any(line.number for line in references.lines)


def _renumbered(text: str, numbers: Mapping[int, int]) -> tuple[Edit, ...]:
    """Return the edits that give every mark, and every line of the list, its new number."""
    references = read_references(text)
    edits = [*_in_body(text, references, numbers), *_in_list(text, references, numbers)]
    return tuple(sorted([*edits, *agreement(text, edits)]))


def _in_body(text: str, references: References | None, numbers: Mapping[int, int]) -> list[Edit]:
    edits = []
    for mark in marks_in_body(text, references):
        wanted = tuple(numbers.get(number, number) for number in mark.numbers)
        if wanted != mark.numbers:
            edits.append(Edit(Span(mark.start, mark.end), mark.written(text, wanted)))
    return edits


def _in_list(text: str, references: References | None, numbers: Mapping[int, int]) -> list[Edit]:
    return [
        Edit(line.number_span, line.number_written(text, numbers[line.number]))
        for line in (references.lines if references else ())
        if line.number is not None and line.number in numbers
    ]


_BETWEEN_MARKS = re.compile(r"[ \t]*[,、]?[ \t]*")


@dataclass(frozen=True, slots=True)
class MendedCitations:
    """An answer with its citations mended, as edits of the answer as it was.

    Attributes:
        judged: The same while every number still means what it meant: what can be judged again.
        removed: Numbers that are cited no more.
        renumbered: Old and new numbers of citations that got another one.
    """

    edits: tuple[Edit, ...]
    judged: tuple[Edit, ...]
    removed: tuple[int, ...] = ()
    renumbered: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RemovalEdits:
    """An answer that does not survive its edits as it is.

    Attributes:
        places: The citation marks without which their sentences have no meaning.
    """

    places: tuple[Span, ...]


def mend(
    answer: str, edits: Sequence[Edit], sources: Sequence[Source], rules: CitationRules
) -> MendedCitations | RemovalEdits:
    """Return the answer's edits with everything that follows from them.

    Args:
        edits: What guards mend and what is taken out; the places do not overlap.
        sources: The sources, in the order in which citations count them.
    """
    references = read_references(answer)
    marks = marks_in_body(answer, references)
    body = _without_doubles(answer, _whole_lines(answer, edits, references), marks)
    body = without_overlaps([*body, *agreement(answer, body)])
    emptied = _emptied(body, marks)
    left = apply(answer, body)
    healing = heal(left, emptied, read_marks(left))
    if healing.lost:
        return RemovalEdits(tuple(emptied[place] for place in healing.lost))
    mended = then(body, healing.edits)
    names = SourceNames(sources, LawIndex.of(sources))

    def numbering_of(list_: References | None) -> Numbering:
        return Numbering(sources, list_, names)

    text = apply(answer, mended)
    cited = Cited(_numbers(marks), cited_in(text))
    found = numbered(text, cited, numbering_of, numbering_of(references), rules)
    judged = then(mended, found.listed)
    final = then(judged, found.changes)
    return MendedCitations(final, judged, tuple(sorted(cited.gone)), found.numbers)


def _whole_lines(
    answer: str, edits: Sequence[Edit], references: References | None
) -> tuple[Edit, ...]:
    """Let a line that names sources go with its line break, and the heading with the last one."""
    lines = {line.span for line in references.lines} if references else set()
    emptied = {edit.span for edit in edits if not edit.text}
    gone = emptied & lines
    apart = emptied & {line.span for line in read_source_lines(answer)}
    if references and gone == lines:
        others = [edit for edit in edits if edit.span not in gone]
        return without_overlaps([*others, Edit(place_of_list(answer, references))])
    others = [edit for edit in edits if edit.span not in gone | apart]
    return without_overlaps([*others, *_removals(answer, sorted(gone | apart))])


def _removals(answer: str, lines: Iterable[Span]) -> Iterator[Edit]:
    """Yield what takes out some lines, those that follow one another together."""
    stretches: list[Span] = []
    for line in lines:
        follows = bool(stretches) and not answer[stretches[-1].end : line.start].strip()
        start = stretches.pop().start if follows else line.start
        stretches.append(Span(start, line.end))
    for stretch in stretches:
        yield Edit(Span(*place_to_remove(answer, stretch.start, stretch.end)))


def _without_doubles(
    answer: str, edits: Sequence[Edit], marks: Sequence[CitationMark]
) -> tuple[Edit, ...]:
    """Let a mark go that would say the same as its neighbour: ``[1][2]`` mended to ``[1][1]``."""
    changed = {edit.span: edit for edit in edits}
    for before, mark in pairwise(marks):
        if not _BETWEEN_MARKS.fullmatch(answer, before.end, mark.start):
            continue
        for one, other in ((mark, before), (before, mark)):
            place = _place(one)
            shown = _numbers_after(one, changed.get(place))
            if (
                place in changed
                and shown
                and shown <= _numbers_after(other, changed.get(_place(other)))
            ):
                changed[place] = Edit(place, one.wrapped)
    return tuple(sorted(changed.values()))


def _numbers_after(mark: CitationMark, edit: Edit | None) -> frozenset[int]:
    """Return the numbers that a mark has after its edit."""
    if edit is None:
        return frozenset(mark.numbers)
    return _numbers(read_marks(edit.text))


def _emptied(edits: Sequence[Edit], marks: Iterable[CitationMark]) -> dict[int, Span]:
    """Return the marks that are taken out, by where they stood in the text that the edits make."""
    places = {_place(mark) for mark in marks}
    return {
        left.span.start: edit.span
        for edit, left in left_by(edits)
        if not edit.text and edit.span in places
    }


def _place(mark: CitationMark) -> Span:
    return Span(mark.start, mark.end)


def _numbers(marks: Iterable[CitationMark]) -> frozenset[int]:
    return frozenset(number for mark in marks for number in mark.numbers)
