"""Korean particles (조사): taking them off a word, and the right form after a word.

Cutting is ambiguous (``경기도`` ends in what could be ``도``), so callers compare on *either* the surface or
the stem. Forms that come in pairs (은/는, 이/가, 을/를, 과/와, 으로/로) are only cut where the final consonant
before them agrees, which keeps ``가을``, ``마을`` and ``국가`` whole.
"""

from functools import lru_cache

# Longest first: the first that fits is cut.
_PARTICLES: tuple[tuple[str, bool | None], ...] = (
    # (particle, needs a final consonant before it: True, False, or None for no matter)
    ("에서부터", None), ("으로부터", True), ("에게서는", None), ("으로서의", True), ("에서라도", None),
    ("이라고는", True), ("에서는", None), ("에서도", None), ("에게는", None), ("에게도", None),
    ("에게서", None), ("으로는", True), ("으로도", True), ("으로써", True), ("으로서", True),
    ("로부터", None), ("까지는", None), ("까지도", None), ("부터는", None), ("이라고", True),
    ("이라도", True), ("이라는", True), ("이라면", True), ("이란", True), ("에서", None), ("에게", None),
    ("에는", None), ("에도", None), ("께서", None), ("한테", None), ("으로", True), ("로는", None),
    ("로도", None), ("로서", None), ("로써", None), ("까지", None), ("부터", None), ("보다", None),
    ("처럼", None), ("만큼", None), ("마다", None), ("조차", None), ("마저", None), ("밖에", None),
    ("라고", False), ("라는", False), ("라도", False), ("라면", False), ("이나", True), ("이며", True),
    ("이고", True), ("과의", True), ("와의", False), ("들이", None), ("들은", None), ("들을", None),
    ("들의", None), ("하고", None), ("은", True), ("는", False), ("이", True), ("가", False),
    ("을", True), ("를", False), ("과", True), ("와", False), ("로", None), ("의", None), ("에", None),
    ("도", None), ("만", None), ("나", False), ("란", False), ("들", None),
)  # fmt: skip
_RIEUL = 8
_LONGEST_CHARS = max(len(particle) for particle, _ in _PARTICLES)


def final_consonant(char: str) -> int:
    """Return the index of a Hangul syllable's final consonant: 0 for none, 8 for ㄹ; -1 if no syllable."""
    return (ord(char) - 0xAC00) % 28 if "가" <= char <= "힣" else -1


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return a word without the particle at its end; the word itself if it bears none."""
    for particle, needs_final in _PARTICLES:
        if len(word) <= len(particle) or not word.endswith(particle):
            continue
        final = final_consonant(word[-len(particle) - 1])
        fits = needs_final is None or final < 0 or (final > 0) == needs_final
        if particle == "로":
            fits = final in (-1, 0, _RIEUL)
        if fits:
            return word[: -len(particle)]
    return word
