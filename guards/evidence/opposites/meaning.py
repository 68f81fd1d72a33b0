"""Comparison of statements of an answer with those of its sources: polarity and conditions.

Two statements contradict each other if they take opposite sides of one act, or if one permits what
the other forbids, and they speak of the same: each has most of what the other is about, neither is
limited to something that the other does not name, and no condition turns the one into the other.
A source that says the same as the answer settles it.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from guards.claims.reader import Claim, Modality, Reading, read_claims
from guards.core.reading import RequestReading, SourceSet
from guards.evidence.index import SourceIndex
from guards.evidence.opposites.acts import Act, are_turned, has_sides
from guards.evidence.opposites.statements import SENTENCE_BEFORE, Part, Statement, statements_of
from guards.korean.words import Word, canonical
from guards.lexicons.loading import groups, lines

ASKED = 0.7
"""Weight of the words of the question in the topic of an answer."""
_UNKNOWN = 0.5
_PARTLY = 0.8
_LOOSE = 0.7
_NEAR = 0.55
_HALF = 0.5
_LEADS_BY = 1.15

# Where one may what the other may not, these say no more than that: 문자 인증은 지원하지 않는다.
_OFFERS = frozenset("지원 제공 허용 취급 운영 적용 인정 받다 가능하다".split())
_WEIGHTS_KEPT = 4096
_WORTH_A_LOOK = 0.25
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
        agrees: 1 if they say the same, -1 if they say the opposite, 0 if that cannot be told.
        share: How much they share of what they are about, from 0 to 1.
    """

    statement: Statement
    source_statement: Statement
    agrees: int
    share: float


