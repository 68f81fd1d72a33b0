"""Contacts: telephone numbers in a normal form, web and e-mail addresses.

A telephone number without an area code and a short code are read only beside a word that says what
they are (``☎ 200-1234``, ``국번 없이 120``), because other numbers look the same. The last digits
in a list behind a number (``031-200-1000(접수 1010, 환불 1020)``) are read as numbers of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from guards.korean.digits import in_digits
from guards.lexicons.loading import words
from guards.text.normal import Normal, normalise
from guards.text.slots.windows import Search, beginning, digit_windows, matches_in

_SHORT_CODES = sorted(words("short_codes"), key=lambda code: (-len(code), code))
_JOINT = r"(?:[ ]?[-.)][ ]?|[ ])"
_AREA = r"(?:0\d{1,3}|(?<=\+82)\d{1,2}|(?<=\+82[- ])\d{1,2})"
_BRACKET = r"(?:\((?=0\d{1,3}\)))?"
_RANGE = r"(?:[ ]?~[ ]?(?P<last>\d{1,4}))?"
_WHOLE = re.compile(
    rf"(?<![\d.,-])(?:(?P<country>\+82[- ]?)?{_BRACKET}{_AREA}{_JOINT}\d{{3,4}}{_JOINT}\d{{4}}"
    rf"|1[568]\d{{2}}[ ]?[-. ][ ]?\d{{4}}|01\d{{8,9}}){_RANGE}(?!\d)"
)
_CALL = r"(?:☎|☏|전화|연락처|문의처?|팩스|[Tt][Ee][Ll]|[Ff][Aa][Xx]|TEL|FAX)(?:번호)?"
_LOCAL = re.compile(rf"{_CALL}[은는 :.()]{{0,3}}(?P<number>\d{{3,4}}-\d{{4}}{_RANGE})(?!\d)")
_EXTENSION = re.compile(
    r"(?:(?<!국)내선|교환|구내|[Ee][Xx][Tt]\.?)(?:[ ]?번호)?[은는]?[ :.]{0,2}"
    r"(?P<number>\d{2,5}|\d(?=번))(?![,.]*\d)"
)
_LIST_BEHIND = re.compile(r"[ ]?\((?P<list>[^()\n]{3,120})\)")
_LAST_DIGITS = re.compile(
    r"[ ]?(?!내선|교환|구내)[가-힣A-Za-z][가-힣A-Za-z ]{0,14}[ :]?(?P<digits>\d{4})번?[ ]?"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_TAIL_CHARS = 4
_SHORT = re.compile(
    rf"(?<![\d.,A-Za-z-])(?P<number>{'|'.join(_SHORT_CODES)})"
    r"(?![,.~-]*\d)(?=번|으로|[로에을를과와은는이가나]|[^가-힣A-Za-z\d%]|$|콜|다산|구급|상담)"
)
_SHORT_BEFORE = re.compile(rf"(?:국번[ ]?없이|{_CALL}|긴급|신고|상담|콜센터|민원)[^.\n\d]{{0,8}}$")
_SHORT_AFTER = re.compile(
    r"번?(?:으로|로|에|을|를)?[ ]?(?:다산|국번|전화|신고|연락|문의|상담|콜센터|구급)"
)
NUMBERS = Search(_WHOLE, re.compile(r"[-.) ]\d{4}|\d{8}"), beginning(r"+(\d"))
_LOCALS = Search(_LOCAL, re.compile(r"\d{3}-\d{4}"))
_EXTENSIONS = Search(_EXTENSION, re.compile(r"내선|교환|구내|[Ee][Xx][Tt]"))
_SHORTS = Search(_SHORT, re.compile("|".join(_SHORT_CODES)))
# One of these holds of every text with a number.
_MAY_BE = (
    re.compile(r"\d(?:\d[ ]?[-.) ][ ]?\d{4}|\d{9})"),
    _EXTENSIONS.needed,
    re.compile(rf"(?:{'|'.join(_SHORT_CODES)})(?!\d)"),
)
_PHONE_LOOK_BACK_CHARS = 20
_MOST_IN_RANGE = 100
# The quantities and the contacts of a text both ask, one after the other.
_TEXTS_KEPT = 32
_NOT_A_DIGIT = re.compile(r"\D")
_SERVICE = re.compile(r"1[568]\d{6}")


@dataclass(frozen=True, slots=True)
class Phone:
    """A telephone number and its half-open place in the text that was read.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        numbers: ``+82…`` with an area code, digits alone without; several for ``1234~5``;
            ``x…`` for an extension.
        written: The whole number, where only its last digits stand there; else empty.
    """

    start: int
    end: int
    numbers: tuple[str, ...]
    written: str = ""


@lru_cache(maxsize=_TEXTS_KEPT)
def find_phones(text: str) -> tuple[Phone, ...]:
    """Return the telephone numbers of a normal form, in order; none overlaps another."""
    if not any(may.search(text) for may in _MAY_BE):
        return ()
    windows = digit_windows(text)
    if not windows:
        return ()
    found = [
        Phone(*match.span(), _spread(_canonical(match[0].partition("~")[0]), match["last"]))
        for match in matches_in(NUMBERS, text, windows)
    ]
    found += [tail for phone in found for tail in _listed_behind(text, phone)]
    found += [
        Phone(
            *match.span("number"),
            _spread(_NOT_A_DIGIT.sub("", match["number"].partition("~")[0]), match["last"]),
        )
        for match in matches_in(_LOCALS, text, windows)
    ]
    found += [
        Phone(*match.span("number"), (f"x{match['number']}",))
        for match in matches_in(_EXTENSIONS, text, windows)
    ]
    found += _short_codes(text, windows)
    kept: list[Phone] = []
    for phone in sorted(found, key=lambda phone: (phone.start, -phone.end)):
        if not kept or kept[-1].end <= phone.start:
            kept.append(phone)
    return tuple(kept)


def same_line(one: str, other: str) -> bool:
    """Tell whether two numbers may be the same line; one of them may lack its area code."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return long.startswith("+") and _is_local(short) and long.endswith(short)


