"""Quantities as values whose place in the sources can be looked up (see `moved`, `swapped`)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from guards.core.reading import Text
from guards.text.passages import Passages
from guards.text.slots.dates import parts_of
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure
from guards.text.values import Value

_HALF_DAY_MINUTES = 720
_KEY_PARTS = 3
_CLOCKS = frozenset({Dimension.CLOCK, Dimension.CLOCK_12})
_DATES = frozenset({Dimension.DATE, Dimension.MONTH_DAY})
# These name no value of their own that another could stand for.
_NO_VALUES = frozenset({Dimension.BARE, Dimension.YEAR, Dimension.MONTH, Dimension.YEAR_MONTH})


def can_move(quantity: Quantity) -> bool:
    """Tell whether a quantity has a unit and a value that another could stand for."""
    return not quantity.measure.everyday and quantity.measure.dimension not in _NO_VALUES


def as_value(quantity: Quantity) -> Value:
    """Return a quantity as a value; what can mean the same shares a key (a date and its day)."""
    return Value(
        quantity.start,
        quantity.end,
        frozenset(_keys(quantity.measure)),
        _kind(quantity.measure),
        quantity.shown,
        quantity.comparator,
    )


def values_of_sources(passages: Passages) -> list[tuple[Text, Sequence[Value]]]:
    """Return the text of each source with its values."""
    return [
        (text, [as_value(quantity) for quantity in text.quantities if can_move(quantity)])
        for _, text in passages.texts()
    ]


def amounts_of(value: Value) -> list[tuple[str, Fraction]]:
    """Return dimension and amount of each reading of a value that was made of a quantity."""
    return [
        (str(key[0]), Fraction(key[1], key[2]))
        for key in value.keys
        if isinstance(key, tuple) and len(key) == _KEY_PARTS
    ]


def _keys(measure: Measure) -> Iterator[tuple[str, int, int]]:
    """Yield dimension and value as whole numbers, which are compared faster than fractions."""
    if measure.dimension in _CLOCKS:
        for value in measure.values:
            yield _key(Dimension.CLOCK, value % _HALF_DAY_MINUTES)
        return
    days = (part for part in parts_of(measure) if part.dimension == Dimension.MONTH_DAY)
    for one in (measure, *days):
        for value in one.values:
            yield _key(one.dimension, value)


def _key(dimension: str, value: Fraction) -> tuple[str, int, int]:
    return dimension, value.numerator, value.denominator


def _kind(measure: Measure) -> str:
    if measure.dimension in _CLOCKS:
        return Dimension.CLOCK
    return Dimension.DATE if measure.dimension in _DATES else measure.dimension
