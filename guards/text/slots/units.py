"""Units of Korean quantities, what each measures and how it converts, and Korean numerals.

Only exact conversions are made (2주 = 14일, 1년 = 12개월, 1km = 1,000m). A month has no fixed
number of days and a currency no fixed rate, so those never compare equal. Numerals are digits with
만 and 억 (``1억 2,000만``), Sino-Korean (삼십), native (스물).
"""

import re
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple


class Dimension(StrEnum):
    """Dimension of a quantity. Units outside this list are dimensions of their own."""

    BARE = "bare"
    DAYS = "days"
    MONTHS = "months"
    SECONDS = "seconds"
    PERCENT = "percent"
    PERCENT_POINT = "percent_point"
    PEOPLE = "people"
    TIMES = "times"
    AGE = "age"
    DATE = "date"
    YEAR_MONTH = "year_month"
    MONTH_DAY = "month_day"
    YEAR = "year"
    MONTH = "month"
    CLOCK = "clock"
    CLOCK_12 = "clock_12"
    METRES = "metres"
    SQUARE_METRES = "square_metres"
    GRAMS = "grams"
    LITRES = "litres"
    WON = "KRW"


PERIODS = frozenset({Dimension.DAYS, Dimension.MONTHS, Dimension.SECONDS})
"""Dimensions of time."""


class Measure(NamedTuple):
    """A value in the base unit of its dimension.

    Attributes:
        dimension: A `Dimension`, or the unit itself where nothing converts (``층``, ``USD``).
        values: One value, or both ends of a range.
        everyday: Wording that people use without stating a figure (하루, 한 번, 1인당).
    """

    dimension: str
    values: tuple[Fraction, ...]
    everyday: bool = False

    def __hash__(self) -> int:
        """Hash what is quick to hash: fractions are not, and measures are looked up often."""
        return hash((self.dimension, self.values[0].numerator))


class Unit(NamedTuple):
    """Factor from a unit to the base unit of its dimension."""

    dimension: str
    factor: Fraction


def _family(dimension: str, **factors: float | str) -> dict[str, Unit]:
    return {name: Unit(dimension, Fraction(factor)) for name, factor in factors.items()}


def _same(dimension: str, *names: str) -> dict[str, Unit]:
    return {name: Unit(dimension, Fraction(1)) for name in names}


