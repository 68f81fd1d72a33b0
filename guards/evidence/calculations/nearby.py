"""The figures that a figure of an answer may be reckoned from.

They stand beside it or before it, or in the question, or in what the sources say of the same.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from guards.claims.layout import Block, Level
from guards.claims.reader import Claim, Reading
from guards.core.keeping import lazy
from guards.evidence.calculations.reckoning import kind_of
from guards.evidence.figures import Figure, same_value
from guards.evidence.index import Context
from guards.text.normal import normalise
from guards.text.slots.quantity import find_quantities

_UNITS_BEFORE = 3
_ITEM = re.compile(r"[ \t]*(?:[-*•·▪◦○●■◆▶✔✅→]|\d{1,2}[.)]|[①-⑳])")
_MOST_OWN, _MOST_NEAR = 6, 16
"""Figures of the same sentence on either side, and of those before, that are tried."""
_MOST_TOLD = {True: 5, False: 3}
"""Figures of a source that are tried of the wanted kind, and of each other kind."""
_LEAST_LIKENESS, _LEAST_ALIKE = 0.12, 0.04
"""Least likeness of a source claim; lower if its figure is of the wanted kind."""

LikenessTo = Callable[[Context], list[tuple[float, Figure]]]


@dataclass(frozen=True, slots=True)
class Pool:
    """Figures to reckon with, the nearest first.

    Attributes:
        own: Of the same sentence, or of the same row and the head of the column.
        near: Of the sentences before, of the labels, or what was worked out before.
        user: Of the user's turns, as far as the answer does not repeat them.
        sources: Of the source claims about the same, likewise.
        text: The sentence with its labels.
        before: The text right before it.
    """

    own: tuple[Figure, ...]
    near: tuple[Figure, ...]
    user: tuple[Figure, ...]
    sources: tuple[Figure, ...]
    text: str
    before: str


class Nearby:
    """Finds what the figures of an answer may be reckoned from.

    Args:
        answer: The answer.
        figures: Its figures, in order.
        user: The figures of the user's turns.
        sources: The figures of the sources.
        likeness_to: Returns the figures of the sources with their likeness to a context.
        results: Where the figures begin that the answer shows how to reckon.
        comes_to: Tells whether the answer comes to a figure before.
    """

    def __init__(
        self,
        answer: Reading,
        figures: Sequence[Figure],
        user: Sequence[Figure],
        sources: Sequence[Figure],
        likeness_to: LikenessTo,
        results: frozenset[int],
        comes_to: Callable[[Figure], bool],
    ) -> None:
        self._answer = answer
        self._figures = figures
        self._user = user
        self._sources = sources
        self._likeness_to = likeness_to
        self._results = results
        self._comes_to = comes_to

    def of(self, figure: Figure) -> Pool:
        """Return what a figure may be reckoned from."""
        beside = [one for one in self._own(figure) if one.start != figure.start]
        at = bisect_left(beside, figure.start, key=attrgetter("start"))
        own = beside[max(at - _MOST_OWN, 0) : at + _MOST_OWN]
        own += self._in_labels(figure)
        near = [*list(self._near(figure))[-_MOST_NEAR:], *self._behind(figure)]
        near = [one for one in near if all(one.start != it.start for it in own)]
        shown = [*own, *near]
        user = [one for one in self._user if not _has_value(one, shown)]
        sources = [
            one for one in self._sources_about(figure) if not _has_value(one, [*shown, *user])
        ]
        text, before = self._texts(figure)
        return Pool(tuple(own), tuple(near), tuple(user), tuple(sources), text, before)

    def _own(self, figure: Figure) -> Iterator[Figure]:
        block = figure.claim.block
        for one in self._figures:
            other = one.claim.block
            if not block.is_cell:
                if one.claim.sentence == figure.claim.sentence:
                    yield one
            elif other.table == block.table and (
                other.line == block.line or (other.column == block.column and _is_head(other))
            ):
                yield one

    def _in_labels(self, figure: Figure) -> list[Figure]:
        """Return the figures before the colon of its own line: ``위약금 10%: 39,600원``."""
        return [
            one
            for label in figure.claim.block.labels
            if label.level is Level.LABEL
            for one in self._of_label(label.text, figure.claim)
        ]

    def _of_label(self, text: str, claim: Claim) -> Iterator[Figure]:
        start = self._answer.page.plain.rfind(text, 0, claim.block.start)
        if start < 0:
            return
        for quantity in find_quantities(text, normalise(text)):
            begin = start + quantity.start
            yield Figure(quantity, claim, begin, start + quantity.end)

    def _near(self, figure: Figure) -> Iterator[Figure]:
        block = figure.claim.block
        unit = self._units[figure.claim.sentence]
        labels = {label.text for label in block.labels}
        for one in self._figures:
            other = one.claim.block
            if one.start >= figure.start:
                break
            if block.is_cell and other.table == block.table:
                if other.column == block.column and other.line < block.line:
                    yield one
            elif (
                unit - self._units[one.claim.sentence] <= _UNITS_BEFORE
                or one.start in self._results
                or self._text_of(other).strip(" :") in labels
                or (other.is_cell and self._comes_to(one))
            ):
                yield one

    def _behind(self, figure: Figure) -> Iterator[Figure]:
        """Yield the figures of the sentence or list right behind, which may tell the operands."""
        unit = self._units[figure.claim.sentence]
        for one in self._figures:
            if self._units[one.claim.sentence] - unit == 1 and not one.claim.block.is_cell:
                yield one

    @lazy
    def _units(self) -> list[int]:
        """The number of each sentence, where all of a table or of a list count as one."""
        found: list[int] = []
        number = -1
        for kind, some in groupby(self._answer.sentences, key=lambda one: self._kind(one[0].block)):
            for at, _ in enumerate(some):
                number += not kind or at == 0
                found.append(number)
        return found

    def _kind(self, block: Block) -> str:
        """Return a name for the table or list that a block stands in; empty for prose."""
        if block.is_cell:
            return f"table {block.table}"
        plain = self._answer.page.plain
        line = plain[plain.rfind("\n", 0, block.start) + 1 : block.start]
        return "list" if _ITEM.match(line) else ""

    def _text_of(self, block: Block) -> str:
        return self._answer.page.plain[block.start : block.end]

    def _texts(self, figure: Figure) -> tuple[str, str]:
        block = figure.claim.block
        claims = self._answer.sentences[figure.claim.sentence]
        plain = self._answer.page.plain
        labels = " ".join(label.text for label in block.labels)
        begin = claims[0].start
        unit = self._units[figure.claim.sentence]
        first = next(
            (n for n, number in enumerate(self._units) if unit - number <= _UNITS_BEFORE), 0
        )
        before = plain[self._answer.sentences[first][0].start : begin]
        return f"{labels} {plain[begin : claims[-1].end]}", before

    def _sources_about(self, figure: Figure) -> list[Figure]:
        """Return the figures of the sources that are most probably said about the same."""
        wanted = kind_of(figure.measure)
        scored = [
            pair
            for pair in self._likeness_to(figure.context)
            if pair[0] >= (_LEAST_ALIKE if kind_of(pair[1].measure) == wanted else _LEAST_LIKENESS)
        ]
        scored.sort(key=lambda pair: -pair[0])
        found: list[Figure] = []
        count: dict[str, int] = {}
        for _, one in scored:
            kind = kind_of(one.measure)
            if count.get(kind, 0) < _MOST_TOLD[kind == wanted] and not _has_value(one, found):
                count[kind] = count.get(kind, 0) + 1
                found.append(one)
        return [*found, *self._beside(found, wanted)]

    def _beside(self, found: Sequence[Figure], wanted: str) -> Iterator[Figure]:
        """Yield the other figures of the wanted kind in the same sentences of the sources."""
        places = {(one.source, one.claim.sentence) for one in found}
        for one in self._sources:
            is_beside = (one.source, one.claim.sentence) in places
            if is_beside and kind_of(one.measure) == wanted and not _has_value(one, found):
                yield one


def _is_head(block: Block) -> bool:
    return block.is_heading and block.column > 0


def _has_value(figure: Figure, others: Sequence[Figure]) -> bool:
    return any(same_value(figure.measure, one.measure) for one in others)
