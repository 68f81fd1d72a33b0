"""Points of time moved by lengths of time, and the lengths between two points.

A month has no fixed number of days, a month and a day have no year, and a period may be counted
with its first day or without it: so there may be several right answers.
"""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from fractions import Fraction

from guards.text.slots.units import Dimension, Measure

DATES = frozenset({Dimension.DATE, Dimension.MONTH_DAY})
CLOCKS = frozenset({Dimension.CLOCK, Dimension.CLOCK_12})
POINTS = DATES | CLOCKS | {Dimension.YEAR_MONTH, Dimension.MONTH, Dimension.YEAR}
LENGTHS = frozenset({Dimension.DAYS, Dimension.MONTHS, Dimension.SECONDS})
_YEARS = (2023, 2024)
"""One without and one with a leap day, for dates that name no year."""
_DAY_SECONDS, _DAY_MINUTES, _HALF_DAY_MINUTES = 86_400, 1440, 720
_YEAR_MONTHS = 12


def moved(
    point: Measure, length: Measure, sign: int, *, inclusive: bool = False
) -> tuple[Measure, ...]:
    """Return where a point comes to.

    Args:
        point: Where it begins.
        length: How far it goes.
        sign: 1 for later, -1 for earlier.
        inclusive: Whether the first day may count, too.
    """
    kind, value = point.dimension, point.values[0]
    if kind in CLOCKS:
        if length.dimension != Dimension.SECONDS or length.values[0] % _DAY_SECONDS == 0:
            return ()
        whole = _DAY_MINUTES if kind == Dimension.CLOCK else _HALF_DAY_MINUTES
        return (Measure(kind, ((value + sign * length.values[0] / 60) % whole,)),)
    if kind in {Dimension.YEAR, Dimension.MONTH, Dimension.YEAR_MONTH}:
        return _months_moved(point, length, sign)
    found = dict.fromkeys(
        _named(day, kind)
        for begin in _dates(point)
        for day in _moved_dates(begin, length, sign, inclusive=inclusive)
    )
    return tuple(found)


def _months_moved(point: Measure, length: Measure, sign: int) -> tuple[Measure, ...]:
    if length.dimension != Dimension.MONTHS or length.values[0].denominator > 1:
        return ()
    months, value = sign * int(length.values[0]), int(point.values[0])
    if point.dimension == Dimension.YEAR:
        if months % _YEAR_MONTHS:
            return ()
        return (Measure(Dimension.YEAR, (Fraction(value + months // _YEAR_MONTHS),)),)
    if point.dimension == Dimension.MONTH:
        return (Measure(Dimension.MONTH, (Fraction((value - 1 + months) % _YEAR_MONTHS + 1),)),)
    total = value // 100 * _YEAR_MONTHS + value % 100 - 1 + months
    year, month = divmod(total, _YEAR_MONTHS)
    return (Measure(Dimension.YEAR_MONTH, (Fraction(year * 100 + month + 1),)),)


def _dates(point: Measure) -> Iterator[date]:
    value = int(point.values[0])
    month, day = value // 100 % 100, value % 100
    years = (value // 10_000,) if point.dimension == Dimension.DATE else _YEARS
    for year in years:
        if 1 <= month <= _YEAR_MONTHS and 1 <= day <= monthrange(year, month)[1]:
            yield date(year, month, day)


def _moved_dates(begin: date, length: Measure, sign: int, *, inclusive: bool) -> Iterator[date]:
    number = length.values[0]
    if number.denominator > 1 or abs(number) > 100_000:
        return
    if length.dimension == Dimension.DAYS:
        end = begin + timedelta(days=sign * int(number))
    elif length.dimension == Dimension.MONTHS:
        total = begin.year * _YEAR_MONTHS + begin.month - 1 + sign * int(number)
        year, month = divmod(total, _YEAR_MONTHS)
        if not 1 <= year <= 9999:
            return
        end = date(year, month + 1, min(begin.day, monthrange(year, month + 1)[1]))
    elif length.dimension == Dimension.SECONDS and number % _DAY_SECONDS == 0:
        end = begin + timedelta(days=sign * int(number / _DAY_SECONDS))
    else:
        return
    yield end
    if inclusive:
        yield end - timedelta(days=sign)


def _named(day: date, kind: str) -> Measure:
    value = day.month * 100 + day.day + (day.year * 10_000 if kind == Dimension.DATE else 0)
    return Measure(kind, (Fraction(value),))


def between(
    one: Measure, other: Measure, *, inclusive: bool = False, days: int = 0
) -> tuple[Measure, ...]:
    """Return the lengths of time between two points of one kind; empty if there is none.

    Args:
        one: A point.
        other: Another one.
        inclusive: Whether the first day may count, too.
        days: How many whole days lie between two times of day besides.
    """
    kinds = {one.dimension, other.dimension}
    if kinds <= CLOCKS:
        whole = _DAY_MINUTES if kinds == {Dimension.CLOCK} else _HALF_DAY_MINUTES
        gap = (other.values[0] - one.values[0]) % whole
        return tuple(
            Measure(Dimension.SECONDS, (minutes * 60 + days * _DAY_SECONDS,))
            for minutes in {gap, whole - gap}
        )
    if kinds == {Dimension.YEAR}:
        years = abs(other.values[0] - one.values[0])
        return (
            Measure(Dimension.MONTHS, (years * _YEAR_MONTHS,)),
            Measure(Dimension.AGE, (years,)),
        )
    if not kinds <= DATES:
        return ()
    return tuple(dict.fromkeys(_between_dates(one, other, inclusive=inclusive)))


def _between_dates(one: Measure, other: Measure, *, inclusive: bool) -> Iterator[Measure]:
    for begin in _dates(one):
        for end in _dates(other):
            same_year = begin.year == end.year
            if not same_year and one.dimension == other.dimension == Dimension.MONTH_DAY:
                continue
            days = abs((end - begin).days)
            yield Measure(Dimension.DAYS, (Fraction(days),))
            if inclusive:
                yield Measure(Dimension.DAYS, (Fraction(days + 1),))
            months = (end.year - begin.year) * _YEAR_MONTHS + end.month - begin.month
            if begin.day == end.day:
                yield Measure(Dimension.MONTHS, (Fraction(abs(months)),))


def months_apart(one: Measure, other: Measure) -> tuple[Fraction, ...]:
    """Return how many months may lie between two dates or months; empty for other measures.

    Without a year for both, the second may be the next one of its name or the last.
    """
    places = [_in_months(point) for point in (one, other)]
    if None in places:
        return ()
    (year, month), (other_year, other_month) = (place for place in places if place)
    if year and other_year:
        return (abs((year - other_year) * _YEAR_MONTHS + month - other_month),)
    gap = (month - other_month) % _YEAR_MONTHS
    return gap, _YEAR_MONTHS - gap


def _in_months(point: Measure) -> tuple[int, Fraction] | None:
    """Return the year of a point, 0 for none, and its month with the part that has passed."""
    value = int(point.values[0])
    match point.dimension:
        case Dimension.DATE | Dimension.MONTH_DAY:
            month, day = divmod(value % 10_000, 100)
            return value // 10_000, month + Fraction(day - 1, 31)
        case Dimension.YEAR_MONTH:
            return value // 100, Fraction(value % 100)
        case Dimension.MONTH:
            return 0, Fraction(value)
    return None
