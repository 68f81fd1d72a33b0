"""Quantities of a Korean text: a value or a range with unit, dimension and comparator.

Reads amounts with a unit, money, fractions, dates and clocks in their many notations (see
`amounts` and `dates`), and numbers without a unit of their own, to which the caption of a table may
give one. Articles, ordinals, list markers, citation marks, telephone numbers and bus routes are no
quantities: they are blanked out first, so that ``제3조`` is no amount and ``①3일`` no 13 days.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from guards.text.citing.references import citation_places
from guards.text.normal import Normal, normalise
from guards.text.slots.amounts import DIGIT_READERS, WORD_READERS, Reader
from guards.text.slots.contact import find_phones
from guards.text.slots.dates import (
    CLOCKS,
    SECOND_DAY,
    WORD_CLOCKS,
    dates_sought,
    read_clock,
    read_date,
)
from guards.text.slots.route import route_places
from guards.text.slots.units import (
    FREE,
    MIXED_NUMBER,
    PERIODS,
    SCALES,
    UNITS,
    Dimension,
    Measure,
    Unit,
    mixed_value,
)
from guards.text.slots.windows import (
    AT_NUMBERS,
    NumberedText,
    Search,
    blotted,
    has_digits,
    matches_in,
)

# The halves of ½, which the normal form writes as 1⁄2, are no numbers.
_BARE_NUMBER = re.compile(rf"(?<!⁄){FREE}(?P<number>{MIXED_NUMBER})(?![A-Za-z_\d⁄]|,\d{{3}})")
BARE_NUMBER = Search(_BARE_NUMBER, begins=AT_NUMBERS)
_CAPTION_BEGINS = "단위"
_CAPTION = re.compile(
    rf"{_CAPTION_BEGINS}[ ]?:[ ]?(?P<scale>[십백천만억]{{0,3}})(?P<unit>[가-힣%]{{1,4}})"
)
_NUMBERS_KEPT = 8192
_SENTENCES_KEPT = 1024
_LONGEST_KEPT_CHARS = 2000


def caption_units(text: str) -> list[tuple[int, Unit]]:
    """Return where captions like ``(단위: 천원)`` stand and what a bare number after each means."""
    return [
        (match.end(), Unit(unit.dimension, unit.factor * (mixed_value(match["scale"]) or 1)))
        for match in _captions(text)
        if (unit := UNITS.get(match["unit"]))
    ]


def caption_places(text: str) -> list[tuple[int, int]]:
    """Return the places of captions, in order."""
    return [match.span() for match in _captions(text)]


def _captions(text: str) -> Iterable[re.Match[str]]:
    return _CAPTION.finditer(text) if _CAPTION_BEGINS in text else ()


def read_bare(match: re.Match[str], captions: list[tuple[int, Unit]]) -> Measure:
    """Return a number without a unit of its own, in the unit of the caption before it if any."""
    above = bisect_right(captions, match.start(), key=itemgetter(0)) if captions else 0
    if above and not SCALES & set(match["number"]):
        unit = captions[above - 1][1]
        return Measure(unit.dimension, (mixed_value(match["number"]) * unit.factor,))
    return _bare(match["number"])


@lru_cache(maxsize=_NUMBERS_KEPT)
def _bare(number: str) -> Measure:
    return Measure(Dimension.BARE, (mixed_value(number),))


_ENUMERATORS = frozenset(
    char
    for first, last in ("①⒛", "㉑㉟", "㊱㊿", "⁴⁹")
    for char in map(chr, range(ord(first), ord(last) + 1))
) | frozenset("¹²³")
# Every branch begins with a character of its own, which is what makes the search fast.
_MARKS_AND_ADDRESSES = re.compile(
    r"https?://[^\s<>\"')\]]+|www\.[^\s<>\"')\]]+"
    r"|\[(?:†?\d{1,3}(?:\s*[,~-]\s*†?\d{1,3})*|\^\d{1,3}|(?:참조|출처|근거)[^\]\n]{0,120})\]"
    r"|【[^】\n]{1,120}】|\((?:\d{1,2}|(?:참조|출처|근거)\s*:[^)\n]{0,120})\)"
)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}")
# articles and ordinals; 조 is also a number (3조 원), 호 also a subway line (2호선)
_NAMED_LABEL = re.compile(
    r"(?:(?<![가-힣])제[ ]?\d{1,5}(?![\d]|회)|제\d{1,5}(?=[조항호목편장절관]))[조항호목편장절관]?"
    r"(?:의[ ]?\d{1,3})?"
    r"|(?:별표|별지|서식|부칙)[ ]?\d{1,3}(?:의[ ]?\d{1,3})?"
)
_NUMBER_LABEL = re.compile(
    r"(?<![\d,.])\d{1,4}조(?:의[ ]?\d{1,3})?(?![ ]?(?:원|달러|유로|엔|[\d천백]{1,6}[ ]?억)|[각직])"
    # a room has three figures or more (201호)
    r"|(?<![\d,.])(?:\d{1,3}항|\d{1,2}호)(?:의[ ]?\d{1,3})?"
    r"(?=[^가-힣]|$|[의에을를은는과와로](?![가-힣]))"
    r"|(?<=\s)\d{1,2}\)(?=\s)"
)
_LIST_MARKER = re.compile(
    r"^[ \t]*(?:[-*·○●▪■◦>#|]+[ \t]*)?[*_]{0,3}\d{1,3}[.)](?=[ \t*])(?![ \t]*\d{1,2}\.)",
    re.MULTILINE,
)
_NAMES_LABEL = re.compile(r"제[ ]?\d|별[표지][ ]?\d|서식[ ]?\d|부칙[ ]?\d")
LABELS = (
    Search(_NAMED_LABEL, _NAMES_LABEL, _NAMES_LABEL),
    Search(_NUMBER_LABEL, re.compile(r"\d[조항호)]"), AT_NUMBERS, (), frozenset("조항호)")),
    Search(_LIST_MARKER, re.compile(r"\d[.)][ \t*]")),
)


def without_other_numbers(raw: str, normal: Normal) -> NumberedText:
    """Return the normal form of a text with numbers that are no quantities blanked out."""
    ends = (*normal.breaks[1:], len(normal.text))
    enumerators = [
        (start, end)
        for start, end, origin in zip(normal.breaks, ends, normal.origins, strict=False)
        if raw[origin] in _ENUMERATORS and raw[origin - 1 : origin] != "m"
    ]
    text = blotted(normal.text, sorted((*enumerators, *citation_places(normal.text))))
    text = blotted(text, [match.span() for match in _MARKS_AND_ADDRESSES.finditer(text)])
    if "@" in text:
        text = blotted(text, [match.span() for match in _MAIL.finditer(text)])
    numbered = NumberedText(text)
    labels = [match.span() for sought in LABELS for match in numbered.matches(sought)]
    numbered.leave_out(sorted(labels))
    return numbered


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
_COMPARED_BEGINS = frozenset("(이초미까부안내")
_BEFORE = re.compile(
    r"(?<![가-힣])(?:(?P<rough>약|대략|거의|얼추|어림잡아|줄잡아)"
    r"|(?P<compared>최소|최대|최장|적어도)(?:한|로)?)[ ]{0,2}$"
)
_BEFORE_ENDS = frozenset("약략의추아소대장도한로")
_ROUGH_AFTER = re.compile(
    r"[ ]?(?:정도|쯤|가량|내외|안팎|남짓|전후)|여(?![가-힣])|[경께](?![가-힣])"
)
_ROUGH_BEGINS = frozenset("정쯤가내안남전여경께")
_LENGTHS = frozenset({Dimension.SECONDS, Dimension.DAYS})
# 5일 전 and 5일 이내 are no day of a month, 30분 걸립니다 no minutes of a time of day.
_DAYS_GO_ON = re.compile(
    r"[ ]?(?:전(?!체|부|화|원|시)|후|뒤|이내|안에|내에|간(?![가-힣])|동안|초과|미만|이상|이하|씩"
    r"|마다|정도|걸|소요)"
)
_DAY = re.compile(r"\d[ ]?일$")
_AT_MINUTE = re.compile(r"[ ]?(?:에(?!서)|부터|까지|[~-]|출발|발(?![가-힣]))")
# Amounts of money that share a unit.
_SCALED_END = re.compile(r"[천만억]$")
_LISTED = re.compile(r"[ ]?[/·,][ ]?|[ ]?(?:과|와|또는|에서)[ ]")
_LOOK_BACK_CHARS = 10
# 1시간 30분 and 2년 6개월 are one quantity each.
_SMALLER_UNITS = {"년": "개월", "시간": "분", "분": "초", "주": "일", "m": "cm", "미터": "센티미터"}
_BIGGER_UNITS = tuple(_SMALLER_UNITS)
_FOR = "간"  # 3시간 30분간
# Chargers, lifts and graves are counted by 기, which with 가 behind it looks like gigabytes.
_ENGINES = re.compile(
    r"\d[ ]?기(?![가-힣]|가)|\d[ ]?기(?:로|는|를|은|의|와|도|만|씩|에)(?![가-힣])"
)
_ENGINE_UNIT, _GIGA = "대", 1_000_000_000


class Quantity(NamedTuple):
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


class _FoundQuantity(NamedTuple):
    start: int
    end: int
    measure: Measure
    rough: bool = False


class _Canvas:
    """A normal form from which each kind of quantity takes its places, most specific kind first."""

    def __init__(self, numbered: NumberedText) -> None:
        self.found: list[_FoundQuantity] = []
        self.leave_out = numbered.leave_out
        self.has_digits = bool(numbered.near_digits)
        self._numbered = numbered

    @property
    def text(self) -> str:
        """The normal form, with blots where a quantity was read."""
        return self._numbered.text

    def take(self, sought: Search, reader: Reader) -> None:
        """Read every match of a pattern near digits and blot out what was read."""
        self._take(self._numbered.matches(sought), reader)

    def take_anywhere(self, sought: Search, reader: Reader) -> None:
        """Do the same in all of the text."""
        text = self._numbered.text
        self._take(matches_in(sought, text, [(0, len(text))]), reader)

    def _take(self, matches: Iterable[re.Match[str]], reader: Reader) -> None:
        if not matches:
            return
        taken = [
            _FoundQuantity(match.start(), match.end(), measure, _is_rough(match))
            for match in matches
            if (measure := reader(match)) is not None
        ]
        self._keep(taken)

    def take_points_of_time(self) -> None:
        """Read dates and times of day in digits."""
        for sought in dates_sought(self.text):
            self.take(sought, read_date)
        self._take_second_days()
        for sought in CLOCKS:
            self.take(sought, read_clock)

    def _take_second_days(self) -> None:
        """Read the days that lean on the month of the date right before them."""
        taken: list[_FoundQuantity] = []
        for date in sorted(self.found, key=lambda found: found.start):
            if date.measure.dimension not in {Dimension.DATE, Dimension.MONTH_DAY}:
                continue
            match = SECOND_DAY.match(self.text, date.end)
            if match:
                month = int(date.measure.values[0]) // 100 % 100
                start = match.start("month" if match["month"] else "day")
                taken.append(_FoundQuantity(start, match.end(), read_date(match, month)))
        self._keep(taken)

    def _keep(self, taken: list[_FoundQuantity]) -> None:
        if taken:
            self.found += taken
            self.leave_out([found[:2] for found in taken])


def find_quantities(raw: str, normal: Normal) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order; none overlaps another."""
    # Whatever is blanked out below, no more of these can match; most texts have none of them.
    clocks = [sought for sought in WORD_CLOCKS if sought.needed.search(normal.text)]
    in_words = [reader for reader in WORD_READERS if reader[0].needed.search(normal.text)]
    if not (clocks or in_words or has_digits(normal.text)):
        return ()
    canvas = _Canvas(without_other_numbers(raw, normal))
    canvas.leave_out([(phone.start, phone.end) for phone in find_phones(normal.text)])
    canvas.leave_out([place[:2] for place in route_places(normal.text)])
    if canvas.has_digits:
        canvas.take_points_of_time()
    for sought in clocks:
        canvas.take_anywhere(sought, read_clock)
    captions = caption_units(canvas.text)
    canvas.leave_out(caption_places(canvas.text))
    for sought, reader in DIGIT_READERS if canvas.has_digits else ():
        canvas.take(sought, reader)
    for sought, reader in in_words:
        canvas.take_anywhere(sought, reader)
    canvas.take(BARE_NUMBER, lambda match: read_bare(match, captions))
    found = _with_shared_units(sorted(canvas.found, key=lambda found: found.start), normal.text)
    if _ENGINES.search(normal.text):
        found = [_engines(one, normal.text) for one in found]
    return _apart(_quantity(one, raw, normal) for one in _joined(found, normal.text))


