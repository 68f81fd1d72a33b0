"""What of a text is compared with another: its words by stem and key, and their syllable pairs.

Figures do not count: they are compared by value elsewhere.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from guards.text.lemmas import lemma
from guards.text.tokens import bigrams, subjects, word_stem

_FEATURES_KEPT = 2048
_WORDS_KEPT = 16_384
# The dot of a list (3. 반려견은) ends the figure; the word behind it is none of its unit.
_FIGURE = re.compile(r"\d(?:[\d,.:/~-]*\d)?[ ]?[가-힣%]*")
_CLOSED_PREDICATE = re.compile(r"[다요까죠]$")


class Features(NamedTuple):
    """What of a text is compared.

    Attributes:
        words: Its content words by their stems, with their pairs of neighbouring syllables.
        names: For each word as it stands in the text, each stem and each key of a predicate the
            word of `words` that it stands for.
        forms: The names.
        pairs: The pairs of all words.
    """

    words: Mapping[str, frozenset[str]]
    names: Mapping[str, str]
    forms: frozenset[str]
    pairs: frozenset[str]


class _Compared(NamedTuple):
    """What of a single word is compared."""

    key: str
    pairs: frozenset[str]


def features(text: str) -> Features:
    """Return what of a text is compared."""
    return features_of(compared_words(text))


def compared_words(text: str) -> list[tuple[str, str]]:
    """Return the words of a text that are compared, by surface and stem: all that it is made of."""
    return subjects(_FIGURE.sub(" ", text))


def features_of(compared: Iterable[tuple[str, str]]) -> Features:
    """Return what of some words (see `compared_words`) is compared."""
    words: dict[str, frozenset[str]] = {}
    names: dict[str, str] = {}
    for word, stem in compared:
        key, pairs = _compared(word)
        name = names.get(stem) or names.get(key) or stem
        words.setdefault(name, pairs)
        # 결과 by itself looks like 결 with a particle, so the word as it stands is compared, too.
        names[word] = names[stem] = names[key] = name
    return Features(
        words=words,
        names=names,
        forms=frozenset(names),
        pairs=frozenset().union(*words.values()),
    )


# Only for sentences of sources: they come back all day, and claims are nobody else's business.
kept_features = lru_cache(maxsize=_FEATURES_KEPT)(features)


@lru_cache(maxsize=_WORDS_KEPT)
def _compared(word: str) -> _Compared:
    key = lemma(word)
    # The endings of predicates are everybody's, so their syllables say nothing.
    is_bare = len(key) == 1 or _CLOSED_PREDICATE.search(word)
    return _Compared(key, frozenset(bigrams(key if is_bare else word_stem(word))))
