"""Support of a statement by the sources of a request, singly and together.

The measure is the share of the statement's words, rare ones more, that two neighbouring sentences
of a source hold with their labels and its title, and where the statement has figures, to one half
the share of those that stand in the source in any notation. Words of the question that no source
has are left out: the asker chose them.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from operator import attrgetter, or_

from guards.claims.reader import label_figures
from guards.core.keeping import lazy
from guards.core.reading import Part, Reading, RequestReading, SourceSet
from guards.evidence.answers import answer_arithmetic, answer_claims, answer_figures
from guards.evidence.binding import SourceFigures
from guards.evidence.calculations.arithmetic import Outcome
from guards.evidence.figures import Figure, same_value
from guards.evidence.index import claims_of
from guards.evidence.passages import SourcePassages, Unit, units_of
from guards.text.claims import bare_claim
from guards.text.hedging import claimed_quantities
from guards.text.slots.citation_mark import CitationMark
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Measure

_NOTHING_TO_MEASURE = 0.5
_MOST_KEPT = 512
_MOST_PAIRS = 30_000
"""With more figures of answer and sources to hold against one another none is explained."""
_HEAD_CHARS = 2000
_LEAST_KOREAN = 0.2
_EMPHASIS = re.compile(r"[*_~`|]{1,3}")
_HANGUL = re.compile(r"[가-힣]")
_LETTER = re.compile(r"[^\W\d_]")
_start_of = attrgetter("start")


class Carried:
    """Support of one statement by the sources, which are named by their place in the list.

    Attributes:
        words: Of how many words that was measured.
        figures: Of how many figures.
    """

    def __init__(
        self,
        words: int,
        weights: Sequence[float],
        held: Mapping[int, "_Windows"],
        holders: Sequence[frozenset[int]],
    ) -> None:
        """Take what was measured.

        Args:
            words: How many words there are.
            weights: The weight of each simple word.
            held: What the passages of each source hold of them.
            holders: The sources in which each figure stands.
        """
        self.words = words
        self.figures = len(holders)
        self._weights = weights
        self._whole = sum(weights)
        self._held = held
        self._holders = holders

    def score(self, places: Collection[int]) -> float:
        """Return how far some sources support the statement together, from 0 to 1."""
        if not places:
            return 0.0
        shares: list[float] = []
        if self._weights:
            best = [self._held[place].best for place in places if place in self._held]
            union = reduce(or_, best, 0)
            shares.append(_weight(union, self._weights) / self._whole)
        if self.figures:
            found = sum(not holding.isdisjoint(places) for holding in self._holders)
            shares.append(found / self.figures)
        return sum(shares) / len(shares) if shares else _NOTHING_TO_MEASURE


class _Windows:
    """Words of a statement that each sentence of one source holds, as bits."""

    def __init__(self, weights: Sequence[float]) -> None:
        self.masks: defaultdict[int, int] = defaultdict(int)
        self._weights = weights

    @lazy
    def best(self) -> int:
        """Words that the best two neighbouring sentences hold together, as bits."""
        # All rows of a long table may hold the same.
        windows = {held | self.masks.get(at + 1, 0) for at, held in self.masks.items()}
        return max(sorted(windows), key=lambda window: _weight(window, self._weights))


class _Figures:
    """The sources in which a figure stands."""

    def __init__(self, sources: SourceSet) -> None:
        self._figures = sources.once(SourceFigures)
        self._titles = [_figures_of_title(part) for part in sources.parts]
        self._holders: dict[tuple[Measure, str], frozenset[int]] = {}

    @property
    def count(self) -> int:
        """Number of figures in the sources."""
        return len(self._figures.figures)

    def holders(self, quantity: Quantity) -> frozenset[int]:
        """Return the places of the sources in which a figure stands, or both ends of a range."""
        name = (quantity.measure, quantity.comparing_word)
        holders = self._holders.get(name)
        if holders is None:
            if len(self._holders) >= _MOST_KEPT:
                self._holders.clear()
            holders = self._holders[name] = self._held(quantity)
        return holders

    def _held(self, quantity: Quantity) -> frozenset[int]:
        dimension, values, *_ = quantity.measure
        whole = self._with(quantity.measure, quantity)
        if len(values) < 2:
            return whole
        ends = (self._with(Measure(dimension, (value,)), quantity) for value in values)
        return whole | frozenset.intersection(*ends)

    def _with(self, measure: Measure, quantity: Quantity) -> frozenset[int]:
        sources = (
            one.source
            for one in self._figures.with_value(measure)
            if _may_agree(quantity, one.quantity)
        )
        titles = (
            place
            for place, figures in enumerate(self._titles)
            if any(same_value(measure, one.measure) for one in figures)
        )
        return frozenset((*sources, *titles))


class _Words:
    """The words of a request's sources.

    Whatever is measured depends on the statement and the request alone, never on what else an
    answer says.
    """

    def __init__(self, request: RequestReading) -> None:
        self._passages = request.source_set.once(SourcePassages)
        self._index = self._passages.index
        self._parts = request.sources
        asking = [claim.clause for claim in request.question.text.once(claims_of).claims]
        self._request_words = frozenset(
            feature for clause in asking for word in clause.words for feature in word.features
        )
        self._asked_figures = [figure for clause in asking for figure in clause.figures]
        self._units: dict[str, tuple[Unit, ...]] = {}
        self._quotes: dict[tuple[str, int], str] = {}
        self._held: dict[str, Mapping[int, _Windows]] = {}

    def carried(self, text: str, holders: Sequence[frozenset[int]]) -> Carried:
        """Return how far each source supports a statement.

        Args:
            text: Its words, without marks and figures.
            holders: The sources in which each of its figures stands.
        """
        units = self._units_of(text)
        weights = [one.weight * self._index.rarity(one.feature) for one in units]
        if text not in self._held:
            if len(self._held) >= _MOST_KEPT:
                self._held.clear()
            self._held[text] = self._hold(units, weights)
        words = round(sum(one.weight for one in units))
        return Carried(words, weights, self._held[text], holders)

    def _units_of(self, text: str) -> tuple[Unit, ...]:
        if text not in self._units:
            if len(self._units) >= _MOST_KEPT:
                self._units.clear()
            self._units[text] = tuple(one for one in units_of(text) if self._counts(one.feature))
        return self._units[text]

    def asks(self, figure: Quantity) -> bool:
        """Tell whether the question gives a figure."""
        return any(same_value(figure.measure, one.measure) for one in self._asked_figures)

    def _counts(self, feature: str) -> bool:
        return self._index.knows(feature) or feature not in self._request_words

    def _hold(self, units: Sequence[Unit], weights: Sequence[float]) -> Mapping[int, _Windows]:
        """Return what each source that has any of the words holds of them."""
        held: dict[int, _Windows] = {}
        for number, unit in enumerate(units):
            for source, sentence in self._passages.saying(unit.feature):
                windows = held.get(source)
                if windows is None:
                    windows = held[source] = _Windows(weights)
                windows.masks[sentence] |= 1 << number
        return held

    def quote(self, text: str, source: int) -> str:
        """Return the source's sentence nearest to a statement; empty if none holds any of it."""
        key = (text, source)
        if key not in self._quotes:
            if len(self._quotes) >= _MOST_KEPT:
                self._quotes.clear()
            shares = self._passages.shares(text)
            places = sorted(place for place in shares if place.source == source)
            nearest = max(places, key=shares.__getitem__, default=None)
            self._quotes[key] = "" if nearest is None else self._passages.sentence(nearest)
        return self._quotes[key]

    @lazy
    def are_korean(self) -> tuple[bool, ...]:
        """For each source, whether it is written in Hangul."""
        return tuple(_is_korean(part.text.raw[:_HEAD_CHARS]) for part in self._parts)


