"""Quantities of a Korean text: a value or a range with unit, dimension and comparator.

Reads amounts with a unit, money, fractions, dates and clocks in their many notations; see the
modules beside this one. What is no quantity (제3조, list markers, telephone numbers, bus routes) is
left out.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from guards.text.normal import Normal
from guards.text.slots.amounts import (
    BARE_NUMBER,
    CAPTION,
    DIGIT_READERS,
    WORD_READERS,
    Reader,
    caption_units,
    read_bare,
)
from guards.text.slots.clocks import CLOCKS, WORD_CLOCKS, read_clock
from guards.text.slots.dates import SECOND_DAY, dates_sought, read_date
from guards.text.slots.other_numbers import blotted, without_other_numbers
from guards.text.slots.phone import find_phones
from guards.text.slots.route import route_places
from guards.text.slots.units import PERIODS, Dimension, Measure
from guards.text.slots.windows import Sought, Window, digit_windows, matches_in


class Comparator(StrEnum):
    """Which side of its value a quantity covers."""

    AT_LEAST = "at_least"
    MORE_THAN = "more_than"
    AT_MOST = "at_most"
    LESS_THAN = "less_than"


_COMPARATORS = {
    "이상": Comparator.AT_LEAST, "부터": Comparator.AT_LEAST, "이후": Comparator.AT_LEAST,
    "최소": Comparator.AT_LEAST, "적어도": Comparator.AT_LEAST, "초과": Comparator.MORE_THAN,
    "이하": Comparator.AT_MOST, "이내": Comparator.AT_MOST, "까지": Comparator.AT_MOST,
    "이전": Comparator.AT_MOST, "안에": Comparator.AT_MOST, "내에": Comparator.AT_MOST,
    "최대": Comparator.AT_MOST, "최장": Comparator.AT_MOST, "미만": Comparator.LESS_THAN,
}  # fmt: skip
_COMPARED_AFTER = re.compile(
    r"(?:[ ]?\([^()\n]{1,20}\))?[ ]?(이상|이하|초과|미만|이내|까지|부터|이후|이전|안에|내에)"
)
_BEFORE = re.compile(
    r"(?<![가-힣])(?:(?P<rough>약|대략|거의|얼추|어림잡아|줄잡아)"
    r"|(?P<compared>최소|최대|최장|적어도)(?:한|로)?)[ ]{0,2}$"
)
_BEFORE_ENDS = frozenset("약략의추아소대장도한로")
_ROUGH_AFTER = re.compile(
    r"[ ]?(?:정도|쯤|가량|내외|안팎|남짓|전후)|여(?![가-힣])|[경께](?![가-힣])"
)
# 5일 전 and 5일 이내 are no day of a month, 30분 걸립니다 no minutes of a time of day.
_DAYS_GO_ON = re.compile(
    r"[ ]?(?:전(?!체|부|화|원|시)|후|뒤|이내|안에|내에|간(?![가-힣])|동안|초과|미만|이상|이하|씩"
    r"|마다|정도|걸|소요)"
)
_DAY = re.compile(r"\d[ ]?일$")
_AT_MINUTE = re.compile(r"[ ]?(?:에(?!서)|부터|까지|[~-]|출발|발(?![가-힣]))")
_LOOK_BACK_CHARS = 10
# 1시간 30분 and 2년 6개월 are one quantity each.
_SMALLER_UNITS = {"년": "개월", "시간": "분", "분": "초", "주": "일", "m": "cm", "미터": "센티미터"}
_BIGGER_UNITS = tuple(_SMALLER_UNITS)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity and its half-open place in the raw text, in code points.

    Attributes:
        text: As it stands, with its unit but without words like 약 or 이상 around it.
        start: Where it begins.
        end: Where it ends.
        measure: Its value and dimension.
        approximate: Whether the text itself hedges it (약, 정도, 30여 명).
        comparing_word: The word that makes the comparator (이상, 최대, …); empty if there is none.
        is_length: Whether what follows shows it to be a length of time, not a point of it.
    """

    text: str
    start: int
    end: int
    measure: Measure
    comparing_word: str = ""
    approximate: bool = False
    is_length: bool = False

    @property
    def comparator(self) -> Comparator | None:
        """Which side it covers; None where it is exact or the text does not say."""
        # 3일 이전 is three days or more before something: no upper limit.
        if self.comparing_word == "이전" and self.measure.dimension in PERIODS:
            return None
        return _COMPARATORS.get(self.comparing_word)

    @property
    def shown(self) -> str:
        """The quantity as a reader would quote it: ``30일 이내``."""
        return f"{self.text} {self.comparing_word}".rstrip()


class _Found(NamedTuple):
    start: int
    end: int
    measure: Measure
    rough: bool = False


