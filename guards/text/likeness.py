"""How alike two sentences are, figures aside: the share of each that the other holds.

Words are compared by stem or surface, and by the pairs of their syllables, which carry what spacing
and endings hide.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from guards.text.tokens import bigrams, content_words

_KEPT = 8192
_FIGURE = re.compile(
    r"\d[\d,.:/~-]*[ ]?[가-힣%]*(?:[ ](?:이상|이하|초과|미만|이내|이전|이후)[가-힣]{0,2})?"
)


@dataclass(frozen=True, slots=True)
class Words:
    """What of a sentence is compared.

    Attributes:
        stems: Stems of its content words.
        forms: The same and their surfaces.
        pairs: Pairs of neighbouring syllables of its content words.
    """

    stems: frozenset[str]
    forms: frozenset[str]
    pairs: frozenset[str]

    def share_in(self, other: "Words") -> float:
        """Return the share of these words, from 0 to 1, that others hold; 0 if there are none."""
        if not self.stems:
            return 0.0
        words = len(self.stems & other.forms) / len(self.stems)
        if not self.pairs:
            return words
        return (words + len(self.pairs & other.pairs) / len(self.pairs)) / 2


def words_of(text: str) -> Words:
    """Return what of a text is compared."""
    words = content_words(_FIGURE.sub(" ", text))
    stems = frozenset(word.stem for word in words)
    return Words(
        stems=stems,
        forms=stems | {word.text for word in words},
        pairs=frozenset(bigrams(" ".join(word.stem for word in words))),
    )


# For sentences of sources: they come back all day.
kept_words_of = lru_cache(maxsize=_KEPT)(words_of)


def joined(words: Iterable[Words]) -> Words:
    """Return the words of several sentences as one."""
    all_of = tuple(words)
    return Words(
        frozenset().union(*(one.stems for one in all_of)),
        frozenset().union(*(one.forms for one in all_of)),
        frozenset().union(*(one.pairs for one in all_of)),
    )


def likeness(one: Words, other: Words) -> float:
    """Return how far two sentences hold each other's words: the smaller of the two shares."""
    return min(one.share_in(other), other.share_in(one))
