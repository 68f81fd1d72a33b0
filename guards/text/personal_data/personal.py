"""Finds Korean personal identifiers in a text.

Finds resident and foreigner registration numbers, payment cards, phone numbers, e-mail addresses,
bank accounts, passports, driving licences, health insurance cards, vehicle plates and, where asked
for, business registration numbers, also in other digits (``９``, ``⑨``, ``9️⃣``, 공일공), with other
separators, spaces around the dashes or zero-width characters inside. Notations that other numbers
share (accounts, old passports, phone numbers without separators, …) count only near a word that
says what they are, and no number counts that a label gives to a thing (주문번호, 바코드, 모델, …).

Misses identifiers split digit by digit or obfuscated (``at``), and registration numbers without
separator and label that are valid barcodes as well. A number without a label in the notation of a
registration number counts as one if its date is valid.

Identifiers are compared without their dashes, spaces, brackets and country codes.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable

from guards.core.keeping import lazy
from guards.korean.digits import in_digits
from guards.text.normal import Normal, normalise
from guards.text.personal_data.rules import (
    PLATE,
    PUBLISHED,
    RULES,
    PersonalKind,
    PersonalSpan,
    Rule,
)

# Numbers that are no digits of an identifier: ① ⑴ ² ㎡. The normal form would glue them to it.
_SIGNS = re.compile(r"[²³¹¼-¾⁰-⁹₀-₉⅐-⅟①-⒛⓪-⓿❶-➓㈠-㈩㉈-㉟㊀-㊉㊱-㊿㎟-㎦]")
_KEPT = re.compile(r"[^\W_]+|@")
_LONGER = re.compile(r"[0-9]-?[0-9]|[A-Za-z]{2}")
_ABROAD = re.compile(r"\A(?:00)?(?:82)?0?(?=[1-9])")


def readable(text: str) -> Normal:
    """Return the normal form in which identifiers are looked for, with all their digits."""
    return normalise(_SIGNS.sub(" ", in_digits(text)))


def dense(text: str) -> str:
    """Return the letters and digits of a text, and its at signs."""
    return "".join(_KEPT.findall(readable(text).text)).lower()


def subscriber(kind: PersonalKind, value: str) -> str:
    """Return what all notations of an identifier have in common: a phone number without its 0."""
    said = dense(value)
    return _ABROAD.sub("", said) if kind is PersonalKind.PHONE else said


class DenseText:
    """A text without what stands between letters and digits, and the way back.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._normal = readable(text)
        self._starts: list[int] = []
        self._origins: list[int] = []
        pieces: list[str] = []
        length = 0
        for kept in _KEPT.finditer(self._normal.text):
            # Lower case may be longer (İ), and then the places would no longer fit.
            piece = kept[0].lower()
            pieces.append(piece if len(piece) == len(kept[0]) else kept[0])
            self._starts.append(length)
            self._origins.append(kept.start())
            length += len(kept[0])
        self._pieces = pieces

    @lazy
    def text(self) -> str:
        """The letters, digits and at signs."""
        return "".join(self._pieces)

    def whole(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the place in the original; None for a piece of a longer word or number."""
        begin, stop = self._origin(start), self._origin(end - 1) + 1
        text = self._normal.text
        if _LONGER.search(text[max(0, begin - 2) : begin + 1]):
            return None
        if _LONGER.match(text, stop - 1):
            return None
        return self._normal.to_raw(_opening(text, begin, stop), stop)

    def _origin(self, position: int) -> int:
        at = bisect_right(self._starts, position) - 1
        return self._origins[at] + position - self._starts[at]


def _opening(text: str, start: int, end: int) -> int:
    """Return where an identifier begins with the sign or the bracket that belongs to it."""
    inside = text[start:end]
    opener = text[start - 1 : start]
    opens = opener == "(" and inside.count(")") > inside.count("(")
    return start - 1 if opener == "+" or opens else start


__all__ = ["PersonalKind", "PersonalSpan", "find_personal"]


def find_personal(text: str, *, business_numbers: bool = False) -> list[PersonalSpan]:
    """Return the identifiers of a text in order; they never overlap.

    Args:
        text: The text.
        business_numbers: Return business registration numbers as well.
    """
    if _has_none(in_digits(text)):
        return []
    normal = readable(text)
    unclaimed = normal.text
    zones = _zones(unclaimed)
    if not zones:
        return []
    spans: list[PersonalSpan] = []
    for rule in RULES:
        claimed = _spans_of_rule(rule, unclaimed, zones)
        unclaimed = _blanked(unclaimed, claimed)
        spans += claimed
    return sorted(
        (
            PersonalSpan(span.kind, *normal.to_raw(span.start, span.end))
            for span in spans
            if business_numbers or span.kind is not PersonalKind.BUSINESS_NUMBER
        ),
        key=lambda span: span.start,
    )


# Most texts have no identifier, and show it before anything is made of them: fewer digits than a
# plate has, no at sign, and no character of which the normal form might make one.
_LEAST_DIGITS = 6
_DIGIT = re.compile(r"[0-9]")
_NO_PLAIN = re.compile(r"[^0-9A-Za-z_가-힣ㄱ-ㅎㅏ-ㅣ\s.,:;!?~·…%'\"()\[\]{}<>*#|/+=-]|@")


def _has_none(text: str) -> bool:
    return len(_DIGIT.findall(text)) < _LEAST_DIGITS and _NO_PLAIN.search(text) is None


# Seven digits close together, an at sign or a plate: all that the rules find has one of the three.
_DENSE = re.compile(rf"[0-9](?:[-+.()/_·ㅡ\sA-Za-z]{{0,7}}[0-9]){{6}}|@|{PLATE}")
_ZONE_CHARS = 100
_FILLER = "\0"


def _zones(text: str) -> list[tuple[int, int]]:
    """Return the few places of a text that the rules have to look at."""
    zones: list[tuple[int, int]] = []
    for dense in _DENSE.finditer(text):
        start, end = max(0, dense.start() - _ZONE_CHARS), dense.end() + _ZONE_CHARS
        if zones and start <= zones[-1][1]:
            start = zones.pop()[0]
        zones.append((start, end))
    return zones


def _spans_of_rule(rule: Rule, text: str, zones: list[tuple[int, int]]) -> list[PersonalSpan]:
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


_LINE = re.compile(r"\A(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4])(?=\d{7,8}\Z)")


class ShownIdentifiers:
    """The identifiers that some texts show.

    An area code may be missing in them: offices give their numbers without.

    Args:
        texts: The texts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)

    @lazy
    def _all(self) -> str:
        # A mark that no identifier has keeps the end of one text apart from the next one's start.
        return "|".join(map(dense, self._texts))

    @lazy
    def _persons(self) -> frozenset[str]:
        return frozenset(
            dense(text[span.start : span.end])
            for text in self._texts
            for span in find_personal(text, business_numbers=True)
        )

    def holds(self, kind: PersonalKind, value: str) -> bool:
        """Tell whether one of the texts shows an identifier."""
        sought = subscriber(kind, value)
        if kind is PersonalKind.PHONE:
            sought = _LINE.sub("", sought)
        return sought in self._all

    def publish(self, kind: PersonalKind, value: str) -> bool:
        """Tell whether the texts show an identifier that belongs to no person.

        It is a contact of an office, or it only looks like an identifier: a label in the texts
        says that it is the number of a thing.
        """
        if not self.holds(kind, value):
            return False
        return kind in PUBLISHED or dense(value) not in self._persons


def unpublished(
    text: str, spans: Iterable[PersonalSpan], sources: ShownIdentifiers
) -> list[PersonalSpan]:
    """Return those identifiers of a text that the sources do not publish."""
    return [span for span in spans if not sources.publish(span.kind, text[span.start : span.end])]