def _is_local(number: str) -> bool:
    return number.isdigit() and len(number) in (7, 8) and not _SERVICE.fullmatch(number)


def _short_codes(text: str, windows: list[tuple[int, int]]) -> Iterator[Phone]:
    for match in matches_in(_SHORTS, text, windows):
        before = text[max(0, match.start() - _PHONE_LOOK_BACK_CHARS) : match.start()]
        if _SHORT_BEFORE.search(before) or _SHORT_AFTER.match(text, match.end()):
            yield Phone(*match.span("number"), (match["number"],))


def _listed_behind(text: str, phone: Phone) -> Iterator[Phone]:
    """Yield the numbers of which a list behind a number gives the last digits."""
    behind = _LIST_BEHIND.match(text, phone.end)
    if behind is None or len(phone.numbers) > 1:
        return
    start = behind.start("list")
    tails: list[re.Match[str]] = []
    while start < behind.end("list"):
        end = _item_end(text, start, behind.end("list"))
        tail = _LAST_DIGITS.fullmatch(text, start, end)
        if tail is None:
            return
        tails.append(tail)
        start = end + 1
    if len(tails) == 1 and _YEAR.fullmatch(tails[0]["digits"]):
        return
    for tail in tails:
        number = phone.numbers[0][:-_TAIL_CHARS] + tail["digits"]
        written = text[phone.start : phone.end - _TAIL_CHARS] + tail["digits"]
        yield Phone(*tail.span("digits"), (number,), written)


def _item_end(text: str, start: int, end: int) -> int:
    return min(at if (at := text.find(mark, start, end)) >= 0 else end for mark in ",·/")


def _canonical(written: str) -> str:
    digits = _NOT_A_DIGIT.sub("", written)
    if written.startswith("+"):
        return f"+{digits}"
    return digits if _SERVICE.fullmatch(digits) else f"+82{digits.removeprefix('0')}"


def _spread(first: str, last: str | None) -> tuple[str, ...]:
    """Return the numbers from `first` to the one that ends in `last` (``1234~5``)."""
    if last is None:
        return (first,)
    stem, low, high = first[: -len(last)], int(first[-len(last) :]), int(last)
    if not low < high < low + _MOST_IN_RANGE:
        return (first,)
    return tuple(f"{stem}{number:0{len(last)}}" for number in range(low, high + 1))