UNITS: dict[str, Unit] = {
    **_family(Dimension.DAYS, 일=1, 일간=1, 영업일=1, 근무일=1, 주=7, 주일=7, 주간=7),
    **_family(Dimension.MONTHS, 개월=1, 개월간=1, 달=1, 년=12, 년간=12, 개년=12, 해=12),
    **_family(Dimension.SECONDS, 초=1, 분=60, 분간=60, 시간=3600),
    **_same(Dimension.PERCENT, "%", "퍼센트", "프로"),
    **_same(
        Dimension.PERCENT_POINT, "%p", "%P", "%포인트", "퍼센트포인트", "퍼센트 포인트", "%point",
    ),
    **_same(Dimension.PEOPLE, "명", "인", "사람", "명분", "인분"),
    **_same(Dimension.TIMES, "번", "회", "차례"),
    **_same(Dimension.AGE, "세", "살"),
    **_same(Dimension.WON, "원", "KRW"),
    **_same("USD", "달러", "불", "USD"),
    **_same("EUR", "유로", "EUR"),
    **_same("JPY", "엔", "JPY"),
    **_same("CNY", "위안", "CNY"),
    **_family(
        Dimension.METRES, mm="0.001", cm="0.01", m=1, km=1000, 밀리미터="0.001", 센티미터="0.01",
        센티="0.01", 미터=1, 킬로미터=1000, Km=1000, KM=1000,
    ),
    **_family(
        Dimension.SQUARE_METRES, m2=1, km2=1_000_000, ha=10_000, 제곱미터=1, 제곱킬로미터=1_000_000,
        헥타르=10_000,
    ),
    **_same("cubic_metres", "m3", "세제곱미터"),
    **_family(
        Dimension.GRAMS, mg="0.001", g=1, kg=1000, t=1_000_000, 밀리그램="0.001", 그램=1,
        킬로그램=1000, 킬로=1000, 키로=1000, 톤=1_000_000,
    ),
    **_family(
        Dimension.LITRES,
        ml="0.001", mL="0.001", cc="0.001", L=1, l=1, 밀리리터="0.001", 리터=1,
    ),
    **_family(
        "bytes", B=1, KB=1_000, MB=1_000_000, GB=1_000_000_000, TB=1_000_000_000_000,
        메가=1_000_000, 기가=1_000_000_000, 테라=1_000_000_000_000,
    ),
    **_family("bits_per_second", kbps=1_000, Kbps=1_000, Mbps=1_000_000, Gbps=1_000_000_000),
    **_family("Ah", Ah=1, mAh="0.001"),
    **_same("곳", "곳", "개소", "군데"),
    **_same("개", "개"),
    **_same("종", "가지", "종류", "종"),
    **_same("건", "건"),
    **_same("대", "대", "기"),
    **_same("장", "장", "매"),
    **_same("degrees", "℃", "°C", "도"),
    **{
        name: Unit(name, Fraction(1))
        for name in (
            "배", "포인트", "문항", "층", "촌", "등급", "급", "학년", "학기", "학점", "시간대",
            "점", "마리", "권", "부", "잔", "병", "채", "편", "쌍", "그루", "석", "실",
            "개국", "평", "박", "가구", "세대", "필지", "식", "끼", "쪽", "페이지", "글자", "자",
            "kWh", "Wh", "kW", "W", "V", "Hz", "GHz", "MHz", "dB", "ppm", "kcal",
        )
    },
}  # fmt: skip

# What people and things are counted in.
COUNTED = frozenset({"대", "개", "장", "건", "마리", "병", "권", "채", Dimension.PEOPLE})

# Words that are a length of time by themselves.
DAY_WORDS: dict[str, tuple[str, int]] = {
    "하루": (Dimension.DAYS, 1),
    "이틀": (Dimension.DAYS, 2),
    "사흘": (Dimension.DAYS, 3),
    "나흘": (Dimension.DAYS, 4),
    "닷새": (Dimension.DAYS, 5),
    "엿새": (Dimension.DAYS, 6),
    "여드레": (Dimension.DAYS, 8),
    "아흐레": (Dimension.DAYS, 9),
    "열흘": (Dimension.DAYS, 10),
    "보름": (Dimension.DAYS, 15),
    "반년": (Dimension.MONTHS, 6),
    "반시간": (Dimension.SECONDS, 1800),
    "반 시간": (Dimension.SECONDS, 1800),
    "반나절": ("반나절", 1),
    "한나절": ("한나절", 1),
    "분기": (Dimension.MONTHS, 3),
    "반기": (Dimension.MONTHS, 6),
    "격주": (Dimension.DAYS, 14),
    "격월": (Dimension.MONTHS, 2),
    "격년": (Dimension.MONTHS, 24),
    "스무 날": (Dimension.DAYS, 20),
    "스무날": (Dimension.DAYS, 20),
    "서른 날": (Dimension.DAYS, 30),
    "마흔 날": (Dimension.DAYS, 40),
}

# The same for two neighbouring numbers of days.
DAY_SPANS: dict[str, tuple[int, int]] = {
    "하루이틀": (1, 2),
    "이삼일": (2, 3),
    "사나흘": (3, 4),
    "삼사일": (3, 4),
    "사오일": (4, 5),
    "오륙일": (5, 6),
}


