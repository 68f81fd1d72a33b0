"""Closes the gaps in the numbers of an answer's citations."""

from collections.abc import Mapping

from guards.core.finding import Span
from guards.text.citing.numbering import Numbering
from guards.text.citing.references import References, marks_in_body, read_references
from policies.citing.particles import agreement
from policies.citing.references import Cited
from policies.edits import Edit
from policies.policy import CitationRules, ReferenceList, Renumber

_DAGGER = "†"


def new_numbers(
    text: str, cited: Cited, numbering: Numbering, rules: CitationRules
) -> dict[int, int]:
    """Return the new number of every citation that gets one; empty if all keep theirs.

    Args:
        text: The mended answer.
        cited: What it cites, and cited before.
        numbering: What its numbers mean.
        rules: The policy's wish.
    """
    if not cited.gone or not _may_change(text, rules):
        return {}
    survivors = sorted(number for number in cited.after if numbering.source_of(number))
    pairs = zip(survivors, range(1, len(survivors) + 1), strict=True)
    return {old: new for old, new in pairs if old != new}


def _may_change(text: str, rules: CitationRules) -> bool:
    if rules.renumber is Renumber.NEVER:
        return False
    references = read_references(text)
    explains = references is not None and any(line.number for line in references.lines)
    if explains and rules.references is ReferenceList.NEVER:
        return False
    if explains or rules.renumber is Renumber.ALWAYS:
        return True
    marks = marks_in_body(text, references)
    return any(_DAGGER in text[mark.start : mark.end] for mark in marks)


def renumbered(text: str, numbers: Mapping[int, int]) -> tuple[Edit, ...]:
    """Return the edits that give every mark, and every line of the list, its new number."""
    if not numbers:
        return ()
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
