"""Sources on which a line of an answer rests: those about the question, or others.

A figure rests on a foreign source where that one gives it and no source of what was asked does for
anything like it; words do where the foreign sources alone have them.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from guards.claims.reader import Claim
from guards.core.reading import Reading, SourceSet
from guards.evidence.answers import answer_claims, answer_figures
from guards.evidence.binding import SourceFigures
from guards.evidence.figures import Figure, same_value
from guards.evidence.index import OWN, Context, SourceClaim, about
from guards.evidence.siblings import Place, place_of
from guards.korean.morphemes import morphemes
from guards.korean.words import Word, content_words
from guards.text.claims import statements
from guards.text.slots.units import Dimension, Measure

Foreign = Mapping[Place, str]
"""The pieces of the sources that a line is not about, each with what it should be about."""

_SPEAKS_OF_IT = 0.2
_WORDS_SPEAK_OF_IT = 0.4
_SAYS_NEARLY_THE_SAME = 0.6
_CLEARLY_LESS = 0.5
_TELLING_WORDS = 2
_MOST_COMPARED = 200
"""A value that stands in more places tells none of them apart."""
_MEASURES_KEPT = 64


# 말씀하신 2시간이면; 3회 이용하시려면.
_TAKES_UP = re.compile(r"(?:말씀|문의|질문|계획|예상)(?:하|해\s주)신|려면(?=[\s,]|$)")


@dataclass(frozen=True, slots=True)
class LocatedClaim:
    """A claim of an answer.

    Attributes:
        claim: The claim.
        context: What it says and is about.
        start: Where it begins in the raw answer.
        end: Where it ends.
        figures: Its figures, each with its place in the raw answer.
    """

    claim: Claim
    context: Context
    start: int
    end: int
    figures: tuple[tuple[Figure, int, int], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence, item or cell of an answer that asserts something.

    Attributes:
        start: Where it begins in the raw answer.
        end: Where it ends.
        text: What stands there.
        near: What stands before it in its block, itself, and its labels.
        claims: Its claims.
    """

    start: int
    end: int
    text: str
    near: str
    claims: tuple[LocatedClaim, ...]


@dataclass(frozen=True, slots=True)
class Rest:
    """Words of an answer that only foreign sources have.

    Attributes:
        start: Where they begin in the raw answer.
        end: Where they end.
        on: The foreign claim, and what the right sources have instead.
        meant: What the words should be about; empty if the foreign text is only an older one.
        is_sure: Whether the right sources speak of the same.
    """

    start: int
    end: int
    on: tuple[SourceClaim, ...]
    meant: str
    is_sure: bool


def lines_of(reading: Reading) -> tuple[Line, ...]:
    """Return the lines of an answer that assert something, in order."""
    return tuple(_lines(reading, reading.answer.text.raw)) if reading.answer else ()


def _lines(reading: Reading, raw: str) -> Iterator[Line]:
    asserted = [(one.start, one.end) for one in statements(raw)]
    answer = reading.once(answer_claims)
    page = answer.page
    figures: dict[int, list[Figure]] = defaultdict(list)
    for figure in reading.once(answer_figures):
        figures[figure.claim.start].append(figure)
    for at, sentence in enumerate(answer.sentences):
        start, end = page.raw_span(sentence[0].start, sentence[-1].end)
        if not any(first < end and start < last for first, last in asserted):
            continue
        block = sentence[0].block
        before = answer.sentences[at - 1] if at else ()
        if before and before[0].block is not block:
            before = ()
        labels = " ".join(label.text for label in block.labels)
        near = f"{labels} {page.plain[block.start : sentence[-1].end]}"
        claims = []
        for claim in sentence:
            bag = about(claim, sentence, before, "")
            bag.add(claim.clause.words, OWN)
            own = tuple(
                (one, *page.raw_span(one.start, one.end)) for one in figures.get(claim.start, ())
            )
            claims.append(
                LocatedClaim(claim, bag.weights, *page.raw_span(claim.start, claim.end), own)
            )
        yield Line(start, end, raw[start:end], near, tuple(claims))


