"""Values as sets of points: a figure with its comparator and the side that is allowed.

``16시 이전 가능`` and ``16시가 지나면 불가`` are the same set, and so are
``50,000원 미만이면 부과`` and ``50,000원 이상 무료``, or ``65 이상 75 미만`` and ``65~74세``: sets
are compared, not words.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from guards.evidence.calculations.points import LENGTHS, POINTS
from guards.lexicons.loading import sections
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import COUNTED, Dimension, Measure

DISCRETE = COUNTED | {
    Dimension.AGE, Dimension.TIMES, Dimension.BARE, "층", "학년", "학기", "점", "곳", "종", "급",
    "등급", "박", "석", "실", "잔", "권",
}  # fmt: skip
"""Dimensions that come in whole numbers only, so that 미만 75 is 이하 74."""

FREE = Measure(Dimension.WON, (Fraction(0),))
"""A price of nothing: 무료, 무상."""
_FREE_WORDS = re.compile(r"무료|무상(?![가-힣]*증자)")
_BEFORE_CHARS, _AFTER_CHARS = 8, 16


class Values(NamedTuple):
    """An interval of values of one kind.

    Attributes:
        low: Where it begins; None if it has no lower end.
        high: Where it ends; None if it has no upper end.
        has_low: Whether the lower end belongs to it.
        has_high: Whether the upper end belongs to it.
    """

    low: Fraction | None
    high: Fraction | None
    has_low: bool = True
    has_high: bool = True

    @property
    def is_point(self) -> bool:
        """True if it is a single value."""
        return self.low is not None and self.low == self.high

    @property
    def is_empty(self) -> bool:
        """True if it contains nothing."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (
            self.low == self.high and not (self.has_low and self.has_high)
        )

    def meet(self, other: "Values") -> "Values":
        """Return what lies in both."""
        low, has_low = max((self.low, self.has_low), (other.low, other.has_low), key=_later)
        high, has_high = min((self.high, self.has_high), (other.high, other.has_high), key=_earlier)
        return Values(low, high, has_low, has_high)


def _later(end: tuple[Fraction | None, bool]) -> tuple[bool, Fraction, bool]:
    value, belongs = end
    return value is not None, value or Fraction(0), not belongs


def _earlier(end: tuple[Fraction | None, bool]) -> tuple[bool, Fraction, bool]:
    value, belongs = end
    return value is None, value or Fraction(0), belongs


@cache
def _patterns(where: str) -> tuple[tuple[Comparator, re.Pattern[str]], ...]:
    found = []
    for name, entries in sections("comparators").items():
        kind, _, place = name.partition(" ")
        if place == where:
            words = "|".join(entries)
            found.append((_NAMES[kind], re.compile(words)))
    return tuple(found)


_NAMES = {
    "at_least": Comparator.AT_LEAST,
    "more_than": Comparator.MORE_THAN,
    "at_most": Comparator.AT_MOST,
    "less_than": Comparator.LESS_THAN,
    "before": Comparator.LESS_THAN,
    "after": Comparator.MORE_THAN,
}


def comparator_in(quantity: Quantity, text: str) -> Comparator | None:
    """Return which side of its value a quantity covers.

    Args:
        quantity: The quantity.
        text: The text in which its places count.
    """
    before = text[max(0, quantity.start - _BEFORE_CHARS) : quantity.start]
    after = text[quantity.end : quantity.end + _AFTER_CHARS]
    dimension = quantity.measure.dimension
    if dimension in LENGTHS and re.match(r"[ ]?이전", after):
        return None  # 3일 이전 is a point before something.
    if dimension in POINTS:
        for found, words in _patterns("point"):
            if words.match(after):
                return found
    for found, words in _patterns("behind"):
        if words.match(after):
            return found
    for found, words in _patterns("before"):
        if words.search(before):
            return found
    return quantity.comparator


def values_of(quantity: Quantity, text: str) -> Values:
    """Return the values that a quantity covers.

    Args:
        quantity: The quantity.
        text: The text in which its places count.
    """
    measure = quantity.measure
    low, high = min(measure.values), max(measure.values)
    comparator = comparator_in(quantity, text) if low == high else None
    return _whole(_side(low, high, comparator), measure.dimension)


def _side(low: Fraction, high: Fraction, comparator: Comparator | None) -> Values:
    if comparator is None:
        return Values(low, high)
    if comparator in {Comparator.AT_LEAST, Comparator.MORE_THAN}:
        return Values(low, None, comparator is Comparator.AT_LEAST, True)
    return Values(None, high, True, comparator is Comparator.AT_MOST)


def _whole(values: Values, dimension: str) -> Values:
    """Return the same with its ends in it, where there are whole numbers only."""
    if dimension not in DISCRETE:
        return values
    if not values.has_low and values.low is not None and values.low.denominator == 1:
        values = values._replace(low=values.low + 1, has_low=True)
    if not values.has_high and values.high is not None and values.high.denominator == 1:
        values = values._replace(high=values.high - 1, has_high=True)
    return values


def joined_values(quantities: Sequence[Quantity], text: str) -> tuple[tuple[int, Values], ...]:
    """Return what the quantities of a text cover, each with the number of the first that says so.

    A lower limit and the upper one right behind it are one set: ``65세 이상 75세 미만``.
    """
    found: list[tuple[int, Values]] = []
    for number, quantity in enumerate(quantities):
        own = values_of(quantity, text)
        last = quantities[number - 1] if number else None
        if last is not None and _is_range(last, quantity, text):
            values = Values(last.measure.values[0], quantity.measure.values[0])
            found[-1] = (found[-1][0], values)
        elif found and number and _closes(quantities[number - 1], quantity, found[-1][1], own):
            first, before = found.pop()
            found.append((first, before.meet(own)))
        else:
            found.append((number, own))
    return tuple(found)


_GAP_CHARS = 12
_UP_TO = re.compile(r"[ ]?[~∼〜～][ ]?")


def _is_range(first: Quantity, second: Quantity, text: str) -> bool:
    """Tell whether two numbers without a unit are the ends of a range: 65~74."""
    return (
        first.measure.dimension == second.measure.dimension == Dimension.BARE
        and first.measure.values[0] < second.measure.values[0]
        and _UP_TO.fullmatch(text, first.end, second.start) is not None
    )


def _closes(first: Quantity, second: Quantity, low: Values, high: Values) -> bool:
    return (
        first.measure.dimension == second.measure.dimension
        and second.start - first.end <= _GAP_CHARS
        and low.high is None
        and high.low is None
        and not low.meet(high).is_empty
    )


def is_free(text: str) -> bool:
    """Tell whether a text says that nothing is to be paid."""
    return _FREE_WORDS.search(text) is not None
