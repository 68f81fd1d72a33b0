"""The quantities of several texts, looked up by value.

Two quantities are the same if value and dimension agree after exact conversion and neither covers a
side that the other excludes (이상 against 미만).
"""

import re
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence, Set
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter

from guards.core.lazy import lazy
from guards.core.reading import SourceSet, Text
from guards.text.closest_figures import texts_and_titles
from guards.text.said_figures import Key, key_of, keys_of, said_in, said_in_sources
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import COUNTED, PERIODS, Dimension

_HALF_DAY_MINUTES = 720
_DAY_SECONDS = 86_400
_NOT_AMOUNTS = frozenset(
    {
        Dimension.CLOCK,
        Dimension.CLOCK_12,
        Dimension.DATE,
        Dimension.MONTH_DAY,
        Dimension.YEAR_MONTH,
    }
)
_FIRST_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_NUMERAL_RUN = re.compile(r"\d+(?:[.,]\d+)*")
_NUMERAL_PART_END = re.compile(r"[.,]|$")
_LONGEST_NUMERAL_CHARS = 40
_NUMBERS_KEPT = 4096
_MOST_ASKED = 1024


def _numerals_in(text: Text) -> frozenset[str]:
    """Return all numbers of a text in digits, and what stands before a comma or point of them."""
    return frozenset(
        run[0][: end.start()].replace(",", "")
        for run in _NUMERAL_RUN.finditer(text.normal.text)
        for end in _NUMERAL_PART_END.finditer(run[0], 0, _LONGEST_NUMERAL_CHARS)
    )


class KnownQuantities:
    """What some texts say in figures.

    Args:
        texts: The texts.
        sources: What the sources of an exchange say, besides.
    """

    def __init__(self, texts: Iterable[Text] = (), sources: SourceSet | None = None) -> None:
        own = [text for text in texts if text.raw]
        self._texts = [*sources.once(texts_and_titles), *own] if sources else own
        self._said = [sources.once(said_in_sources)] if sources else []
        self._said += [text.once(said_in) for text in own]
        self._asked: dict[Hashable, bool] = {}
        self._has_figures = any(said.comparators or said.implied for said in self._said)

    def has(self, quantity: Quantity) -> bool:
        """Tell whether the texts hold this quantity, each end of it if it is a range."""
        if not self._has_figures and (
            quantity.measure.dimension != Dimension.BARE or not self._numerals
        ):
            return self._has_verbatim(quantity)
        keys = keys_of(quantity.measure)
        name = (quantity.text, quantity.comparing_word, quantity.is_length, *keys)
        known = self._asked.get(name)
        if known is None:
            if len(self._asked) >= _MOST_ASKED:
                self._asked.clear()
            known = self._asked[name] = self._holds(quantity, keys)
        return known

    def has_ends(self, quantity: Quantity) -> bool:
        """Tell the same of a range of things that are counted, whose ends may be of two texts."""
        is_count = quantity.measure.dimension in COUNTED
        return is_count and len(quantity.measure.values) > 1 and self.has(quantity)

    def _holds(self, quantity: Quantity, keys: Sequence[Key]) -> bool:
        has_keys = True
        for key in keys:
            if not self._has_key(key, quantity):
                has_keys = False
                break
        return has_keys or self._has_number(quantity) or self._has_verbatim(quantity)

    def _has_key(self, key: Key, quantity: Quantity) -> bool:
        if not self._says(key):
            same = _in_other_unit(key)
            if not (same and self._says(same)):
                return self._has_otherwise(key, is_length=quantity.is_length)
            key = same
        own = quantity.comparator
        for said in self._said:
            known = said.comparators.get(key, ())
            if known and (own is None or None in known or own in known):
                return True
        return False

    def _says(self, key: Key) -> bool:
        for said in self._said:  # noqa: SIM110 - asked most often: `any` takes twice as long
            if key in said.comparators:
                return True
        return False

    def _implies(self, key: Key) -> bool:
        for said in self._said:  # noqa: SIM110 - as in `_says`
            if key in said.implied:
                return True
        return False

    def has_value(self, quantity: Quantity) -> bool:
        """Tell the same without regard to comparators."""
        return all(self._says(key) for key in keys_of(quantity.measure))

    def values_near(self, quantity: Quantity, tolerance: float) -> bool:
        """Tell whether each value is within a share of some value of the same dimension."""
        return all(
            any(
                dimension == quantity.measure.dimension
                and abs(Fraction(*known) - value) <= Fraction(*known) * Fraction(tolerance)
                for said in self._said
                for dimension, *known in said.comparators
            )
            for value in quantity.measure.values
        )

    def _has_otherwise(self, key: Key, *, is_length: bool) -> bool:
        """Tell whether a date, a part of one or an open time of day follows from what is known.

        The day of a date is no length of time.
        """
        if self._implies(key):
            return not is_length
        dimension = key[0]
        if dimension == Dimension.CLOCK:
            value = Fraction(key[1], key[2])
            return self._says(key_of(Dimension.CLOCK_12, value % _HALF_DAY_MINUTES))
        if dimension == Dimension.CLOCK_12:
            value = Fraction(key[1], key[2])
            times = (value, value + _HALF_DAY_MINUTES)
            return any(self._says(key_of(Dimension.CLOCK, time)) for time in times)
        return dimension == Dimension.DATE and self._has_year_apart(Fraction(key[1], key[2]))

    def _has_year_apart(self, date: Fraction) -> bool:
        """Tell whether the texts give day and year of a date in different places."""
        year, month_day = divmod(int(date), 10_000)
        years = [key_of(kind, Fraction(year)) for kind in (Dimension.YEAR, Dimension.BARE)]
        return self._says(key_of(Dimension.MONTH_DAY, Fraction(month_day))) and any(
            self._says(one) or self._implies(one) for one in years
        )

    def _has_number(self, quantity: Quantity) -> bool:
        """Tell whether the number stands without a unit, as in the cell of a table."""
        if quantity.measure.dimension == Dimension.BARE:
            return self._has_bare(quantity)
        if len(quantity.measure.values) > 1 or quantity.measure.dimension in _NOT_AMOUNTS:
            return False
        if not any(said.has_bare for said in self._said):
            return False
        numbers = [quantity.measure.values[0]]
        if written := written_number(quantity):
            numbers.append(written)
        return any(self._says(key_of(Dimension.BARE, number)) for number in numbers)

    def _has_bare(self, number: Quantity) -> bool:
        """Tell whether a number without a unit stands there with any unit, or in any other way."""
        value = number.measure.values[0].as_integer_ratio()
        for said in self._said:
            if value in said.values:
                return True
        if not _FIRST_NUMBER.fullmatch(number.text):
            return False
        return number.text.replace(",", "") in self._numerals

    @lazy
    def _numerals(self) -> Set[str]:
        """All numbers of the texts in digits."""
        return frozenset().union(*(text.once(_numerals_in) for text in self._texts))

    def _has_verbatim(self, quantity: Quantity) -> bool:
        if quantity.comparator is not None and self.has_value(quantity):
            return False
        holding = [text for text in self._texts if quantity.text in text.raw]
        if not holding:
            return False
        pattern = re.compile(
            rf"(?<!\d)(?<!\d[.,])(?<!\d[천만억조])(?<!\d[천만억조][ ]){re.escape(quantity.text)}"
        )
        if quantity.measure.dimension not in PERIODS:
            return any(pattern.search(text.raw) for text in holding)
        return any(
            not _is_within(found.span(), quantity, text)
            for text in holding
            for found in pattern.finditer(text.raw)
        )


