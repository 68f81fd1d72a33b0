"""Sentences of different sources that say the same with different figures.

Two statements contradict each other only if they are told in one form (see
`guards.text.conflict_statements`) and their sources speak of one subject: what differs between two
titles or headings, other than the edition and the kind of document, is a scope of its own.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from guards.core.exchange import Source
from guards.core.lazy import lazy
from guards.core.reading import SourceSet
from guards.text.conflict_statements import (
    Opening,
    Statement,
    openings_of,
    statements_at,
    statements_of,
)
from guards.text.conflict_values import Figure
from guards.text.editions import Edition, edition_of
from guards.text.slots.quantity import Quantity

# A key that turns up so often is a form, and what its figures are about stands elsewhere.
_MOST_WITH_ONE_KEY = 12
_WORDS_WITHOUT_TITLE = 2
_WORDS_IN_ONE_DOCUMENT = 3


@dataclass(frozen=True, slots=True)
class Told:
    """A statement and the source that makes it.

    Attributes:
        source_id: Id of the source.
        edition: What the source says of itself.
        statement: The statement.
    """

    source_id: str
    edition: Edition
    statement: Statement

    @property
    def subject(self) -> frozenset[str]:
        """The words of the title and headings that say what it is about."""
        return self.edition.subject | self.statement.heading


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a contradiction, as an answer may take it.

    Attributes:
        told: Who says it.
        figure: The figure that is said.
        other: Who says otherwise.
        other_figure: The figure that is said there.
    """

    told: Told
    figure: Figure
    other: Told
    other_figure: Figure

    @property
    def is_older(self) -> bool:
        """Whether the other source is certainly the newer edition."""
        return self.other.edition.is_newer_than(self.told.edition)

    @property
    def is_newer(self) -> bool:
        """Whether this source is certainly the newer edition."""
        return self.told.edition.is_newer_than(self.other.edition)


class Contradictions:
    """What the sources of a request say in figures, and where they contradict one another.

    Args:
        sources: The sources.

    Attributes:
        sides: Both sides of every contradiction.
    """

    def __init__(self, sources: SourceSet) -> None:
        self._texts = [(part.source, part.text) for part in sources.parts if part.source]
        self.sides = tuple(_sides_of(self._told_alike()))

    @lazy
    def told(self) -> Sequence[Told]:
        """Every statement, in order."""
        return [
            one for source, text in self._texts for one in _told_by(source, statements_of(text))
        ]

    def _told_alike(self) -> Iterator[Told]:
        """Yield the statements that begin as another one with other figures does, in order.

        None but these may have a key in common and differ, and most sources have few of them.
        """
        by_words: dict[str, list[tuple[int, Opening]]] = defaultdict(list)
        for number, (_, text) in enumerate(self._texts):
            for opening in openings_of(text):
                by_words[opening.words].append((number, opening))
        places: dict[int, set[int]] = defaultdict(set)
        for group in by_words.values():
            if len(group) > 1 and _differ([opening for _, opening in group]):
                for number, opening in group:
                    places[number].add(opening.at)
        for number in sorted(places):
            source, text = self._texts[number]
            yield from _told_by(source, statements_at(text, places[number]))


def _told_by(source: Source, statements: Iterable[Statement]) -> Iterator[Told]:
    edition = edition_of(source)
    return (Told(source.id, edition, statement) for statement in statements)


def _differ(openings: Sequence[Opening]) -> bool:
    """Tell whether not all of some sentences give the same quantities."""
    first, *others = (
        [
            figure.slot.measure if isinstance(figure.slot, Quantity) else figure
            for figure in opening.figures
        ]
        for opening in openings
    )
    return any(other != first for other in others)


def _sides_of(told: Iterable[Told]) -> Iterator[Side]:
    by_key: dict[str, list[Told]] = defaultdict(list)
    for one in told:
        by_key[one.statement.key].append(one)
    for group in by_key.values():
        if len(group) > _MOST_WITH_ONE_KEY:
            continue
        for position, one in enumerate(group):
            for other in group[:position]:
                for figure, other_figure in _contradictions(one, other):
                    yield Side(one, figure, other, other_figure)
                    yield Side(other, other_figure, one, figure)


def _contradictions(one: Told, other: Told) -> list[tuple[Figure, Figure]]:
    if not _on_one_subject(one, other):
        return []
    figures = list(zip(one.statement.figures, other.statement.figures, strict=False))
    if len(one.statement.figures) != len(other.statement.figures):
        return []
    if any(figure.kind != beside.kind for figure, beside in figures):
        return []
    different = [pair for pair in figures if not pair[0].agrees(pair[1])]
    if one.edition.is_ranked_against(other.edition):
        return different
    # Where two figures differ, the first may be what tells two rules apart (50명 이상: 3일).
    if len(different) != 1 or any(figure.is_threshold for figure in different[0]):
        return []
    return different


def _on_one_subject(one: Told, other: Told) -> bool:
    """Tell whether two statements with one key are about the same thing."""
    first, second = one.statement, other.statement
    leans = first.points or second.points
    words = min(first.words, second.words)
    if one.edition.name and one.edition.name == other.edition.name:
        in_place = one.source_id != other.source_id or first.section == second.section
        return (
            in_place
            and not leans
            and words >= _WORDS_IN_ONE_DOCUMENT
            and (first.heading == second.heading)
        )
    if one.subject and one.subject == other.subject:
        return True
    if one.subject and other.subject:
        return False
    return not leans and words >= _WORDS_WITHOUT_TITLE
