"""How far from a figure of an answer that may stand which explains it.

What stands before it may be anywhere. What stands behind it has to be near: an answer that is
written waits for it, and nobody reads on for long to learn where a figure comes from.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from guards.core.reading import Text
from guards.text.reckoning_words import SUPPOSED
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Measure

REACH_CHARS = 320
"""How far behind a figure what explains it may stand."""


def supposed(answer: Text) -> tuple[Quantity, ...]:
    """Return the figures that an answer supposes (``10일이 지났다면``)."""
    return tuple(one for one in answer.quantities if SUPPOSED.match(answer.raw, one.end))


def first_places(figures: Iterable[Quantity]) -> Mapping[Measure, int]:
    """Return where each value of some figures, which are in order, stands first."""
    places: dict[Measure, int] = {}
    for one in figures:
        places.setdefault(one.measure, one.start)
    return places


def is_told(quantity: Quantity, places: Mapping[Measure, int]) -> bool:
    """Tell whether a value is explained before a figure that has it, or not far behind it."""
    place = places.get(quantity.measure)
    return place is not None and place - quantity.start <= REACH_CHARS


def is_near(place: int, places: Sequence[int]) -> bool:
    """Tell whether one of some places, which are in order, is in reach of a place."""
    at = bisect_left(places, place - REACH_CHARS)
    return at < len(places) and places[at] <= place + REACH_CHARS
