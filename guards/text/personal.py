"""Korean personal identifiers in a text: which, and where they stand.

Finds resident and foreigner registration numbers, payment cards, phone numbers, e-mail addresses,
bank accounts, passports and driving licences, also in full-width digits, with spaces around the
dashes or zero-width characters inside. What other numbers look like too (accounts, phone numbers
without separators, …) counts only near a word that says what it is.

Misses identifiers in words (``공일공…``), split over lines or texts, or obfuscated (``at``). Takes
a bare thirteen-digit number for a registration number where its date is valid, which some product
barcodes fulfil.

Source: Enforcement Rule of the Resident Registration Act, article 2 (date, century and sex digit;
check digits ended in October 2020, so none is asked for); ISO/IEC 7812-1 annex B (Luhn); the
telecommunications numbering plan (area and mobile prefixes).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from guards.text.normal import normalise


class PersonalKind(StrEnum):
    """What kind of identifier it is."""

    RESIDENT_NUMBER = "resident_number"
    FOREIGNER_NUMBER = "foreigner_number"
    CARD = "card"
    PHONE = "phone"
    EMAIL = "email"
    ACCOUNT = "account"
    PASSPORT = "passport"
    DRIVING_LICENCE = "driving_licence"

    @property
    def label(self) -> str:
        """What stands in its place when it is masked, such as ``[전화번호]``."""
        return f"[{_LABELS[self]}]"


_LABELS = {
    PersonalKind.RESIDENT_NUMBER: "주민등록번호",
    PersonalKind.FOREIGNER_NUMBER: "외국인등록번호",
    PersonalKind.CARD: "카드번호",
    PersonalKind.PHONE: "전화번호",
    PersonalKind.EMAIL: "이메일",
    PersonalKind.ACCOUNT: "계좌번호",
    PersonalKind.PASSPORT: "여권번호",
    PersonalKind.DRIVING_LICENCE: "운전면허번호",
}


@dataclass(frozen=True, slots=True)
class PersonalSpan:
    """An identifier's half-open place in a text, in code points."""

    kind: PersonalKind
    start: int
    end: int


def find_personal(text: str) -> list[PersonalSpan]:
    """Return the identifiers of a text in order; they never overlap."""
    normal = normalise(text)
    unclaimed = normal.text
    zones = _zones(unclaimed)
    spans: list[PersonalSpan] = []
    for rule in _RULES:
        claimed = _claimed(rule, unclaimed, zones)
        unclaimed = _blanked(unclaimed, claimed)
        spans += claimed
    return sorted(
        (PersonalSpan(span.kind, *normal.to_raw(span.start, span.end)) for span in spans),
        key=lambda span: span.start,
    )


_NEAR_CHARS = 15
# Seven digits close together, or an at sign: all that the rules below find has one of the two.
_DENSE = re.compile(r"[0-9](?:[-+ .()A-Za-z]{0,7}[0-9]){6}|@")
_ZONE_CHARS = 100
_FILLER = "\0"


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[str]
    kind_of: Callable[[re.Match[str]], PersonalKind | None]
    """The kind of a match; None if it is something else."""


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(body, re.ASCII | re.IGNORECASE)


# None of these words counts where it is the label of what was masked before.
_RESIDENT_WORD = re.compile(r"(?:주민|외국인)(?!등록번호\])")
_CORPORATE_WORD = re.compile(r"법인")
_PHONE_WORD = re.compile(
    r"(?:전화|연락처|휴대폰|핸드폰|팩스|tel|phone|fax)(?!번호\])", re.IGNORECASE
)
_LICENCE_WORD = re.compile(r"면허(?!번호\])")
_PASSPORT_WORD = re.compile(r"여권(?!번호\])|passport", re.IGNORECASE)
_BANK_WORD = re.compile(
    r"계좌(?!번호\])|은행|뱅크|농협|수협|신협|금고|우체국|입금|송금|이체|예금주|bank|account",
    re.IGNORECASE,
)
_BUSINESS_NUMBER = re.compile(r"\d{3} ?- ?\d{2} ?- ?\d{5}", re.ASCII)
_AMOUNT_UNIT = re.compile(r" ?(?:원|만|억|천|%|달러|건|명)")


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - _NEAR_CHARS) : match.start()]


def _after(match: re.Match[str]) -> str:
    return match.string[match.end() : match.end() + _NEAR_CHARS]


