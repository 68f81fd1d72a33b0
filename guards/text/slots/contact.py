"""Ways to reach someone: telephone numbers, addresses on the web, e-mail."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from guards.korean.digits import in_digits
from guards.text.normal import Normal, normalise
from guards.text.slots.phone import find_phones, same_line

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
