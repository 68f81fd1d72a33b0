"""The rules by which personal identifiers are known: a shape, and what makes sure of it.

Source: Enforcement Rule of the Resident Registration Act, article 2 (date, century and sex digit;
check digits ended in October 2020, so none is asked for); ISO/IEC 7812-1 annex B (Luhn); the
telecommunications numbering plan (area and mobile prefixes); the check digit that the National Tax
Service gives business registration numbers; the notice on vehicle plates (letters for use).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from guards.text.personal_kinds import PersonalKind


@dataclass(frozen=True, slots=True)
class Rule:
    """How one kind of identifier looks.

    Attributes:
        pattern: Its shape.
        kind_of: The kind of a match; None if it is something else.
    """

    pattern: re.Pattern[str]
    kind_of: Callable[[re.Match[str]], PersonalKind | None]


_NEAR_CHARS = 15

# None of these words counts where it is the label of what was masked before.
_NO_LABEL = r"(?!번호[-\]])"
_RESIDENT_WORD = re.compile(r"(?:주민|외국인)(?!등록번호[-\]])")
_CORPORATE_WORD = re.compile(r"법인")
_PHONE_WORD = re.compile(
    rf"(?:전화|연락처|휴대폰|핸드폰|팩스|tel|phone|fax){_NO_LABEL}", re.IGNORECASE
)
_LICENCE_WORD = re.compile(rf"면허{_NO_LABEL}")
_PASSPORT_WORD = re.compile(rf"여권{_NO_LABEL}|passport", re.IGNORECASE)
_BANK_WORD = re.compile(
    rf"계좌{_NO_LABEL}|은행|뱅크|농협|수협|신협|금고|우체국|입금|송금|이체|예금주|bank|account",
    re.IGNORECASE,
)
_INSURANCE_WORD = re.compile(r"(?:건강보험|보험증)(?!증?번호[-\]])")
_BUSINESS_WORD = re.compile(r"사업자(?!등록번호[-\]])")
_PLATE_WORD = re.compile(r"(?:차량?|자동차) ?(?:등록)? ?번호(?![-\]])|번호판")
_CAR_WORD = re.compile(
    rf"차량{_NO_LABEL}|자동차|승용차|승합차|화물차|(?<!\d)주차|차주|렌터카"
    r"|(?<![가-힣])차(?:[를가는] |\s)"
)
_BUSINESS_NUMBER = re.compile(r"\d{3} ?- ?\d{2} ?- ?\d{5}", re.ASCII)
_AMOUNT_UNIT = re.compile(r" ?(?:원|만|억|천|%|달러|건|명)")
_UNITS = re.compile(r"\d\.\Z", re.ASCII)
_YEAR_SIGN = re.compile(r" ?년|\. ?\d")
# Letters of plates that also count things or name provisions (15호, 12조, 3주).
_COUNTERS = frozenset("조호도소구부수주자배로")


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - _NEAR_CHARS) : match.start()]


def _after(match: re.Match[str]) -> str:
    return match.string[match.end() : match.end() + _NEAR_CHARS]


def _digits(match: re.Match[str]) -> str:
    return "".join(char for char in match[0] if char.isdigit())


def _email(match: re.Match[str]) -> PersonalKind:
    del match
    return PersonalKind.EMAIL


def _is_fraction(match: re.Match[str]) -> bool:
    """Tell whether a bare row of digits stands behind a decimal point."""
    return match[0].isdigit() and _UNITS.search(_before(match)) is not None


def _registration(match: re.Match[str]) -> PersonalKind | None:
    if _is_fraction(match):
        return None
    digits = _digits(match)
    before = _before(match)
    named = _RESIDENT_WORD.search(before) is not None
    # Corporate registration numbers have the same shape, and many of them a valid "date".
    if not named and (_CORPORATE_WORD.search(before) or not _has_birth_date(digits)):
        return None
    foreign = digits[6] in "5678"
    return PersonalKind.FOREIGNER_NUMBER if foreign else PersonalKind.RESIDENT_NUMBER


def _has_birth_date(digits: str) -> bool:
    century = {"9": 1800, "0": 1800, "3": 2000, "4": 2000, "7": 2000, "8": 2000}
    year = century.get(digits[6], 1900) + int(digits[:2])
    try:
        date(year, int(digits[2:4]), int(digits[4:6]))
    except ValueError:
        return False
    return True


def _card(match: re.Match[str]) -> PersonalKind | None:
    if _is_fraction(match):
        return None
    total = 0
    for place, digit in enumerate(reversed(_digits(match))):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return PersonalKind.CARD if total % 10 == 0 else None


def _licence(match: re.Match[str]) -> PersonalKind | None:
    certain = match[0].count("-") > 1 or _LICENCE_WORD.search(_before(match))
    return PersonalKind.DRIVING_LICENCE if certain else None


def _mobile(match: re.Match[str]) -> PersonalKind:
    del match
    return PersonalKind.PHONE


def _landline(match: re.Match[str]) -> PersonalKind | None:
    certain = any(mark in match[0] for mark in "-.)+") or _PHONE_WORD.search(_before(match))
    return PersonalKind.PHONE if certain else None


def _passport(match: re.Match[str]) -> PersonalKind | None:
    certain = match[0][0] == "M" or _PASSPORT_WORD.search(_before(match))
    return PersonalKind.PASSPORT if certain else None


def _vehicle(match: re.Match[str]) -> PersonalKind | None:
    if _AMOUNT_UNIT.match(match.string, match.end()):
        return None
    before = _before(match)
    certain = _PLATE_WORD.search(before) is not None
    if not certain and match["letter"] not in _COUNTERS:
        is_year = _YEAR_SIGN.match(match.string, match.end()) is not None
        # Two digits, a letter and four digits also name cases of before 2000 (97다1234).
        distinct = len(match["group"]) == 3 and " " not in match[0]
        named = match["region"] or _CAR_WORD.search(before) or _CAR_WORD.match(_after(match), 1)
        certain = not is_year and bool(distinct or named)
    return PersonalKind.VEHICLE if certain else None


def _insurance(match: re.Match[str]) -> PersonalKind | None:
    named = _INSURANCE_WORD.search(_before(match))
    return PersonalKind.HEALTH_INSURANCE if named else None


def _business(match: re.Match[str]) -> PersonalKind | None:
    digits = [int(digit) for digit in _digits(match)]
    weighed = sum(
        digit * weight for digit, weight in zip(digits, (1, 3, 7, 1, 3, 7, 1, 3, 5), strict=False)
    )
    fits = (weighed + digits[8] * 5 // 10 + digits[9]) % 10 == 0
    named = "-" in match[0] or _BUSINESS_WORD.search(_before(match))
    return PersonalKind.BUSINESS_NUMBER if fits and named else None


def _account(match: re.Match[str]) -> PersonalKind | None:
    if not 10 <= len(_digits(match)) <= 14 or _BUSINESS_NUMBER.fullmatch(match[0]):
        return None
    if _AMOUNT_UNIT.match(match.string, match.end()):
        return None
    near = _BANK_WORD.search(_before(match)) or _BANK_WORD.search(_after(match))
    return PersonalKind.ACCOUNT if near else None


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(body, re.ASCII | re.IGNORECASE)


# The sides of a number: not a piece of a longer one, dashes included.
_LEFT = r"(?<!\d)(?<!\d-)"
_RIGHT = r"(?!-?\d)"
_GAP = r" ?[-.]? ?"
_DASH = r" ?-? ?"
_ABROAD = rf"\+?82{_GAP}\(?0?\)? ?"
_AREA = r"(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]|70|50\d)"


def _prefixed(prefix: str) -> str:
    """Return a pattern for a telephone number's prefix; a bracket before it has its other half."""
    return rf"(?:{_ABROAD}{prefix}\)?|\(0{prefix}\)|0{prefix}\)?)"


