"""The figures that an answer commits itself to."""

from guards.core.reading import Text
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

_TWO_DIGITS = 10


def claimed_quantities(text: Text) -> tuple[Quantity, ...]:
    """Return a text's quantities without everyday wording, lone digits and those in code."""
    return text.once(_claimed)


def _claimed(text: Text) -> tuple[Quantity, ...]:
    return tuple(
        quantity
        for quantity in text.quantities
        if not quantity.measure.everyday
        and not _is_lone_digit(quantity)
        and text.prose[quantity.start : quantity.end] == quantity.text
    )


def _is_lone_digit(quantity: Quantity) -> bool:
    measure = quantity.measure
    return measure.dimension == Dimension.BARE and measure.values[0] < _TWO_DIGITS
