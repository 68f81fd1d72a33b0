"""Figures as operands: what they measure, how they are written, whether they are a rate."""

import re
from dataclasses import dataclass
from fractions import Fraction

from guards.core.reading import Text
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_RATE_NEAR = re.compile(r"당(?![가-힣])|마다|매일|[가-힣]+별|씩|[×*]|(?<![가-힣])1[인명일박회개]")
_RATE_BEFORE = re.compile(r"(?:하루|한[ ]달|매일|매월)(?:에|에는)?[ ][*_]{0,2}$")
_COUNTED_IN = re.compile(r"[ ]?([가-힣])")
_BEFORE_CHARS, _AFTER_CHARS = 14, 6
_POINTS: dict[str, str] = {Dimension.PERCENT_POINT: Dimension.PERCENT}
NO_AMOUNTS = frozenset(
    {
        Dimension.DATE, Dimension.MONTH_DAY, Dimension.YEAR_MONTH, Dimension.YEAR, Dimension.MONTH,
        Dimension.CLOCK, Dimension.CLOCK_12,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operand:
    """A figure to reckon with.

    Attributes:
        dimension: What it measures; percentage points count as percent, and a number whose unit
            is not known is measured in the first syllable behind it (200문항).
        value: In the base unit.
        written: The number as it stands, by which a rate is multiplied.
        start: Where it begins in its text.
        is_rate: Whether it is so much per one of something.
        is_bare: Whether it has no unit that is known.
        per: For how much of something it is (``5kg 28,000원``), by dimension.
    """

    dimension: str
    value: Fraction
    written: Fraction
    start: int
    is_rate: bool
    is_bare: bool
    per: tuple[tuple[str, Fraction], ...] = ()


def dimension_of(quantity: Quantity, text: Text) -> str:
    """Return what a figure of a text measures as an operand."""
    dimension = quantity.measure.dimension
    if dimension == Dimension.BARE and (unit := _COUNTED_IN.match(text.raw, quantity.end)):
        dimension = unit[1]
    return _POINTS.get(dimension, dimension)


def operand(quantity: Quantity, text: Text) -> Operand:
    """Return a figure of a text as an operand."""
    written = _NUMBER.match(quantity.text)
    value = quantity.measure.values[0]
    before = text.raw[max(0, quantity.start - _BEFORE_CHARS) : quantity.start]
    after = text.raw[quantity.end : quantity.end + _AFTER_CHARS]
    return Operand(
        dimension_of(quantity, text),
        value,
        Fraction(written[0].replace(",", "")) if written else value,
        quantity.start,
        bool(_RATE_NEAR.search(before) or _RATE_NEAR.search(after) or _RATE_BEFORE.search(before)),
        quantity.measure.dimension == Dimension.BARE,
    )
