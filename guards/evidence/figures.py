"""Figures bound to what they are said of, and their values in whatever notation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guards.claims.reader import Claim, label_words
from guards.evidence.index import (
    CLAUSE_BEFORE,
    CLAUSE_BEHIND,
    CONDITION_BEFORE,
    FIGURE,
    LABELS,
    SENTENCE_BEFORE,
    TITLE,
    Bag,
    Context,
)
from guards.text.slots.dates import parts_of
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure

NEAR, BEHIND, FAR = 1.0, 0.6, 0.45

_GROUPS: dict[str, str] = {
    Dimension.DAYS: "period",
    Dimension.MONTHS: "period",
    Dimension.SECONDS: "period",
    Dimension.CLOCK: "clock",
    Dimension.CLOCK_12: "clock",
    Dimension.DATE: "date",
    Dimension.MONTH_DAY: "date",
    Dimension.YEAR_MONTH: "date",
    Dimension.MONTH: "month",
    Dimension.YEAR: "year",
}
_HALF_DAY = 720


@dataclass(frozen=True, slots=True)
class Figure:
    """A quantity and what it is said of.

    Attributes:
        quantity: The quantity; its places count from the beginning of its sentence.
        claim: The claim that it stands in.
        start: Where it begins in the plain text.
        end: Where it ends.
        context: What it is said of.
        source: Number of its source; -1 for answers and questions.
    """

    quantity: Quantity
    claim: Claim
    start: int
    end: int
    context: Context
    source: int = -1

    @property
    def measure(self) -> Measure:
        """Its value and dimension."""
        return self.quantity.measure

    @property
    def group(self) -> str:
        """What it can be compared with."""
        return group_of(self.measure)


def group_of(measure: Measure) -> str:
    """Return the name of the dimensions that a measure can be compared with."""
    return _GROUPS.get(measure.dimension, measure.dimension)


def figures_of(
    sentence: Sequence[Claim], before: Sequence[Claim], title: str, source: int
) -> Iterator[Figure]:
    """Yield the figures of a sentence with what each is said of.

    Words that stand beside a comparable figure of the same sentence belong to that one: in
    `S 20%, A 15%` the A is no part of what 20% is said of.
    """
    if not any(claim.clause.figures for claim in sentence):
        return
    groups_of = [{group_of(one.measure) for one in claim.clause.figures} for claim in sentence]
    for claim in sentence:
        for number, quantity in enumerate(claim.clause.figures):
            bag = Bag()
            group = group_of(quantity.measure)
            for level, words in claim.labels:
                bag.add(words, LABELS[level])
            if title:
                bag.add(label_words(title), TITLE)
            for other in before:
                if not any(group_of(one.measure) == group for one in other.clause.figures):
                    bag.add(other.clause.words, SENTENCE_BEFORE)
            for place, other in enumerate(sentence):
                if other is claim or group in groups_of[place]:
                    continue
                distance = abs(other.position - claim.position)
                is_before = other.position < claim.position
                if is_before and (other.clause.is_condition or distance == 1):
                    weight = CONDITION_BEFORE if other.clause.is_condition else CLAUSE_BEFORE
                else:
                    weight = CLAUSE_BEFORE if is_before else CLAUSE_BEHIND
                bag.add(other.clause.words, weight)
                if other.clause.is_condition:
                    for one in other.clause.figures:
                        bag.add_feature(key_of(one.measure), FIGURE)
            _add_own(bag, claim, number)
            start = claim.offset + quantity.start
            yield Figure(quantity, claim, start, claim.offset + quantity.end, bag.weights, source)


def _add_own(bag: Bag, claim: Claim, number: int) -> None:
    """Add the words of a figure's own clause, up to the comparable figures before and behind it."""
    figures = claim.clause.figures
    quantity = figures[number]
    group = group_of(quantity.measure)
    words = claim.clause.words
    since, until = -1, 10**9
    for other in figures[:number]:
        between = [w for w in words if other.end <= w.start < quantity.start and not w.is_light]
        if group_of(other.measure) == group and between:
            since = other.end
    for other in reversed(figures[number + 1 :]):
        between = [w for w in words if quantity.end <= w.start < other.start and not w.is_light]
        if group_of(other.measure) == group and between:
            until = other.start
    for word in words:
        if word.start >= quantity.start and word.end <= quantity.end:
            continue
        if since <= word.start < quantity.start:
            bag.add((word,), NEAR)
        elif quantity.start <= word.start < until:
            bag.add((word,), NEAR if until == 10**9 else BEHIND)
    for other in figures:
        if (
            other is not quantity
            and group_of(other.measure) != group
            and since <= other.start < until
        ):
            bag.add_feature(key_of(other.measure), FIGURE)


def key_of(measure: Measure) -> str:
    """Return a figure as a feature of what stands beside it."""
    return f"={measure.dimension}:{'~'.join(str(value) for value in measure.values)}"


def same_value(one: Measure, other: Measure) -> bool:
    """Tell whether two measures are the same value, in whatever notation."""
    if one.dimension == other.dimension:
        if sorted(one.values) == sorted(other.values):
            return True
        return len(one.values) == 1 and one.values[0] in other.values
    kinds = {one.dimension, other.dimension}
    if kinds <= {Dimension.CLOCK, Dimension.CLOCK_12}:
        return {value % _HALF_DAY for value in one.values} <= {v % _HALF_DAY for v in other.values}
    if one in parts_of(other) or other in parts_of(one):
        return True
    if Dimension.BARE in kinds and one.values[0] in other.values:
        return True
    return any(
        sorted(value * factor for value in first.values) == sorted(second.values)
        for first, second in ((one, other), (other, one))
        if (factor := _CONVERSIONS.get((first.dimension, second.dimension)))
    )


# 2일 = 48시간, 만 2세 = 24개월, 0.15 = 15 %, 1.5배 = 150 %.
_CONVERSIONS: dict[tuple[str, str], int] = {
    (Dimension.DAYS, Dimension.SECONDS): 86_400,
    (Dimension.AGE, Dimension.MONTHS): 12,
    (Dimension.BARE, Dimension.PERCENT): 100,
    ("배", Dimension.PERCENT): 100,
}
