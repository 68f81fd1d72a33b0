"""Reads digits in other notations: ``9️⃣`` ``⑨`` ``❾`` ``⑼`` ``⁹`` ``９``, and 공일공 for 010.

A sign alone counts list items and footnotes, and 이, 일 and 사 are words of their own, so they are
digits only in a row of as many as a telephone number has. Signs and words at an end of a row of
ordinary digits are none of it if they are few: ``①010-…``, ``…5678이``.
"""

import re
import unicodedata
from functools import cache, lru_cache

from guards.lexicons.loading import groups

_FILLER = "\u200b"
"""Has no width; the normal form leaves it out."""
_KEYCAP = "[0-9]\ufe0f?\u20e3"
_SIGNS = (
    "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490"
    "\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\uff10-\uff19"
    "\U0001d7ce-\U0001d7ff"
)
_RAISED = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089"
_WORDS = {word: digit for digit, *words in groups("digit_words") for word in words}
_WORD = "|".join(sorted(_WORDS, key=len, reverse=True))
_DIGIT = rf"(?:{_KEYCAP}|[0-9{_SIGNS}]|{_WORD})"
_MARK = "-‐‑‒–—−－·./_()（）~ㅡ"
_SPOKEN = "에|의|다시|대시|하이픈|빼기"
_GAP = rf"(?:[ \t]{{0,2}}+(?:[{_MARK}]{{1,2}}+[ \t]{{0,2}}+)?+|[ ]?(?:{_SPOKEN})[ ]?)"
_FEWEST = 7
_ROW = re.compile(rf"(?:{_DIGIT}{_GAP}){{{_FEWEST - 1},}}{_DIGIT}")
_PIECE = re.compile(rf"(?P<digit>{_DIGIT})|(?P<spoken>{_SPOKEN})|(?P<gap>[^0-9])")
_OTHER = rf"(?:{_KEYCAP}|[{_SIGNS}]|{_WORD})"
# Before ordinary digits one or two signs or words are none of the row; behind them up to three, as
# no number ends in so short a group, and raised ones are notes.
_BEFORE = re.compile(
    rf"(?:{_OTHER}){{1,2}}(?=[0-9](?!\ufe0f?\u20e3))|(?:{_WORD})[{_MARK} ]{{1,2}}(?=[0-9])"
)
_BEHIND = re.compile(
    rf"(?<=[0-9])(?:[{_RAISED}]+|(?:[{_MARK} ]{{0,2}}(?:[{_SIGNS}]|{_WORD}){{1,3}})+)\Z"
)
# Groups of four and of seven digits end a number; a particle hangs on one that is spoken.
_PARTICLE_BEHIND = re.compile(
    rf"(?:(?<![가-힣0-9])|(?<=에)|(?<=의)|(?<=시))(?:(?:{_DIGIT}){{4}}|(?:{_DIGIT}){{7}}"
    rf"|(?:{_DIGIT}){{11}}|(?:{_DIGIT}){{13}})(?P<particle>이)\Z"
)
# What a row is made of, whatever the order: most texts have no such stretch.
_STRETCH = re.compile(
    rf"[{_MARK}0-9\ufe0f\u20e3 \t{_SIGNS}{(_WORD + _SPOKEN).replace('|', '')}]{{{_FEWEST},}}"
)
_HAS_OTHER = re.compile(_OTHER)
_TEXTS_KEPT = 64


@lru_cache(maxsize=_TEXTS_KEPT)
def in_digits(text: str) -> str:
    """Return a text of the same length in which rows of digits stand in ordinary ones.

    What is shorter so is filled up with characters of no width, so that all places stay.
    """
    return _STRETCH.sub(_rows_written, text)


def _rows_written(stretch: re.Match[str]) -> str:
    if not _HAS_OTHER.search(stretch[0]):
        return stretch[0]
    return _ROW.sub(_written, stretch[0])


def _written(found: re.Match[str]) -> str:
    row = found[0]
    before = _BEFORE.match(row)
    begin = before.end() if before else 0
    end = len(row)
    if behind := _BEHIND.search(row):
        end = behind.start()
    elif particle := _PARTICLE_BEHIND.search(row):
        end = particle.start("particle")
    if begin >= end:
        return row
    return row[:begin] + _PIECE.sub(_piece, row[begin:end]) + row[end:]


def _piece(piece: re.Match[str]) -> str:
    if piece["digit"]:
        return _value(piece[0]).ljust(len(piece[0]), _FILLER)
    return "-".ljust(len(piece[0]), _FILLER) if piece["spoken"] else piece[0]


@cache
def _value(written: str) -> str:
    if written in _WORDS:
        return _WORDS[written]
    return str(unicodedata.digit(written[0]))
