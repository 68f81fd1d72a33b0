"""The claims of all sources of a request, found by what they are about.

A claim's context is a weighted bag of features: its own words, its labels, the conditions before it
in its sentence, the heading of its source. Rare features weigh more. One index answers for every
guard which source claims speak of what a claim of the answer speaks of.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nlargest
from typing import NamedTuple

from guards.claims.layout import Level
from guards.claims.reader import Claim, Reading, label_figures, label_words, read_claims
from guards.core.keeping import lazy
from guards.core.reading import Passage, SourceSet, Text
from guards.korean.words import Word, simple_nouns
from guards.text.slots.units import Measure

Context = Mapping[str, float]

OWN, LIGHT = 1.0, 0.15
CONDITION_BEFORE, CLAUSE_BEFORE, CLAUSE_BEHIND = 0.7, 0.4, 0.2
SENTENCE_BEFORE = 0.2
LABELS = {
    Level.ROW: 0.9,
    Level.COLUMN: 0.6,
    Level.LABEL: 0.85,
    Level.PARENT: 0.7,
    Level.HEADING: 0.5,
}
TITLE = 0.4
FIGURE = 0.8

_LABELS_KEPT = 2048
_MOST_BESIDE = 50
"""Clauses on each side that tell what a clause is about: more are no sentence but a row."""


@dataclass(slots=True)
class Bag:
    """Features and how much each of them weighs; the highest weight given counts."""

    weights: dict[str, float] = field(default_factory=dict)

    def add(self, words: Iterable[Word], weight: float) -> None:
        """Add content words; those that carry no subject weigh little."""
        weights = self.weights
        for word in words:
            own = weight * LIGHT if word.is_light else weight
            for feature in word.features:
                if own > weights.get(feature, 0.0):
                    weights[feature] = own

    def add_labels(self, claim: Claim) -> None:
        """Add the words and figures of a claim's labels."""
        for level, words in claim.labels:
            self.add(words, LABELS[level])
        for label in claim.block.labels:
            for feature in _figures_in(label.text):
                self.add_feature(feature, LABELS[label.level])

    def add_feature(self, feature: str, weight: float) -> None:
        """Add one feature."""
        if weight > self.weights.get(feature, 0.0):
            self.weights[feature] = weight


def key_of(measure: Measure) -> str:
    """Return a figure as a feature of what stands beside it."""
    return f"={measure.dimension}:{'~'.join(str(value) for value in measure.values)}"


@lru_cache(maxsize=_LABELS_KEPT)
def _figures_in(label: str) -> tuple[str, ...]:
    return tuple([key_of(quantity.measure) for quantity in label_figures(label)])


def about(claim: Claim, sentence: Sequence[Claim], before: Sequence[Claim], title: str) -> Bag:
    """Return what a claim is about besides its own words.

    Args:
        claim: The claim.
        sentence: The claims of its sentence.
        before: The claims of the sentence before in the same block; empty if there is none.
        title: The heading of its source; empty for answers.
    """
    bag = Bag()
    bag.add_labels(claim)
    if title:
        bag.add(label_words(title), TITLE)
    at = claim.position
    for other in sentence[max(0, at - _MOST_BESIDE) : at + _MOST_BESIDE + 1]:
        if other.position < claim.position:
            near = claim.position - other.position == 1
            is_condition = other.clause.is_condition or other.clause.is_concession
            weight = CONDITION_BEFORE if is_condition and near else CLAUSE_BEFORE
            bag.add(other.clause.words, weight)
        elif other.position > claim.position:
            bag.add(other.clause.words, CLAUSE_BEHIND)
    for other in before[-_MOST_BESIDE:]:
        bag.add(other.clause.words, SENTENCE_BEFORE)
    return bag


class SourceClaim(NamedTuple):
    """A claim of a source.

    Attributes:
        claim: The claim.
        source: Number of its source, from 0.
        source_id: Id of its source.
        context: What it says and is about.
        sentence: The claims of its sentence.
        place: Its number among the claims of all sources.
    """

    claim: Claim
    source: int
    source_id: str
    context: Context
    sentence: tuple[Claim, ...]
    place: int


def _in_context(passage: Passage) -> list[tuple[Claim, Context, tuple[Claim, ...]]]:
    """Return each claim of a passage with what it says and is about, and with its sentence."""
    found: list[tuple[Claim, Context, tuple[Claim, ...]]] = []
    before: Sequence[Claim] = ()
    for sentence in passage.text.once(claims_of).sentences:
        near = before if before and before[0].block is sentence[0].block else ()
        for claim in sentence:
            bag = about(claim, sentence, near, passage.title)
            bag.add(claim.clause.words, OWN)
            found.append((claim, bag.weights, sentence))
        before = sentence
    return found