_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,5}"
_COMMON_ENDING = (
    r"(?:kr|com|net|org|edu|gov|io|app|biz|info|shop|site|online|me|ai|dev|example|test|invalid)"
)
_PATH = r"(?:[/?#][\w/?#.,:;=&%~+@!$*-]{0,2000})?"
_URL = re.compile(
    rf"(?<![\w@.-])(?:(?:https?://|(?=www\.))(?P<open>{_HOST}[A-Za-z]{{2,24}})"
    rf"|(?P<bare>{_HOST}{_COMMON_ENDING})(?![A-Za-z0-9-]|\.[A-Za-z]))(?P<path>{_PATH})",
    re.ASCII | re.IGNORECASE,
)
_MAY_BE_URL = re.compile(r"\.[A-Za-z]")
_MAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,64}(?:\.[A-Za-z0-9-]{1,64}){1,4}", re.ASCII
)
_FAX_BEFORE = re.compile(r"(?:팩스|[Ff][Aa][Xx])[^\d]{0,8}$")
_LOOK_BACK_CHARS = 14
_LOCAL_DIGITS = 7
"""The fewest that two spellings of the same line have in common."""
_AFTER_URL = ".,:;!?"
_PATH_END = re.compile(r"[?#]")


class ContactKind(StrEnum):
    """Kind of contact."""

    PHONE = "phone"
    URL = "url"
    MAIL = "mail"


@dataclass(frozen=True, slots=True)
class Contact:
    """A way to reach someone and its half-open place in the raw text, in code points.

    Attributes:
        kind: See `ContactKind`.
        values: Canonical forms; several for a range of telephone numbers.
        text: As it stands.
        start: Where it begins.
        end: Where it ends.
        is_fax: Whether the word before it says that it is for fax.
        full: The whole number, where only its last digits stand there; else empty.
    """

    kind: ContactKind
    values: tuple[str, ...]
    text: str
    start: int
    end: int
    is_fax: bool = False
    full: str = ""

    def is_in(self, other: "Contact") -> bool:
        """Tell whether another contact covers this one (an address may be cut to its host)."""
        return self.kind is other.kind and all(
            any(_covers(self.kind, known, one) for known in other.values) for one in self.values
        )

    @property
    def keys(self) -> frozenset[str]:
        """Keys, at least one of which it shares with each contact that covers it."""
        return frozenset(_key(self.kind, value) for value in self.values)

    @property
    def written(self) -> str:
        """Form in which it is written outside its text."""
        return self.full or self.text

    @property
    def is_phone(self) -> bool:
        """True if it is a telephone number."""
        return self.kind is ContactKind.PHONE

    @property
    def is_extension(self) -> bool:
        """True if it is an extension without its line."""
        return self.values[0].startswith("x") and self.is_phone


def find_contacts(raw: str, normal: Normal) -> tuple[Contact, ...]:
    """Return the contacts of a text, in order; none overlaps another."""
    found = [*_contacts(raw, normal)]
    if (written := in_digits(raw)) != raw:
        found += (one for one in _contacts(raw, normalise(written)) if one.is_phone)
    kept: list[Contact] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or kept[-1].end <= one.start:
            kept.append(one)
    return tuple(kept)


def _contacts(raw: str, normal: Normal) -> Iterator[Contact]:
    text = normal.text
    found = [
        (one.start, one.end, ContactKind.PHONE, one.numbers, one.written)
        for one in find_phones(text)
    ]
    if "@" in text:
        found += [
            (*one.span(), ContactKind.MAIL, (one[0].rstrip(".").lower(),), "")
            for one in _MAIL.finditer(text)
        ]
    if _MAY_BE_URL.search(text):
        found += [_address(one) for one in _URL.finditer(text)]
    for begin, stop, kind, values, full in found:
        start, end = normal.to_raw(begin, stop)
        is_fax = _FAX_BEFORE.search(text[max(0, begin - _LOOK_BACK_CHARS) : begin]) is not None
        yield Contact(kind, values, raw[start:end], start, end, is_fax, full)


def _address(match: re.Match[str]) -> tuple[int, int, ContactKind, tuple[str, ...], str]:
    host = (match["open"] or match["bare"]).lower().removeprefix("www.")
    path = match["path"].rstrip(_AFTER_URL)
    end = match.end() - (len(match["path"]) - len(path))
    value = host + _PATH_END.split(path)[0].rstrip("/")
    return match.start(), end, ContactKind.URL, (value,), ""


def _key(kind: ContactKind, value: str) -> str:
    if kind is ContactKind.PHONE:
        return value[-_LOCAL_DIGITS:]
    return value.partition("/")[0]


def _covers(kind: ContactKind, known: str, one: str) -> bool:
    if kind is ContactKind.PHONE:
        return same_line(known, one)
    return known == one or (kind is ContactKind.URL and known.startswith(f"{one}/"))
