"""Numbers with a unit: digits, ranges, fractions, money with its sign first, numerals in words.

Numerals in words are read only where nothing else can be meant: ``세 달`` but not ``세대``,
``삼십일`` but not ``이 일`` (*this work*) and not ``이사회`` (*board*).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache

from guards.lexicons.loading import words
from guards.text.slots.units import (
    COUNTED,
    DAY_SPANS,
    DAY_WORDS,
    FREE,
    MIXED_NUMBER,
    NATIVE_NUMBER,
    NATIVE_SPANS,
    PLAIN_NUMBER,
    SCALES,
    SINO_NUMBER,
    UNITS,
    Dimension,
    Measure,
    Unit,
    mixed_value,
    native_value,
)
from guards.text.slots.windows import AT_NUMBERS, Search


def alternatives(names: Iterable[str]) -> str:
    """Return a pattern for some words, longest first; each first character is tried but once."""
    by_first: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names, key=len, reverse=True):
        by_first[name[0]].append(re.escape(name[1:]))
    return "|".join(
        re.escape(first) + (f"(?:{'|'.join(rests)})" if any(rests) else "")
        for first, rests in by_first.items()
    )


# What may follow a unit of one syllable; anything else makes it another word (3분기, 2인터넷).
_TAIL = (
    r"(?=[^가-힣]|$|이[상하내후전며고]|초과|미만|까지|부터|간|당|마다|씩|정도|쯤|가량|내외|안|남짓|전|후|"
    r"뒤|동안|[을를은는이가과와로에의도만며고여중밖들]|으로|보다|하|입니|인|일|라|짜리|꼴|치|어치|권|분(?![기할야류]))"
)

# 프로 is short for percent, and the beginning of many other words.
_SHORT = alternatives(name for name in UNITS if re.fullmatch(r"[가-힣]|프로", name))
_LONG = alternatives(name for name in UNITS if re.match(r"[가-힣]{2}", name) and name != "프로")
_LATIN = alternatives(name for name in UNITS if re.match(r"[A-Za-z]", name))
_MARKS = alternatives(name for name in UNITS if not re.match(r"[가-힣A-Za-z]", name))
_UNIT = rf"(?:{_MARKS}|(?:{_LATIN})(?![A-Za-z\d])|{_LONG}|(?:{_SHORT}){_TAIL})"

_RANGE = (
    rf"(?P<low>{MIXED_NUMBER})(?:[ ]?(?P<low_unit>{_UNIT})?[ ]?[~-][ ]?(?P<high>{MIXED_NUMBER}))?"
)
_WITH_UNIT = (
    rf"(?P<rough>[ ]?여)?[ ]?(?P<unit>{_UNIT})"
    rf"(?:(?:(?<=시간)|(?<=년)|(?<=달)|(?<=개월))[ ]?(?P<half>반){_TAIL})?"
)
_COUNTED = re.compile(rf"{FREE}{_RANGE}{_WITH_UNIT}")
_SUBTRACTED = re.compile(rf"{FREE}(?P<low>{MIXED_NUMBER}){_WITH_UNIT}")
# A room of a building, or an item of a law: those have no hundreds.
_ROOM = re.compile(rf"{FREE}(?<!제)(?<!제[ ])(?P<number>[1-9]\d{{2,3}})호{_TAIL}")
# 제12회 is one of many, 연 12회 is how many; an event may leave 제 out.
_EVENT = (
    r"[ ]?(?:정기|임시|총회|대회|축제|시험|정시|졸업|공모전|세미나|포럼|콩쿠르|"
    r"박람회|전시회|영화제|기념식)"
)
_ORDINAL = re.compile(
    rf"(?<![가-힣])제[ ]?(?P<number>\d{{1,4}})회(?!분)|{FREE}(?P<event>\d{{1,4}})회(?={_EVENT})"
)
_SIGNED_MONEY = re.compile(
    rf"(?P<currency>₩|KRW|US\$|\$|USD|€|EUR|¥|JPY)[ ]?(?P<amount>{MIXED_NUMBER})(?:[ ]?원)?"
)
_FRACTION = re.compile(
    rf"{FREE}(?P<whole>{PLAIN_NUMBER}[천만]?)[ ]?분의[ ]?(?P<part>{PLAIN_NUMBER})"
)
_WORD_FRACTION = re.compile(
    r"(?<![가-힣])(?P<whole>[이삼사오육칠팔구십백천만]{1,3})[ ]?분의[ ]?"
    r"(?P<part>[일이삼사오육칠팔구십]{1,3}|\d{1,3})(?![가-힣]{2})"
)
_SINO_UNIT = (
    r"(?:개월|주일|주간|시간|퍼센트|달러|유로|"
    rf"(?:원|명|인|일|년|주|분|초|회|세|건|개|점|층|배|번){_TAIL})"
)
_SINO = re.compile(
    rf"(?<![가-힣\dA-Za-z])(?P<number>{SINO_NUMBER})(?P<gap>[ ]?)(?P<unit>{_SINO_UNIT})"
)
_NATIVE_UNIT = (
    r"(?:시간대|시간|사람|차례|가지|군데|개월|마리|"
    rf"(?:명|달|분|주|해|살|개|번|곳|건|배|권|장|매|잔|병|대){_TAIL})"
)
_NATIVE = re.compile(
    rf"(?<![가-힣\d])(?P<number>{NATIVE_NUMBER})(?P<gap>[ ]?)(?P<unit>{_NATIVE_UNIT})"
    rf"(?:(?:(?<=시간)|(?<=달))[ ]?(?P<half>반){_TAIL})?"
)
_NATIVE_SPAN = re.compile(
    rf"(?<![가-힣\d])(?:(?P<number>{alternatives(NATIVE_SPANS)})|(?P<rough>두어))[ ]?"
    rf"(?P<unit>{_NATIVE_UNIT})"
)
_DAY_SPAN = re.compile(rf"(?<![가-힣])(?P<word>{alternatives(DAY_SPANS)}){_TAIL}")
# 분기 is also a fork, and 3분기 the third one of a year.
_QUARTERS = r"(?<!\d)(?:분기|반기)(?=별|마다|당|에|[ ]?\d|[ ][한두세])"
_DAY_WORD = re.compile(
    rf"(?<![가-힣])(?P<word>{_QUARTERS}|"
    rf"{alternatives(word for word in DAY_WORDS if not word.endswith('기'))})(?:간|별)?{_TAIL}"
)
# 어른 셋, 자녀가 둘이면: native numbers without a counter, behind who is counted.
_NATIVE_HEADS = re.compile("하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열")
_HEADCOUNT = re.compile(
    r"(?<=[가-힣 ])(?P<number>하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열)"
    r"(?=[^가-힣]|$|[이과은도만을]|이[면서고라랑]|입니|까지)"
)
_HEADS_BEFORE = re.compile(rf"(?:{alternatives(words('people'))})(?:[이가은는도]?[ ]|이[ ])?$")
_LONGEST_HEADS_CHARS = 8

_CURRENCIES = {"₩": Dimension.WON, "$": "USD", "US$": "USD", "€": "EUR", "¥": "JPY"}
_PER_ONE = re.compile(
    r"당|마다|씩|에[ ](?:(?:최대|최소|총|각|딱|단)[ ])?"
    r"(?:[\d\x01]|(?:한|두|세|네|다섯|여섯)[ ]?[번회])"
)
_IF_ONE = re.compile(r"(?:이?라면|이면|일[ ](?:때|경우))")
# A dash with spaces around it, or between two units.
_TAKES_OFF = re.compile(r"[^\d~][ ]?-|[ ]-[ ]")
# 2시간 40분 - 1시간 25분: no range begins with the minutes.
_LARGER_CHARS = 6
_LARGER_UNIT = re.compile(r"(?<=\d)[ ]?(?:시간|년|주|분)[ ]$")
_SCALED = re.compile(rf"{PLAIN_NUMBER}[ ]?([십백천만억조]+)")
_NUMBERS_KEPT = 8192
_LONE_DIGIT_UNITS = frozenset({"명", "개월", "퍼센트", "주일"})
_SPACED_DIGIT_UNITS = frozenset({"년", "일", "주", "시간", "회", "세", "층"})
_LONE_SCALE_UNITS = frozenset({"원", "명", "년", "달러", "개월", "퍼센트", "시간"})
_GLUED_NATIVE_UNITS = frozenset({"명", "달", "시간", "번", "개", "가지", "살", "사람", "개월"})
_COUNTED_ONES = frozenset({"명", "달", "시간", "살", "개월"})
_EVERYDAY_DIMENSIONS = frozenset({"종", "곳"})
_EVERYDAY_WORDS = frozenset({"하루", "분기", "반기"})
_PERSON = Unit(Dimension.PEOPLE, Fraction(1))
_LIMIT_FOLLOWS = re.compile(r"[ ]?(?:이내|이상|이하|초과|미만|까지|동안|간|전에|안에|정도|쯤)")

Reader = Callable[[re.Match[str]], Measure | None]


def _read_counted(match: re.Match[str]) -> Measure | None:
    """Return an amount or a range; None for one of two amounts that a dash takes from another."""
    if match["high"] is None:
        return _read_amount(match)
    unit = UNITS[match["unit"]]
    low_unit = UNITS[match["low_unit"]] if match["low_unit"] else unit
    if low_unit.dimension != unit.dimension:
        return None
    low, high = mixed_value(match["low"]), mixed_value(match["high"])
    scaled = _SCALED.fullmatch(match["high"])
    if scaled and not match["low_unit"] and not SCALES & set(match["low"]):
        low *= mixed_value(scaled[1])
    values = (low * low_unit.factor, high * unit.factor)
    if _TAKES_OFF.search(match[0]) and (values[0] > values[1] or _is_behind_larger(match)):
        return None
    return Measure(unit.dimension, values, everyday=_is_rate(low, unit, match))


def _is_behind_larger(match: re.Match[str]) -> bool:
    """Tell whether a range begins with what belongs to the larger unit before it."""
    begin = max(0, match.start() - _LARGER_CHARS)
    return _LARGER_UNIT.search(match.string[begin : match.start()]) is not None


def _read_amount(match: re.Match[str]) -> Measure:
    name = match["unit"]
    low, measure = _amount(match["low"], name, has_half=match["half"] is not None)
    return measure._replace(everyday=True) if _is_rate(low, UNITS[name], match) else measure


# Fractions are slow, and most amounts come again.
@lru_cache(maxsize=_NUMBERS_KEPT)
def _amount(number: str, name: str, *, has_half: bool) -> tuple[Fraction, Measure]:
    """Return a number, and the amount that it is of a unit."""
    unit, low = UNITS[name], mixed_value(number)
    value = low + Fraction(1, 2) if has_half else low
    return low, Measure(unit.dimension, (value * unit.factor,))


def _is_rate(low: Fraction, unit: Unit, match: re.Match[str]) -> bool:
    """Tell whether an amount is what something else is for one of (1인당), or names no amount."""
    is_one = low == 1 and (
        _PER_ONE.match(match.string, match.end()) is not None
        or (unit.dimension in COUNTED and _IF_ONE.match(match.string, match.end()) is not None)
    )
    return is_one or unit.dimension == "종"


def _read_signed_money(match: re.Match[str]) -> Measure:
    currency = _CURRENCIES.get(match["currency"], match["currency"])
    return Measure(currency, (mixed_value(match["amount"]),))


def _read_fraction(match: re.Match[str]) -> Measure | None:
    whole = mixed_value(match["whole"])
    percent = mixed_value(match["part"]) * 100 / whole if whole else None
    return None if percent is None else Measure(Dimension.PERCENT, (percent,))


def _read_sino(match: re.Match[str]) -> Measure | None:
    number, unit = match["number"], match["unit"]
    if not _is_sino_number(number, unit, match):
        return None
    return Measure(UNITS[unit].dimension, (mixed_value(number) * UNITS[unit].factor,))


def _is_sino_number(number: str, unit: str, match: re.Match[str]) -> bool:
    if len(number) > 1:
        return bool(SCALES & set(number))
    if number in SCALES:
        return unit in _LONE_SCALE_UNITS or (unit == "일" and number in "십백")
    if unit in _LONE_DIGIT_UNITS or (number == "일" and unit == "년"):
        return True
    if not match["gap"] and _LIMIT_FOLLOWS.match(match.string, match.end()):
        return True
    if unit == "일" and number == "오":  # 오일 is oil
        return bool(match["gap"])
    if number in "일이" or unit not in _SPACED_DIGIT_UNITS:
        return False
    return unit == "일" or bool(match["gap"])


def _read_native(match: re.Match[str]) -> Measure | None:
    number, name = match["number"], match["unit"]
    if not match["gap"] and name not in _GLUED_NATIVE_UNITS:
        return None
    if number in {"석", "넉"} and name != "달":
        return None
    unit = _PERSON if name == "분" else UNITS[name]
    value = native_value(number) + (Fraction(1, 2) if match["half"] else 0)
    is_idiom = (
        number == "한"
        and (name not in _COUNTED_ONES or _PER_ONE.match(match.string, match.end()) is not None)
    ) or unit.dimension in _EVERYDAY_DIMENSIONS
    return Measure(unit.dimension, (value * unit.factor,), everyday=is_idiom)


def _read_day_word(match: re.Match[str]) -> Measure:
    dimension, value = DAY_WORDS[match["word"]]
    return Measure(dimension, (Fraction(value),), everyday=match["word"] in _EVERYDAY_WORDS)


def _read_heads(match: re.Match[str]) -> Measure | None:
    begin = max(0, match.start() - _LONGEST_HEADS_CHARS)
    if not _HEADS_BEFORE.search(match.string[begin : match.start()]):
        return None
    return Measure(Dimension.PEOPLE, (native_value(match["number"]),), everyday=True)


def _read_native_span(match: re.Match[str]) -> Measure:
    unit = _PERSON if match["unit"] == "분" else UNITS[match["unit"]]
    values = (Fraction(2),) if match["rough"] else map(Fraction, NATIVE_SPANS[match["number"]])
    everyday = unit.dimension in _EVERYDAY_DIMENSIONS
    return Measure(unit.dimension, tuple(value * unit.factor for value in values), everyday)


def _read_day_span(match: re.Match[str]) -> Measure:
    return Measure(Dimension.DAYS, tuple(map(Fraction, DAY_SPANS[match["word"]])))


def _read_room(match: re.Match[str]) -> Measure:
    return Measure("호", (Fraction(match["number"]),))


def _read_ordinal(match: re.Match[str]) -> Measure:
    return Measure("제회", (Fraction(match["number"] or match["event"]),))


_ORDINAL_BEGINS = re.compile(r"제(?=[ ]?\d)|\d+(?=회)")
_OF_PARTS = re.compile(r"분의")
_CURRENCY_MARKS = re.compile(r"[₩$€¥]|KRW|USD|EUR|JPY")
_NATIVE_SPAN_WORDS = re.compile(alternatives((*NATIVE_SPANS, "두어")))
_DAY_SPAN_WORDS = re.compile(alternatives(DAY_SPANS))
_DAY_WORDS = re.compile(alternatives(DAY_WORDS))
DIGIT_READERS: tuple[tuple[Search, Reader], ...] = (
    (Search(_FRACTION, begins=AT_NUMBERS, words=("분의",)), _read_fraction),
    (Search(_SIGNED_MONEY, _CURRENCY_MARKS), _read_signed_money),
    (Search(_ROOM, re.compile(r"\d호"), AT_NUMBERS, "호", frozenset("호")), _read_room),
    (Search(_ORDINAL, re.compile(r"\d회"), _ORDINAL_BEGINS, words="회"), _read_ordinal),
    (Search(_COUNTED, begins=AT_NUMBERS), _read_counted),
    (Search(_SUBTRACTED, begins=AT_NUMBERS), _read_amount),
)
WORD_READERS: tuple[tuple[Search, Reader], ...] = (
    (Search(_WORD_FRACTION, _OF_PARTS, words=("분의",)), _read_fraction),
    (
        Search(
            _SINO,
            re.compile(
                r"[일이삼사오육륙칠팔구십백천만억][ ]?[개주시퍼달유원명인일년분초회세건점층배번]"
            ),
            re.compile(r"[일이삼사오육륙칠팔구십백천만억](?<![가-힣\dA-Za-z].)"),
        ),
        _read_sino,
    ),
    (Search(_NATIVE_SPAN, _NATIVE_SPAN_WORDS, _NATIVE_SPAN_WORDS), _read_native_span),
    (
        Search(
            _NATIVE,
            re.compile(
                r"[한두세네석넉서너섯곱덟홉열물무른흔쉰순든]"
                r"[ ]?[시사차가군개마명달분주해살번곳건배권장매잔병대]"
            ),
            re.compile(r"[열스서마쉰예일여아한두세네석넉너다](?<![가-힣\d].)"),
        ),
        _read_native,
    ),
    (Search(_HEADCOUNT, _NATIVE_HEADS, _NATIVE_HEADS), _read_heads),
    (Search(_DAY_SPAN, _DAY_SPAN_WORDS, _DAY_SPAN_WORDS), _read_day_span),
    (Search(_DAY_WORD, _DAY_WORDS, _DAY_WORDS), _read_day_word),
)