def known_in(told: SourceSet) -> KnownQuantities:
    """Return what sources say in figures; made once for them."""
    return KnownQuantities(sources=told)


def written_number(quantity: Quantity) -> Fraction | None:
    """Return the number in digits with which a quantity is written, as it stands there."""
    return _first_number(quantity.text)


@lru_cache(maxsize=_NUMBERS_KEPT)
def _first_number(text: str) -> Fraction | None:
    written = _FIRST_NUMBER.match(text)
    return Fraction(written[0].replace(",", "")) if written else None


def may_agree(one: Comparator | None, other: Comparator | None) -> bool:
    """Tell whether two comparators may stand for the same; saying none contradicts nothing."""
    return one is None or other is None or one == other


def _is_within(place: tuple[int, int], quantity: Quantity, text: Text) -> bool:
    """Tell whether a period stands at a place only as a part of a longer one, or of a time."""
    start, end = place
    at = bisect_right(text.quantities, start, key=attrgetter("start"))
    around = text.quantities[at - 1] if at else None
    if around is None or around.end < end or (around.start, around.end) == place:
        return False
    return quantity.is_length or around.measure.dimension in PERIODS


def _in_other_unit(key: Key) -> Key | None:
    """Return days in seconds, and whole days of seconds in days (``144시간`` = ``6일``).

    Not one day: ``24시간`` says as often that something never closes.
    """
    dimension, number, parts = key
    if dimension == Dimension.DAYS and number > parts:
        return key_of(Dimension.SECONDS, Fraction(number, parts) * _DAY_SECONDS)
    if dimension == Dimension.SECONDS and parts == 1 and number > _DAY_SECONDS:
        days, rest = divmod(number, _DAY_SECONDS)
        return None if rest else (Dimension.DAYS, days, 1)
    return None
