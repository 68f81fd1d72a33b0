"""What the sources say in figures, to hold any answer against; made once for a set of sources."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from guards.core.reading import SourceSet, Text
from guards.text.figure_values import figures_in
from guards.text.known_quantities import may_agree
from guards.text.moved import Homes
from guards.text.passages import Passages, Place, sentence_places
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import Dimension
from guards.text.source_row import SourceRow

_IS_CHANGE = re.compile(r"(?:[이가을를]|씩)?[ ]?(?:추가|가산|할증|더[ ]|할인|감면|공제)")

_Pair = tuple[Hashable, ...]
_Bounds = tuple[Comparator | None, Comparator | None]


class Neighbours:
    """The figures of some sources that stand next to each other; made once for them."""

    def __init__(self, told: SourceSet) -> None:
        self._known: dict[_Pair, set[_Bounds]] = defaultdict(set)
        for part in told.parts:
            for pair, bounds in part.text.once(_neighbours_in).items():
                self._known[pair] |= bounds

    def keep_company(self, company: Sequence[Quantity]) -> bool:
        """Tell whether any two neighbours of some figures are neighbours in a source, too."""
        return any(
            may_agree(first, known_first) and may_agree(second, known_second)
            for pair, (first, second) in _tied(company)
            for known_first, known_second in self._known.get(pair, ())
        )


def homes(told: SourceSet) -> Homes:
    """Return the sentences of some sources in which their figures stand."""
    passages = told.once(Passages)
    values = (
        (Place(number, figure.at), figure.value)
        for number, text in passages.texts()
        for figure in figures_in(text)
    )
    return Homes(passages, told.once(SourceRow), values)


def changes(told: SourceSet) -> Sequence[Quantity]:
    """Return the amounts of which sources say that they come on top or are taken off."""
    return [
        one
        for part in told.parts
        for one in part.text.quantities
        if one.measure.dimension == Dimension.WON and _IS_CHANGE.match(part.text.raw, one.end)
    ]


def _neighbours_in(text: Text) -> Mapping[_Pair, set[_Bounds]]:
    """Return the figures that stand next to each other in a text."""
    known: dict[_Pair, set[_Bounds]] = defaultdict(set)
    places = sentence_places(text, [one.start for one in text.quantities])
    for _, group in groupby(zip(places, text.quantities, strict=True), key=itemgetter(0)):
        for pair, bounds in _tied([quantity for _, quantity in group]):
            known[pair].add(bounds)
    return known


def _tied(quantities: Sequence[Quantity]) -> Iterator[tuple[_Pair, _Bounds]]:
    """Yield the neighbours of which one can be the condition of the other (7일 전이면 50%)."""
    for one, other in pairwise(quantities):
        kinds = {one.measure.dimension, other.measure.dimension}
        if one.measure.everyday or other.measure.everyday or Dimension.BARE in kinds:
            continue
        if len(kinds) > 1 or kinds == {Dimension.SECONDS}:
            yield (*_name(one), *_name(other)), (one.comparator, other.comparator)


def _name(quantity: Quantity) -> tuple[Hashable, ...]:
    """Return what tells a figure from others, without fractions, which are slow to compare."""
    numbers = (part for one in quantity.measure.values for part in (one.numerator, one.denominator))
    return quantity.measure.dimension, *numbers
