"""How much of a sentence stands in a passage: containment of its words and syllable pairs.

Containment, not likeness: a short claim taken from a long passage scores 1. A word is held by its
stem, its surface or its key as a predicate (`guards.text.lemmas`); one that is not is held in part
if its pairs of syllables are, which is what spacing hides (``환불 규정``, ``환불규정``). Figures do
not count: they are compared by value elsewhere.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from guards.text.lemmas import lemma
from guards.text.tokens import Word, bigrams, content_words

WINDOW_SENTENCES = 3
INDEXED_FROM_SENTENCES = 150
"""In a text of more sentences than this only those are compared that share something rare."""
MOST_LOOKED_AT = 120
_FEATURES_KEPT = 8192
_FIGURE = re.compile(r"\d[\d,.:/~-]*[ ]?[가-힣%]*")
_CLOSED_PREDICATE = re.compile(r"[다요까죠]$")


class _Held(NamedTuple):
    """What one sentence holds of a claim: words, and pairs of syllables."""

    words: frozenset[str]
    pairs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Features:
    """What of a text is compared.

    Attributes:
        words: Its content words by their stems, with their pairs of neighbouring syllables.
        names: For each stem, and each key of a predicate, the word of `words` that it stands for.
        forms: The names, and the words as they stand in the text.
        pairs: The pairs of all words.
    """

    words: Mapping[str, frozenset[str]]
    names: Mapping[str, str]
    forms: frozenset[str]
    pairs: frozenset[str]


class Support(NamedTuple):
    """How far passages hold a claim.

    Attributes:
        share: From 0 to 1.
        words: Of how many of its words that was measured.
    """

    share: float
    words: int


def features(text: str) -> Features:
    """Return what of a text is compared."""
    found = content_words(_FIGURE.sub(" ", text))
    words: dict[str, frozenset[str]] = {}
    names: dict[str, str] = {}
    for word in found:
        key = lemma(word.text)
        name = names.get(word.stem) or names.get(key) or word.stem
        words.setdefault(name, _pairs(word, key))
        names[word.stem] = names[key] = name
    return Features(
        words=words,
        names=names,
        forms=frozenset((*names, *(word.text for word in found))),
        pairs=frozenset().union(*words.values()),
    )


def _pairs(word: Word, key: str) -> frozenset[str]:
    # The endings of predicates are everybody's, so their syllables say nothing.
    is_bare = len(key) == 1 or _CLOSED_PREDICATE.search(word.text)
    return frozenset(bigrams(key if is_bare else word.stem))


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
    return _best_share(wanted.words, _held_by(wanted, sentences), size)


def shares(claim: str, sentences: Sequence[str]) -> list[float]:
    """Return for each sentence the share of a claim, from 0 to 1, that it holds by itself."""
    wanted = features(claim)
    if not wanted.words:
        return [1.0] * len(sentences)
    held = _held_by(wanted, sentences)
    return [
        _share(wanted.words, [held[place]]) if place in held else 0.0
        for place in range(len(sentences))
    ]


def support(claim: str, passages: Sequence[Sequence[str]], echoed: Features) -> Support:
    """Return how far the best window of any passage holds a claim.

    Args:
        claim: The sentence to support.
        passages: The sentences of each source, in order.
        echoed: What of the question is compared. Its words prove nothing, and where no passage has
            them they are no fault either: the asker may have chosen another word.
    """
    wanted = features(claim)
    held = [_held_by(wanted, sentences) for sentences in passages]
    known = frozenset().union(*(one.words for passage in held for one in passage.values()))
    asked = {name for form, name in wanted.names.items() if form in echoed.forms}
    judged = {
        name: pairs for name, pairs in wanted.words.items() if name in known or name not in asked
    }
    best = (_best_share(judged, passage) for passage in held)
    return Support(max(best, default=0.0), len(judged))


def _best_share(
    wanted: Mapping[str, frozenset[str]], held: Mapping[int, _Held], size: int = WINDOW_SENTENCES
) -> float:
    """Return the best share over all windows; those in which nothing is held need no look."""
    if not wanted:
        return 1.0
    starts = {place - back for place in held for back in range(size)}
    windows = (
        [held[place] for place in range(start, start + size) if place in held] for start in starts
    )
    return max((_share(wanted, window) for window in windows), default=0.0)


def _held_by(wanted: Features, sentences: Sequence[str]) -> dict[int, _Held]:
    """Return what each sentence holds, by its place; sentences that hold nothing are left out."""
    places: Iterable[int] = range(len(sentences))
    if len(sentences) > INDEXED_FROM_SENTENCES:
        places = _index(tuple(sentences)).places(wanted)
    held = ((place, _held(wanted, _kept_features(sentences[place]))) for place in places)
    return {place: found for place, found in held if found.words or found.pairs}


def _held(wanted: Features, sentence: Features) -> _Held:
    words = frozenset(wanted.names[name] for name in wanted.names.keys() & sentence.forms)
    return _Held(words, wanted.pairs & sentence.pairs)


class _Index:
    """Where the words and syllable pairs of many sentences stand.

    The rarest ones are gone through first, up to a fixed amount of work, so that a claim takes the
    same time in a long text that repeats itself.
    """

    def __init__(self, sentences: Sequence[str]) -> None:
        self._by_form: dict[str, list[int]] = defaultdict(list)
        self._by_pair: dict[str, list[int]] = defaultdict(list)
        for place, sentence in enumerate(sentences):
            found = _kept_features(sentence)
            for form in found.forms:
                self._by_form[form].append(place)
            for pair in found.pairs:
                self._by_pair[pair].append(place)

    def places(self, wanted: Features) -> list[int]:
        """Return the places of sentences that hold something of a claim, in order."""
        known = [self._by_form[name] for name in wanted.names if name in self._by_form]
        found = {wanted.names[name] for name in wanted.names if name in self._by_form}
        unknown = (
            pair for name, pairs in wanted.words.items() if name not in found for pair in pairs
        )
        in_part = [self._by_pair[pair] for pair in unknown if pair in self._by_pair]
        places: set[int] = set()
        for standing in sorted([*known, *in_part], key=len):
            places.update(standing[: MOST_LOOKED_AT - len(places)])
            if len(places) >= MOST_LOOKED_AT:
                break
        return sorted(places)


@lru_cache(maxsize=64)
def _index(sentences: tuple[str, ...]) -> _Index:
    return _Index(sentences)


def _share(wanted: Mapping[str, frozenset[str]], window: Sequence[_Held]) -> float:
    words = frozenset().union(*(held.words for held in window))
    pairs = frozenset().union(*(held.pairs for held in window))
    in_part = sum(_degree(wanted[word], pairs) for word in wanted.keys() - words) if pairs else 0.0
    return (len(words) + in_part) / len(wanted)


def _degree(wanted: frozenset[str], held: frozenset[str]) -> float:
    """Return how far the syllables of a word are held; squared, as a stray pair says little."""
    return (len(wanted & held) / len(wanted)) ** 2 if wanted else 0.0
