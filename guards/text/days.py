"""Calendar days as measures, and days before and behind them."""

from datetime import date, timedelta
from fractions import Fraction

from guards.text.slots.units import Dimension, Measure

YEAR = 10_000
"""What a year is worth in a date that is one number (20310305)."""
_COMMON_YEAR = 2001


def day_of(measure: Measure) -> date | None:
    """Return the day that a date names; None if there is no such day."""
    value = int(measure.values[0])
    try:
        return date(value // YEAR, value // 100 % 100, value % 100)
    except ValueError:
        return None


def shifted(day: date, days: int) -> date | None:
    """Return the day so many days behind another; None beyond the calendar's end."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return None


def dated(day: date) -> Measure:
    """Return a day as a date."""
    return Measure(Dimension.DATE, (Fraction(day.year * YEAR + day.month * 100 + day.day),))


def in_common_year(day: Measure) -> Measure:
    """Return a date that leaves the year out as one of a year without a leap day."""
    return Measure(Dimension.DATE, (_COMMON_YEAR * YEAR + day.values[0],))


def without_year(day: Measure) -> Measure:
    """Return month and day of a date."""
    return Measure(Dimension.MONTH_DAY, (day.values[0] % YEAR,))
