"""The numbers of the comparison, each with its meaning: likeness is a share, from 0 to 1."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Binding:
    """When a figure is taken for another thing's.

    Attributes:
        speaks_of_the_same: Likeness from which on a source claim speaks of what the answer does,
            so that its value is the right one.
        closer_by: By how much the claim that has another value must be more alike than the one
            that has the answer's value, for the value to have been moved.
        premise: Likeness from which on a figure of the question is held against the source claim.
        near: Weight from which on a word stands beside a figure.
        label_named: Share of a row's or item's own words that an answer must name to be about it.
    """

    speaks_of_the_same: float
    closer_by: float
    premise: float
    near: float
    label_named: float


BINDING = Binding(speaks_of_the_same=0.3, closer_by=0.22, premise=0.5, near=0.6, label_named=0.5)
