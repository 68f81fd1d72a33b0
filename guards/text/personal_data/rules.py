"""The rules by which personal identifiers are known: a shape, and what makes sure of it.

Source: see `guards.text.personal_data.checks` for dates and check digits; the telecommunications
numbering plan (area and mobile prefixes); the notice on vehicle plates (letters for use).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from guards.text.personal_data import words
from guards.text.personal_data.checks import (
    has_business_check,
    has_issuer,
    has_luhn_check,
    is_foreign,
    may_be_registration,
)
from guards.text.personal_data.kinds import PersonalKind
from guards.text.personal_data.words import after, before, is_of_a_thing


@dataclass(frozen=True, slots=True)
class Rule:
    """Pattern of one kind of identifier.

    Attributes:
        pattern: Its shape.
        kind_of: The kind of a match; None if it is something else.
    """

    pattern: re.Pattern[str]
    kind_of: Callable[[re.Match[str]], PersonalKind | None]


_PASSPORT_CHARS = 30
_BUSINESS_NUMBER = re.compile(r"\d{3} ?- ?\d{2} ?- ?\d{5}", re.ASCII)
_DATE = re.compile(r"(?:19|20)\d\d ?- ?(?:0[1-9]|1[0-2]) ?- ?[0-3]\d(?!\d)", re.ASCII)
_YEAR_FIRST = re.compile(r"(?:19|20)\d\d(?!\d)", re.ASCII)
_FOURS = re.compile(r"\d{4}(?: \d{4})+", re.ASCII)
_AMOUNT_UNIT = re.compile(r" ?(?:원|만|억|천|%|달러|건|명)")
_UNITS = re.compile(r"\d\.\Z", re.ASCII)
_YEAR_SIGN = re.compile(r" ?년|\. ?\d")
_CASE = re.compile(r" ?(?:판결|결정|선고|사건)")
# Letters of plates that also count things or name provisions (15호, 12조, 3주).
_COUNTERS = frozenset("조호도소구부수주자배로")


def _digits(match: re.Match[str]) -> str:
    return "".join(char for char in match[0] if char.isdigit())


def _email(match: re.Match[str]) -> PersonalKind:
    del match
    return PersonalKind.EMAIL


def _is_fraction(match: re.Match[str]) -> bool:
    """Tell whether a bare row of digits stands behind a decimal point."""
    return match[0].isdigit() and _UNITS.search(before(match)) is not None


def _is_amount(match: re.Match[str]) -> bool:
    return _AMOUNT_UNIT.match(match.string, match.end()) is not None


def _registration(match: re.Match[str]) -> PersonalKind | None:
    if _is_fraction(match) or is_of_a_thing(match):
        return None
    digits = _digits(match)
    if not words.RESIDENT.search(before(match)) and (
        words.CORPORATE.search(before(match))
        or not may_be_registration(digits, is_bare=match[0].isdigit())
    ):
        return None
    foreign = is_foreign(digits)
    return PersonalKind.FOREIGNER_NUMBER if foreign else PersonalKind.RESIDENT_NUMBER


def _card(match: re.Match[str]) -> PersonalKind | None:
    if _is_fraction(match) or _is_amount(match) or is_of_a_thing(match):
        return None
    digits = _digits(match)
    issued = has_issuer(digits) or words.CARD.search(before(match))
    return PersonalKind.CARD if issued and has_luhn_check(digits) else None


def _licence(match: re.Match[str]) -> PersonalKind | None:
    if is_of_a_thing(match):
        return None
    certain = match[0].count("-") > 1 or words.LICENCE.search(before(match))
    return PersonalKind.DRIVING_LICENCE if certain else None


def _mobile(match: re.Match[str]) -> PersonalKind:
    del match
    return PersonalKind.PHONE


def _landline(match: re.Match[str]) -> PersonalKind | None:
    certain = any(mark in match[0] for mark in "-.)+") or words.PHONE.search(before(match))
    return PersonalKind.PHONE if certain else None


def _passport(match: re.Match[str]) -> PersonalKind | None:
    if is_of_a_thing(match):
        return None
    # One letter and eight digits are the number of many a thing; the letter inside is not.
    is_new = match[0][0] == "M" and match["letter"] is not None
    named = words.PASSPORT.search(before(match, _PASSPORT_CHARS) + "\n" + after(match))
    return PersonalKind.PASSPORT if is_new or named else None


def _vehicle(match: re.Match[str]) -> PersonalKind | None:
    if _is_amount(match) or _CASE.match(match.string, match.end()):
        return None
    certain = words.PLATE.search(before(match)) is not None or bool(
        match["apart"] and match["region"]
    )
    if not certain and match["letter"] not in _COUNTERS and not match["apart"]:
        is_year = _YEAR_SIGN.match(match.string, match.end()) is not None
        # Two digits, a letter and four digits also name cases of before 2000 (97다1234).
        distinct = len(match["group"]) == 3 and " " not in match[0]
        named = (
            match["region"] or words.CAR.search(before(match)) or words.CAR.match(after(match), 1)
        )
        certain = not is_year and bool(distinct or named)
    return PersonalKind.VEHICLE if certain else None


def _insurance(match: re.Match[str]) -> PersonalKind | None:
    named = words.INSURANCE.search(before(match))
    return PersonalKind.HEALTH_INSURANCE if named else None


def _business(match: re.Match[str]) -> PersonalKind | None:
    named = "-" in match[0] or words.BUSINESS.search(before(match))
    return PersonalKind.BUSINESS_NUMBER if named and has_business_check(_digits(match)) else None


def _account(match: re.Match[str]) -> PersonalKind | None:
    if not 10 <= len(_digits(match)) <= 14 or _is_amount(match) or is_of_a_thing(match):
        return None
    if any(shape.fullmatch(match[0]) for shape in (_BUSINESS_NUMBER, _FOURS)):
        return None
    return PersonalKind.ACCOUNT if not _DATE.match(match[0]) and _has_bank(match) else None


def _has_bank(match: re.Match[str]) -> bool:
    said = before(match)
    if " " in match[0] and "-" not in match[0]:
        return words.BANK_CLOSE_BY.search(said) is not None
    if words.BANK.search(said) or words.BANK.search(after(match)):
        return True
    is_grouped = match[0].count("-") > 1 and not _YEAR_FIRST.match(match[0])
    return is_grouped and words.BANK_IN_SHORT.search(said) is not None


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(body, re.ASCII | re.IGNORECASE)


# The sides of a number: not a piece of a longer one, dashes included.
_LEFT = r"(?<!\d)(?<!\d-)"
_RIGHT = r"(?!-?\d)"
_MARKED = r"\s{0,3}[-./_·ㅡ]\s{0,3}"
_GAP = rf"(?:{_MARKED}|[ \t]{{0,2}})"
_CARD_GAP = r"(?: ?[-./_·]\s{0,3}| {0,2})"
_DASH = r" ?-? ?"
_ABROAD = r"(?:\+|\b00[1-9]?)?82[-. ]{0,3}\(?0?\)? ?"
_AREA = r"(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]|70|50\d)"


def _prefixed(prefix: str) -> str:
    """Return a pattern for a telephone number's prefix; a bracket before it has its other half."""
    return rf"(?:{_ABROAD}{prefix}\)?|\(0{prefix}\)|0{prefix}\)?)"


