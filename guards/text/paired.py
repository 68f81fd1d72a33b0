"""The values of two sentences that say the same, paired off: which of the one is not in the other.

Two values pair off if they are equal and do not exclude each other's side (이상 against 미만).
"""

from collections.abc import Sequence

from guards.text.values import Value


def left_over(values: Sequence[Value], others: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    """Return the values of each sentence that have no partner in the other one."""
    alone = list(values)
    free = list(others)
    for is_pair in (_same, _may_be_same):
        for value in list(alone):
            partner = next((other for other in free if is_pair(value, other)), None)
            if partner is not None:
                alone.remove(value)
                free.remove(partner)
    return alone, free


def _same(one: Value, other: Value) -> bool:
    return one.keys == other.keys and one.side == other.side


def _may_be_same(one: Value, other: Value) -> bool:
    sides_agree = one.side is None or other.side is None or one.side == other.side
    return sides_agree and not one.keys.isdisjoint(other.keys)
