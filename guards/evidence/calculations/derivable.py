"""Figures that some short calculation could give, whether or not the answer names its steps.

That some combination of figures gives a value proves nothing: it is no reason to call the value
right, only one not to call it invented. Such a value is left open.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from guards.evidence.binding import Bound, Held
from guards.evidence.figures import Figure, same_value
from guards.evidence.thresholds import BINDING
from guards.text.slots.units import Dimension, Measure

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
_CALCULATED = frozenset({Dimension.WON, Dimension.PERCENT})
# 3일 전 is no 3일 후, and 1명당 counts no persons.
_TURNS = frozenset({"@전", "@후", "@당", "@마다"})
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

    def may_give(self, figure: Figure, bound: Bound) -> bool:
        """Tell whether a figure may be the result of a short calculation from the others.

        Args:
            figure: A figure of the answer.
            bound: How the sources stand to it.
        """
        return not self._replaces(figure, bound) and self._is_in_reach(figure)

    def _replaces(self, figure: Figure, bound: Bound) -> bool:
        """Tell whether a figure stands in the place of the sources', which the answer never names.

        What is calculated from the sources' value has it beside it, and is an amount or a share.
        """
        right = bound.right
        if bound.held is not Held.DIFFERS or right is None or _turn(figure) != _turn(right):
            return False
        own, told = figure.measure, right.measure
        # 30개월 for 30일 has the same number, 1개월 for 1년 the same dimension.
        if own.dimension != told.dimension and own.values != told.values:
            return False
        if any(same_value(one.measure, told) for one in self._answer):
            return False
        named = [
            one.measure
            for one in (*self._answer, *self._asked)
            if one.start != figure.start and one.measure.dimension == own.dimension
        ]
        if any(_adds_up(own, *pair) for pair in combinations(named[:_MOST_AMOUNTS], 2)):
            return False
        place = right.source, right.claim.sentence
        beside = [one for one in self._told if (one.source, one.claim.sentence) == place]
        if any(_adds_up(own, one.measure, other.measure) for one, other in combinations(beside, 2)):
            return False
        is_amount = own.dimension in _CALCULATED
        least = BINDING.replaces_amount if is_amount else BINDING.replaces
        return bound.likeness >= least

    def _is_in_reach(self, figure: Figure) -> bool:
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


def _turn(figure: Figure) -> frozenset[str]:
    """Return what the word behind a figure makes of it, where that is another thing."""
    return frozenset(feature for feature in figure.context if feature in _TURNS)


def _adds_up(measure: Measure, one: Measure, other: Measure) -> bool:
    """Tell whether a value is the sum or the difference of two others of its dimension."""
    if not measure.dimension == one.dimension == other.dimension:
        return False
    pairs = tuple(zip(one.values, other.values, strict=False))
    return measure.values in {
        tuple(first + second for first, second in pairs),
        tuple(abs(first - second) for first, second in pairs),
    }


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
