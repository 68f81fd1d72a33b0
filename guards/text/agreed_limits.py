"""Limits of the question that an answer agrees to, though the sources draw them elsewhere.

``네, 10권까지 빌릴 수 있습니다`` to ``10권까지 되나요?``, where a source allows ``7권까지``. The
answer has to say that it may be done, in the words of the source; what it denies, asks back or
only sets as a condition (``10권을 빌리려면``) it does not agree to.
"""

import re
from collections import Counter
from collections.abc import Iterator, Set
from fractions import Fraction
from typing import NamedTuple

from guards.core.lazy import lazy
from guards.core.reading import Asked, Reading, SourceSet, Text
from guards.text.closest_figures import ClosestFigures
from guards.text.figure_frames import POINTS, Edge, Frame, frame_of, is_negated, kept_frame_of
from guards.text.likeness import Words, kept_words_of, words_of
from guards.text.passages import sentence_places
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import PERIODS

_UPPER = frozenset({Comparator.AT_MOST, Comparator.LESS_THAN})
_SAME_SUBJECT = 0.5
_ALLOWS = re.compile(r"수[도가는]?[ ]?있|가능|[됩됨]니다|돼요|되[세십]|괜찮|허용")
_LEAVES_OPEN = re.compile(
    r"면(?=[ ,])|려면|경우|(?:는|은|인|한|할)지|여부|다면|지만|때[ ,에]|달라|문의|요청|확인"
)
_OWN_BOUND = re.compile(r"(?:[ ]?(?:이상|초과|이하|미만))?(?:이?면|이라면|일[ ]때)[ ,]")
# On the tenth, not for ten days.
_AT = re.compile(r"에(?!서)")
_TURN = re.compile(r"(?:므로|으니|니까|[하시]니|지만|는데|은데|[고며])[ ,]")
_CLAUSE_END = re.compile(r"[.;()\n]|,[ ]|(?<=[고며])[ ]")


class _Limit(NamedTuple):
    """A limit of a source.

    Attributes:
        value: Its value.
        is_upper: Whether it bounds from above.
        figure: The figure.
        sentence: Where it stands.
        source_id: Id of the source.
        behind: The words that say what is limited.
    """

    value: Fraction
    is_upper: bool
    figure: Quantity
    sentence: str
    source_id: str
    behind: Set[str]


class _Limits:
    """The limits of some sources, by what they measure; made once for them."""

    def __init__(self, told: SourceSet) -> None:
        self._parts = told.parts
        self._read: dict[str, list[_Limit]] = {}

    def of(self, dimension: str) -> list[_Limit]:
        if dimension not in self._read:
            self._read[dimension] = [
                limit
                for part in self._parts
                for limit in _limits_in(part.text, part.source.id if part.source else "", dimension)
            ]
        return self._read[dimension]


def _asked_words(asked: Asked) -> frozenset[str]:
    return words_of(asked.question.text.raw).forms


class AgreedLimits:
    """The limits of the sources held against the figures that an answer takes from the question."""

    def __init__(self, reading: Reading) -> None:
        if reading.answer is None:
            raise ValueError("there is no answer that could agree")
        self._asked = reading.asked
        self._limits = reading.told.once(_Limits)
        self._answer = reading.answer.text

    def passed(self, quantity: Quantity) -> ClosestFigures | None:
        """Return the limit that a figure of the answer goes beyond, if the answer agrees to it."""
        answer, measure = self._answer, quantity.measure
        if len(measure.values) != 1:
            return None
        at = self._places[quantity.start]
        sentence = answer.sentences[at]
        # One of two figures of a kind may be the right one (9명이시니 6명까지 됩니다).
        if self._alike[at, measure.dimension] > 1 or not _is_agreed(quantity, answer, sentence.end):
            return None
        words = words_of(sentence.text)
        is_point = measure.dimension in POINTS
        own = _bounds_above(frame_of(quantity, answer))
        same = [
            limit
            for limit in self._limits.of(measure.dimension)
            if own in {None, limit.is_upper}
            and (limit.is_upper or is_point or own is not None)
            and self._is_alike(limit, words)
        ]
        if not same or not all(_excludes(limit, measure.values[0]) for limit in same):
            return None
        figures = tuple(dict.fromkeys(limit.figure.shown for limit in same))
        return ClosestFigures(same[0].source_id, same[0].sentence, figures)

    @lazy
    def _places(self) -> dict[int, int]:
        """In which sentence of the answer each of its figures stands."""
        starts = [one.start for one in self._answer.quantities]
        return dict(zip(starts, sentence_places(self._answer, starts), strict=True))

    @lazy
    def _alike(self) -> Counter[tuple[int, str]]:
        """How many figures of a kind stand in a sentence of the answer."""
        return Counter(
            (self._places[one.start], one.measure.dimension) for one in self._answer.quantities
        )

    def _is_alike(self, limit: _Limit, words: Words) -> bool:
        """Tell whether an answer says of a figure what a source says of a limit, and all of it."""
        return (
            limit.behind <= words.forms | self._asked.once(_asked_words)
            and words.share_in(kept_words_of(limit.sentence)) >= _SAME_SUBJECT
        )


def _limits_in(text: Text, source_id: str, dimension: str) -> Iterator[_Limit]:
    """Yield the limits of a kind that a text draws."""
    figures = [
        one
        for one in text.quantities
        if one.measure.dimension == dimension and len(one.measure.values) == 1
    ]
    places = sentence_places(text, [one.start for one in figures])
    for one, at in zip(figures, places, strict=True):
        is_upper = _bounds_above(kept_frame_of(one, text))
        if is_upper is None or is_negated(text.raw, one):
            continue
        sentence = text.sentences[at]
        clause = _CLAUSE_END.split(text.raw[one.end : sentence.end])[0]
        yield _Limit(
            one.measure.values[0],
            is_upper,
            one,
            sentence.text,
            source_id,
            words_of(f"{one.text}{clause}").stems,
        )


def _bounds_above(frame: Frame) -> bool | None:
    """Tell whether a figure is framed as the most or the end of something, not as its opposite."""
    if frame.edge is not None:
        return frame.edge is Edge.END
    return None if frame.side is None else frame.side in _UPPER


def _is_agreed(quantity: Quantity, answer: Text, end: int) -> bool:
    """Tell whether the clause of a figure goes on to say that it is allowed."""
    behind = answer.raw[quantity.end : end]
    if quantity.measure.dimension in PERIODS and _AT.match(behind):
        return False
    if quantity.comparator:
        behind = _OWN_BOUND.sub(" ", behind, count=1)
    return bool(
        _ALLOWS.search(_TURN.split(behind)[0])
        and not _LEAVES_OPEN.search(behind)
        and not is_negated(answer.raw, quantity)
    )


def _excludes(limit: _Limit, value: Fraction) -> bool:
    return value > limit.value if limit.is_upper else value < limit.value