_PROVINCE = "서울|부산|대구|인천|광주|대전|울산|경기|강원|충북|충남|전북|전남|경북|경남|제주"
_REGION = f"(?:{_PROVINCE}|1[1-9]|2[0-6]|28)"
_PLATE_LETTER = "[가나다라마거너더러머버서어저고노도로모보소오조구누두루무부수우주아바사자배하허호]"

PLATE = rf"[0-9]{{2,3}}{_PLATE_LETTER} ?[0-9]{{4}}"
"""The shape of a vehicle plate, which has fewer digits than all other identifiers."""

# In the order of certainty: what one rule has claimed is no longer there for the next.
RULES = (
    Rule(
        _pattern(r"[a-z0-9._%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}"),
        _email,
    ),
    Rule(_pattern(rf"(?<!\d)\d{{6}}{_DASH}\d{{7}}(?!\d)"), _registration),
    Rule(
        _pattern(
            rf"{_LEFT}(?:[2-69]\d{{3}}{_DASH}\d{{4}}{_DASH}\d{{4}}{_DASH}\d{{4}}"
            rf"|3[47]\d\d{_DASH}\d{{6}}{_DASH}\d{{5}}|3[0689]\d\d{_DASH}\d{{6}}{_DASH}\d{{4}})"
            rf"{_RIGHT}"
        ),
        _card,
    ),
    Rule(
        _pattern(rf"{_LEFT}{_REGION}{_DASH}\d\d{_DASH}\d{{6}}{_DASH}\d\d{_RIGHT}"),
        _licence,
    ),
    Rule(
        _pattern(rf"{_LEFT}{_prefixed('1[016-9]')}{_GAP}\d{{3,4}}{_GAP}\d{{4}}{_RIGHT}"),
        _mobile,
    ),
    Rule(
        _pattern(rf"{_LEFT}{_prefixed(_AREA)}{_GAP}\d{{3,4}}{_GAP}\d{{4}}{_RIGHT}"),
        _landline,
    ),
    Rule(
        _pattern(r"(?<![a-z0-9])[MSROD](?:\d{8}|\d{3}[a-z]\d{4})(?![a-z0-9])"),
        _passport,
    ),
    Rule(
        _pattern(
            rf"(?<![제\d.,-])(?:(?P<region>{_PROVINCE}) ?)?(?P<group>\d{{2,3}})"
            rf"(?P<letter>{_PLATE_LETTER}) ?\d{{4}}(?!\d)"
        ),
        _vehicle,
    ),
    Rule(_pattern(rf"{_LEFT}[1-9]{_DASH}\d{{10}}{_RIGHT}"), _insurance),
    Rule(_pattern(rf"{_LEFT}\d{{3}}{_DASH}\d{{2}}{_DASH}\d{{5}}{_RIGHT}"), _business),
    Rule(
        _pattern(
            rf"{_LEFT}(?:\d{{2,6}}(?: ?- ?\d{{1,8}}){{1,3}}|\d{{2,6}}(?: \d{{2,8}}){{1,3}}"
            rf"|\d{{10,14}}){_RIGHT}"
        ),
        _account,
    ),
)
