"""Whether a text says a keyword.

Compared are normal forms (NFKC, one kind of dash and quote), upper and lower case alike, and
spacing does not count: ``체크 인`` is ``체크인``. A figure at the edge of a keyword is not found
inside a longer one (``5일`` is not said by ``15일`` or ``2.5일``), nor a Latin word inside a longer
one. Korean words are found with whatever particle or ending follows.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from guards.text.normal import normalise

_FIGURE_BEFORE = r"(?<!\d)(?<!\d[.,])"
_FIGURE_AFTER = r"(?!\d|[.,]\d)"
_LATIN = re.compile(r"[a-z]")


def is_visible(word: str) -> bool:
    """Tell whether there is anything to look for."""
    return bool(_characters(word))


def says(text: str, word: str) -> bool:
    """Tell whether a text says a keyword."""
    return _pattern(word).search(normalise(text).text.casefold()) is not None


def says_any(text: str, words: Iterable[str]) -> bool:
    """Tell whether a text says one of several words for the same."""
    return any(says(text, word) for word in words)


def _characters(word: str) -> str:
    return "".join(normalise(word).text.casefold().split())


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    characters = _characters(word)
    spelled = r"\s*".join(map(re.escape, characters))
    return re.compile(_before(characters[0]) + spelled + _after(characters[-1]))


def _before(first: str) -> str:
    if first.isdigit():
        return _FIGURE_BEFORE
    return r"(?<![a-z])" if _LATIN.match(first) else ""


def _after(last: str) -> str:
    if last.isdigit():
        return _FIGURE_AFTER
    return r"(?![a-z])" if _LATIN.match(last) else ""
