"""The figures that an answer commits itself to."""

from guards.core.reading import Text
from guards.text.scripts import prose_only
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

_TWO_DIGITS = 10


def claimed_quantities(text: Text) -> list[Quantity]:
    """Return a text's quantities without everyday wording, lone digits and those in code."""
    prose = prose_only(text.raw)
    return [
        quantity
        for quantity in text.quantities
        if not quantity.measure.everyday
        and not _is_lone_digit(quantity)
        and prose[quantity.start : quantity.end] == quantity.text
    ]


def _is_lone_digit(quantity: Quantity) -> bool:
    measure = quantity.measure
    return measure.dimension == Dimension.BARE and measure.values[0] < _TWO_DIGITS
