"""Bounds told from their other side: ``4시간 이상이면 지급`` for ``4시간 미만은 지급하지 않음``.

The other side of a bound says the same only with the opposite verb, or where the source has a rule
for all the rest (``그 밖은``). An opposite verb may be another word (``10명이 넘으면 열립니다`` for
``10명 이하이면 폐강``): sentences without a word in common are not held against each other.
"""

import re
from collections import defaultdict

from guards.core.reading import Reading, Text
from guards.text.figure_frames import is_negated
from guards.text.likeness import Words, words_of
from guards.text.passages import sentence_places
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import Measure

_OPPOSITE = {
    Comparator.AT_LEAST: Comparator.LESS_THAN,
    Comparator.LESS_THAN: Comparator.AT_LEAST,
    Comparator.AT_MOST: Comparator.MORE_THAN,
    Comparator.MORE_THAN: Comparator.AT_MOST,
}
_THE_REST = re.compile(r"[ ]*[^.\n]{0,40}(?:그[ ]?[밖외]|나머지|이외)")


class OtherSides:
    """The bounds of the sources, by their values."""

    def __init__(self, reading: Reading) -> None:
        self._bounds: dict[tuple[Measure, Comparator], list[tuple[Text, Quantity]]] = defaultdict(
            list
        )
        for part in reading.sources:
            for known in part.text.quantities:
                if known.comparator:
                    self._bounds[known.measure, known.comparator].append((part.text, known))

    def tell(self, quantity: Quantity, answer: Text) -> bool:
        """Tell whether a source bounds the opposite side by the same value, and means the same."""
        opposite = _OPPOSITE.get(quantity.comparator) if quantity.comparator else None
        if opposite is None:
            return False
        return any(
            _says_the_rest(answer, quantity, source, known)
            for source, known in self._bounds.get((quantity.measure, opposite), ())
        )


def _says_the_rest(answer: Text, said: Quantity, source: Text, known: Quantity) -> bool:
    if is_negated(source, known) != is_negated(answer, said):
        return True
    if _THE_REST.match(source.raw, known.end):
        return True
    return not _words_around(answer, said).stems & _words_around(source, known).stems


def _words_around(text: Text, quantity: Quantity) -> Words:
    """Return the words of the sentence in which a figure stands."""
    [at] = sentence_places(text, [quantity.start])
    return words_of(text.sentences[at].text)
