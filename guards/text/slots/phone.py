"""Telephone numbers: with area code, mobile, internet, and the eight-digit service numbers."""

import re
from fractions import Fraction

from guards.text.slots.units import Dimension, Measure

_JOINT = r"(?:[ ]?[-.)][ ]?|[ ])"
_AREA = r"(?:0\d{1,3}|(?<=\+82)\d{1,2}|(?<=\+82[- ])\d{1,2})"
_BRACKET = r"(?:\((?=0\d{1,3}\)))?"
PHONE = re.compile(
    rf"(?<![\d.,-])(?:(?P<country>\+82[- ]?)?{_BRACKET}{_AREA}{_JOINT}\d{{3,4}}{_JOINT}\d{{4}}"
    r"|1[568]\d{2}[ ]?[-. ][ ]?\d{4}|01\d{8,9})(?!\d)"
)
_NOT_A_DIGIT = re.compile(r"\D")


def read_phone(match: re.Match[str]) -> Measure:
    """Return the number's digits as a value, without country code and leading zero."""
    digits = _NOT_A_DIGIT.sub("", match[0])
    national = digits.removeprefix("82") if match["country"] else digits
    return Measure(Dimension.PHONE, (Fraction(int(national)),))
