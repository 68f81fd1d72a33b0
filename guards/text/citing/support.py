"""How far the sources of an exchange carry a statement, each alone and several together.

The measure is the share of the statement's words that three neighbouring sentences of a source and
its title hold, and where it has figures, to one half the share of those that stand in the source in
any notation. Words of the question that no source has are left out: the asker chose them.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from operator import attrgetter, or_

from guards.core.lazy import lazy
from guards.core.reading import Asked, Reading, SourceSet, source_text
from guards.text.claimed_quantities import claimed_quantities
from guards.text.claims import bare_claim
from guards.text.features import features
from guards.text.figure_holders import FigureHolders
from guards.text.held import Held, Wanted
from guards.text.held_claims import HeldClaim, HeldClaims
from guards.text.known_quantities import KnownQuantities
from guards.text.overlap_score import shares_in
from guards.text.reckoned import Reckoning
from guards.text.said_figures import numbers_in
from guards.text.slots.citation_mark import CitationMark
from guards.text.slots.quantity import Quantity
from guards.text.source_row import SourceRow, heading_of

_EMPHASIS = re.compile(r"[*_~`|]{1,3}")
_HANGUL = re.compile(r"[가-힣]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_HEAD_CHARS = 2000
_LEAST_KOREAN = 0.2
_NOTHING_TO_MEASURE = 0.5
_MOST_FIGURES = 512

_Named = tuple[str | bool | tuple[int, int], ...]
"""A figure by all that tells whether a text holds it."""


class Carried:
    """How far the sources carry one statement; sources are named by their place in the list.

    Attributes:
        words: Of how many words that was measured.
        figures: Of how many figures.
    """

    def __init__(self, claim: HeldClaim, judged: Held, holders: Sequence[frozenset[int]]) -> None:
        """Take what was measured.

        Args:
            claim: What the sources hold of the statement.
            judged: The words that count.
            holders: The sources in which each of its figures stands.
        """
        self.words = judged.bit_count()
        self.figures = len(holders)
        self._claim = claim
        self._judged = judged
        self._holders = holders
        self._windows: dict[int, Held] = {}
        self._scores: dict[tuple[int, ...], float] = {}

    def score(self, places: Collection[int]) -> float:
        """Return how far some sources carry the statement together, from 0 to 1."""
        asked = tuple(places)
        known = self._scores.get(asked)
        if known is None:
            known = self._scores[asked] = self._score(asked)
        return known

    def _score(self, places: tuple[int, ...]) -> float:
        if not places:
            return 0.0
        shares: list[float] = []
        if self.words:
            union = reduce(or_, map(self._window, places))
            shares.append(self._claim.wanted.share(union, self._judged))
        if self.figures:
            found = sum(not holding.isdisjoint(places) for holding in self._holders)
            shares.append(found / self.figures)
        return sum(shares) / len(shares) if shares else _NOTHING_TO_MEASURE

    def _window(self, place: int) -> Held:
        """Return what the best passage of a source holds."""
        window = self._windows.get(place)
        if window is None:
            window = self._windows[place] = self._claim.best_window(place)
        return window


class _Told:
    """What statements are held against, of the sources alone."""

    def __init__(self, told: SourceSet) -> None:
        titles = [source_text(heading_of(part)) for part in told.parts]
        self._texts = [(part.text, title) for part, title in zip(told.parts, titles, strict=True)]
        self._may_hold = FigureHolders(self._texts)
        self._holders: dict[_Named, frozenset[int]] = {}
        self._are_korean: dict[int, bool] = {}

    def is_korean(self, place: int) -> bool:
        """Tell whether a source is written in Hangul."""
        if place not in self._are_korean:
            head = self._texts[place][0].raw[:_HEAD_CHARS]
            letters = max(1, _chars_of(_LETTERS, head))
            self._are_korean[place] = _chars_of(_HANGUL, head) >= _LEAST_KOREAN * letters
        return self._are_korean[place]

    def holders(self, figure: Quantity, name: _Named) -> frozenset[int]:
        """Return the places of the sources in which a figure stands, which is known by its name."""
        holders = self._holders.get(name)
        if holders is None:
            if len(self._holders) >= _MOST_FIGURES:
                self._holders.clear()
            holders = self._holders[name] = frozenset(
                place
                for place in self._may_hold.may_hold(figure)
                if KnownQuantities(self._texts[place]).has(figure)
            )
        return holders


class _Measures:
    """What was measured for a request; all answers to it, and all looks at one, share it.

    Whatever is measured here depends on the statement and the request alone, never on what else an
    answer says.
    """

    def __init__(self, asked: Asked) -> None:
        self._parts = asked.sources
        self._told = asked.told.once(_Told)
        self._claims = asked.once(HeldClaims)
        self._asked = features(asked.question.text.raw)
        self._carried: dict[tuple[str, tuple[_Named, ...]], Carried] = {}
        self._quotes: dict[tuple[str, int], str] = {}
        self.question = asked.question.text
        self.asked = KnownQuantities([self.question])

    def is_held(self, figure: Quantity) -> bool:
        """Tell whether a figure stands in a source."""
        return bool(self._told.holders(figure, _named(figure)))

    def carried(self, text: str, figures: Sequence[Quantity]) -> Carried:
        """Return how far each source carries a statement."""
        key = (text, tuple(map(_named, figures)))
        carried = self._carried.get(key)
        if carried is None:
            carried = self._carried[key] = self._measured(text, figures, key[1])
        return carried

    def _measured(self, text: str, figures: Sequence[Quantity], names: Sequence[_Named]) -> Carried:
        for figure in figures:
            text = text.replace(figure.text, " ", 1)
        claim = self._claims.of(bare_claim(_EMPHASIS.sub("", text)))
        wanted, asked = claim.wanted, 0
        for form in wanted.forms.keys() & self._asked.forms:
            asked |= wanted.forms[form]
        judged = wanted.words & (claim.known | ~asked)
        return Carried(claim, judged, list(map(self._told.holders, figures, names)))

    def quote(self, text: str, place: int) -> str:
        """Return the source's sentence nearest to a statement; empty if none holds any of it."""
        key = (text, place)
        if key not in self._quotes:
            part = self._parts[place].text
            shares = shares_in(Wanted(features(text)), part.held_index)
            nearest = max(shares, key=shares.__getitem__, default=None)
            self._quotes[key] = "" if nearest is None else part.sentences[nearest].text
        return self._quotes[key]

    def is_korean(self, place: int) -> bool:
        """Tell whether a source is written in Hangul."""
        return self._told.is_korean(place)


