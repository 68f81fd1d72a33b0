"""The normal form of a text, with a way back to the places in the original.

NFKC, and beyond it: one kind of dash (``-``), of quote (``"`` and ``'``) and of middle dot (``·``);
no zero-width characters; no soft hyphens. Compatibility jamo (ㅋㅋ, ㅠㅠ) stay as they are, because
NFKC would turn them into conjoining ones. Lengths change (``㎡`` -> ``m2``, ``⑮`` -> ``15``), so
every position is mapped. Normalising is idempotent.
"""

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple

_DROPPED = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u200e\u200f")
_REPLACED = {
    **dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-"),
    **dict.fromkeys("“”„‟〝〞＂«»", '"'),
    **dict.fromkeys("‘’‚‛＇´", "'"),
    **dict.fromkeys("ㆍ･・‧∙⋅•ᆞ", "·"),
    **dict.fromkeys("∼〜～˜", "~"),
    **dict.fromkeys("ㅤﾠ\u1160", " "),  # Hangul fillers: invisible, and no letters
    **dict.fromkeys(_DROPPED, ""),
    "。": ".",
    "、": ",",
}
_FOLDS = str.maketrans(_REPLACED)
_COMPATIBILITY_JAMO = re.compile(r"([ㄱ-ㅣㅥ-ㆎ])")
# Characters that are their own normal form and never join with one another.
_PLAIN = re.compile(r"[\t\n\r -~·가-힣ㄱ-ㅣ「-』《-》一-\u9fff]+")
_LONGEST_CLUSTER_CHARS = 64


class Normal(NamedTuple):
    """A normal form and the map back.

    Attributes:
        text: The normal form.
        breaks: Positions in `text` where the shift between it and the original changes.
        origins: For each break, the position in the original that it stands for.
        raw_length: Length of the original, in code points.
    """

    text: str
    breaks: tuple[int, ...]
    origins: tuple[int, ...]
    raw_length: int

    def to_raw(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open place in the original that ``text[start:end]`` came from."""
        if not self.breaks:
            return start, end
        begin = self._piece_at(start)[0]
        return (begin, self._piece_at(end - 1)[1]) if end > start else (begin, begin)

    def _piece_at(self, position: int) -> tuple[int, int]:
        """Return the smallest place in the original that holds one character of `text`."""
        at = bisect_right(self.breaks, position) - 1
        begun, origin = self.breaks[at], self.origins[at]
        is_last = at + 1 == len(self.breaks)
        following = len(self.text) if is_last else self.breaks[at + 1]
        origin_end = self.raw_length if is_last else self.origins[at + 1]
        if following - begun == origin_end - origin:
            return origin + position - begun, origin + position - begun + 1
        return origin, origin_end


def normalise(raw: str) -> Normal:
    """Return the normal form of a text."""
    if not raw or _PLAIN.fullmatch(raw):
        return Normal(raw, (), (), len(raw))
    pieces: list[str] = []
    breaks: list[int] = []
    origins: list[int] = []
    length = 0
    position = 0
    while position < len(raw):
        end = _plain_end(raw, position)
        piece = raw[position:end]
        if not piece:
            end = _cluster_end(raw, position)
            piece = _fold(raw[position:end])
        breaks.append(length)
        origins.append(position)
        pieces.append(piece)
        length += len(piece)
        position = end
    return Normal("".join(pieces), tuple(breaks), tuple(origins), len(raw))


def _plain_end(raw: str, start: int) -> int:
    """Return where the plain run at `start` ends, without a character that the next one joins."""
    run = _PLAIN.match(raw, start)
    if run is None:
        return start
    end = run.end()
    return end - 1 if end < len(raw) and _joins(raw[end]) else end


def _cluster_end(raw: str, start: int) -> int:
    end = start + 1
    limit = min(len(raw), start + _LONGEST_CLUSTER_CHARS)
    while end < limit and _joins(raw[end]):
        end += 1
    return end


@lru_cache(maxsize=4096)
def _joins(char: str) -> bool:
    """Tell whether a character may melt into the one before it: marks, vowel and final jamo."""
    if char in _DROPPED:
        return True
    first = unicodedata.normalize("NFKD", char.translate(_FOLDS))[:1]
    is_jamo_tail = "\u1160" <= first <= "\u11ff" or "\ud7b0" <= first <= "\ud7fb"
    return is_jamo_tail or unicodedata.category(first).startswith("M")


def _fold(cluster: str) -> str:
    folded = (
        part if _COMPATIBILITY_JAMO.match(part) else unicodedata.normalize("NFKC", part)
        for part in _COMPATIBILITY_JAMO.split(cluster.translate(_FOLDS))
    )
    return "".join(folded).translate(_FOLDS)


_IGNORED = re.compile(r"[\s·\"'‘’“”「」『』《》〈〉()\-_.,]+")


def dense(text: str) -> str:
    """Return a text as names are compared: without spaces, dots, quotes and case."""
    return _IGNORED.sub("", text).casefold()
