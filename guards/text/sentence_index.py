"""Sentences by their words, to find the few that are about the same as another one.

A look-up goes through the rarest words first and stops after a fixed amount of work, so that it
takes the same time in a long text that repeats itself.
"""

from collections import Counter
from collections.abc import Iterable
from operator import itemgetter
from typing import Generic, TypeVar

from guards.text.likeness import Words, kept_words_of
from guards.text.postings import Postings, posted

MOST_LOOKED_AT = 1000
MOST_FOUND = 24
_count_of = itemgetter(1)

PlaceT = TypeVar("PlaceT")


class SentenceIndex(Generic[PlaceT]):
    """Some sentences and where they stand."""

    def __init__(self, sentences: Iterable[tuple[PlaceT, str]]) -> None:
        told = list(sentences)
        self._places = [place for place, _ in told]
        self._by_word: Postings[str, int] = posted(
            enumerate(kept_words_of(sentence).forms for _, sentence in told)
        )

    def nearest(self, wanted: Words) -> list[PlaceT]:
        """Return the places of the sentences that share most words, the best one first."""
        found: list[int] = []
        known = [self._by_word[stem] for stem in wanted.stems if stem in self._by_word]
        if not known:
            return []
        for numbers in sorted(known, key=len):
            found += numbers[: MOST_LOOKED_AT - len(found)]
            if len(found) >= MOST_LOOKED_AT:
                break
        counts = sorted(Counter(found).items(), key=_count_of, reverse=True)
        return [self._places[number] for number, _ in counts[:MOST_FOUND]]
