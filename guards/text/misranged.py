"""Ranges of dates or times with a wrong end: ``12월 1일부터 12월 31일`` for ``12. 16. ~ 12. 31``.

An end is wrong if the sources have its other end in ranges that all begin (or close) otherwise, and
have the end itself only alone, about something else. A range that is made of the ends of two
ranges of the sources is left alone here.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise

from guards.core.lazy import lazy
from guards.core.reading import SourceSet, Text
from guards.text.bonds import Bond
from guards.text.bound_figures import KnownFigures
from guards.text.figure_frames import POINTS
from guards.text.figure_values import Figure, figures_in
from guards.text.moved import Home
from guards.text.passages import Passages, Place
from guards.text.values import Value

_BETWEEN = re.compile(r"[*_]{0,2}(?:\([월화수목금토일]\))?(?:[ ]?[~∼-][ ]?|부터[ ])[*_]{0,2}")

_Ends = tuple[Value, Value]


class Misranged:
    """The ranges of points of time that the sources give."""

    def __init__(self, told: SourceSet) -> None:
        self._known = told.once(KnownFigures)
        self._texts = told.once(Passages).texts()

    @lazy
    def _with(self) -> Mapping[Hashable, Sequence[tuple[Place, _Ends]]]:
        """The ranges by the values at their ends."""
        known: dict[Hashable, list[tuple[Place, _Ends]]] = defaultdict(list)
        for number, text in self._texts:
            for one, other in _ranges(text.raw, self._known.texts[number].figures):
                place = Place(number, one.at)
                for value in (one.value, other.value):
                    for key in value.keys:
                        known[key].append((place, (one.value, other.value)))
        return known

    def right_home(self, bond: Bond, answer: Text) -> Home | None:
        """Return the range that has the other end of a figure's range, and another end for it."""
        if bond.quantity.measure.dimension not in POINTS:
            return None
        if any(key in self._with for key in bond.value.keys) or not self._known.of(bond.value):
            return None
        ranges = _ranges(answer.raw, figures_in(answer))
        for ends in ranges:
            for at, end in enumerate(ends):
                if end.quantity == bond.quantity:
                    return self._other(ends[1 - at].value, at)
        return None

    def _other(self, known: Value, at: int) -> Home | None:
        """Return the one value at an end of the ranges that have a value at their other end."""
        found = {
            ends[at].keys: Home(place, (ends[at],))
            for key in known.keys
            for place, ends in self._with.get(key, ())
            if ends[1 - at].keys == known.keys
        }
        return next(iter(found.values())) if len(found) == 1 else None


def _ranges(raw: str, figures: Sequence[Figure]) -> Iterator[tuple[Figure, Figure]]:
    for one, other in pairwise(figures):
        is_pair = one.value.kind == other.value.kind and one.quantity.measure.dimension in POINTS
        if is_pair and _BETWEEN.fullmatch(raw, one.quantity.end, other.quantity.start):
            yield one, other
