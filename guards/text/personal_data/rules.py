"""The rules for personal identifiers: a notation, and what confirms it.

Check digits and dates show what a row of digits can be; the words around it say what it is. A label
right before a number decides: an order number (주문번호) is not personal data, whatever it looks
like, and neither are the numbers that follow it in a list.

Source: ISO/IEC 7812-1 annex B (Luhn); Enforcement Rule of the Resident Registration Act, article 2
(date, century and sex digit, check digit until October 2020); GS1 General Specifications (thirteen
digits with a check digit); the rule on corporate registration numbers of the Supreme Court; the
check digit that the National Tax Service gives business registration numbers.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import cycle


class PersonalKind(StrEnum):
    """Kind of identifier."""

    RESIDENT_NUMBER = "resident_number"
    FOREIGNER_NUMBER = "foreigner_number"
    CARD = "card"
    PHONE = "phone"
    EMAIL = "email"
    ACCOUNT = "account"
    PASSPORT = "passport"
    DRIVING_LICENCE = "driving_licence"
    HEALTH_INSURANCE = "health_insurance"
    VEHICLE = "vehicle"
    BUSINESS_NUMBER = "business_number"
    """Of a company it is public; of a sole proprietor it is one person's."""

    @property
    def noun(self) -> str:
        """Its Korean name, such as ``전화번호``."""
        return _NOUNS[self]

    @property
    def label(self) -> str:
        """Label that replaces it when masked, such as ``[전화번호]``."""
        return f"[{self.noun}]"


PUBLISHED = frozenset(
    {
        PersonalKind.PHONE,
        PersonalKind.EMAIL,
        PersonalKind.ACCOUNT,
        PersonalKind.VEHICLE,
        PersonalKind.BUSINESS_NUMBER,
    }
)
"""Kinds that offices publish: in a source they count as the office's own."""

_NOUNS = {
    PersonalKind.RESIDENT_NUMBER: "주민등록번호",
    PersonalKind.FOREIGNER_NUMBER: "외국인등록번호",
    PersonalKind.CARD: "카드번호",
    PersonalKind.PHONE: "전화번호",
    PersonalKind.EMAIL: "이메일",
    PersonalKind.ACCOUNT: "계좌번호",
    PersonalKind.PASSPORT: "여권번호",
    PersonalKind.DRIVING_LICENCE: "운전면허번호",
    PersonalKind.HEALTH_INSURANCE: "건강보험증번호",
    PersonalKind.VEHICLE: "차량번호",
    PersonalKind.BUSINESS_NUMBER: "사업자등록번호",
}


@dataclass(frozen=True, slots=True)
class PersonalSpan:
    """An identifier's half-open place in a text, in code points."""

    kind: PersonalKind
    start: int
    end: int


_CENTURIES = {"9": 1800, "0": 1800, "3": 2000, "4": 2000, "7": 2000, "8": 2000}
_FOREIGN = "5678"
# Nobody alive was born then; corporate registration numbers begin with such "dates".
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
    return _weighted_sum(digits, (1, 3)) % 10 == 0


def _is_corporate(digits: str) -> bool:
    is_company = digits[4:6] == "11"
    return is_company and (_weighted_sum(digits[:12], (1, 2)) + int(digits[12])) % 10 == 0


def _has_registration_check(digits: str) -> bool:
    base = 13 if is_foreign(digits) else 11
    total = _weighted_sum(digits[:12], (2, 3, 4, 5, 6, 7, 8, 9))
    return (base - total % 11) % 10 == int(digits[12])


def _weighted_sum(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, cycle(weights), strict=False))


