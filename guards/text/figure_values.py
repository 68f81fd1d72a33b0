"""Quantities as values whose place in the sources can be looked up (see `moved`, `swapped`)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from guards.core.reading import Text
from guards.text.sentences import sentence_places
from guards.text.slots.dates import parts_of
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure
from guards.text.values import Value

_HALF_DAY_MINUTES = 720
_KEY_PARTS = 3
_CLOCKS = frozenset({Dimension.CLOCK, Dimension.CLOCK_12})
_DATES = frozenset({Dimension.DATE, Dimension.MONTH_DAY})

_Key = tuple[str, int, int]
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
        _keys(quantity.measure),
        _kind(quantity.measure),
        quantity.shown,
        quantity.comparator,
    )


class Figure(NamedTuple):
    """A quantity of a text that can move.

    Attributes:
        quantity: The quantity.
        value: The same as a value.
        at: Number of its sentence in the text.
    """

    quantity: Quantity
    value: Value
    at: int


def figures_in(text: Text) -> Sequence[Figure]:
    """Return the quantities of a text that can move, in order; read once for each text."""
    return text.once(_figures)


def _figures(text: Text) -> Sequence[Figure]:
    found = [quantity for quantity in text.quantities if can_move(quantity)]
    places = sentence_places(text.sentences, [quantity.start for quantity in found])
    return [Figure(one, as_value(one), at) for one, at in zip(found, places, strict=True)]


def amounts_of(value: Value) -> list[tuple[str, Fraction]]:
    """Return dimension and amount of each reading of a value that was made of a quantity."""
    return sorted(
        (str(key[0]), Fraction(key[1], key[2]))
        for key in value.keys
        if isinstance(key, tuple) and len(key) == _KEY_PARTS
    )


def _keys(measure: Measure) -> frozenset[_Key]:
    """Return dimension and value as whole numbers, which are compared faster than fractions."""
    dimension = measure.dimension
    if dimension in _CLOCKS:
        halves = [value % _HALF_DAY_MINUTES for value in measure.values]
        return frozenset([_key(Dimension.CLOCK, value) for value in halves])
    keys: list[_Key] = [(dimension, *value.as_integer_ratio()) for value in measure.values]
    if dimension == Dimension.DATE:
        days = (part for part in parts_of(measure) if part.dimension == Dimension.MONTH_DAY)
        keys += [_key(part.dimension, part.values[0]) for part in days]
    return frozenset(keys)


def _key(dimension: str, value: Fraction) -> _Key:
    return dimension, value.numerator, value.denominator


def _kind(measure: Measure) -> str:
    if measure.dimension in _CLOCKS:
        return Dimension.CLOCK
    return Dimension.DATE if measure.dimension in _DATES else measure.dimension
