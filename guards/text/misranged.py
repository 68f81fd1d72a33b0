"""Ranges of dates or times with a wrong end: ``12월 1일부터 12월 31일`` for ``12. 16. ~ 12. 31``.

An end is wrong if the sources have its other end in ranges that all begin (or close) otherwise, and
have the end itself only alone, about something else. A range that is made of the ends of two
ranges of the sources is left alone here.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator
from itertools import pairwise

from guards.core.reading import Text
from guards.text.bonds import Bond, bonds_by_key, bonds_of
from guards.text.figure_frames import POINTS
from guards.text.moved import Home
from guards.text.passages import Passages, Place
from guards.text.values import Value

_BETWEEN = re.compile(r"[*_]{0,2}(?:\([월화수목금토일]\))?(?:[ ]?[~∼-][ ]?|부터[ ])[*_]{0,2}")

_Ends = tuple[Value, Value]


class Misranged:
    """The ranges of points of time that the sources give."""

    def __init__(self, passages: Passages) -> None:
        self._with: dict[Hashable, list[tuple[Place, _Ends]]] = defaultdict(list)
        self._by_key = [bonds_by_key(text) for _, text in passages.texts()]
        for number, text in passages.texts():
            for one, other in _ranges(text):
                place = Place(number, one.sentence)
                for value in (one.value, other.value):
                    for key in value.keys:
                        self._with[key].append((place, (one.value, other.value)))

    def right_home(self, bond: Bond, answer: Text) -> Home | None:
        """Return the range that has the other end of a figure's range, and another end for it."""
        if bond.quantity.measure.dimension not in POINTS:
            return None
        if any(key in self._with for key in bond.value.keys):
            return None
        if not any(key in known for known in self._by_key for key in bond.value.keys):
            return None
        ends = self._range_of(bond, answer)
        if ends is None:
            return None
        at = ends.index(bond)
        return self._other(ends[1 - at].value, at)

    def _range_of(self, bond: Bond, answer: Text) -> tuple[Bond, Bond] | None:
        return next((ends for ends in _ranges(answer) if bond in ends), None)

    def _other(self, known: Value, at: int) -> Home | None:
        """Return the one value at an end of the ranges that have a value at their other end."""
        found = {
            ends[at].keys: Home(place, (ends[at],))
            for key in known.keys
            for place, ends in self._with.get(key, ())
            if ends[1 - at].keys == known.keys
        }
        return next(iter(found.values())) if len(found) == 1 else None


def _ranges(text: Text) -> Iterator[tuple[Bond, Bond]]:
    for one, other in pairwise(bonds_of(text)):
        is_pair = one.value.kind == other.value.kind and one.quantity.measure.dimension in POINTS
        if is_pair and _BETWEEN.fullmatch(text.raw, one.quantity.end, other.quantity.start):
            yield one, other
