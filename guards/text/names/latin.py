"""Names in Latin letters: words with a capital that no ordinary word or abbreviation is.

A gloss behind a Korean word (``자기자본이익률(ROE)``) and a sentence in another language are none.
"""

import re
from collections.abc import Iterator

from guards.lexicons.latin_function_words import LATIN_FUNCTION_WORDS
from guards.lexicons.ordinary_latin import ORDINARY_LATIN
from guards.text.names.name import Name, dense

_WORD = r"[A-Za-z][A-Za-z0-9&+'-]{0,40}"
_RUN = re.compile(rf"(?<![A-Za-z0-9@/.#_-]){_WORD}(?: {_WORD})*(?![A-Za-z0-9@/_])")
_GLOSS_BEFORE = re.compile(r"[가-힣]\s?\((?:이하|약칭|영문|영어)?[\s:\"']*\Z")
_LOOK_BACK_CHARS = 16
_SHORTEST = 3
_MOST_WORDS = 4


def latin_names(text: str) -> Iterator[Name]:
    """Yield the Latin names of a text, in order."""
    for run in _RUN.finditer(text):
        words = run[0].split(" ")
        if len(words) > _MOST_WORDS or any(w.lower() in LATIN_FUNCTION_WORDS for w in words):
            continue
        if _GLOSS_BEFORE.search(text, max(0, run.start() - _LOOK_BACK_CHARS), run.start()):
            continue
        if any(_names(word) for word in words):
            yield Name(run[0], run.start(), run.end(), "", dense(run[0]))


def _names(word: str) -> bool:
    has_capital = any(char.isupper() for char in word)
    return len(word) >= _SHORTEST and has_capital and word.casefold() not in ORDINARY_LATIN
