"""How alike two sentences are, figures aside: the share of each that the other holds.

Words are compared by stem, surface or what is unchanging in a predicate, and by the pairs of their
syllables, which carry what spacing hides.
"""

import re
from collections.abc import Collection, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

from guards.text.lemmas import lemma
from guards.text.tokens import bigrams, subjects

_KEPT = 2048
_WORDS_KEPT = 16_384
_FIGURE = re.compile(
    r"\d[\d,.:/~-]*[ ]?[가-힣%]*(?:[ ](?:이상|이하|초과|미만|이내|이전|이후)[가-힣]{0,2})?"
)
LEAVES_A_REST = re.compile(r"[ ](?:이상|이하|초과|미만|이내|이전|이후)[가-힣]{3}")
"""Where leaving out a figure may cut a word, so that its rest is one that stands nowhere else.

Of any other sentence all words are among those that `guards.text.features` finds in it.
"""


class Words(NamedTuple):
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

    def share_in(self, *others: "Words") -> float:
        """Return the share of these words, from 0 to 1, that others together hold.

        0 if there are none.
        """
        if not self.keys:
            return 0.0
        left: Collection[tuple[str, str]] = self.keys.items()
        pairs_left = self.pairs
        for other in others:
            forms = other.forms
            left = [one for one in left if one[0] not in forms and one[1] not in forms]
            pairs_left = pairs_left - other.pairs
        words = (len(self.keys) - len(left)) / len(self.keys)
        if not self.pairs:
            return words
        pairs = (len(self.pairs) - len(pairs_left)) / len(self.pairs)
        return (words + pairs) / 2


_NO_WORDS = Words(keys={}, forms=frozenset(), pairs=frozenset())


def words_of(text: str) -> Words:
    """Return what of a text is compared."""
    words = subjects(_FIGURE.sub(" ", text))
    if not words:
        return _NO_WORDS
    keys = {stem: lemma(surface) for surface, stem in words}
    return Words(
        keys=keys,
        forms=frozenset((*keys, *keys.values(), *(surface for surface, _ in words))),
        pairs=frozenset().union(*map(_pairs, keys)),
    )


@lru_cache(maxsize=_WORDS_KEPT)
def _pairs(stem: str) -> frozenset[str]:
    return frozenset(bigrams(stem))


# For sentences of sources: they come back all day.
kept_words_of = lru_cache(maxsize=_KEPT)(words_of)


def likeness(one: Words, other: Words) -> float:
    """Return how far two sentences hold each other's words: the smaller of the two shares."""
    return min(one.share_in(other), other.share_in(one))
