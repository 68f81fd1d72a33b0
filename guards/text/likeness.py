"""How alike two sentences are, figures aside: the share of each that the other holds.

Words are compared by stem, surface or what is unchanging in a predicate, and by the pairs of their
syllables, which carry what spacing hides.
"""

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache

from guards.text.lemmas import lemma
from guards.text.tokens import bigrams, content_words

_KEPT = 8192
_FIGURE = re.compile(
    r"\d[\d,.:/~-]*[ ]?[가-힣%]*(?:[ ](?:이상|이하|초과|미만|이내|이전|이후)[가-힣]{0,2})?"
)


@dataclass(frozen=True, slots=True)
class Words:
    """What of a sentence is compared.

    Attributes:
        keys: For each stem what is unchanging in it, should the word be a predicate.
        forms: Stems, keys and surfaces.
        pairs: Pairs of neighbouring syllables of its content words.
    """

    keys: Mapping[str, str]
    forms: frozenset[str]
    pairs: frozenset[str]

    @property
    def stems(self) -> Set[str]:
        """The stems of the content words."""
        return self.keys.keys()

    def share_in(self, other: "Words") -> float:
        """Return the share of these words, from 0 to 1, that others hold; 0 if there are none."""
        if not self.keys:
            return 0.0
        held = sum(stem in other.forms or key in other.forms for stem, key in self.keys.items())
        words = held / len(self.keys)
        if not self.pairs:
            return words
        return (words + len(self.pairs & other.pairs) / len(self.pairs)) / 2


def words_of(text: str) -> Words:
    """Return what of a text is compared."""
    words = content_words(_FIGURE.sub(" ", text))
    keys = {word.stem: lemma(word.text) for word in words}
    return Words(
        keys=keys,
        forms=frozenset((*keys, *keys.values(), *(word.text for word in words))),
        pairs=frozenset(bigrams(" ".join(word.stem for word in words))),
    )


# For sentences of sources: they come back all day.
kept_words_of = lru_cache(maxsize=_KEPT)(words_of)


def joined(words: Iterable[Words]) -> Words:
    """Return the words of several sentences as one."""
    all_of = tuple(words)
    return Words(
        {stem: key for one in all_of for stem, key in one.keys.items()},
        frozenset().union(*(one.forms for one in all_of)),
        frozenset().union(*(one.pairs for one in all_of)),
    )


def likeness(one: Words, other: Words) -> float:
    """Return how far two sentences hold each other's words: the smaller of the two shares."""
    return min(one.share_in(other), other.share_in(one))