def read_ahead(asked: Asked) -> Iterator[None]:
    """Read of a request what statements are held against, with a pause after each piece."""
    for part in asked.sources:
        numbers_in(part.text)
        yield
    asked.told.once(SourceRow)
    yield
    asked.once(_Measures)
    yield


class Support:
    """The sources of one exchange, to hold statements of its answer against."""

    def __init__(self, reading: Reading, marks: Sequence[CitationMark] = ()) -> None:
        """Take the sources of an exchange.

        Args:
            reading: The exchange.
            marks: The marks of its answer, in order; their numbers are no figures of it.
        """
        self._answer = reading.answer
        self._marks = marks
        self._measures = reading.asked.once(_Measures)
        self._counts: dict[int, bool] = {}

    def figures(self, start: int, end: int) -> Sequence[Quantity]:
        """Return the figures in a piece of the answer that its sources have to hold.

        Those of the question that no source has are the asker's, those that the answer reckons
        itself follow from others; numbers of citation marks are none.
        """
        first, last = (bisect_left(self._claimed, at, key=_start_of) for at in (start, end))
        return [figure for figure in self._claimed[first:last] if self._has_to_be_held(figure)]

    def carried(self, text: str, figures: Sequence[Quantity]) -> Carried:
        """Return how far each source carries a statement.

        Args:
            text: Its words, without marks.
            figures: Its figures.
        """
        return self._measures.carried(text, figures)

    def quote(self, text: str, place: int) -> str:
        """Return the source's sentence nearest to a statement; empty if none holds any of it."""
        return self._measures.quote(text, place)

    def is_in_language_of(self, text: str, place: int) -> bool:
        """Tell whether a source is written in the script of a statement, so that words compare."""
        return self._measures.is_korean(place) or not _HANGUL.search(text)

    @lazy
    def _claimed(self) -> Sequence[Quantity]:
        return () if self._answer is None else claimed_quantities(self._answer.text)

    def _has_to_be_held(self, figure: Quantity) -> bool:
        counts = self._counts.get(figure.start)
        if counts is None:
            counts = self._counts[figure.start] = not _is_in_mark(figure.start, self._marks) and (
                self._measures.is_held(figure)
                or not (self._measures.asked.has(figure) or self._is_reckoned(figure))
            )
        return counts

    def _is_reckoned(self, figure: Quantity) -> bool:
        return self._reckoning is not None and self._reckoning.has(figure)

    @lazy
    def _reckoning(self) -> Reckoning | None:
        if self._answer is None:
            return None
        measures = self._measures
        return Reckoning(
            self._answer.text,
            measures.question,
            lambda one: measures.is_held(one) or measures.asked.has(one),
        )


_start_of = attrgetter("start")


def _named(figure: Quantity) -> _Named:
    measure = figure.measure
    parts = [value.as_integer_ratio() for value in measure.values]
    return (figure.text, figure.comparing_word, figure.is_length, measure.dimension, *parts)


def _is_in_mark(position: int, marks: Sequence[CitationMark]) -> bool:
    at = bisect_right(marks, position, key=_start_of) - 1
    return at >= 0 and position < marks[at].end and not marks[at].wrapped


def _chars_of(run: re.Pattern[str], text: str) -> int:
    return len("".join(run.findall(text)))