class SourceMeaning:
    """The statements of all sources of a request, found by their acts and words.

    Attributes:
        statements: All of them, in order.
        readings: The sources, read.
    """

    def __init__(self, sources: SourceSet) -> None:
        self._index = sources.once(SourceIndex)
        self.readings: Sequence[Reading] = self._index.readings
        self.statements: list[Statement] = []
        self._weights: dict[tuple[str, ...], float] = {}
        self._by_act: dict[str, list[int]] = defaultdict(list)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._excepted: set[int] = set()
        for number, part in enumerate(sources.parts):
            title = part.source.title if part.source else ""
            for one in statements_of(self.readings[number].sentences, title, number):
                if not one.sentence[-1].text.rstrip().endswith("?"):
                    self._add(one)

    def _add(self, one: Statement) -> None:
        place = len(self.statements)
        self.statements.append(one)
        if self.exception_behind(one):
            self._excepted.add(place)
        for name in {act.name for act in one.acts}:
            self._by_act[name].append(place)
        for name in {word.features[-1] for word in words_of(one)}:
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
        for at in self._with_act(statement):
            source = self.statements[at]
            agrees, weight, act = relation(statement, source)
            if agrees not in signs or (source.is_named and agrees < 0):
                continue
            skip = _words_for(act, statement, source) if act else _OFFERS
            its = weight * self._coverage(own, source.around, skip)
            if its >= _WORTH_A_LOOK:
                share = its * self._coverage(source.parts, around, skip)
                found.append(Match(statement, source, agrees, share))
        return sorted(found, key=lambda one: -one.share)

    def _with_act(self, statement: Statement) -> set[int]:
        places = {at for act in statement.acts for at in self._by_act.get(act.name, ())}
        if statement.modality in _MAY or statement.modality in _MUST:
            places |= self._with_words(statement)
        return places

    def with_exception(self, statement: Statement, question: Mapping[str, float]) -> Match | None:
        """Return the closest source statement if it is a rule with an exception behind it."""
        if self._excepted.isdisjoint(self._with_act(statement)):
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
        for at in self._with_words(statement):
            source = self.statements[at]
            share = self._coverage(own, source.around) * self._coverage(source.parts, around)
            found.append(Match(statement, source, 0, share))
        return sorted(found, key=lambda one: -one.share)

    def _with_words(self, statement: Statement) -> set[int]:
        names = {word.features[-1] for word in words_of(statement)}
        return {at for name in names for at in self._by_word.get(name, ())}

    def _coverage(
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
            return min(1.0, *(covered(word, around) for word in words), 1.0)
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
        sentences = self.readings[statement.source].sentences
        behind = statement.claim.sentence + 1
        if behind < len(sentences) and _TAKES_OUT.match(sentences[behind][0].text):
            return sentences[behind]
        return ()

    def _held_topic(self, statement: Statement, around: Mapping[str, float]) -> float:
        near = {feature: 1.0 for feature, weight in around.items() if weight >= SENTENCE_BEFORE}
        return max((self.held(one, near) for one in statement.topic), default=1.0)

    def contradiction(
        self, statement: Statement, question: Mapping[str, float], least: float
    ) -> Match | None:
        """Return the source statement that contradicts a statement most; None if none does.

        Args:
            statement: A statement of an answer.
            question: The features of the question.
            least: How much the two have to share.
        """
        against = (
            one
            for one in self.related(statement, question, (-1,))
            if one.share >= least
            and not self._is_other_case(statement, one.source_statement, question)
        )
        first = next(against, None)
        if first is None:
            return None
        support = max((one.share for one in self.related(statement, question, (1,))), default=0.0)
        return first if first.share >= support * _LEADS_BY else None

    def _is_other_case(
        self, statement: Statement, source: Statement, question: Mapping[str, float]
    ) -> bool:
        """Tell whether two statements speak of different cases."""
        if are_turned(statement.turns, source.turns):
            return True
        named, others = designators(statement.claim.text), designators(source.claim.text)
        if any(named[unit].isdisjoint(others[unit]) for unit in named.keys() & others.keys()):
            return True
        own = {feature for word in words_of(statement) for feature in word.features}
        if any(word.features[-1] in own for word in source.excluded):
            return True
        if _takes_out(statement, source) or _have_other_figures(statement, source):
            return True
        if self._is_aside(source) and not _names_all(source, {**question, **statement.around}):
            return True
        around = {**question, **statement.around}
        return self._is_limited(statement, source.around) or self._is_limited(source, around)

    def _is_aside(self, source: Statement) -> bool:
        """Tell whether a source says something in brackets (온라인 가입 불가)."""
        plain = self.readings[source.source].page.plain
        return source.start > 0 and plain[source.start - 1] in "(（"

    def _is_limited(self, statement: Statement, around: Mapping[str, float]) -> bool:
        """Tell whether a statement is limited to something that another one does not name."""
        if any(not word.is_light and not covered(word, around) for word in statement.only):
            return True
        near = {feature: weight for feature, weight in around.items() if weight >= _NEAR}
        return (
            self._held_topic(statement, around) <= _HALF or self.held(statement.given, near) < _HALF
        )


def asked_features(request: RequestReading) -> dict[str, float]:
    """Return the features of a question: they tell what the answer to it speaks of."""
    return {
        feature: ASKED
        for claim in read_claims(request.question.text.raw).claims
        for word in claim.clause.words
        for feature in word.features
    }


def _names_all(source: Statement, around: Mapping[str, float]) -> bool:
    """Tell whether all that a source's aside speaks of, besides its act, stands near."""
    acts = {act.word for act in source.acts}
    return all(
        covered(word, around)
        for part in source.parts
        if part.weight == 1.0
        for alternative in part.alternatives
        for word in alternative
        if word not in acts
    )


def is_of_other_figures(statement: Statement, source: Statement) -> bool:
    """Tell whether a source speaks of figures that an answer's sentence has none of.

    직전 1년 안에 감경받은 사람은: the answer may speak of all others.
    """
    own = {value for one in statement.sentence for value in _values(one, one.start, one.end)}
    its = _values(source.claim, source.start, source.end)
    return bool(its) and own.isdisjoint(its)


def _values(claim: Claim, start: int, end: int) -> set[object]:
    return {
        (one.measure.dimension, value)
        for one in claim.clause.figures
        for value in one.measure.values
        if start <= claim.offset + one.start < end
    }


def _takes_out(statement: Statement, source: Statement) -> bool:
    """Tell whether a statement takes out what the other one is about (월요일만 빼고 운영한다)."""
    out = {word.features[-1] for word in statement.excluded}
    return any(word.features[-1] in out for word in words_of(source))


def _have_other_figures(statement: Statement, source: Statement) -> bool:
    """Tell whether both have figures of a kind, none in common (두 대는 안 된다, 1대는 된다)."""
    own, its = _figures(statement), _figures(source)
    return any(own[kind].isdisjoint(its[kind]) for kind in own.keys() & its.keys())


def _figures(statement: Statement) -> dict[str, set[object]]:
    found: dict[str, set[object]] = {}
    for one in statement.claim.clause.figures:
        found.setdefault(one.measure.dimension, set()).update(one.measure.values)
    return found


def is_by_degree(statement: Statement) -> bool:
    """Tell whether a statement leaves open in which cases it holds (등급에 따라 있다)."""
    return _BY_DEGREE.search(statement.claim.text) is not None


_MOST_CLAUSES = 2
_DENIES = re.compile("|".join(lines("denials")))


def may_say_both(statement: Statement, source: Statement) -> bool:
    """Tell whether a source sentence may say both the same and the opposite in its clauses.

    A statement that denies is told by a sentence that denies anything; one that affirms by one of
    several things (평일 18:00~21:00 / 일요일 없음).
    """
    if _DENIES.search(statement.claim.text):
        return any(_DENIES.search(claim.text) for claim in source.sentence)
    return len(source.sentence) > _MOST_CLAUSES


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


_DESIGNATOR = re.compile(
    r"(\d+)\s?(관|동|호|층|부|급|종|기|호선|호점|학년|단계|회차)(?![가-힣]{2})"
)
_DAY = re.compile(r"(?<![가-힣])(?:평일|주말|공휴일|휴일|[월화수목금토일]요일|[토일](?=요일|·|,))")
_DAYS = {"평일": "월화수목금", "주말": "토일", "공휴일": "휴", "휴일": "토일휴"}
_BY_DEGREE = re.compile(r"에 따라(?!서?는)")


def designators(text: str) -> dict[str, set[str]]:
    """Return the numbers and days by which a text names its things, by their kind (1관, 토요일)."""
    found: dict[str, set[str]] = {}
    if days := {day for name in _DAY.findall(text) for day in _DAYS.get(name, name[0])}:
        found["요일"] = days
    for number, unit in _DESIGNATOR.findall(text):
        found.setdefault(unit, set()).add(number)
    return found


def words_of(statement: Statement) -> Iterator[Word]:
    """Yield the words that tell what a statement is about."""
    for part in statement.parts:
        for alternative in part.alternatives:
            yield from alternative


def covered(word: Word, around: Mapping[str, float]) -> float:
    """Return how much of a word stands near a statement: all of it, or some of its parts."""
    whole = around.get(word.features[-1], 0.0)
    if not whole:
        related = _wholes().get(word.features[-1], ())
        whole = max((around.get(one, 0.0) for one in related), default=0.0)
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


def _words_for(act: Act, *statements: Statement) -> set[str]:
    """Return the features of the words with which statements say an act."""
    return {
        one.word.features[-1]
        for statement in statements
        for one in statement.acts
        if one.name == act.name and one.word is not None
    }


def _apart(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield the parts of an answer's statement with each member of a list by itself."""
    for part in parts:
        for alternative in part.alternatives:
            yield Part((alternative,), part.weight)
