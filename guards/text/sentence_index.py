"""Sentences by their words, to find the few that are about the same as another one.

A look-up goes through the rarest words first and stops after a fixed amount of work, so that it
takes the same time in a long text that repeats itself.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Generic, TypeVar

from guards.text.likeness import Words, kept_words_of

_MOST_LOOKED_AT = 1000
_MOST_FOUND = 24

PlaceT = TypeVar("PlaceT")


class SentenceIndex(Generic[PlaceT]):
    """Some sentences and where they stand."""

    def __init__(self, sentences: Iterable[tuple[PlaceT, str]]) -> None:
        self._by_word: dict[str, list[PlaceT]] = defaultdict(list)
        for place, sentence in sentences:
            for form in kept_words_of(sentence).forms:
                self._by_word[form].append(place)

    def nearest(self, wanted: Words) -> list[PlaceT]:
        """Return the places of the sentences that share most words, the best one first."""
        counts: Counter[PlaceT] = Counter()
        left = _MOST_LOOKED_AT
        for places in sorted((self._by_word.get(stem, []) for stem in wanted.stems), key=len):
            counts.update(places[:left])
            left -= len(places)
            if left <= 0:
                break
        return [place for place, _ in counts.most_common(_MOST_FOUND)]
