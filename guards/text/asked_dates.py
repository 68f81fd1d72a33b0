"""Dates that follow from one of the question and a period of the sources.

``10월 1일 예약인데 언제까지 취소하나요?`` and ``이용일 3일 전까지`` come to 9월 28일. The source
says on which side of the event the period lies.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from guards.core.lazy import lazy
from guards.core.reading import Asked, Text
from guards.text.days import dated, day_of, in_common_year, shifted, without_year
from guards.text.figure_frames import Lean, kept_frame_of
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure

_DATES = frozenset({Dimension.DATE, Dimension.MONTH_DAY})
_MOST_DAYS = 3660


class AskedDates:
    """The dates that follow from those of the question; made once for a request."""

    def __init__(self, asked: Asked) -> None:
        self._asked = [
            one.measure
            for one in asked.question.text.quantities
            if one.measure.dimension in _DATES and len(one.measure.values) == 1
        ]
        self._texts = [part.text for part in asked.sources]

    def has(self, quantity: Quantity) -> bool:
        """Tell whether a date of the answer follows."""
        return quantity.measure.dimension in _DATES and quantity.measure in self._following

    @lazy
    def _following(self) -> frozenset[Measure]:
        if not self._asked:
            return frozenset()
        apart = {days for text in self._texts for days in text.once(_days_apart)}
        return frozenset(_dates(self._asked, apart))


def _days_apart(text: Text) -> frozenset[int]:
    """Return how many days from an event a text says that something is, before it less than 0."""
    apart: set[int] = set()
    for one in text.quantities:
        if not _is_days(one.measure):
            continue
        days = int(one.measure.values[0])
        if kept_frame_of(one, text).lean is Lean.BEFORE:
            apart.add(-days)
        else:
            # Whether the first day counts is a matter of the rule.
            apart |= {days, days - 1}
    return frozenset(apart)


def _is_days(measure: Measure) -> bool:
    return (
        measure.dimension == Dimension.DAYS
        and len(measure.values) == 1
        and measure.values[0].denominator == 1
        and measure.values[0] <= Fraction(_MOST_DAYS)
    )


def _dates(asked: Iterable[Measure], apart: Iterable[int]) -> Iterator[Measure]:
    for one in asked:
        has_year = one.dimension == Dimension.DATE
        begin = day_of(one if has_year else in_common_year(one))
        for days in apart if begin else ():
            moved = shifted(begin, days) if begin else None
            if moved:
                found = dated(moved)
                yield without_year(found)
                if has_year:
                    yield found
