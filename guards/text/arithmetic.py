"""One step of arithmetic to a value: sums, rests, products, shares and quotients of operands."""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil

from guards.text.operands import NO_AMOUNTS, Operand
from guards.text.slots.units import PERIODS, Dimension

_MOST_SUMMANDS = 6


def is_sum(value: Fraction, same: Sequence[Operand]) -> bool:
    """Tell whether a value is that of two operands together, or of some that stand in a row."""
    parts = [one.value for one in same if 0 < one.value < value]
    return any(
        sum(some) == value
        for count in range(2, min(len(parts), _MOST_SUMMANDS) + 1)
        for some in (combinations(parts, 2) if count == 2 else _runs(parts, count))
    )


def _runs(values: Sequence[Fraction], count: int) -> Iterator[Sequence[Fraction]]:
    return (values[at : at + count] for at in range(len(values) - count + 1))


def is_mean(value: Fraction, same: Sequence[Operand]) -> bool:
    """Tell whether a value is the mean of some operands that stand in a row."""
    parts = [one.value for one in same]
    return any(
        sum(some) == value * count
        for count in range(2, min(len(parts), _MOST_SUMMANDS) + 1)
        for some in _runs(parts, count)
    )


def is_rest(value: Fraction, same: Sequence[Operand]) -> bool:
    """Tell whether a value is left of an operand without another, or without two neighbours."""
    values = list(dict.fromkeys(one.value for one in same))
    taken = {*values, *(one + other for one, other in pairwise(values))}
    return any(one - off == value for one in values for off in taken)


def counts_of(operands: Sequence[Operand], dimension: str) -> set[Fraction]:
    """Return the numbers by which a rate in a dimension may be multiplied; no time by a time."""
    barred = {dimension, Dimension.PERCENT, Dimension.WON, *NO_AMOUNTS}
    if dimension in PERIODS:
        barred |= PERIODS
    counts = {one.written for one in operands if one.dimension not in barred}
    # A year is twelve times a month.
    counts |= {one.value for one in operands if one.dimension == Dimension.MONTHS not in barred}
    return {count for count in counts if count > 1}


def begun_times(operands: Sequence[Operand]) -> set[Fraction]:
    """Return how often one operand goes into another, the last time in part (13km by 5km: 3)."""
    return {
        Fraction(ceil(one.value / other.value))
        for one in operands
        for other in operands
        if one.dimension == other.dimension and one.value > other.value > 0
    }


def is_product(
    value: Fraction, rates: Sequence[Operand], counts: Collection[Fraction], same: Sequence[Operand]
) -> bool:
    """Tell whether a value is a rate times a count, or that on top of an amount."""
    wanted = {value, *(value - one.value for one in same)}
    return any(rate.value * count in wanted for rate in rates for count in counts)


def is_rest_of_product(
    value: Fraction, rates: Sequence[Operand], counts: Collection[Fraction], same: Sequence[Operand]
) -> bool:
    """Tell whether a value is what a rate times a count and an amount are apart."""
    amounts = {one.value for one in same}
    return any(
        {rate.value * count - value, rate.value * count + value} & amounts
        for rate in rates
        for count in counts
    )


def is_share(
    value: Fraction, same: Sequence[Operand], shares: Collection[Fraction], *, more: bool
) -> bool:
    """Tell whether a value is a share of an amount, or the amount without it.

    Args:
        value: The value.
        same: The amounts.
        shares: The shares, 1 for all.
        more: Whether the share may come on top.
    """
    return any(
        value in {one.value * share, one.value * (1 - share)}
        or (more and value == one.value * (1 + share))
        for one in same
        for share in shares
        if 0 < share < 1
    )


def is_quotient(value: Fraction, same: Sequence[Operand], counts: Collection[Fraction]) -> bool:
    """Tell whether a value is an amount divided by a count."""
    return any(one.value == value * count for one in same for count in counts)


def is_ratio(value: Fraction, operands: Sequence[Operand]) -> bool:
    """Tell whether one operand is so many times another."""
    return any(
        one.dimension == other.dimension and one.value == other.value * value
        for one in operands
        for other in operands
    )