def read_ahead(request: RequestReading) -> Iterator[None]:
    """Read the parts of a request that statements are compared with, pausing after each."""
    for part in request.sources:
        part.text.once(claims_of)
        yield
    request.source_set.once(_Figures)
    yield
    request.once(_Words)
    yield


class Support:
    """The sources of one exchange, with which statements of its answer are compared."""

    def __init__(self, reading: Reading, marks: Sequence[CitationMark] = ()) -> None:
        """Take the sources of an exchange.

        Args:
            reading: The exchange.
            marks: The marks of its answer, in order; their numbers are no figures of it.
        """
        self._reading = reading
        self._marks = marks
        self._words = reading.request.once(_Words)
        self._figures = reading.source_set.once(_Figures)
        self._counts: dict[int, bool] = {}

    def figures(self, start: int, end: int) -> Sequence[Quantity]:
        """Return the figures in a piece of the answer that its sources have to hold.

        Those of the question that no source has are the asker's, those that the answer reckons
        itself follow from others; numbers of citation marks are none.
        """
        first, last = (bisect_left(self._claimed, at, key=_start_of) for at in (start, end))
        return [figure for figure in self._claimed[first:last] if self._has_to_be_held(figure)]

    def carried(self, text: str, figures: Sequence[Quantity] = ()) -> Carried:
        """Return how far each source supports a statement.

        Args:
            text: Its words, without marks.
            figures: Its figures.
        """
        words = bare_claim(_EMPHASIS.sub("", text))
        return self._words.carried(words, list(map(self._figures.holders, figures)))

    def quote(self, text: str, place: int) -> str:
        """Return the source's sentence nearest to a statement; empty if none holds any of it."""
        return self._words.quote(bare_claim(_EMPHASIS.sub("", text)), place)

    def is_in_language_of(self, text: str, place: int) -> bool:
        """Tell whether a source is written in the script of a statement, so that words compare."""
        return self._words.are_korean[place] or not _HANGUL.search(text)

    @lazy
    def _claimed(self) -> Sequence[Quantity]:
        answer = self._reading.answer
        return () if answer is None else claimed_quantities(answer.text)

    def _has_to_be_held(self, figure: Quantity) -> bool:
        counts = self._counts.get(figure.start)
        if counts is None:
            counts = not _is_in_mark(figure.start, self._marks) and (
                bool(self._figures.holders(figure)) or not self._is_explained(figure)
            )
            self._counts[figure.start] = counts
        return counts

    def _is_explained(self, quantity: Quantity) -> bool:
        """Tell whether the asker gave a figure, or the answer reckons it from others."""
        if self._words.asks(quantity):
            return True
        figure = self._by_place.get(quantity.start)
        if figure is None or len(self._by_place) * self._figures.count > _MOST_PAIRS:
            return False
        explained = self._reading.once(answer_arithmetic).of(figure).outcome
        return explained not in {Outcome.UNEXPLAINED, Outcome.SHOWN_WRONG}

    @lazy
    def _by_place(self) -> Mapping[int, Figure]:
        page = self._reading.once(answer_claims).page
        figures = self._reading.once(answer_figures)
        return {page.raw_span(one.start, one.end)[0]: one for one in figures}


def _figures_of_title(part: Part) -> Sequence[Quantity]:
    return label_figures(f"{part.source.title} {part.source.file}") if part.source else ()


def _is_in_mark(position: int, marks: Sequence[CitationMark]) -> bool:
    at = bisect_right(marks, position, key=_start_of) - 1
    return at >= 0 and position < marks[at].end and not marks[at].wrapped


def _may_agree(one: Quantity, other: Quantity) -> bool:
    """Tell whether two comparators may stand for the same; saying none contradicts nothing."""
    return one.comparator is None or other.comparator in {None, one.comparator}


def _is_korean(text: str) -> bool:
    letters = max(1, len(_LETTER.findall(text)))
    return len(_HANGUL.findall(text)) >= _LEAST_KOREAN * letters


def _weight(held: int, weights: Sequence[float]) -> float:
    return sum([weight for number, weight in enumerate(weights) if held >> number & 1])
