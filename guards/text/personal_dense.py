"""Identifiers without their dashes, spaces and brackets, so that notations can be compared."""

import re
from bisect import bisect_right
from functools import cached_property

from guards.text.normal import Normal, normalise
from guards.text.personal_kinds import PersonalKind

# Numbers that are no digits of an identifier: ① ⑴ ² ㎡. The normal form would glue them to it.
_SIGNS = re.compile(r"[²³¹¼-¾⁰-⁹₀-₉⅐-⅟①-⒛⓪-⓿❶-➓㈠-㈩㉈-㉟㊀-㊉㊱-㊿㎟-㎦]")
_KEPT = re.compile(r"[^\W_]+|@")
_ABROAD = re.compile(r"\A(?:00)?(?:82)?0?(?=[1-9])")


def readable(text: str) -> Normal:
    """Return the normal form in which identifiers are looked for."""
    return normalise(_SIGNS.sub(" ", text))


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

    @cached_property
    def text(self) -> str:
        """The letters, digits and at signs."""
        return "".join(self._pieces)

    def whole(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the place in the original; None for a piece of a longer word or number."""
        begin, stop = self._origin(start), self._origin(end - 1) + 1
        if _BEFORE.search(self._normal.text[max(0, begin - 2) : begin]):
            return None
        if _AFTER.match(self._normal.text, stop):
            return None
        return self._normal.to_raw(begin, stop)

    def _origin(self, position: int) -> int:
        at = bisect_right(self._starts, position) - 1
        return self._origins[at] + position - self._starts[at]


_BEFORE = re.compile(r"[0-9A-Za-z]\Z|[0-9]-\Z")
_AFTER = re.compile(r"[0-9A-Za-z]|-[0-9]")
