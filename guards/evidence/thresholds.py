"""The numbers of the comparison, each with its meaning: likeness is a share, from 0 to 1.

All were chosen on the sets of ``tests/quality`` that were tuned on.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Binding:
    """Thresholds above which a figure is taken to belong to another thing.

    Attributes:
        speaks_of_the_same: Likeness from which on a source claim speaks of what the answer does,
            so that its value is the right one.
        closer_by: By how much the claim that has another value must be more alike than the one
            that has the answer's value, for the value to have been moved.
        premise: Likeness from which a figure of the question is compared with the source claim.
        other_side: Likeness from which on a source says something of a value's other side.
        replaces: Likeness from which on a figure stands in the place of the sources' value, where
            some calculation could give it too but the answer does not name that value.
        replaces_amount: The same for money and shares, which answers do calculate.
        beside: Weight from which on a word is named with a figure, in its sentence or before.
        near: Weight from which on a word stands beside a figure.
        moved_by: By how much more the words about a figure must be like those about another value
            of the sources than those about its own, to be given in its place.
        label_named: Share of a row's or item's own words that an answer must name to be about it.
    """

    speaks_of_the_same: float
    closer_by: float
    premise: float
    other_side: float
    replaces: float
    replaces_amount: float
    beside: float
    near: float
    moved_by: float
    label_named: float


BINDING = Binding(
    speaks_of_the_same=0.3,
    closer_by=0.22,
    premise=0.5,
    other_side=0.2,
    replaces=0.42,
    replaces_amount=0.66,
    beside=0.35,
    near=0.6,
    moved_by=0.2,
    label_named=0.5,
)

NOVEL_VERB = 0.4
"""Weight of a verb in the share of words that no source has, where a noun has 1."""
INVENTED_WORDS = 2.0
"""A clause with so many nouns that no source has was invented."""
INVENTED_BELOW = 0.75
"""... if the sources have less than this share of its telling words."""
NAMING_CHARS = 3
"""A noun of so many letters names one thing; shorter ones are often another word for the same."""
SUPPORTED_FROM = 0.45
"""The best sentences of the sources must hold this share of a clause's telling words."""
FEWEST_WORDS = 2
"""Clauses with fewer telling words are too short to judge."""

ALIGNED_FROM = 0.12
"""Likeness from which a source claim speaks of the same as a clause of the answer."""
NEAR_BEST = 0.5
"""... as long as it has this share of the likest one's."""

CLAIM_SUPPORTED_FROM = 0.36
"""A claim of which the best passage holds less of words and figures rests on none of them."""
COMPARED_WORDS = 3
"""Number of words from which a claim is compared with the sources by its words alone."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Thresholds above which a noun of an answer stands where a source has another one.

    Attributes:
        same_clause: Likeness from which on a source's clause says what the answer's does besides.
        any_place: ... from which on it does so wherever the noun stands in it.
        shared: Share of the other words that the source's clause must have.
        fits_less: A clause that has the answer's noun must have less than this share of the
            likeness of the one that has the other noun.
        stands_with: Share of the other words together with which a noun stands in some clause.
        held: Weight from which on a clause speaks of a noun.
    """

    same_clause: float
    any_place: float
    shared: float
    fits_less: float
    stands_with: float
    held: float


EXCHANGED = Exchanged(
    same_clause=0.3, any_place=0.5, shared=0.5, fits_less=0.7, stands_with=0.67, held=0.35
)