_NUMERALS_KEPT = 8192
_SMALL_SCALES = {"십": 10, "백": 100, "천": 1000}
_LARGE_SCALES = {"만": 10**4, "억": 10**8, "조": 10**12}
SCALES = frozenset(_SMALL_SCALES | _LARGE_SCALES)
_SINO_DIGITS = {char: value for value, char in enumerate("영일이삼사오육칠팔구")} | {
    "육": 6,
    "륙": 6,
}
_NATIVE_ONES = {
    "한": 1, "하나": 1, "두": 2, "둘": 2, "세": 3, "석": 3, "서": 3, "셋": 3, "네": 4, "넉": 4,
    "너": 4, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9,
}  # fmt: skip
_NATIVE_TENS = {
    "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70,
    "여든": 80, "아흔": 90,
}  # fmt: skip

_MOST_DIGITS = 16
# Before a number that is no part of a name, a code or a longer number.
FREE = r"(?<![A-Za-z\d.,_])(?<![A-Za-z]-)"
PLAIN_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,16})(?:\.\d{1,6})?"
# One part of a mixed number (2,000만 · 5천 · 2천5백만) and the digits that may close it (548;
# 3만 2,500).
_PART = rf"{PLAIN_NUMBER}[ ]?(?:[십백천][만억조]?|[만억조])"
_REST = r"(?:[ ]?(?:\d{1,3},\d{3}|\d{3,4})(?![\d,.])|\d{1,2}(?!\d))"
MIXED_NUMBER = rf"(?:{_PART}(?:[ ]?{_PART}){{0,7}}{_REST}?|{PLAIN_NUMBER})"
SINO_NUMBER = (
    r"[일이삼사오육륙칠팔구십백천만억]{1,12}(?:[ ][일이삼사오육륙칠팔구십백천만]{1,8}){0,2}"
)
NATIVE_NUMBER = (
    r"(?:(?:열|스물|서른|마흔|쉰|예순|일흔|여든|아흔)(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉)?|스무"
    r"|한|두|세|네|석|넉|서(?!명)|너|다섯|여섯|일곱|여덟|아홉)"
)
# Two neighbouring numbers said as one (두세 달, 서너 명).
NATIVE_SPANS = {
    "두세": (2, 3), "서너": (3, 4), "너댓": (4, 5), "네댓": (4, 5), "너덧": (4, 5),
    "대여섯": (5, 6), "예닐곱": (6, 7), "일고여덟": (7, 8),
}  # fmt: skip
_TOKEN = re.compile(rf"{PLAIN_NUMBER}|[^\s,]")
_NATIVE = re.compile(
    rf"({'|'.join(_NATIVE_TENS)})?({'|'.join(sorted(_NATIVE_ONES, key=len, reverse=True))})?"
)


def plain_value(numeral: str) -> Fraction:
    """Return the value of digits with separators (``1,300.5``)."""
    return Fraction(numeral.replace(",", ""))


@lru_cache(maxsize=_NUMERALS_KEPT)
def mixed_value(numeral: str) -> Fraction:
    """Return the value of digits, Sino-Korean digits and scales (``3만 5천``, ``삼십``)."""
    if len(numeral) <= _MOST_DIGITS and numeral.isascii() and numeral.isdecimal():
        return Fraction(int(numeral))
    total = section = Fraction(0)
    digit: Fraction | None = None  # None: 천 alone is a thousand
    for token in _TOKEN.findall(numeral):
        if token in _SMALL_SCALES:
            section += (Fraction(1) if digit is None else digit) * _SMALL_SCALES[token]
            digit = None
        elif token in _LARGE_SCALES:
            section += digit or 0
            total += (section or 1) * _LARGE_SCALES[token]
            section, digit = Fraction(0), None
        elif token in _SINO_DIGITS:
            digit = (digit or Fraction(0)) * 10 + _SINO_DIGITS[token]
        else:
            digit = plain_value(token)
    return total + section + (digit or 0)


def native_value(numeral: str) -> Fraction:
    """Return the value of a native numeral below a hundred (``스물다섯``).

    Raises:
        ValueError: it is none.
    """
    match = _NATIVE.fullmatch(numeral)
    if not numeral or match is None:
        raise ValueError(f"not a native Korean numeral: {numeral!r}")
    return Fraction(_NATIVE_TENS.get(match[1] or "", 0) + _NATIVE_ONES.get(match[2] or "", 0))
