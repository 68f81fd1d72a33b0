"""Figures that follow from figures of a passage in one step of arithmetic.

A time of day and a duration, a date and a period, two dates or two years are added and subtracted
wherever they meet. Sums, differences, shares and products of amounts count only in a sentence that
says it reckons (``총``, ``합계``, ``차이``), because some two numbers always add up to a third.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations

from guards.core.lazy import lazy
from guards.text.days import YEAR, dated, day_of, in_common_year, shifted, without_year
from guards.text.rates import may_be_combined
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure

_MOST_OPERANDS = 16
_DAY_MINUTES, _HALF_DAY_MINUTES, _MINUTE_SECONDS = 1440, 720, 60
_RECKONS = re.compile(
    r"총\s?\d|총액|총합|합계|합산|합쳐|합치|합하|합한|더하|더해|모두|"
    r"차이|차액|남은|남는|남습|줄어|줄었|줄이|늘어|늘었|"
    r"절감|절약|증가|감소|인상|인하|"
    r"더\s|덜\s|보다|곱하|곱한|[×=]|계산|이면|라면|할인|분의|"
    r"(?<![가-힣])(?:두|세|네|몇|수)[ ]?배|\d배"
)
_TOGETHER = re.compile(r"(?<![가-힣])총(?!무|장|리|회|학)|합[계쳐치하한]|모두|더[하해한]|만점")
_OVER = re.compile(r"(?:[이을]\s?)?\s?(?:넘는|넘게|넘었|웃도는|웃돈)")
_COUNTS = frozenset(
    {
        Dimension.PEOPLE,
        Dimension.TIMES,
        Dimension.DAYS,
        Dimension.MONTHS,
        "개",
        "건",
        "곳",
        "박",
        "장",
        "대",
    }
)
_CLOCKS = frozenset({Dimension.CLOCK, Dimension.CLOCK_12})
_FIRST_YEAR, _LAST_YEAR = 1, 9998

_Key = tuple[str, Fraction]


class Derivable:
    """What follows from the quantities of one passage (and of the question).

    Args:
        known: The quantities.
        added: Those of which the passage itself says that they come on top (``5,000원 추가``).
        day_after: Whether it speaks of the day after, or before, another.
    """

    def __init__(
        self,
        known: Sequence[Quantity],
        added: Sequence[Quantity] = (),
        *,
        day_after: bool = False,
    ) -> None:
        self._added = [one.measure for one in added if len(one.measure.values) == 1]
        measures = [one.measure for one in known if len(one.measure.values) == 1]
        ranges = (one.measure for one in known if len(one.measure.values) == 2)
        self._ranges = list(dict.fromkeys(ranges))[:_MOST_OPERANDS]
        if day_after:
            measures.append(Measure(Dimension.DAYS, (Fraction(1),)))
        self._operands = list(dict.fromkeys(measures))[:_MOST_OPERANDS]
        self._reckoned_in: dict[str, bool] = {}
        self._twice = {
            (one.dimension, one.values[0] * 2)
            for one, times in Counter(measures).items()
            if times > 1
        }

    def has(self, quantity: Quantity, sentence: str, before: str, after: str) -> bool:
        """Tell whether a quantity of the answer follows.

        Args:
            quantity: The quantity.
            sentence: The answer's sentence.
            before: What stands before the quantity in it.
            after: What follows it.
        """
        measure = quantity.measure
        if len(measure.values) != 1:
            return (measure.dimension, measure.values) in self._spans
        value = measure.values[0]
        if _OVER.match(after):
            return any(
                one.dimension == measure.dimension and one.values[0] > value
                for one in self._operands
            )
        key = (measure.dimension, value)
        if key in self._times or key in self._on_top:
            return True
        if measure.dimension == Dimension.DAYS and key in self._days_of_year:
            return True
        if key in self._twice and _TOGETHER.search(sentence):
            return True
        if not self._is_reckoned_in(sentence):
            return False
        return key in self._parts or (key in self._combined and may_be_combined(before, after))

    def _is_reckoned_in(self, sentence: str) -> bool:
        """Tell whether a sentence says that it reckons; asked of each of its figures."""
        if sentence not in self._reckoned_in:
            self._reckoned_in[sentence] = _RECKONS.search(sentence) is not None
        return self._reckoned_in[sentence]

    def has_share(self, quantity: Quantity) -> bool:
        """Tell whether a quantity is a share of another, or another without a share."""
        measure = quantity.measure
        return len(measure.values) == 1 and any(
            measure.values[0] in {one.values[0] * share, one.values[0] * (1 - share)}
            for one in self._operands
            if one.dimension == measure.dimension
            for share in self._shares
        )

    @lazy
    def _shares(self) -> list[Fraction]:
        percents = (one for one in self._operands if one.dimension == Dimension.PERCENT)
        return [one.values[0] / 100 for one in percents if 0 < one.values[0] < 100]

    def has_in_time(self, quantity: Quantity) -> bool:
        """Tell whether a time or a period follows from times and periods."""
        measure = quantity.measure
        key = (measure.dimension, measure.values[0])
        return len(measure.values) == 1 and (key in self._times or key in self._days_of_year)

    @lazy
    def _times(self) -> frozenset[_Key]:
        return frozenset(key for one in _in_time(self._operands) for key in _readings(one))

    @lazy
    def _days_of_year(self) -> frozenset[_Key]:
        return frozenset(
            (found.dimension, found.values[0])
            for one, other in permutations(self._operands, 2)
            if one.dimension == Dimension.MONTH_DAY
            for found in _from_day_of_year(one, other)
        )

    @lazy
    def _spans(self) -> frozenset[tuple[str, tuple[Fraction, ...]]]:
        """What takes 1~2 days and then 3~5 days takes 4~7 days."""
        return frozenset(
            (one.dimension, (one.values[0] + other.values[0], one.values[1] + other.values[1]))
            for one, other in combinations(self._ranges, 2)
            if one.dimension == other.dimension
        )

    @lazy
    def _on_top(self) -> frozenset[_Key]:
        return frozenset(
            (one.dimension, one.values[0] + other.values[0])
            for one in self._added
            for other in self._operands
            if one.dimension == other.dimension and one != other
        )

    @lazy
    def _combined(self) -> frozenset[_Key]:
        return frozenset(
            (one.dimension, value)
            for one, other in permutations(self._operands, 2)
            if one.dimension == other.dimension
            for value in (one.values[0] + other.values[0], one.values[0] - other.values[0])
        )

    @lazy
    def _parts(self) -> frozenset[_Key]:
        return frozenset((one.dimension, one.values[0]) for one in _of_amounts(self._operands))


def _readings(measure: Measure) -> Iterator[_Key]:
    """Yield the ways to write a result: with and without the half of the day, or the year."""
    value = measure.values[0]
    yield measure.dimension, value
    if measure.dimension == Dimension.CLOCK:
        yield Dimension.CLOCK_12, value % _HALF_DAY_MINUTES
    elif measure.dimension == Dimension.CLOCK_12:
        yield Dimension.CLOCK, value
        yield Dimension.CLOCK, value + _HALF_DAY_MINUTES
    elif measure.dimension == Dimension.DATE:
        yield Dimension.MONTH_DAY, value % YEAR
        yield Dimension.YEAR_MONTH, Fraction(value // 100)


def _in_time(operands: Iterable[Measure]) -> Iterator[Measure]:
    for one, other in permutations(operands, 2):
        if one.dimension in _CLOCKS:
            yield from _from_clock(one, other)
        elif one.dimension == Dimension.DATE:
            yield from _from_date(one, other)
        elif one.dimension == other.dimension == Dimension.YEAR and one.values > other.values:
            years = one.values[0] - other.values[0]
            yield Measure(Dimension.AGE, (years,))
            yield Measure(Dimension.MONTHS, (years * 12,))


def _from_clock(clock: Measure, other: Measure) -> Iterator[Measure]:
    wrap = _HALF_DAY_MINUTES if clock.dimension == Dimension.CLOCK_12 else _DAY_MINUTES
    if other.dimension == Dimension.SECONDS:
        minutes = other.values[0] / _MINUTE_SECONDS
        for sign in (1, -1):
            yield Measure(clock.dimension, ((clock.values[0] + sign * minutes) % wrap,))
    elif other.dimension == clock.dimension:
        minutes = (other.values[0] - clock.values[0]) % wrap
        yield Measure(Dimension.SECONDS, (minutes * _MINUTE_SECONDS,))


def _from_date(begin: Measure, other: Measure) -> Iterator[Measure]:
    day = day_of(begin)
    if day is None:
        return
    if other.dimension == Dimension.DAYS and abs(other.values[0]) < 36_500:
        # Whether the first day counts is a matter of the rule, so both are right here.
        for days in (other.values[0], other.values[0] - 1, -other.values[0]):
            moved = shifted(day, int(days))
            if moved:
                yield dated(moved)
    elif other.dimension == Dimension.MONTHS:
        for months in (int(other.values[0]), -int(other.values[0])):
            at = day.year * 12 + day.month - 1 + months
            if _FIRST_YEAR <= at // 12 <= _LAST_YEAR:
                value = at // 12 * YEAR + (at % 12 + 1) * 100 + day.day
                yield Measure(Dimension.DATE, (Fraction(value),))
    elif other.dimension == Dimension.DATE and (end := day_of(other)) is not None and end > day:
        for apart in ((end - day).days, (end - day).days + 1):
            yield Measure(Dimension.DAYS, (Fraction(apart),))


def _from_day_of_year(begin: Measure, other: Measure) -> Iterator[Measure]:
    """Reckon with dates that leave the year out, in a year without a leap day."""
    in_year = in_common_year(begin)
    if other.dimension == Dimension.MONTH_DAY:
        other = in_common_year(other)
    for found in _from_date(in_year, other):
        if found.dimension == Dimension.DATE:
            yield without_year(found)
        else:
            yield found


def _of_amounts(operands: Iterable[Measure]) -> Iterator[Measure]:
    for one, other in permutations(operands, 2):
        left, right = one.values[0], other.values[0]
        if one.dimension == other.dimension:
            if right:
                yield Measure("배", (left / right,))
                yield Measure(Dimension.PERCENT, (left / right * 100,))
                yield Measure(Dimension.PERCENT, ((left - right) / right * 100,))
        elif one.dimension in _COUNTS:
            continue
        elif other.dimension == Dimension.PERCENT:
            yield Measure(one.dimension, (left * right / 100,))
            yield Measure(one.dimension, (left * (100 - right) / 100,))
        elif other.dimension in _COUNTS and right > 1:
            yield Measure(one.dimension, (left * right,))
