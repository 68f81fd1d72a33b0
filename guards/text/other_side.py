"""Bounds told from their other side: ``4시간 이상이면 지급`` for ``4시간 미만은 지급하지 않음``.

The other side of a bound says the same only with the opposite verb, or where the source has a rule
for all the rest (``그 밖은``). An opposite verb may be another word (``10명이 넘으면 열립니다`` for
``10명 이하이면 폐강``): sentences without a word in common are not held against each other. A point
of time begins or ends something, so that not before it is from it on (``15시 이전에는 입실할 수
없습니다`` for ``15시부터``).
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Mapping

from guards.core.reading import Reading, SourceSet, Text
from guards.text.figure_frames import POINTS, is_negated
from guards.text.figure_values import as_value
from guards.text.likeness import Words, words_of
from guards.text.passages import sentence_places
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import Measure

_Bound = tuple[Hashable, Comparator | None]
_OPPOSITE = {
    Comparator.AT_LEAST: Comparator.LESS_THAN,
    Comparator.LESS_THAN: Comparator.AT_LEAST,
    Comparator.AT_MOST: Comparator.MORE_THAN,
    Comparator.MORE_THAN: Comparator.AT_MOST,
}
_AGAINST = {Comparator.AT_LEAST: Comparator.AT_MOST, Comparator.AT_MOST: Comparator.AT_LEAST}
_THE_REST = re.compile(r"[ ]*[^.\n]{0,40}(?:그[ ]?[밖외]|나머지|이외)")


class OtherSides:
    """The bounds of an answer held against those of the sources.

    Args:
        reading: The exchange, with its answer.
    """

    def __init__(self, reading: Reading) -> None:
        if reading.answer is None:
            raise ValueError("there is no answer to hold against the sources")
        self._answer = reading.answer.text
        self._told = reading.told

    def tell(self, quantity: Quantity) -> bool:
        """Tell whether a source bounds the opposite side by the same value, and means the same."""
        answer = self._answer
        if quantity.comparator is None:
            return False
        is_point = quantity.measure.dimension in POINTS
        opposite = (_AGAINST if is_point else _OPPOSITE).get(quantity.comparator)
        return any(
            is_negated(source.raw, known) != is_negated(answer.raw, quantity)
            if is_point
            else _says_the_rest(answer, quantity, source, known)
            for key in as_value(quantity).keys
            for source, known in self._told.once(_bounds).get((key, opposite), ())
            if _may_be_same(known.measure, quantity.measure)
        )


def _bounds(told: SourceSet) -> Mapping[_Bound, list[tuple[Text, Quantity]]]:
    """Return the bounds of the sources by their values."""
    bounds: dict[_Bound, list[tuple[Text, Quantity]]] = defaultdict(list)
    for part in told.parts:
        for known in part.text.quantities:
            if known.comparator:
                for key in as_value(known).keys:
                    bounds[key, known.comparator].append((part.text, known))
    return bounds


def _may_be_same(one: Measure, other: Measure) -> bool:
    """Tell whether two measures with a reading in common are the same, as far as they are told."""
    return one == other or one.dimension != other.dimension


def _says_the_rest(answer: Text, said: Quantity, source: Text, known: Quantity) -> bool:
    if is_negated(source.raw, known) != is_negated(answer.raw, said):
        return True
    if _THE_REST.match(source.raw, known.end):
        return True
    return not _words_around(answer, said).stems & _words_around(source, known).stems


def _words_around(text: Text, quantity: Quantity) -> Words:
    """Return the words of the sentence in which a figure stands."""
    [at] = sentence_places(text, [quantity.start])
    return words_of(text.sentences[at].text)
