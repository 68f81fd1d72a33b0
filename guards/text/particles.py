"""Takes Korean particles (조사) off a word.

Cutting is ambiguous (``경기도`` ends in what could be ``도``), so callers compare on *either* the
surface or the stem. Forms that come in pairs (은/는, 이/가, 을/를, 과/와, 으로/로) are only cut
where the final consonant before them agrees, which keeps ``가을``, ``마을`` and ``국가`` whole.
"""

from functools import lru_cache


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


_AFTER_CONSONANT = _words(
    "은 이 을 과 으로 으로는 으로도 으로써 으로서 으로부터 으로서의 이라고 이라고는 이라도",
    "이라는 이라면 이란 이나 이며 이고 과의 으로만 이시라면",
)
_AFTER_VOWEL = _words("는 가 를 와 나 란 라고 라는 라도 라면 시라면 와의")
_AFTER_VOWEL_OR_RIEUL = _words("로 로는 로도 로만 로서 로써 로부터")
_AFTER_ANY = _words(
    "의 에 도 만 들 에서 에게 에는 에도 께서 한테 까지 부터 보다 처럼 만큼 마다 조차 마저 밖에",
    "하고 들이 들은 들을 들의 에서는 에서도 에게는 에게도 에게서 까지는 까지도 부터는",
    "에서부터 에게서는 에서라도 에만 에서만 에게만 까지만 부터만",
)
_LONGEST_CHARS = 4
_NO_SYLLABLE, _OPEN, _RIEUL = -1, 0, 8
_WORDS_KEPT = 16_384


def final_consonant(char: str) -> int:
    """Return the index of a syllable's final consonant: 0 for none, 8 for ㄹ; -1 if no syllable."""
    return (ord(char) - ord("가")) % 28 if "가" <= char <= "힣" else _NO_SYLLABLE


@lru_cache(maxsize=_WORDS_KEPT)
def stem(word: str) -> str:
    """Return a word without the longest particle at its end; the word itself if it bears none."""
    for size in range(min(_LONGEST_CHARS, len(word) - 1), 0, -1):
        if _follows(word[-size:], final_consonant(word[-size - 1])):
            return word[:-size]
    return word


def _follows(particle: str, final: int) -> bool:
    """Tell whether a particle may stand after a syllable with this final consonant."""
    if particle in _AFTER_ANY:
        return True
    if particle in _AFTER_CONSONANT:
        return final != _OPEN
    if particle in _AFTER_VOWEL:
        return final in (_NO_SYLLABLE, _OPEN)
    return particle in _AFTER_VOWEL_OR_RIEUL and final in (_NO_SYLLABLE, _OPEN, _RIEUL)