_PROVINCE = "서울|부산|대구|인천|광주|대전|울산|경기|강원|충북|충남|전북|전남|경북|경남|제주"
_REGION = f"(?:{_PROVINCE}|1[1-9]|2[0-6]|28)"
_PLATE_LETTER = "[가나다라마거너더러머버서어저고노도로모보소오조구누두루무부수우주아바사자배하허호]"

PLATE = rf"[0-9]{{2,3}} ?{_PLATE_LETTER} ?-?[0-9]{{4}}"
"""The shape of a vehicle plate, which has fewer digits than all other identifiers."""

# In the order of certainty: what one rule has claimed is no longer there for the next.
RULES = (
    Rule(
        _pattern(r"[a-z0-9._%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}"),
        _email,
    ),
    Rule(_pattern(rf"(?<!\d)\d{{6}}{_GAP}\d{{7}}(?!\d)"), _registration),
    Rule(
        _pattern(
            rf"{_LEFT}(?:[2-69]\d{{3}}{_CARD_GAP}\d{{4}}{_CARD_GAP}\d{{4}}{_CARD_GAP}\d{{4}}"
            rf"|3[47]\d\d{_CARD_GAP}\d{{6}}{_CARD_GAP}\d{{5}}|3[0689]\d\d{_CARD_GAP}\d{{6}}{_CARD_GAP}\d{{4}})"
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
        _pattern(r"(?<![a-z0-9])[MSRODG](?:\d{8}|\d{3}(?P<letter>[a-z])\d{4})(?![a-z0-9])"),
        _passport,
    ),
    Rule(
        _pattern(
            rf"(?<![제\d.,-])(?:(?P<region>{_PROVINCE}) ?)?(?P<group>\d{{2,3}})(?P<apart> ?)"
            rf"(?P<letter>{_PLATE_LETTER}) ?-?\d{{4}}(?!\d)"
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
