"""Broken texts: characters that no writer meant, and texts that repeat themselves.

Lost characters, control characters, misread encodings and loose jamo; items and characters that
come back with a period. A misread encoding is proved by reading it back: ``ì•ˆë…•`` in Windows-1252
is ``안녕`` in UTF-8.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from operator import eq
from typing import NamedTuple

_WINDOWS_1252 = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
_TAIL = f"[\x80-\xbf{_WINDOWS_1252}]"
# Lead bytes of UTF-8 with the bytes that must follow; Hangul lies in 0xEA to 0xED. Of two-byte
# sequences only those that no word ends in: the end of a quoted “CAFÉ” reads as one, too.
_UTF8_READ_AS_1252 = re.compile(f"(?:[\xc2\xc3][\x80-\xbf]|[\xe0-\xef]{_TAIL}{{2}})+")
_CP949_READ_AS_LATIN = re.compile("(?:[\x81-\xfe][\xa1-\xfe]){3,}")
_LEAST_DIFFERENT = 4
_LEAST_LETTERS = 0.3
# U+FFFD whose UTF-8 was read as CP949.
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


_LETTER = re.compile(r"[^\W\d_]")
# Six times a short stretch, or a character drawn out far beyond any emphasis.
_CHARACTERS = re.compile(r"(?P<unit>\S{2,24}?)(?P=unit){5,}|(?P<one>\S)(?P=one){19,}")
# As long as the shortest of them.
_LONG_RUN = re.compile(r"(?<!\S)\S{12,}")
_LEAST_CHARS = 20
_LEAST_WORDLESS_CHARS = 60
_TYPED_RUNS = frozenset("ㅋㅎㅠㅜㅡㅇ")


class Loop(NamedTuple):
    """Something that is repeated.

    Attributes:
        start: Index of the first item of the first time.
        again: Index of the first item of the second time.
        end: Index behind the last item, which may stand in the middle of a period.
    """

    start: int
    again: int
    end: int


def comes_back(items: Sequence[str], times: int) -> bool:
    """Tell whether so many items stand in a row, and each so often, as those of a loop must."""
    often = {item for item, count in Counter(items).items() if count >= times}
    if not often:
        return False
    run = 0
    for item in items:
        run = run + 1 if item in often else 0
        if run >= times:
            return True
    return False


def item_loops(items: Sequence[str], most_period: int, times: int) -> Iterator[Loop]:
    """Yield the stretches in which items come back, the shortest period first.

    Args:
        items: What is compared, such as words or sentences.
        most_period: Most items in a period.
        times: Least number of times that a period stands in a row.
    """
    if not comes_back(items, times):
        return
    for period in range(1, min(most_period, len(items) // times) + 1):
        alike = sum(map(eq, islice(items, period, None), items))
        if alike < period * (times - 1):
            continue
        run = 0
        for at in range(period, len(items) + 1):
            if at < len(items) and items[at] == items[at - period]:
                run += 1
                continue
            if run >= period * (times - 1):
                start = at - run - period
                is_cut = at == len(items) - 1 and items[at - period].startswith(items[at])
                yield Loop(start, start + period, at + is_cut)
            run = 0


def character_loops(text: str) -> Iterator[Loop]:
    """Yield the stretches without a space in which a few characters come back; in code points.

    Rules (----), laughter and rows of digits as long as a number may be are none.
    """
    loops = (_CHARACTERS.finditer(text, *run.span()) for run in _LONG_RUN.finditer(text))
    for match in chain.from_iterable(loops):
        unit = match["unit"] or match["one"]
        length = match.end() - match.start()
        is_wordy = _LETTER.search(unit) is not None and not set(unit) <= _TYPED_RUNS
        least = _LEAST_CHARS if is_wordy else _LEAST_WORDLESS_CHARS
        if length >= least and (is_wordy or unit.isdigit()):
            yield Loop(match.start(), match.start() + len(unit), match.end())