def sentence_quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of a sentence that is read by itself.

    Claims, values and figures ask for the same sentences, and growing answers do so again.
    """
    return _of_sentence(text) if len(text) <= _LONGEST_KEPT_CHARS else _of_text(text)


def _of_text(text: str) -> tuple[Quantity, ...]:
    return find_quantities(text, normalise(text))


_of_sentence = lru_cache(maxsize=_SENTENCES_KEPT)(_of_text)


def _apart(quantities: Iterable[Quantity]) -> tuple[Quantity, ...]:
    """Return quantities in order without those that share a character (the 1 and 2 of ½)."""
    kept: list[Quantity] = []
    for quantity in quantities:
        if not kept or kept[-1].end <= quantity.start:
            kept.append(quantity)
    return tuple(kept)


def _is_rough(match: re.Match[str]) -> bool:
    """Tell whether a match has the word of one kind that hedges it (30여 명)."""
    return "rough" in match.re.groupindex and match["rough"] is not None


def _joined(found: Sequence[_FoundQuantity], text: str) -> list[_FoundQuantity]:
    """Return the same with neighbours like 1시간 and 30분 added up."""
    joined: list[_FoundQuantity] = []
    for one in found:
        if joined and _continues(joined[-1], one, text):
            first = joined.pop()
            values = (first.measure.values[0] + one.measure.values[0],)
            one = _FoundQuantity(first.start, one.end, Measure(one.measure.dimension, values))  # noqa: PLW2901
        joined.append(one)
    return joined


def _with_shared_units(found: list[_FoundQuantity], text: str) -> list[_FoundQuantity]:
    """Return the same where a list has the unit of its last amount: 350만 / 450만 / 600만원."""
    for at in range(len(found) - 2, -1, -1):
        one, follows = found[at], found[at + 1]
        if one.measure.dimension != Dimension.BARE or follows.measure.dimension != Dimension.WON:
            continue
        if _SCALED_END.search(text, one.start, one.end) and _LISTED.fullmatch(
            text, one.end, follows.start
        ):
            found[at] = one._replace(measure=Measure(Dimension.WON, one.measure.values))
    return found


def _engines(found: _FoundQuantity, text: str) -> _FoundQuantity:
    """Return 14기가 as fourteen of what the text counts by 기, and not as gigabytes."""
    if found.measure.dimension != "bytes" or not text.endswith("기가", found.start, found.end):
        return found
    values = tuple(value / _GIGA for value in found.measure.values)
    return _FoundQuantity(found.start, found.end - 1, Measure(_ENGINE_UNIT, values))


def _continues(first: _FoundQuantity, second: _FoundQuantity, text: str) -> bool:
    if second.start - first.end > 1 or first.measure.dimension != second.measure.dimension:
        return False
    if len(first.measure.values) + len(second.measure.values) != 2:
        return False
    if not text.endswith(_BIGGER_UNITS, first.start, first.end):
        return False
    return text[first.end : second.start].strip() == "" and any(
        text.endswith(unit, first.start, first.end)
        and text.endswith((smaller, smaller + _FOR), second.start, second.end)
        for unit, smaller in _SMALLER_UNITS.items()
    )


def _quantity(found: _FoundQuantity, raw: str, normal: Normal) -> Quantity:
    first, last, measure, rough = found
    text = normal.text
    start, end = normal.to_raw(first, last)
    before = _before(text, first)
    follows = text[last : last + 2].lstrip(" ")[:1]
    rough = (
        rough
        or (before is not None and before["rough"] is not None)
        or (follows in _ROUGH_BEGINS and _ROUGH_AFTER.match(text, last) is not None)
    )
    after = _COMPARED_AFTER.match(text, last) if follows in _COMPARED_BEGINS else None
    comparing_word = after[1] if after else before and before["compared"]
    is_length = measure.dimension in _LENGTHS and _is_length(found, text)
    return Quantity(raw[start:end], start, end, measure, comparing_word or "", rough, is_length)


def _before(text: str, start: int) -> re.Match[str] | None:
    """Return the word right before a quantity that hedges or compares it; None if none does."""
    begin = max(0, start - _LOOK_BACK_CHARS)
    if text[begin:start].rstrip(" \n")[-1:] not in _BEFORE_ENDS:
        return None
    return _BEFORE.search(text, begin, start)


def _is_length(found: _FoundQuantity, text: str) -> bool:
    if found.measure.dimension == Dimension.SECONDS:
        return _AT_MINUTE.match(text, found.end) is None
    is_day = _DAY.search(text, found.start, found.end) is not None
    return not is_day or _DAYS_GO_ON.match(text, found.end) is not None
