"""What texts say in figures, by value, and what follows from their dates."""

from collections import defaultdict
from collections.abc import Mapping, Set
from fractions import Fraction

from guards.core.lazy import lazy
from guards.core.reading import SourceSet, Text
from guards.text.closest_figures import texts_and_titles
from guards.text.postings import Postings, packed
from guards.text.slots.dates import parts_of
from guards.text.slots.quantity import Comparator
from guards.text.slots.units import Dimension, Measure

_HAVE_PARTS = frozenset({Dimension.DATE, Dimension.YEAR_MONTH, Dimension.MONTH_DAY})

# Values as whole numbers, which are compared faster than fractions; and with their dimension.
Number = tuple[int, int]
Key = tuple[str, int, int]


class SaidFigures:
    """What one text, or several together, say in figures.

    Attributes:
        comparators: The comparators with which they give each value.
        implied: What follows from their dates.
    """

    def __init__(
        self, comparators: Mapping[Key, Set[Comparator | None]], implied: Set[Key]
    ) -> None:
        self.comparators: Postings[Key, Comparator | None] = packed(comparators)
        self.implied = implied

    @lazy
    def values(self) -> Set[Number]:
        """The values, whatever they measure."""
        return {key[1:] for key in self.comparators}

    @lazy
    def has_bare(self) -> bool:
        """Whether they give a number without a unit."""
        return any(dimension == Dimension.BARE for dimension, *_ in self.comparators)


def said_in(text: Text) -> SaidFigures:
    """Return what a text says in figures."""
    comparators: dict[Key, set[Comparator | None]] = defaultdict(set)
    implied: set[Key] = set()
    for quantity in text.quantities:
        for key in keys_of(quantity.measure):
            comparators[key].add(quantity.comparator)
        if quantity.measure.dimension in _HAVE_PARTS:
            for part in parts_of(quantity.measure):
                implied.update(keys_of(part))
    return SaidFigures(comparators, implied)


def numbers_in(text: Text) -> set[Number]:
    """Return the values that a text gives, and those that follow from its dates."""
    said = text.once(said_in)
    return {key[1:] for keys in (said.comparators, said.implied) for key in keys}


def said_in_sources(told: SourceSet) -> SaidFigures:
    """Return what sources and their titles say in figures together."""
    comparators: dict[Key, set[Comparator | None]] = defaultdict(set)
    implied: set[Key] = set()
    for said in (text.once(said_in) for text in told.once(texts_and_titles)):
        for key, known in said.comparators.items():
            comparators[key].update(known)
        implied |= said.implied
    return SaidFigures(comparators, implied)


def keys_of(measure: Measure) -> list[Key]:
    """Return the values of an amount with its dimension."""
    dimension = measure.dimension
    return [(dimension, *value.as_integer_ratio()) for value in measure.values]


def number_of(value: Fraction) -> Number:
    """Return a value as whole numbers."""
    return value.numerator, value.denominator


def key_of(dimension: str, value: Fraction) -> Key:
    """Return a value as whole numbers, with its dimension."""
    return dimension, *value.as_integer_ratio()
