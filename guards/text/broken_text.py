"""Characters that no writer meant: lost ones, control characters, misread encodings, loose jamo.

A misread encoding is proved by reading it back: ``ì•ˆë…•`` in Windows-1252 is ``안녕`` in UTF-8.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

_WINDOWS_1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_TAIL = f"[\x80-\xbf{_WINDOWS_1252}]"
# Lead bytes of UTF-8 with the bytes that must follow; Hangul lies in 0xEA to 0xED. Of two-byte
# sequences only those that no word ends in: the end of a quoted “CAFÉ” reads as one, too.
_UTF8_READ_AS_1252 = re.compile(f"(?:[\xc2\xc3][\x80-\xbf]|[\xe0-\xef]{_TAIL}{{2}})+")
_CP949_READ_AS_LATIN = re.compile("(?:[\x81-\xfe][\xa1-\xfe]){3,}")
_LEAST_DIFFERENT = 4
_LEAST_LETTERS = 0.3
# What becomes of U+FFFD when its UTF-8 is read as CP949.
_LOST_TWICE = re.compile("(?:占쏙옙|占쏙|쏙옙)+")
_LOST = re.compile("[\ufffd\ufffe\uffff\ud800-\udfff]+")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]+")
_PRIVATE = re.compile("[\ue000-\uf8ff]+")
_JAMO_RUN = re.compile("[ㄱ-ㅎㅏ-ㅣ]{2,}")
_INITIALS = frozenset("ㅋㅎㅇㅅㄷㄴㄱㅈㄹㅂ")  # ㅇㅋ, ㄱㅅ, ㅎㄷㄷ
_LAUGHTER_AND_TEARS = frozenset("ㅋㅎㅇㅠㅜㅡㅗ")
_ALPHABETS = ("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ", "ㅏㅑㅓㅕㅗㅛㅜㅠㅡㅣ")
# Conjoining jamo that make no syllable; U+119E (ᆞ) stands for a middle dot in statutes.
_LOOSE_CONJOINING = re.compile(
    "[\u1100-\u115e]+(?![\u1160-\u11a7])"
    "|(?<![\u1100-\u115f])[\u1161-\u119d\u119f-\u11a7]+"
    "|(?<![\u1160-\u11ff가-힣])[\u11a8-\u11ff]+"
)
# All that a broken stretch begins with.
_SUSPICIOUS = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\xfe\u1100-\u11ffㄱ-ㅎㅏ-ㅣ占쏙\ud800-\uf8ff\ufffd-\uffff]"
)


class Broken(NamedTuple):
    """A stretch of broken characters.

    Attributes:
        start: Where it begins, in code points.
        end: Where it ends.
        meant: What stood there before; empty for what stands for nothing; None if it is lost.
    """

    start: int
    end: int
    meant: str | None


def broken_places(text: str) -> list[Broken]:
    """Return the broken stretches of a text, in order; none overlaps another."""
    if not _SUSPICIOUS.search(text):
        return []
    found = sorted(_all_places(text), key=lambda place: (place.start, -place.end))
    kept: list[Broken] = []
    for place in found:
        if not kept or place.start >= kept[-1].end:
            kept.append(place)
    return kept


def _all_places(text: str) -> Iterator[Broken]:
    for pattern, meant in ((_LOST, None), (_LOST_TWICE, None), (_CONTROL, ""), (_PRIVATE, None)):
        for match in pattern.finditer(text):
            yield Broken(*match.span(), meant)
    yield from _misread(text)
    for match in _JAMO_RUN.finditer(text):
        if not _is_meant(match[0]):
            yield Broken(*match.span(), None)
    for match in _LOOSE_CONJOINING.finditer(text):
        yield Broken(*match.span(), None)


def _misread(text: str) -> Iterator[Broken]:
    for match in _UTF8_READ_AS_1252.finditer(text):
        meant = _decoded(b"".join(map(_byte, match[0])), "utf-8")
        if meant is not None:
            yield Broken(*match.span(), meant if "\ufffd" not in meant else None)
    for match in _CP949_READ_AS_LATIN.finditer(text):
        meant = _decoded(match[0].encode("latin-1"), "cp949")
        if meant and _is_varied(match[0]) and all("가" <= char <= "힣" for char in meant):
            yield Broken(*match.span(), meant)


def _is_varied(run: str) -> bool:
    """Tell a misread text from a row of dots or signs (``······``)."""
    letters = sum(char.isalpha() for char in run)
    return len(set(run)) >= _LEAST_DIFFERENT and letters >= len(run) * _LEAST_LETTERS


def _byte(char: str) -> bytes:
    try:
        return char.encode("cp1252")
    except UnicodeEncodeError:
        return char.encode("latin-1")  # the five bytes that Windows-1252 leaves open


def _decoded(misread: bytes, encoding: str) -> str | None:
    try:
        return unicodedata.normalize("NFC", misread.decode(encoding))
    except UnicodeDecodeError:
        return None


def _is_meant(run: str) -> bool:
    """Tell whether someone may have typed a run of jamo: laughter, tears, initials, an alphabet."""
    if any(run in alphabet for alphabet in _ALPHABETS):
        return True
    return set(run) <= _INITIALS or set(run) <= _LAUGHTER_AND_TEARS
