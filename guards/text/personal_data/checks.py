"""Check digits and dates: what a row of digits can be, and what it rather is.

Source: ISO/IEC 7812-1 annex B (Luhn); Enforcement Rule of the Resident Registration Act, article 2
(date, century and sex digit, check digit until October 2020); GS1 General Specifications (thirteen
digits with a check digit); the rule on corporate registration numbers of the Supreme Court; the
check digit that the National Tax Service gives business registration numbers.
"""

import re
from datetime import date
from itertools import cycle

_CENTURIES = {"9": 1800, "0": 1800, "3": 2000, "4": 2000, "7": 2000, "8": 2000}
_FOREIGN = "5678"
# Nobody who is alive; corporate registration numbers begin with such "dates".
_FIRST_YEAR = 1920
_ISSUERS = re.compile(
    r"4|5[1-5]|2(?:2[2-9]|[3-6]\d|7[01]|720)|6(?:011|2|4[4-9]|5)|35(?:2[89]|[3-8])|3[046-9]|9"
)


def is_foreign(digits: str) -> bool:
    """Tell whether a registration number is a foreigner's."""
    return digits[6] in _FOREIGN


def may_be_registration(digits: str, *, is_bare: bool) -> bool:
    """Tell whether thirteen digits look like the registration number of somebody alive.

    Product barcodes and corporate registration numbers have as many digits, and some of them a
    valid "date": their own check digit tells them apart.

    Args:
        digits: The digits.
        is_bare: They stand without a separator, as barcodes do.
    """
    year = _CENTURIES.get(digits[6], 1900) + int(digits[:2])
    try:
        date(year, int(digits[2:4]), int(digits[4:6]))
    except ValueError:
        return False
    if year < _FIRST_YEAR:
        return False
    is_other = (is_bare and _is_barcode(digits)) or _is_corporate(digits)
    return not is_other or _has_registration_check(digits)


def _is_barcode(digits: str) -> bool:
    return _weighed(digits, (1, 3)) % 10 == 0


def _is_corporate(digits: str) -> bool:
    is_company = digits[4:6] == "11"
    return is_company and (_weighed(digits[:12], (1, 2)) + int(digits[12])) % 10 == 0


def _has_registration_check(digits: str) -> bool:
    base = 13 if is_foreign(digits) else 11
    total = _weighed(digits[:12], (2, 3, 4, 5, 6, 7, 8, 9))
    return (base - total % 11) % 10 == int(digits[12])


def _weighed(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, cycle(weights), strict=False))


def has_luhn_check(digits: str) -> bool:
    """Tell whether the last digit of a card number fits."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def has_issuer(digits: str) -> bool:
    """Tell whether a card number begins as those do that somebody issues."""
    return _ISSUERS.match(digits) is not None


def has_business_check(digits: str) -> bool:
    """Tell whether the last digit of a business registration number fits."""
    weighed = _weighed(digits[:9], (1, 3, 7, 1, 3, 7, 1, 3, 5))
    return (weighed + int(digits[8]) * 5 // 10 + int(digits[9])) % 10 == 0
