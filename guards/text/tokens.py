"""The words of a Korean text that carry its subject, and its syllable pairs.

A word is compared by its surface or by its stem, because cutting a particle is ambiguous (see
`guards.text.particles`). Syllable pairs are what is left to compare where spacing and endings
differ (``환불 규정`` and ``환불규정``).
"""

import re
from functools import lru_cache
from typing import NamedTuple

from guards.lexicons.loading import words
from guards.text.particles import stem

_GRAMMAR_WORDS = words("grammar_words")
_WORDS_KEPT = 16_384
_WORD = re.compile(r"[가-힣]+|[A-Za-z][A-Za-z0-9]*|\d+(?:[.,]\d+)*")
_HANGUL_RUN = re.compile(r"[가-힣]+")
_ENDING = (
    r"(?:나요?|는지|는가요?|는데요?|는|려면|려고|려는데요?|려는|고자?|며|면서?|어야?|여[야도서]?|지만?|기|자|"
    r"던|다|도록|거나|니까?|라고|게|[었였][가-힣]{1,3})"
)
# What turns a noun into a predicate (신청하려면, 지급됩니다) or closes a sentence (규정입니다).
# The noun before it must keep two syllables, so that 하나 or 되면 is not cut to nothing.
_PREDICATE_TAIL = re.compile(
    rf"(?<=[가-힣]{{2}})(?:(?:하|되|시키|받|당하)(?:으?{_ENDING})?|(?:해|돼)(?:요|서|야|도|줘|주세요)?|"
    r"(?:합|됩|입|받습|시킵|당합)니[다까]|(?:했|됐|받았|당했)[가-힣]{0,4}|"
    r"(?:한|할|된|될|받은|받을)(?:다|다면|다고|까요?|지|가요?)?|"
    r"이(?:며|고|다|지만|나요|에요|었[가-힣]{1,3})|인(?:가요?|지요?|데요?)|예요|(?:은|는|도|만|이)?요)$"
)


class Word(NamedTuple):
    """A word of a text.

    Attributes:
        text: As it stands, but for Latin letters, which are in lower case.
        stem: Without its particle and without the ending that makes a noun a predicate.
        start: Where it begins, in code points.
        end: Where it ends (half-open).
    """

    text: str
    stem: str
    start: int
    end: int


def content_words(text: str) -> list[Word]:
    """Return the words that carry a subject, in order and as often as they stand there."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        known = _subject(match[0])
        if known is not None:
            surface, bare = known
            found.append(Word(surface, bare, match.start(), match.end()))
    return found


def subjects(text: str) -> list[tuple[str, str]]:
    """Return the content words of a text by surface and stem, for those who need no places."""
    return [known for known in map(_subject, _WORD.findall(text)) if known]


@lru_cache(maxsize=_WORDS_KEPT)
def _subject(written: str) -> tuple[str, str] | None:
    """Return a word in lower case and its stem; None for one of grammar: it has no subject."""
    word = written.lower()
    bare = word_stem(word)
    is_grammar = not bare or word in _GRAMMAR_WORDS or bare in _GRAMMAR_WORDS
    return None if is_grammar else (word, bare)


@lru_cache(maxsize=_WORDS_KEPT)
def word_stem(word: str) -> str:
    """Return a word without particle and predicate's ending (``신청하려면`` -> ``신청``)."""
    return _PREDICATE_TAIL.sub("", stem(word))


def bigrams(text: str) -> set[str]:
    """Return the pairs of neighbouring syllables inside the Hangul runs of a text."""
    return {run[at : at + 2] for run in _HANGUL_RUN.findall(text) for at in range(len(run) - 1)}
