"""The figures that an answer commits itself to."""

import re

from guards.core.reading import Text
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

_TWO_DIGITS = 10
_NUMBERED_LINE = re.compile(r"^[ \t]*(?P<number>\d{1,2})[.)][ \t]", re.MULTILINE)
_NUMBER = re.compile(r"(?P<number>\d{1,2})번")
_BEGINS = re.compile(
    r"(?:^|[.!?,:\n]|\d번[과와]|(?<![가-힣])(?:위|위의|참고로|다만|또한|특히))[ \t]*\Z"
)
_GOES_ON = re.compile(r"[은는의](?=[ ])|[과와](?=[ ]\d{1,2}번)|[ ]?항목")
_BEFORE_CHARS = 8


def claimed_quantities(text: Text) -> tuple[Quantity, ...]:
    """Return a text's quantities without everyday wording, lone digits and those in code.

    Nor those that name a line of its list by its number (``2번의 요금은``).
    """
    return text.once(_claimed)


def _claimed(text: Text) -> tuple[Quantity, ...]:
    lines = {int(line["number"]): line.start() for line in _NUMBERED_LINE.finditer(text.raw)}
    return tuple(
        quantity
        for quantity in text.quantities
        if not quantity.measure.everyday
        and not _is_lone_digit(quantity)
        and text.prose[quantity.start : quantity.end] == quantity.text
        and not (lines and _names_line(quantity, text, lines))
    )


def _is_lone_digit(quantity: Quantity) -> bool:
    measure = quantity.measure
    return measure.dimension == Dimension.BARE and measure.values[0] < _TWO_DIGITS


def _names_line(quantity: Quantity, text: Text, lines: dict[int, int]) -> bool:
    """Tell whether a figure begins a clause and is the number of a line before it."""
    named = _NUMBER.fullmatch(quantity.text)
    if not named or lines.get(int(named["number"]), quantity.start) >= quantity.start:
        return False
    before = text.raw[max(0, quantity.start - _BEFORE_CHARS) : quantity.start]
    return bool(_BEGINS.search(before) and _GOES_ON.match(text.raw, quantity.end))
