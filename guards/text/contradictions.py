"""Sentences of different sources that say the same with different figures.

Two statements contradict each other only if they are told in one form (see
`guards.text.conflict_statements`) and their sources speak of one subject: what differs between two
titles or headings, other than the edition and the kind of document, is a scope of its own.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from guards.core.exchange import Source
from guards.core.reading import SourceSet, Text
from guards.text.conflict_statements import Statement, statements_of
from guards.text.conflict_values import Figure
from guards.text.editions import Edition, edition_of

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
        told: Every statement, in order.
        sides: Both sides of every contradiction.
    """

    def __init__(self, sources: SourceSet) -> None:
        self.told = tuple(
            one for part in sources.parts if part.source for one in _told_by(part.source, part.text)
        )
        self.sides = tuple(_sides_of(self.told))


def _told_by(source: Source, text: Text) -> Iterator[Told]:
    edition = edition_of(source)
    return (Told(source.id, edition, statement) for statement in statements_of(text))


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