def has_luhn_check(digits: str) -> bool:
    """Tell whether the last digit of a card number fits."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def has_issuer(digits: str) -> bool:
    """Tell whether a card number begins with the prefix of an issuer."""
    return _ISSUERS.match(digits) is not None


def has_business_check(digits: str) -> bool:
    """Tell whether the last digit of a business registration number fits."""
    weighed = _weighted_sum(digits[:9], (1, 3, 7, 1, 3, 7, 1, 3, 5))
    return (weighed + int(digits[8]) * 5 // 10 + int(digits[9])) % 10 == 0


# None of these words counts where it is the label of what was masked before.
_NO_LABEL = r"(?!번호[-\]])"
_RESIDENT_WORDS = re.compile(
    r"(?:주민(?!센터|자치|세|투표|회의|참여)|외국인|민증)(?!등록번호[-\]])", re.IGNORECASE
)
_CORPORATE_WORDS = re.compile(r"법인")
_PHONE_WORDS = re.compile(
    rf"(?:전화|연락처|휴대폰|핸드폰|팩스|tel|phone|fax){_NO_LABEL}", re.IGNORECASE
)
_LICENCE_WORDS = re.compile(rf"면허{_NO_LABEL}")
_PASSPORT_WORDS = re.compile(rf"여권{_NO_LABEL}|passport", re.IGNORECASE)
_CARD_WORDS = re.compile(rf"카드{_NO_LABEL}|\bcard\b", re.IGNORECASE)
_BANK_WORDS = re.compile(
    rf"계좌{_NO_LABEL}|은행|뱅크|농협|수협|신협|금고|우체국|입금|송금|이체|예금주|bank|account",
    re.IGNORECASE,
)
_BANK_CLOSE_BY_WORDS = re.compile(rf"(?:{_BANK_WORDS.pattern})[^\d\n]{{0,5}}\Z", re.IGNORECASE)
# Ordinary words as well: a bank only right before what is written like an account.
_BANK_IN_SHORT_WORDS = re.compile(
    r"(?<![가-힣])(?:국민|신한|우리|하나|기업|산업|카카오|케이|토스|씨티|새마을)[ :]{1,2}\Z"
)
_INSURANCE_WORDS = re.compile(r"(?:건강보험|보험증)(?!증?번호[-\]])")
_BUSINESS_WORDS = re.compile(r"사업자(?!등록번호[-\]])")
_PLATE_WORDS = re.compile(r"(?:차량?|자동차) ?(?:등록)? ?번호(?![-\]])|번호판")
_CAR_WORDS = re.compile(
    rf"차량{_NO_LABEL}|자동차|승용차|승합차|화물차|(?<!\d)주차|차주|렌터카"
    r"|(?<![가-힣])차(?:[를가는] |\s)"
)

_NEAR_CHARS = 15
_FAR_CHARS = 60

_THINGS = (
    "주문|관리|자산|모델|접수|과제|문서|제품|상품|품목|물품|비품|일련|제조|공사|계약|송장|운송장"
    "|등기|승인|거래|결제|예약|예매|사건|고시|공고|의안|안건|특허|출원|허가|인가|인증|민원|처리"
    "|발급|발행|증권|증서|쿠폰|입찰|구매|발주|견적|청구|영수증|전표|도서|시설|장비|기기|설비|부품"
    "|재고|배송|화물|택배|추적|조회|신청|수험|응시|프로젝트|사업|법인|법인 ?등록|티켓|게시"
    "|시리얼|바코드|품질|시험|검사|점검|수리|보증|차대|엔진"
    "|(?<!거소)(?<!거소 )신고|(?<!주민)(?<!주민 )(?<!외국인)(?<!외국인 )(?<!사업자)등록"
)
_THINGS_ALONE = (
    r"주문|바코드|코드|모델명?|품번|시리얼|송장|타임스탬프"
    r"|\b(?:isbn|issn|ean|gtin|sku|upc|barcode|model|order|part|serial|epoch|timestamp)"
)
_LABEL_BEFORE = re.compile(
    rf"(?:(?:{_THINGS}) ?(?:번호|코드|넘버|id)"
    rf"|(?:{_THINGS_ALONE})(?: ?(?:번호|넘버|no\.?|number))?)"
    r"(?P<between>[은는이가의을를과와및도\s:=,·|*\"'()\[\]#\d-]{0,40})\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d[\d -]*\d", re.ASCII)
_DIGIT = re.compile(r"\d", re.ASCII)
_LABEL_AFTER = re.compile(
    rf"번 ?(?:{_THINGS})|이?라는 (?:{_THINGS})| ?\((?:{_THINGS}) ?(?:번호|코드)"
)


def before(match: re.Match[str], chars: int = _NEAR_CHARS) -> str:
    """Return what stands right before a match."""
    return match.string[max(0, match.start() - chars) : match.start()]


def after(match: re.Match[str]) -> str:
    """Return what stands right after a match."""
    return match.string[match.end() : match.end() + _NEAR_CHARS]


def is_of_a_thing(match: re.Match[str]) -> bool:
    """Tell whether a label says that a number belongs to a thing: an order, a model, a file."""
    label = _LABEL_BEFORE.search(before(match, _FAR_CHARS))
    if label is None:
        return _LABEL_AFTER.match(match.string, match.end()) is not None
    # What follows another kind of number is no longer what the label speaks of.
    shape = _DIGIT.sub("0", match[0])
    return all(_DIGIT.sub("0", one) == shape for one in _NUMBER.findall(label["between"]))


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
    if not _RESIDENT_WORDS.search(before(match)) and (
        _CORPORATE_WORDS.search(before(match))
        or not may_be_registration(digits, is_bare=match[0].isdigit())
    ):
        return None
    foreign = is_foreign(digits)
    return PersonalKind.FOREIGNER_NUMBER if foreign else PersonalKind.RESIDENT_NUMBER


def _card(match: re.Match[str]) -> PersonalKind | None:
    if _is_fraction(match) or _is_amount(match) or is_of_a_thing(match):
        return None
    digits = _digits(match)
    issued = has_issuer(digits) or _CARD_WORDS.search(before(match))
    return PersonalKind.CARD if issued and has_luhn_check(digits) else None


def _licence(match: re.Match[str]) -> PersonalKind | None:
    if is_of_a_thing(match):
        return None
    certain = match[0].count("-") > 1 or _LICENCE_WORDS.search(before(match))
    return PersonalKind.DRIVING_LICENCE if certain else None


def _mobile(match: re.Match[str]) -> PersonalKind:
    del match
    return PersonalKind.PHONE


def _landline(match: re.Match[str]) -> PersonalKind | None:
    certain = any(mark in match[0] for mark in "-.)+") or _PHONE_WORDS.search(before(match))
    return PersonalKind.PHONE if certain else None


def _passport(match: re.Match[str]) -> PersonalKind | None:
    if is_of_a_thing(match):
        return None
    # One letter and eight digits are the number of many a thing; the letter inside is not.
    is_new = match[0][0] == "M" and match["letter"] is not None
    named = _PASSPORT_WORDS.search(before(match, _PASSPORT_CHARS) + "\n" + after(match))
    return PersonalKind.PASSPORT if is_new or named else None


def _vehicle(match: re.Match[str]) -> PersonalKind | None:
    if _is_amount(match) or _CASE.match(match.string, match.end()):
        return None
    certain = _PLATE_WORDS.search(before(match)) is not None or bool(
        match["apart"] and match["region"]
    )
    if not certain and match["letter"] not in _COUNTERS and not match["apart"]:
        is_year = _YEAR_SIGN.match(match.string, match.end()) is not None
        # Two digits, a letter and four digits also name cases of before 2000 (97다1234).
        distinct = len(match["group"]) == 3 and " " not in match[0]
        named = (
            match["region"] or _CAR_WORDS.search(before(match)) or _CAR_WORDS.match(after(match), 1)
        )
        certain = not is_year and bool(distinct or named)
    return PersonalKind.VEHICLE if certain else None


def _insurance(match: re.Match[str]) -> PersonalKind | None:
    named = _INSURANCE_WORDS.search(before(match))
    return PersonalKind.HEALTH_INSURANCE if named else None


def _business(match: re.Match[str]) -> PersonalKind | None:
    named = "-" in match[0] or _BUSINESS_WORDS.search(before(match))
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
        return _BANK_CLOSE_BY_WORDS.search(said) is not None
    if _BANK_WORDS.search(said) or _BANK_WORDS.search(after(match)):
        return True
    is_grouped = match[0].count("-") > 1 and not _YEAR_FIRST.match(match[0])
    return is_grouped and _BANK_IN_SHORT_WORDS.search(said) is not None


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

# Most certain first: a match of one rule is no longer there for the next.
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