class SourceIndex:
    """The claims of a set of sources, with postings by feature.

    Attributes:
        claims: All claims, in order.
        readings: The sources, read.
    """

    def __init__(self, sources: SourceSet) -> None:
        self.claims: list[SourceClaim] = []
        self.readings: list[Reading] = []
        self._postings: dict[str, list[int]] = defaultdict(list)
        self._places_weighing: dict[tuple[str, float], frozenset[int]] = {}
        for number, (part, passage) in enumerate(zip(sources.parts, sources.passages, strict=True)):
            self.readings.append(passage.text.once(claims_of))
            source_id = part.source.id if part.source else str(number + 1)
            for claim, context, sentence in passage.once(_in_context):
                place = len(self.claims)
                self.claims.append(SourceClaim(claim, number, source_id, context, sentence, place))
                for feature in context:
                    self._postings[feature].append(place)
        self._count = max(1, len(self.claims))
        self._rarity = {
            feature: math.log(1 + self._count / len(places))
            for feature, places in self._postings.items()
        }
        self._rarest = math.log(1 + self._count)

    def text_of(self, one: "SourceClaim") -> str:
        """Return the sentence of a claim as it stands in its source, without emphasis."""
        return self.readings[one.source].text_of(one.sentence)

    def rarity(self, feature: str) -> float:
        """Return the weight of a feature: high where few source claims have it."""
        return self._rarity.get(feature, self._rarest)

    def knows(self, feature: str) -> bool:
        """Tell whether any source has a feature."""
        return feature in self._rarity

    def places(self, feature: str) -> Sequence[int]:
        """Return the numbers of the claims that have a feature."""
        return self._postings.get(feature, ())

    def places_of(self, word: Word, least: float) -> frozenset[int]:
        """Return the numbers of the claims in which a word has a weight, or all its parts have."""
        return self._weighing(word.features[-1], least).union(
            frozenset.intersection(*(self._weighing(one, least) for one in simple_nouns(word)))
        )

    def _weighing(self, feature: str, least: float) -> frozenset[int]:
        found = self._places_weighing.get((feature, least))
        if found is None:
            places = self.places(feature)
            found = frozenset(at for at in places if self.claims[at].context[feature] >= least)
            if places:
                self._places_weighing[feature, least] = found
        return found

    def nearest(self, context: Context, most: int) -> "list[tuple[float, SourceClaim]]":
        """Return the claims that share most with a context, with their likeness, likest first.

        Args:
            context: The context.
            most: How many claims.
        """
        shared: dict[int, float] = {}
        for feature, weight in context.items():
            weighed = weight * self.rarity(feature)
            for place in self.places(feature):
                shared[place] = shared.get(place, 0.0) + weighed
        best = nlargest(most, shared, key=shared.__getitem__)
        asking = self.asking(context)
        found = [
            (asking.likeness(self.claims[place].context, self.claim_weights[place]), place)
            for place in best
        ]
        found.sort(key=lambda one: -one[0])
        return [(likeness, self.claims[place]) for likeness, place in found]

    @lazy
    def claim_weights(self) -> list[float]:
        """The `weight` of each claim's context."""
        return [self.weight(one.context) for one in self.claims]

    def likeness(self, one: Context, other: Context) -> float:
        """Return how much two contexts share, from 0 to 1.

        Features of the first that no source has are left out: the sources cannot tell them.
        """
        return self.asking(one).likeness(other, self.weight(other))

    def asking(self, context: Context) -> "Asking":
        """Return a context prepared for comparison with many."""
        rarity = self._rarity
        known = [
            (feature, weight, rarity[feature])
            for feature, weight in context.items()
            if feature in rarity
        ]
        return Asking(known, sum(weight * rare for _, weight, rare in known))

    def weight(self, context: Context) -> float:
        """Return the weight of all features of a context together."""
        rarity, rarest = self._rarity, self._rarest
        return sum(weight * rarity.get(feature, rarest) for feature, weight in context.items())


class Asking(NamedTuple):
    """A context prepared for comparison with many.

    Attributes:
        known: Its features that sources have, each with its weight and rarity.
        own: Their weight together.
    """

    known: Sequence[tuple[str, float, float]]
    own: float

    def most(self, weight: float) -> float:
        """Return how much a context of a weight may share with it at most, from 0 to 1."""
        low, high = sorted((self.own, weight))
        return math.sqrt(low / high) if high else 0.0

    def likeness(self, other: Context, weight: float) -> float:
        """Return how much another context shares with it, from 0 to 1.

        Args:
            other: The other context.
            weight: Its `SourceIndex.weight`.
        """
        shared = 0.0
        for feature, own, rare in self.known:
            if feature in other:
                shared += min(other[feature], own) * rare
        return shared / math.sqrt(self.own * weight) if shared else 0.0


def claims_of(text: Text) -> Reading:
    """Return the claims of a text; kept with it by ``text.once``."""
    return read_claims(text.raw)
