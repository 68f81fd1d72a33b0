"""Search for the keywords of a case in a text.

Compared are normal forms (NFKC, one kind of dash and quote), upper and lower case alike, figures
with or without commas between thousands, and spacing does not count: ``체크 인`` is ``체크인``. But
words are not made of the edges of others: ``환불 가능`` does not say ``불가능``.

A figure at the edge of a keyword is not found inside a longer one (``5일`` is not said by ``15일``
or ``2.5일``, nor ``5천원`` by ``3만 5천원``), nor a Latin word inside a longer one, nor a Korean
word behind a prefix that denies it (``가능`` is not said by ``불가능``). Otherwise Korean words are
found with whatever stands before them in a word, and whatever particle or ending follows.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from guards.text.normal import normalise

_COMMA_OF_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FIGURE_BEFORE = r"(?<!\d)(?<!\d[.,])(?<!\d[십백천만억])(?<!\d[십백천만억]\s)"
_FIGURE_AFTER = r"(?!\d|[.,]\d)"
_DENIED_BEFORE = r"(?<!\b[불부비미무])"
_LATIN = re.compile(r"[a-z]")
_HANGUL = re.compile(r"[가-힣]")


def is_visible(word: str) -> bool:
    """Tell whether there is anything to look for."""
    return bool(_compared(word).strip())


def says(text: str, word: str) -> bool:
    """Tell whether a text says a keyword."""
    return _pattern(word).search(_compared(text)) is not None


def says_any(text: str, words: Iterable[str]) -> bool:
    """Tell whether a text says one of several words for the same."""
    return any(says(text, word) for word in words)


def _compared(text: str) -> str:
    return _COMMA_OF_THOUSANDS.sub("", normalise(text).text.casefold())


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    words = _compared(word).split()
    characters = "".join(words)
    first, rest = characters[0], characters[1:]
    begin = re.escape(first) + r"\s*"
    if _HANGUL.match(first) and len(words[0]) > 1:
        # One syllable before a space that the keyword does not have may end another word.
        begin = rf"(?:(?<!\w){first}\s*|{first})"
    spelled = begin + r"\s*".join(map(re.escape, rest))
    return re.compile(_before(first) + spelled + _after(characters[-1]))


def _before(first: str) -> str:
    if first.isdigit():
        return _FIGURE_BEFORE
    if _HANGUL.match(first):
        return _DENIED_BEFORE
    return r"(?<![a-z])" if _LATIN.match(first) else ""


def _after(last: str) -> str:
    if last.isdigit():
        return _FIGURE_AFTER
    return r"(?![a-z])" if _LATIN.match(last) else ""
