"""Identifiers without their dashes, spaces and brackets, so that notations can be compared."""

import re
from bisect import bisect_right

from guards.core.lazy import lazy
from guards.korean.digits import in_digits
from guards.text.normal import Normal, normalise
from guards.text.personal_data.kinds import PersonalKind

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


class Dense:
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
