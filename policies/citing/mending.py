"""Mends an answer around its citations, once it is known which of its places change.

Four rounds, each over what the one before it made: the given edits; the text around marks that
went; the list of references; the numbers. An answer in which nothing was wrong stays as it is.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from guards.core.exchange import Source
from guards.core.finding import Span
from guards.text.citing.numbering import Numbering
from guards.text.citing.references import References, marks_in_body, read_references
from guards.text.removal import place_to_remove
from guards.text.slots.citation_mark import CitationMark
from guards.text.slots.law_index import LawIndex
from guards.text.slots.source_name import SourceNames
from policies.citing.healing import heal
from policies.citing.numbers import new_numbers, renumbered
from policies.citing.particles import agreement
from policies.citing.references import Cited, list_edits
from policies.edits import Edit, apply, left_by, then, without_overlaps
from policies.policy import CitationRules

_BETWEEN_MARKS = re.compile(r"[ \t]*[,、]?[ \t]*")


@dataclass(frozen=True, slots=True)
class Mended:
    """An answer with its citations mended, as edits of the answer as it was.

    Attributes:
        edits: What leaves.
        judged: The same while every number still means what it meant: what can be judged again.
        removed: Numbers that are cited no more.
        renumbered: Old and new numbers of citations that got another one.
    """

    edits: tuple[Edit, ...]
    judged: tuple[Edit, ...]
    removed: tuple[int, ...] = ()
    renumbered: Mapping[int, int] = field(default_factory=dict)


def mend(
    answer: str, edits: Sequence[Edit], sources: Sequence[Source], rules: CitationRules
) -> Mended | None:
    """Return the answer's edits with everything that follows from them.

    Args:
        answer: The answer.
        edits: What guards mend and what is taken out; the places do not overlap.
        sources: The sources, in the order in which citations count them.
        rules: The policy's wishes.

    Returns:
        None if a sentence does not survive the citation that it is about.
    """
    references = read_references(answer)
    marks = marks_in_body(answer, references)
    body = _without_doubles(answer, _whole_lines(answer, edits, references), marks)
    body = without_overlaps([*body, *agreement(answer, body)])
    healing = heal(apply(answer, body), _emptied(body, marks))
    if healing is None:
        return None
    mended = then(body, healing)
    names = SourceNames(sources, LawIndex.of(sources))
    numbering = Numbering(sources, references, names)
    text = apply(answer, mended)
    cited = Cited(_numbers(marks), _numbers(marks_in_body(text, read_references(text))))
    judged = then(mended, list_edits(text, cited, numbering, rules.references))
    text = apply(answer, judged)
    numbers = new_numbers(text, cited, numbering, rules)
    final = then(judged, renumbered(text, numbers))
    return Mended(final, judged, tuple(sorted(cited.gone)), numbers)


def _whole_lines(
    answer: str, edits: Sequence[Edit], references: References | None
) -> tuple[Edit, ...]:
    """Let a line of the list that is taken out go with its line break."""
    lines = {line.span for line in references.lines} if references else set()
    wider = (
        Edit(Span(*place_to_remove(answer, edit.span.start, edit.span.end)))
        if edit.span in lines and not edit.text
        else edit
        for edit in edits
    )
    return without_overlaps(wider)


def _without_doubles(
    answer: str, edits: Sequence[Edit], marks: Sequence[CitationMark]
) -> tuple[Edit, ...]:
    """Let a mark go that would say the same as its neighbour: ``[1][2]`` mended to ``[1][1]``."""
    changed = {edit.span: edit for edit in edits}
    shown = {mark: _shown(mark, changed.get(_place(mark))) for mark in marks}
    for before, mark in pairwise(marks):
        if not _BETWEEN_MARKS.fullmatch(answer, before.end, mark.start):
            continue
        for one, other in ((mark, before), (before, mark)):
            place = _place(one)
            if place in changed and shown[one] and shown[one] <= shown[other]:
                changed[place] = Edit(place)
                shown[one] = frozenset()
    return tuple(sorted(changed.values()))


def _shown(mark: CitationMark, edit: Edit | None) -> frozenset[int]:
    """Return the numbers that a mark has after its edit."""
    if edit is None:
        return frozenset(mark.numbers)
    digits = re.findall(r"\d+", unicodedata.normalize("NFKC", edit.text))
    return frozenset(int(number) for number in digits)


def _emptied(edits: Sequence[Edit], marks: Iterable[CitationMark]) -> list[int]:
    """Return the places, in the text that the edits make, at which marks were taken out."""
    places = {_place(mark) for mark in marks}
    return [
        left.span.start for edit, left in left_by(edits) if not edit.text and edit.span in places
    ]


def _place(mark: CitationMark) -> Span:
    return Span(mark.start, mark.end)


def _numbers(marks: Iterable[CitationMark]) -> frozenset[int]:
    return frozenset(number for mark in marks for number in mark.numbers)
