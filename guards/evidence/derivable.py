"""Figures that some short calculation could give, whether or not the answer names its steps.

That some combination of figures gives a value proves nothing: it is no reason to call the value
right, only one not to call it invented. Such a value is left open.
"""

from collections.abc import Iterable, Sequence

from guards.evidence.figures import Figure
from guards.text.slots.units import Dimension

_MOST_AMOUNTS, _MOST_FACTORS = 48, 64
_LARGEST_FACTOR = 400
_DIGITS = 2
_POINTS = frozenset(
    {
        Dimension.DATE,
        Dimension.MONTH_DAY,
        Dimension.YEAR_MONTH,
        Dimension.YEAR,
        Dimension.MONTH,
        Dimension.CLOCK,
        Dimension.CLOCK_12,
    }
)
_LENGTHS = frozenset({Dimension.DAYS, Dimension.MONTHS, Dimension.SECONDS})


class Derivable:
    """What could be calculated from the figures of one exchange.

    Args:
        answer: The figures of the answer.
        asked: The figures of the user's turns.
        told: The figures of the sources.
    """

    def __init__(
        self, answer: Sequence[Figure], asked: Sequence[Figure], told: Sequence[Figure]
    ) -> None:
        self._answer = answer
        self._asked = asked
        self._told = told

    def may_give(self, figure: Figure) -> bool:
        """Tell whether a short calculation from the other figures could give a figure."""
        others = [one for one in self._answer if one.start != figure.start]
        dimension = figure.measure.dimension
        if dimension in _POINTS:
            return self._may_be_moved(others)
        wanted = [float(value) for value in figure.measure.values]
        amounts = _amounts((*others, *self._asked, *self._told), dimension, wanted)
        rates = [one for one in self._told if one.measure.dimension == Dimension.PERCENT]
        factors = _factors((*self._asked, *others, *rates))
        near = _amounts((*others, *self._asked), dimension, wanted)
        return all(_is_given(value, amounts, near, factors) for value in wanted)

    def _may_be_moved(self, others: Iterable[Figure]) -> bool:
        """Tell whether a date or time could be another one, moved by a period."""
        known = [*others, *self._asked]
        has_point = any(one.measure.dimension in _POINTS for one in known)
        has_length = any(one.measure.dimension in _LENGTHS for one in (*known, *self._told))
        return has_point and has_length


def _amounts(figures: Iterable[Figure], dimension: str, wanted: Sequence[float]) -> list[float]:
    found: dict[float, None] = {}
    for one in figures:
        if one.measure.dimension == dimension or one.measure.dimension == Dimension.BARE:
            for value in one.measure.values:
                if float(value) not in wanted:
                    found[float(value)] = None
    return list(found)[:_MOST_AMOUNTS]


def _factors(figures: Iterable[Figure]) -> list[float]:
    found: dict[float, None] = {2.0: None, 12.0: None}
    for one in figures:
        measure = one.measure
        for value in measure.values:
            number = float(value)
            if measure.dimension == Dimension.PERCENT:
                for factor in (number / 100, 1 - number / 100, 1 + number / 100):
                    found[factor] = None
            elif measure.dimension in _LENGTHS:
                found.update(dict.fromkeys(_in_units(number, measure.dimension)))
            elif measure.dimension not in _POINTS and 0 < number <= _LARGEST_FACTOR:
                found[number] = None
    return [one for one in found if one > 0][:_MOST_FACTORS]


def _in_units(number: float, dimension: str) -> tuple[float, ...]:
    """Return a length of time in the units in which it may be counted."""
    if dimension == Dimension.SECONDS:
        return tuple(part for part in (number / 60, number / 3600) if part <= _LARGEST_FACTOR)
    if dimension == Dimension.MONTHS:
        return (number, number / 12)
    return (number, number - 1, number / 7) if number > 1 else (number,)


def _is_given(
    wanted: float, amounts: Sequence[float], near: Sequence[float], factors: Sequence[float]
) -> bool:
    """Tell whether one step from any amounts gives a value, or two from those that are named."""
    if wanted == 0:
        return True
    known = {round(one, _DIGITS) for one in amounts}
    products = {round(one * factor, _DIGITS) for one in amounts for factor in factors}
    products |= {round(one / factor, _DIGITS) for one in amounts for factor in factors}
    if round(wanted, _DIGITS) in products or any(
        round(abs(wanted + sign * one), _DIGITS) in known for one in amounts for sign in (1, -1)
    ):
        return True
    if any(
        round(abs(wanted + sign * one), _DIGITS) in products for one in near for sign in (1, -1)
    ):
        return True
    if any(round(wanted / (one * other), _DIGITS) in known for one in factors for other in factors):
        return True
    named = {round(one, _DIGITS) for one in near}
    return any(round(wanted - one - other, _DIGITS) in named for one in near for other in near)