class _Canvas:
    """A normal form from which each kind of quantity takes its places, most specific kind first."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[_Found] = []
        self.near_digits = digit_windows(text)
        self.everywhere = [(0, len(text))]

    def take(self, sought: Sought, reader: Reader, windows: Sequence[Window]) -> None:
        """Read every match of a pattern in some windows and blot out what was read."""
        matches = matches_in(sought, self.text, windows)
        if not matches:
            return
        rough = sought.pattern.groupindex.get("rough", 0)
        taken = [
            _Found(*match.span(), measure, bool(rough and match[rough]))
            for match in matches
            if (measure := reader(match)) is not None
        ]
        self._keep(taken)

    def leave_out(self, places: Iterable[tuple[int, int]]) -> None:
        """Blot out places, given in order, that hold no quantity of their own."""
        self.text = blotted(self.text, places)

    def take_second_days(self) -> None:
        """Read the days that lean on the month of the date right before them."""
        taken: list[_Found] = []
        for date in sorted(self.found, key=lambda found: found.start):
            if date.measure.dimension not in {Dimension.DATE, Dimension.MONTH_DAY}:
                continue
            match = SECOND_DAY.match(self.text, date.end)
            if match:
                month = int(date.measure.values[0]) // 100 % 100
                start = match.start("month" if match["month"] else "day")
                taken.append(_Found(start, match.end(), read_date(match, month)))
        self._keep(taken)

    def _keep(self, taken: list[_Found]) -> None:
        if taken:
            self.found += taken
            self.text = blotted(self.text, ((found.start, found.end) for found in taken))


def find_quantities(raw: str, normal: Normal) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order; none overlaps another."""
    canvas = _Canvas(without_other_numbers(raw, normal))
    canvas.leave_out((phone.start, phone.end) for phone in find_phones(normal.text))
    canvas.leave_out((start, end) for start, end, *_ in route_places(normal.text))
    for sought in dates_sought(canvas.text):
        canvas.take(sought, read_date, canvas.near_digits)
    canvas.take_second_days()
    for sought in CLOCKS:
        canvas.take(sought, read_clock, canvas.near_digits)
    for sought in WORD_CLOCKS:
        canvas.take(sought, read_clock, canvas.everywhere)
    captions = caption_units(canvas.text)
    canvas.leave_out([match.span() for match in CAPTION.finditer(canvas.text)])
    for sought, reader in DIGIT_READERS:
        canvas.take(sought, reader, canvas.near_digits)
    for sought, reader in WORD_READERS:
        canvas.take(sought, reader, canvas.everywhere)
    canvas.take(BARE_NUMBER, lambda match: read_bare(match, captions), canvas.near_digits)
    found = sorted(canvas.found, key=lambda found: found.start)
    return _apart(_quantity(one, raw, normal) for one in _joined(found, normal.text))


def _apart(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """Return quantities in order without those that share a character (the 1 and 2 of ½)."""
    kept: list[Quantity] = []
    for quantity in quantities:
        if not kept or kept[-1].end <= quantity.start:
            kept.append(quantity)
    return tuple(kept)


def _joined(found: Sequence[_Found], text: str) -> list[_Found]:
    """Return the same with neighbours like 1시간 and 30분 added up."""
    joined: list[_Found] = []
    for one in found:
        if joined and _continues(joined[-1], one, text):
            first = joined.pop()
            values = (first.measure.values[0] + one.measure.values[0],)
            one = _Found(first.start, one.end, Measure(one.measure.dimension, values))  # noqa: PLW2901
        joined.append(one)
    return joined


def _continues(first: _Found, second: _Found, text: str) -> bool:
    if second.start - first.end > 1 or first.measure.dimension != second.measure.dimension:
        return False
    if len(first.measure.values) + len(second.measure.values) != 2:
        return False
    if not text.endswith(_BIGGER_UNITS, first.start, first.end):
        return False
    return text[first.end : second.start].strip() == "" and any(
        text.endswith(unit, first.start, first.end)
        and text.endswith(smaller, second.start, second.end)
        for unit, smaller in _SMALLER_UNITS.items()
    )


def _quantity(found: _Found, raw: str, normal: Normal) -> Quantity:
    start, end = normal.to_raw(found.start, found.end)
    before = _before(normal.text, found.start)
    rough = (
        found.rough
        or (before is not None and before["rough"] is not None)
        or _ROUGH_AFTER.match(normal.text, found.end) is not None
    )
    after = _COMPARED_AFTER.match(normal.text, found.end)
    comparing_word = after[1] if after else before and before["compared"]
    return Quantity(
        text=raw[start:end],
        start=start,
        end=end,
        measure=found.measure,
        comparing_word=comparing_word or "",
        approximate=rough,
        is_length=_is_length(found, normal.text),
    )


def _before(text: str, start: int) -> re.Match[str] | None:
    """Return the word right before a quantity that hedges or compares it; None if none does."""
    begin = max(0, start - _LOOK_BACK_CHARS)
    if text[begin:start].rstrip(" \n")[-1:] not in _BEFORE_ENDS:
        return None
    return _BEFORE.search(text, begin, start)


def _is_length(found: _Found, text: str) -> bool:
    if found.measure.dimension == Dimension.SECONDS:
        return _AT_MINUTE.match(text, found.end) is None
    if found.measure.dimension != Dimension.DAYS:
        return False
    is_day = _DAY.search(text, found.start, found.end) is not None
    return not is_day or _DAYS_GO_ON.match(text, found.end) is not None
