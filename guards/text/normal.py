"""The normal form of a text, with a way back to the places in the original.

NFKC, and beyond it: one kind of dash (``-``), of quote (``"`` and ``'``) and of middle dot (``·``);
no zero-width characters; no soft hyphens. Compatibility jamo (ㅋㅋ, ㅠㅠ) stay as they are, because NFKC
would turn them into conjoining ones. Lengths change (``㎡`` -> ``m2``, ``⑮`` -> ``15``), so every position is
mapped. Normalising is idempotent.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

_REPLACED = {
    **dict.fromkeys("‐‑‒–—―−﹘﹣－⁃", "-"),
    **dict.fromkeys("“”„‟〝〞＂«»", '"'),
    **dict.fromkeys("‘’‚‛＇`´", "'"),
    **dict.fromkeys("ㆍ･・‧∙⋅•ᆞ", "·"),
    **dict.fromkeys("∼〜～˜", "~"),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u200e\u200f", ""),
    "。": ".",
    "、": ",",
}
_JAMO_RUN = r"[\u1100-\u115F\uA960-\uA97C]+[\u1160-\u11A7\uD7B0-\uD7C6]*[\u11A8-\u11FF\uD7CB-\uD7FB]*"
_CLUSTER = re.compile(rf"{_JAMO_RUN}|.[\u0300-\u036F\u3099\u309A\uFE00-\uFE0F\u20D0-\u20FF]*", re.DOTALL)
_PLAIN = re.compile(r"[\t\n\r -_a-~·가-힣ㄱ-ㆌ]+")


@dataclass(frozen=True, slots=True)
class Normal:
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
        return self._origin(start), self._origin(end - 1, last=True) if end > start else self._origin(start)

    def _origin(self, position: int, *, last: bool = False) -> int:
        if not self.breaks:
            return position + (1 if last else 0)
        at = bisect_right(self.breaks, position) - 1
        begun, origin = self.breaks[at], self.origins[at]
        following = self.breaks[at + 1] if at + 1 < len(self.breaks) else len(self.text)
        origin_end = self.origins[at + 1] if at + 1 < len(self.origins) else self.raw_length
        straight = following - begun == origin_end - origin
        if straight:
            return origin + position - begun + (1 if last else 0)
        return origin_end if last else origin


def normalise(raw: str) -> Normal:
    """Return the normal form of a text."""
    if _PLAIN.fullmatch(raw) or not raw:
        return Normal(raw, (), (), len(raw))
    pieces: list[str] = []
    breaks: list[int] = []
    origins: list[int] = []
    length = 0
    position = 0
    while position < len(raw):
        run = _PLAIN.match(raw, position)
        if run and (run.end() == len(raw) or not unicodedata.combining(raw[run.end()])):
            piece, end = run[0], run.end()
        else:
            cluster = _CLUSTER.match(raw, position)
            assert cluster is not None  # the pattern's second branch takes any character
            piece, end = _normal_cluster(cluster[0]), cluster.end()
        breaks.append(length)
        origins.append(position)
        pieces.append(piece)
        length += len(piece)
        position = end
    return Normal("".join(pieces), tuple(breaks), tuple(origins), len(raw))


def _normal_cluster(cluster: str) -> str:
    if cluster in _REPLACED:
        return _REPLACED[cluster]
    if len(cluster) == 1 and "\u3131" <= cluster <= "\u318e":
        return cluster
    folded = unicodedata.normalize("NFKC", cluster)
    return "".join(_REPLACED.get(char, char) for char in folded)
