"""The statements of the sources, by what they say and are about, compared with those of answers."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

from guards.claims.reader import Claim, Modality, Reading
from guards.core.keeping import lazy
from guards.core.reading import Passage, RequestReading, SourceSet
from guards.evidence.index import SourceIndex, claims_of
from guards.evidence.opposites.acts import Act, has_sides
from guards.evidence.opposites.statements import SAME_SENTENCE, Part, Statement, statements_of
from guards.evidence.opposites.valence import demanded, granted
from guards.korean.words import Word, canonical
from guards.lexicons.loading import groups

ASKED = 0.7
"""Weight of the words of the question in the topic of an answer."""
_UNKNOWN = 0.5
_PARTLY = 0.8
_LOOSE = 0.7
_HALF = 0.5

# Where one may what the other may not, these say no more than that: 문자 인증은 지원하지 않는다.
OFFERS = frozenset("지원 제공 허용 취급 운영 적용 인정 받다 가능하다".split())
_WEIGHTS_KEPT = 4096
_WORTH_A_LOOK = 0.25
_SPEAKS_OF_IT = 0.1
_ENOUGH_WORDS = 2
_TAKES_OUT = re.compile(r"\s*(?:다만|단|그러나|하지만)(?=[,\s])")
_AROUND_CLAUSES = " ,;·"

_MAY = {Modality.PERMITTED: 1, Modality.FORBIDDEN: -1}
_MUST = {Modality.REQUIRED: 1, Modality.NOT_REQUIRED: -1}


@dataclass(frozen=True, slots=True)
class Match:
    """A statement of an answer and one of a source about the same.

    Attributes:
        statement: The answer's.
        source_statement: The source's.
        agrees: 1 if they say the same, -1 if they say the opposite, 0 if that cannot be determined.
        share: How much they share of what they are about, from 0 to 1.
    """

    statement: Statement
    source_statement: Statement
    agrees: int
    share: float


class _Found(NamedTuple):
    """A statement of a passage and what it is found by."""

    statement: Statement
    sides: tuple[int, int]
    has_exception: bool
    acts: frozenset[str]
    words: frozenset[str]


def _found_in(passage: Passage) -> list[_Found]:
    """Return the statements of a passage, in order; questions state nothing."""
    sentences = passage.text.once(claims_of).sentences
    return [
        _Found(
            one,
            (granted(one), demanded(one)),
            bool(_exception_behind(one, sentences)),
            frozenset([act.name for act in one.acts]),
            frozenset([word.features[-1] for word in words_of(one)]),
        )
        for one in statements_of(sentences, passage.title)
        if not one.sentence[-1].text.rstrip().endswith("?")
    ]


def _exception_behind(
    statement: Statement, sentences: Sequence[tuple[Claim, ...]]
) -> tuple[Claim, ...]:
    """Return the sentence behind a statement that takes something out of it; empty if none."""
    behind = statement.claim.sentence + 1
    if behind < len(sentences) and _TAKES_OUT.match(sentences[behind][0].text):
        return sentences[behind]
    return ()


class SourceMeaning:
    """The statements of all sources of a request, found by their acts and words.

    Attributes:
        statements: All of them, in order.
        readings: The sources, read.
        sides: What each statement grants and demands: 1, -1 if it denies that, or 0.
    """

    def __init__(self, sources: SourceSet) -> None:
        self._index = sources.once(SourceIndex)
        self.readings: Sequence[Reading] = self._index.readings
        self.statements: list[Statement] = []
        self._weights: dict[tuple[str, ...], float] = {}
        self._by_act: dict[str, list[int]] = defaultdict(list)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._excepted: set[int] = set()
        self.sides: list[tuple[int, int]] = []
        self._near: dict[int, Mapping[str, float]] = {}
        for number, passage in enumerate(sources.passages):
            for one in passage.once(_found_in):
                place = len(self.statements)
                self.statements.append(one.statement._replace(source=number))
                self.sides.append(one.sides)
                if one.has_exception:
                    self._excepted.add(place)
                for name in one.acts:
                    self._by_act[name].append(place)
                for name in one.words:
                    self._by_word[name].append(place)

    def weight(self, word: Word) -> float:
        """Return how much a word tells; one that no source has may be another word for theirs."""
        weight = self._weights.get(word.features)
        if weight is None:
            known = [self._index.rarity(one) for one in word.features if self._index.knows(one)]
            weight = max(known) if known else _UNKNOWN * self._index.rarity(word.features[-1])
            if len(self._weights) < _WEIGHTS_KEPT:
                self._weights[word.features] = weight
        return weight

    def related(
        self, statement: Statement, question: Mapping[str, float], signs: Collection[int] = (1, -1)
    ) -> list[Match]:
        """Return the source statements about the same act, closest first.

        Args:
            statement: A statement of an answer.
            question: The features of the question, which tell what the answer speaks of.
            signs: Which of those that agree (1) and those that oppose (-1) are wanted.
        """
        around = {**question, **statement.around}
        own = tuple(_apart(statement.parts))
        found = []
        for at in self.with_act(statement):
            source = self.statements[at]
            agrees, weight, act = relation(statement, source)
            if agrees not in signs or (source.is_named and agrees < 0):
                continue
            skip = words_for(act, statement, source) if act else OFFERS
            its = weight * self.coverage(own, source.around, skip)
            if its >= _WORTH_A_LOOK:
                share = its * self.coverage(source.parts, around, skip)
                found.append(Match(statement, source, agrees, share))
        return sorted(found, key=lambda one: -one.share)

    def with_act(self, statement: Statement) -> set[int]:
        """Return the places of the statements that may be of the same act."""
        places = {at for act in statement.acts for at in self._by_act.get(act.name, ())}
        if statement.modality in _MAY or statement.modality in _MUST:
            places |= self.with_words(statement)
        return places

    def with_exception(self, statement: Statement, question: Mapping[str, float]) -> Match | None:
        """Return the closest source statement if it is a rule with an exception behind it."""
        if self._excepted.isdisjoint(self.with_act(statement)):
            return None
        match = next(iter(self.related(statement, question)), None)
        return (
            match if match is not None and self.exception_behind(match.source_statement) else None
        )

    def about(self, statement: Statement, question: Mapping[str, float]) -> list[Match]:
        """Return the source statements about the same, whatever they say of it, closest first."""
        around = {**question, **statement.around}
        own = tuple(_apart(statement.parts))
        found = []
        for at in self.with_words(statement):
            source = self.statements[at]
            share = self.coverage(own, source.around) * self.coverage(source.parts, around)
            found.append(Match(statement, source, 0, share))
        return sorted(found, key=lambda one: -one.share)

    def holding(
        self, statement: Statement, question: Mapping[str, float], skip: Collection[str]
    ) -> list[Match]:
        """Return the source statements that hold most of what a statement speaks of, best first.

        Args:
            statement: A statement of an answer.
            question: The features of the question.
            skip: Words of the statement that are not looked for.
        """
        around = {**question, **statement.around}
        own = [
            part
            for part in _apart(statement.parts)
            if any(word.features[-1] not in skip for word in part.alternatives[0])
        ]
        if len(own) < _ENOUGH_WORDS:
            return []
        found = []
        for at in self.with_words(statement):
            source = self.statements[at]
            its = self.coverage(source.parts, around)
            if its >= _SPEAKS_OF_IT:
                share = self.coverage(own, source.around, skip)
                found.append(Match(statement, source, 0, share))
        return sorted(found, key=lambda one: -one.share)

    def naming(self, word: Word) -> Iterator[Statement]:
        """Yield the source statements that are about a word, in order."""
        names = set(word.features)
        places = {at for one in names for at in self._index.places(one)}
        for at in sorted(places):
            for one in self._of_claim.get(id(self._index.claims[at].claim), ()):
                if any(not names.isdisjoint(its.features) for its in words_of(one)):
                    yield one

    @lazy
    def _of_claim(self) -> dict[int, list[Statement]]:
        found: dict[int, list[Statement]] = defaultdict(list)
        for one in self.statements:
            found[id(one.claim)].append(one)
        return found

    def with_words(self, statement: Statement) -> set[int]:
        """Return the places of the statements that share a word with another one."""
        return set(self.places_of(words_of(statement)))

    def places_of(self, found: Iterable[Word]) -> Iterator[int]:
        """Yield the places of the statements that have some words, once for each word."""
        for name in {word.features[-1] for word in found}:
            yield from self._by_word.get(name, ())

    def near(self, at: int) -> Mapping[str, float]:
        """Return what stands in the statement of a place, its conditions and its labels."""
        near = self._near.get(at)
        if near is None:
            around = self.statements[at].around.items()
            near = {feature: weight for feature, weight in around if weight >= SAME_SENTENCE}
            self._near[at] = near
        return near

    def coverage(
        self, parts: Iterable[Part], around: Mapping[str, float], skip: Collection[str] = ()
    ) -> float:
        """Return the share of some parts that stands near another statement."""
        own = shared = 0.0
        for part in parts:
            best = heaviest = 0.0
            for alternative in part.alternatives:
                words = [word for word in alternative if word.features[-1] not in skip]
                if words:
                    best = max(best, self.held(words, around))
                    heaviest = max(heaviest, *map(self.weight, words))
            own += part.weight * heaviest
            shared += part.weight * heaviest * best
        return shared / own if own else _HALF

    def held(self, words: Collection[Word], around: Mapping[str, float]) -> float:
        """Return the share of some words that stands near a statement; 1 if there are none."""
        if len(words) == 1:
            (word,) = words
            return min(1.0, covered(word, around))
        whole = shared = 0.0
        for word in words:
            weight = self.weight(word)
            whole += weight
            shared += weight * min(1.0, covered(word, around))
        return shared / whole if words else 1.0

    def text_of(self, clauses: Sequence[Claim], source: int) -> str:
        """Return the text from the first to the last of some clauses of a source."""
        plain = self.readings[source].page.plain
        return plain[clauses[0].start : clauses[-1].end].strip(_AROUND_CLAUSES)

    def exception_behind(self, statement: Statement) -> tuple[Claim, ...]:
        """Return the sentence with which a source takes something out of a rule; empty if none."""
        return _exception_behind(statement, self.readings[statement.source].sentences)


def asked_features(request: RequestReading) -> dict[str, float]:
    """Return the features of a question: they tell what the answer to it speaks of."""
    return {
        feature: ASKED
        for claim in request.question.text.once(claims_of).claims
        for word in claim.clause.words
        for feature in word.features
    }


def is_by_degree(statement: Statement) -> bool:
    """Tell whether a statement leaves open in which cases it holds (등급에 따라 있다)."""
    return _BY_DEGREE.search(statement.claim.text) is not None


@cache
def _wholes() -> dict[str, tuple[str, ...]]:
    """Return the wholes of which a word is a part, and the parts of which it is the whole."""
    found: dict[str, tuple[str, ...]] = {}
    for whole, *parts in groups("wholes"):
        names = tuple(canonical(part) for part in parts)
        found[canonical(whole)] = (*found.get(canonical(whole), ()), *names)
        for name in names:
            found[name] = (*found.get(name, ()), canonical(whole))
    return found


_BY_DEGREE = re.compile(r"에 따라(?!서?는)")


def words_of(statement: Statement) -> Iterator[Word]:
    """Yield the words that tell what a statement is about."""
    for part in statement.parts:
        for alternative in part.alternatives:
            yield from alternative


def covered(word: Word, around: Mapping[str, float]) -> float:
    """Return how much of a word stands near a statement: all of it, or some of its parts."""
    whole = around.get(word.features[-1], 0.0)
    if not whole and (related := _wholes().get(word.features[-1])):
        whole = max([around.get(one, 0.0) for one in related])
    parts = word.features[:-1]
    if not parts or whole >= 1.0:
        return whole
    return max(whole, _PARTLY * sum(around.get(one, 0.0) for one in parts) / len(parts))


def relation(statement: Statement, source: Statement) -> tuple[int, float, Act | None]:
    """Return whether two statements agree (1) or not (-1), how surely, and on which act.

    0 if they have no act in common, and neither permits or demands anything.
    """
    best: tuple[int, float, Act | None] = (0, 0.0, None)
    for one, other in product(statement.acts, source.acts):
        if one.name != other.name:
            continue
        weight = one.weight * other.weight
        agrees = _agreement(one, other, statement.modality, source.modality)
        if 1.0 not in (one.weight, other.weight):
            # 유료로 빌려 준다 and 무료로 빌려 준다: the same act, but for what both say besides.
            if agrees < 0 and has_sides(one.name):
                return agrees, one.weight, one
        elif weight > best[1]:
            best = (agrees, weight, one)
    if best[0]:
        return best
    for values in (_MAY, _MUST):
        if statement.modality in values and source.modality in values:
            return values[statement.modality] * values[source.modality], _LOOSE, None
    return best


def _agreement(one: Act, other: Act, own: Modality, its: Modality) -> int:
    if Modality.NOT_REQUIRED not in (own, its):
        return 1 if one.side == other.side else -1
    if own is its:
        return 1
    return -1 if Modality.REQUIRED in (own, its) else 0


def words_for(act: Act, *statements: Statement) -> frozenset[str]:
    """Return the features of the words with which statements say an act."""
    return frozenset(
        one.word.features[-1]
        for statement in statements
        for one in statement.acts
        if one.name == act.name and one.word is not None
    )


def _apart(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts of an answer's statement with each member of a list by itself."""
    for part in parts:
        for alternative in part.alternatives:
            yield Part((alternative,), part.weight)
