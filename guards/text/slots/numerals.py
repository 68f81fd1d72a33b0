"""Korean numerals: digits with 만 and 억 (``1억 2,000만``), Sino-Korean (삼십), native (스물)."""

import re
from fractions import Fraction
from functools import lru_cache

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
