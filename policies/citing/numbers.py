"""Closes the gaps in the numbers of an answer's citations.

A number only changes together with a list of references that says what it means now, and only if it
is read to mean the same source as before.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from guards.core.finding import Span
from guards.text.citing.numbering import Numbering
from guards.text.citing.references import References, marks_in_body, read_references
from policies.citing.particles import agreement
from policies.citing.references import Cited, list_edits
from policies.citing.rules import CitationRules, ReferenceList, Renumber
from policies.edits import Edit, apply


@dataclass(frozen=True, slots=True)
class Numbered:
    """What becomes of an answer's list and numbers, in two rounds of edits.

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
) -> Numbered:
    """Return what becomes of the list and the numbers of a mended answer.

    Args:
        text: The mended answer.
        cited: What it cites, and cited before.
        numbering_of: Reads what numbers mean by a list of references.
        meant: What they meant in the answer as it was.
        rules: The policy's wishes.
    """
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
            return Numbered(listed, changes, numbers)
    return Numbered(list_edits(text, cited, meant, rules.references))


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
