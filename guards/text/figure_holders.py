"""Which sources may hold a figure, told by the numbers that they give.

Asking every source for every figure of an answer would cost the more the longer the sources are.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction

from guards.core.reading import Text
from guards.text.known_quantities import written_number
from guards.text.postings import Postings, packed
from guards.text.said_figures import Number, number_of, numbers_in
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

_HALF_DAY_MINUTES = 720
_DAY_SECONDS = 86_400
_YEAR = 10_000
_CLOCKS = frozenset({Dimension.CLOCK, Dimension.CLOCK_12})


class FigureHolders:
    """Some sources by the numbers that they give.

    Args:
        sources: The texts of each source: its own and its title.
    """

    def __init__(self, sources: Sequence[Sequence[Text]]) -> None:
        self._places = range(len(sources))
        self._raws = [(place, text.raw) for place, texts in enumerate(sources) for text in texts]
        by_number: dict[Number, list[int]] = defaultdict(list)
        for place, texts in enumerate(sources):
            for number in set().union(*map(numbers_in, texts)):
                by_number[number].append(place)
        self._by_number: Postings[Number, int] = packed(by_number)

    def may_hold(self, figure: Quantity) -> Sequence[int]:
        """Return the places of all sources that may hold a figure, in order.

        None but these do (`guards.text.known_quantities`); some of them may not either.
        """
        if figure.measure.dimension == Dimension.BARE:
            return self._places
        written = figure.text
        found = {place for place, raw in self._raws if written in raw}
        for number in map(number_of, _numbers(figure)):
            found.update(self._by_number.get(number, ()))
        return sorted(found)


def _numbers(figure: Quantity) -> Iterator[Fraction]:
    """Yield every number by which a text may tell a figure, whatever its unit there."""
    dimension = figure.measure.dimension
    for value in figure.measure.values:
        yield value
        if dimension == Dimension.DAYS:
            yield value * _DAY_SECONDS
        elif dimension == Dimension.SECONDS:
            yield value / _DAY_SECONDS
        elif dimension == Dimension.DATE:
            yield Fraction(int(value) % _YEAR)
        elif dimension in _CLOCKS:
            yield value % _HALF_DAY_MINUTES
            yield value + _HALF_DAY_MINUTES
    if written := written_number(figure):
        yield written
