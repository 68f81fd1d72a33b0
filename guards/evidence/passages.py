"""The sentences of a request's sources by their words: what of another text each of them holds.

Words are compared by their simple nouns and the stems of predicates, synonyms as one. A sentence
holds its own words in full, and those of its labels, of the clauses around it and of its source's
title by what they weigh there (`guards.evidence.index`).
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from guards.claims.reader import read_sentence
from guards.core.reading import SourceSet
from guards.evidence.index import SourceIndex
from guards.korean.words import Word, canonical

_SAID_THERE = 0.35
"""Weight from which on a word is said in a sentence or its labels, not in the one before."""
_start_of = attrgetter("start")


class Unit(NamedTuple):
    """A simple word of a text.

    Attributes:
        feature: What it is compared by.
        weight: Its share of the word that it is a part of.
    """

    feature: str
    weight: float


class Place(NamedTuple):
    """A sentence of a source.

    Attributes:
        source: Place of the source in the list.
        at: Place of the sentence in its source.
    """

    source: int
    at: int


def units_of(text: str) -> tuple[Unit, ...]:
    """Return the simple words of a text that carry a subject, in order."""
    # Most texts were read as a sentence before, of which the clauses are kept.
    clauses = read_sentence(text)
    words = [word for clause in clauses for word in clause.words if not word.is_light]
    return tuple([unit for word in words for unit in _units(word)])


def _units(word: Word) -> list[Unit]:
    """Return the simple words of a word, without the whole that they make."""
    if len(word.features) == 1:
        feature = word.features[0]
        if word.is_verb and len(word.text) == 1 and feature == word.text:
            # 정 + 하다 is 정하다, as which it is read elsewhere.
            feature = canonical(f"{word.text}하다")
        return [Unit(feature, 1.0)]
    simple = [one for one in word.features if one != word.text]
    return [Unit(feature, 1 / len(simple)) for feature in simple]


class SourcePassages:
    """The sentences of some sources; made once for them (``sources.once(SourcePassages)``).

    Attributes:
        index: Their claims.
    """

    def __init__(self, sources: SourceSet) -> None:
        self.index = sources.once(SourceIndex)
        self._parts = sources.parts
        self._places: dict[tuple[int, int], Place] = {}
        self._said: dict[str, list[tuple[int, int]]] = {}

    def saying(self, feature: str) -> Sequence[tuple[int, int]]:
        """Return source and sentence of each claim that says a word itself or in its labels."""
        found = self._said.get(feature)
        if found is None:
            claims = [self.index.claims[place] for place in self.index.places(feature)]
            found = [
                (one.source, one.claim.sentence)
                for one in claims
                if one.context[feature] >= _SAID_THERE
            ]
            if claims:
                self._said[feature] = found
        return found

    def sentence(self, place: Place) -> str:
        """Return the sentence at a place."""
        return self._parts[place.source].text.sentences[place.at].text

    def shares(self, text: str) -> Mapping[Place, float]:
        """Return what share of a text's words, from 0 to 1, each sentence that has any holds."""
        units = units_of(text)
        whole = sum(unit.weight for unit in units)
        shares: dict[Place, float] = defaultdict(float)
        for unit in units:
            best: dict[Place, float] = {}
            for number in self.index.places(unit.feature):
                found = self.index.claims[number]
                place = self._place(found.source, found.claim.sentence)
                best[place] = max(found.context[unit.feature], best.get(place, 0.0))
            for place, held in best.items():
                shares[place] += held * unit.weight / whole
        return shares

    def _place(self, source: int, sentence: int) -> Place:
        """Return the sentence in which a sentence or cell that was read by itself stands."""
        place = self._places.get((source, sentence))
        if place is None:
            reading = self.index.readings[source]
            first, *_ = reading.sentences[sentence]
            start, _ = reading.page.raw_span(first.start, first.end)
            at = bisect_right(self._parts[source].text.sentences, start, key=_start_of) - 1
            place = self._places[source, sentence] = Place(source, max(at, 0))
        return place
