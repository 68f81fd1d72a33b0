"""Rows of a table or list with bands of values, and the row of the user's case.

``7~12개월 60% / 13~16개월 35%``: to one who has used a plan for ten months the first applies. A
figure of another row is not the user's, unless the answer names that row.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from guards.claims.layout import Level
from guards.claims.reader import label_figures
from guards.evidence.binding import SourceFigures
from guards.evidence.figures import Figure, group_of
from guards.evidence.index import key_of
from guards.evidence.sets import Values, comparator_in, joined_values
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import Dimension

_ROWS = frozenset({Level.ROW, Level.LABEL, Level.PARENT})
_ENDS = 2
_TILL = re.compile(r"[~∼〜～]")
_GAP_CHARS = 14


class Band:
    """Values of one dimension, as a row is labelled by them.

    Attributes:
        dimension: Their dimension.
        values: The values.
        keys: The figures of the label, as features.
    """

    __slots__ = ("dimension", "keys", "values")

    def __init__(self, dimension: str, values: Values, keys: frozenset[str]) -> None:
        self.dimension = dimension
        self.values = values
        self.keys = keys

    def holds(self, value: Values) -> bool:
        """Tell whether a value lies in the band."""
        return not self.values.meet(value).is_empty


class Bands:
    """The figures of the sources that stand in rows of bands.

    Args:
        sources: All figures of the sources.
    """

    def __init__(self, sources: SourceFigures) -> None:
        self._sources = sources
        self._bands: dict[tuple[int, int], Band | None] = {}

    def _of(self, figure: Figure) -> Band | None:
        if figure.place not in self._bands:
            self._bands[figure.place] = band_of(figure)
        return self._bands[figure.place]

    def right(
        self, figure: Figure, same: Sequence[Figure], user: Iterable[Figure]
    ) -> Figure | None:
        """Return the figure of the user's row, if an answer gives that of another one.

        Args:
            figure: A figure of the answer.
            same: Those of the same value in the sources.
            user: The figures of the question.
        """
        bands = [self._of(one) for one in same]
        if not bands or None in bands:
            return None
        users = _values_by_dimension(user)
        found: Figure | None = None
        for one, band in zip(same, bands, strict=True):
            if band is None:
                return None
            rows = [
                (other, its)
                for other in self._sources.beside(one)
                if (its := self._of(other)) and its.dimension == band.dimension
            ]
            fitting = _named([(one, band), *rows], figure)
            value = users.get(band.dimension)
            if not fitting and value is not None:
                fitting = [other for other, its in [(one, band), *rows] if its.holds(value)]
            if len({other.measure for other in fitting}) != 1 or one in fitting:
                return None
            found = found or fitting[0]
        return found


def _named(rows: Sequence[tuple[Figure, Band]], figure: Figure) -> list[Figure]:
    """Return the figures of the row whose limits an answer gives: 6개월 초과 12개월 이내."""
    named = [(one, band.keys) for one, band in rows if band.keys <= figure.context.keys()]
    most = max((len(keys) for _, keys in named), default=0)
    return [one for one, keys in named if len(keys) == most]


def _values_by_dimension(figures: Iterable[Figure]) -> dict[str, Values]:
    """Return the only value that a question gives in each dimension."""
    found: dict[str, set[Values]] = {}
    for one in figures:
        values = Values(min(one.measure.values), max(one.measure.values))
        is_whole = values.low is not None and values.low.denominator == 1
        if one.measure.dimension != Dimension.BARE or not is_whole:
            found.setdefault(one.measure.dimension, set()).add(values)
    return {
        dimension: next(iter(values))
        for dimension, values in found.items()
        if len(values) == 1 and next(iter(values)).is_point
    }


def band_of(figure: Figure) -> Band | None:
    """Return the band that the row of a figure is labelled by; None if there is none."""
    return next(_bands_of(figure), None)


def _bands_of(figure: Figure) -> Iterator[Band]:
    """Yield the bands that a figure is given for: those of its labels, and of its own clause."""
    for label in reversed(figure.claim.block.labels):
        if label.level in _ROWS:
            found = _band_in(label_figures(label.text), label.text)
            if found is not None:
                yield found
    in_clause = _band_in_clause(figure)
    if in_clause is not None:
        yield in_clause


def _band_in_clause(figure: Figure) -> Band | None:
    clause, begin = figure.claim.clause, figure.claim.clause.start
    since = max(
        (
            one.end
            for one in clause.figures
            if one.end <= figure.quantity.start and group_of(one.measure) == figure.group
        ),
        default=0,
    )
    before = [
        one._replace(start=one.start - begin, end=one.end - begin)
        for one in clause.figures
        if since <= one.start and one.end <= figure.quantity.start
    ]
    near = [one for one in before if figure.quantity.start - begin - one.end <= _GAP_CHARS]
    return _band_in(before, figure.claim.text) if near else None


def _band_in(quantities: Sequence[Quantity], text: str) -> Band | None:
    """Return the band that a text of one dimension gives."""
    dimensions = {one.measure.dimension for one in quantities}
    found = [values for _, values in joined_values(quantities, text)]
    if len(quantities) == _ENDS and (
        dimensions == {Dimension.BARE}
        or _TILL.search(text[quantities[0].end : quantities[1].start])
    ):
        # Marks like 3.70 are no whole numbers; of 7~12개월 only one end has a unit.
        low, high = (one.measure.values[0] for one in quantities)
        first, second = (comparator_in(one, text) for one in quantities)
        found = [
            Values(low, high, first is not Comparator.MORE_THAN, second is not Comparator.LESS_THAN)
        ]
        dimensions = {quantities[1].measure.dimension}
    if len(dimensions) != 1 or len(found) != 1 or found[0].is_point or found[0].is_empty:
        return None
    keys = frozenset(key_of(one.measure) for one in quantities)
    return Band(dimensions.pop(), found[0], keys)