class Rests:
    """The sources of a request, to be asked what an answer rests on."""

    def __init__(self, sources: SourceSet) -> None:
        self._figures = sources.once(SourceFigures)
        self._index = self._figures.index
        self._by_group: dict[str, list[Figure]] = defaultdict(list)
        for figure in self._figures.figures:
            self._by_group[figure.group].append(figure)
        self._by_measure: dict[Measure, tuple[Sequence[Figure], Sequence[Figure]]] = {}

    @staticmethod
    def words_of(question: str) -> frozenset[str]:
        """Return the words of a question, which prove nothing."""
        words = content_words(morphemes(question))
        return frozenset(feature for word in words for feature in word.features)

    def best(self, line: Line) -> tuple[float, SourceClaim] | None:
        """Return the source claim that a line is closest to, and how close."""
        index = self._index
        rated = (
            (asking.likeness(one.context, weight), one)
            for asking in (index.asking(said.context) for said in line.claims)
            for one, weight in zip(index.claims, index.claim_weights, strict=True)
        )
        return max(rated, key=lambda one: one[0], default=None)

    def sentence_of(self, one: SourceClaim) -> str:
        """Return the sentence of a source claim, without emphasis."""
        page = self._index.readings[one.source].page
        return page.plain[one.sentence[0].start : one.sentence[-1].end]

    def of_line(
        self, line: Line, question: Collection[str], figures: Sequence[Figure], foreign: Foreign
    ) -> Iterator[Rest]:
        """Yield what figures and words of a line rest on, where that is foreign.

        Args:
            line: The line.
            question: The words of the question.
            figures: The figures of the question and of the turns before. Repeated as the user's
                (말씀하신 2시간이면) they rest on nothing.
            foreign: The foreign pieces.
        """
        for said in line.claims:
            found = [
                self._of_figure(*figure, foreign)
                for figure in said.figures
                if not (
                    _is_of_the_user(said.claim)
                    and any(same_value(figure[0].measure, one.measure) for one in figures)
                )
            ]
            resting = [rest for rest in found if rest is not None]
            if any(rest.is_sure for rest in resting):
                yield from resting
                continue
            of_words = self._of_words(said, question, foreign)
            yield from [of_words] if of_words else resting

    def _of_figure(self, figure: Figure, start: int, end: int, foreign: Foreign) -> Rest | None:
        if figure.measure.dimension == Dimension.BARE:
            return None
        same, others = self._compared(figure)
        theirs = self._best(figure, [one for one in same if _is_in(one, foreign)])
        if theirs is None or theirs[0] < _SPEAKS_OF_IT:
            return None
        own = self._best(figure, [one for one in same if not _is_in(one, foreign)])
        if own is not None and own[0] >= min(_SPEAKS_OF_IT, _CLEARLY_LESS * theirs[0]):
            return None
        right = self._best(figure, [one for one in others if not _is_in(one, foreign)])
        is_sure = right is not None and right[0] >= _SPEAKS_OF_IT
        on = theirs[1]
        quoted = [on] if right is None or not is_sure else [on, right[1]]
        meant = foreign[place_of(on.claim, on.source)]
        return Rest(start, end, tuple(map(self._claim_of, quoted)), meant, is_sure)

    def _compared(self, figure: Figure) -> tuple[Sequence[Figure], Sequence[Figure]]:
        """Return the source figures of the same value, and those of another."""
        found = self._by_measure.get(figure.measure)
        if found is None:
            same: list[Figure] = []
            others: list[Figure] = []
            for one in self._by_group.get(figure.group, ()):
                (same if same_value(figure.measure, one.measure) else others).append(one)
            if len(self._by_measure) >= _MEASURES_KEPT:
                self._by_measure.clear()
            found = self._by_measure[figure.measure] = (same, others)
        return found

    def _of_words(
        self, said: LocatedClaim, question: Collection[str], foreign: Foreign
    ) -> Rest | None:
        telling = [
            word
            for word in said.claim.clause.words
            if not word.is_light and self._is_foreign(word, foreign, question)
        ]
        likeness, best = max(
            (
                (self._index.likeness(said.context, one.context), one)
                for word in telling
                for one in self._holding(word)
            ),
            key=lambda rated: rated[0],
            default=(0.0, None),
        )
        enough = _WORDS_SPEAK_OF_IT if len(telling) >= _TELLING_WORDS else _SAYS_NEARLY_THE_SAME
        if best is None or likeness < enough:
            return None
        meant = foreign[place_of(best.claim, best.source)]
        return Rest(said.start, said.end, (best,), meant, is_sure=True)

    def _is_foreign(self, word: Word, foreign: Foreign, question: Collection[str]) -> bool:
        """Tell whether foreign claims say a word and nothing else does."""
        if any(feature in question for feature in word.features):
            return False
        holding = self._holding(word)
        return bool(holding) and all(place_of(one.claim, one.source) in foreign for one in holding)

    def _holding(self, word: Word) -> Sequence[SourceClaim]:
        places = {place for one in word.features for place in self._index.places(one)}
        return [self._index.claims[place] for place in sorted(places)[:_MOST_COMPARED]]

    def _best(self, figure: Figure, among: Sequence[Figure]) -> tuple[float, Figure] | None:
        rated = (
            (self._index.likeness(figure.context, one.context), one)
            for one in among[:_MOST_COMPARED]
        )
        return max(rated, key=lambda one: one[0], default=None)

    def _claim_of(self, figure: Figure) -> SourceClaim:
        """Return the source claim that a figure stands in."""
        return next(
            one
            for one in self._index.claims
            if one.source == figure.source and one.claim is figure.claim
        )


def _is_of_the_user(claim: Claim) -> bool:
    """Tell whether a clause takes up what the user said, or only supposes it."""
    return claim.clause.is_condition or _TAKES_UP.search(claim.text) is not None


def _is_in(figure: Figure, foreign: Foreign) -> bool:
    return place_of(figure.claim, figure.source) in foreign