def _digits(match: re.Match[str]) -> str:
    return "".join(char for char in match[0] if char.isdigit())


def _email(match: re.Match[str]) -> PersonalKind:
    del match
    return PersonalKind.EMAIL


def _registration(match: re.Match[str]) -> PersonalKind | None:
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


def _account(match: re.Match[str]) -> PersonalKind | None:
    if not 10 <= len(_digits(match)) <= 14 or _BUSINESS_NUMBER.fullmatch(match[0]):
        return None
    if _AMOUNT_UNIT.match(match.string, match.end()):
        return None
    near = _BANK_WORD.search(_before(match)) or _BANK_WORD.search(_after(match))
    return PersonalKind.ACCOUNT if near else None


# The sides of a number: not a piece of a longer one, dashes included.
_LEFT = r"(?<!\d)(?<!\d-)"
_RIGHT = r"(?!-?\d)"
_GAP = r" ?[-.]? ?"
_DASH = r" ?-? ?"
_ABROAD = rf"\+?82{_GAP}\(?0?\)? ?"
_AREA = r"(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]|70|50\d)"
_REGION = (
    "(?:서울|부산|대구|인천|광주|대전|울산|경기|강원|충북|충남|전북|전남|경북|경남|제주"
    "|1[1-9]|2[0-6]|28)"
)

# In the order of certainty: what one rule has claimed is no longer there for the next.
_RULES = (
    _Rule(
        _pattern(r"[a-z0-9._%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}"),
        _email,
    ),
    _Rule(_pattern(rf"(?<!\d)\d{{6}}{_DASH}\d{{7}}(?!\d)"), _registration),
    _Rule(
        _pattern(
            rf"{_LEFT}(?:[2-69]\d{{3}}{_DASH}\d{{4}}{_DASH}\d{{4}}{_DASH}\d{{4}}"
            rf"|3[47]\d\d{_DASH}\d{{6}}{_DASH}\d{{5}}|3[0689]\d\d{_DASH}\d{{6}}{_DASH}\d{{4}})"
            rf"{_RIGHT}"
        ),
        _card,
    ),
    _Rule(
        _pattern(rf"{_LEFT}{_REGION}{_DASH}\d\d{_DASH}\d{{6}}{_DASH}\d\d{_RIGHT}"),
        _licence,
    ),
    _Rule(
        _pattern(rf"{_LEFT}(?:{_ABROAD}|\(?0)1[016-9]\)?{_GAP}\d{{3,4}}{_GAP}\d{{4}}{_RIGHT}"),
        _mobile,
    ),
    _Rule(
        _pattern(rf"{_LEFT}(?:{_ABROAD}|\(?0){_AREA}\)?{_GAP}\d{{3,4}}{_GAP}\d{{4}}{_RIGHT}"),
        _landline,
    ),
    _Rule(
        _pattern(r"(?<![a-z0-9])[MSROD](?:\d{8}|\d{3}[a-z]\d{4})(?![a-z0-9])"),
        _passport,
    ),
    _Rule(
        _pattern(
            rf"{_LEFT}(?:\d{{2,6}}(?: ?- ?\d{{1,8}}){{1,3}}|\d{{2,6}}(?: \d{{2,8}}){{1,3}}"
            rf"|\d{{10,14}}){_RIGHT}"
        ),
        _account,
    ),
)


def _zones(text: str) -> list[tuple[int, int]]:
    """Return the few places of a text that the rules have to look at."""
    zones: list[tuple[int, int]] = []
    for dense in _DENSE.finditer(text):
        start, end = max(0, dense.start() - _ZONE_CHARS), dense.end() + _ZONE_CHARS
        if zones and start <= zones[-1][1]:
            start = zones.pop()[0]
        zones.append((start, end))
    return zones


def _claimed(rule: _Rule, text: str, zones: list[tuple[int, int]]) -> list[PersonalSpan]:
    return [
        PersonalSpan(kind, *match.span())
        for zone in zones
        for match in rule.pattern.finditer(text, *zone)
        if (kind := rule.kind_of(match)) is not None
    ]


def _blanked(text: str, spans: list[PersonalSpan]) -> str:
    """Return a text of the same length without what is claimed."""
    pieces: list[str] = []
    position = 0
    for span in spans:
        pieces += (text[position : span.start], _FILLER * (span.end - span.start))
        position = span.end
    return "".join([*pieces, text[position:]])
