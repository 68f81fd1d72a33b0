"""How much of a sentence stands in a passage: containment of its words and syllable pairs.

Containment, not likeness: a short claim taken from a long passage scores 1. Words are compared by
stem or surface; the pairs of syllables carry what spacing and endings hide. Figures do not count:
they are compared by value elsewhere.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from guards.text.tokens import bigrams, content_words

WINDOW_SENTENCES = 3
_FEATURES_KEPT = 8192
_FIGURE = re.compile(r"\d[\d,.:/~-]*[ ]?[가-힣%]*")


@dataclass(frozen=True, slots=True)
class Features:
    """What of a text is compared.

    Attributes:
        stems: Stems of its content words.
        forms: The same and their surfaces.
        pairs: Pairs of neighbouring syllables of its content words.
    """

    stems: frozenset[str]
    forms: frozenset[str]
    pairs: frozenset[str]


def features(text: str) -> Features:
    """Return what of a text is compared."""
    words = content_words(_FIGURE.sub(" ", text))
    stems = frozenset(word.stem for word in words)
    return Features(
        stems=stems,
        forms=stems | {word.text for word in words},
        pairs=frozenset(bigrams(" ".join(word.stem for word in words))),
    )


# Only for sentences of sources: they come back all day, and claims are nobody else's business.
_kept_features = lru_cache(maxsize=_FEATURES_KEPT)(features)


def containment(claim: str, passage: str) -> float:
    """Return the share of a claim, from 0 to 1, that a passage holds; 1 for a claim of no words."""
    return best_window(claim, (passage,))


def best_window(claim: str, sentences: Sequence[str], size: int = WINDOW_SENTENCES) -> float:
    """Return the highest containment of a claim in any `size` neighbouring sentences.

    Args:
        claim: The sentence to support.
        sentences: The sentences of one source, in order.
        size: Sentences in a window.
    """
    wanted = features(claim)
    if not wanted.stems:
        return 1.0
    shared = [_shared(wanted, _kept_features(sentence)) for sentence in sentences]
    return max(
        (_share(wanted, shared[at : at + size]) for at in range(max(1, len(shared) - size + 1))),
        default=0.0,
    )


def _shared(wanted: Features, held: Features) -> tuple[frozenset[str], frozenset[str]]:
    return wanted.stems & held.forms, wanted.pairs & held.pairs


def _share(wanted: Features, window: Sequence[tuple[frozenset[str], frozenset[str]]]) -> float:
    stems = frozenset().union(*(stems for stems, _ in window))
    words = len(stems) / len(wanted.stems)
    if not wanted.pairs:
        return words
    pairs = frozenset().union(*(pairs for _, pairs in window))
    return (words + len(pairs) / len(wanted.pairs)) / 2
