"""What can be said of a predicate."""

from enum import StrEnum
from itertools import product


class Mode(StrEnum):
    """What is said of a predicate."""

    DOES = "does"
    NOT = "not"
    MUST = "must"
    MUST_NOT = "must_not"
    CAN = "can"
    CANNOT = "cannot"
    NEED_NOT = "need_not"
    MAY_REFRAIN = "may_refrain"
    HAS = "has"
    LACKS = "lacks"


AFFIRMATIVE = frozenset({Mode.DOES, Mode.MUST, Mode.CAN, Mode.HAS})
"""What speaks for a predicate; everything else speaks against it in some way."""
# Not of two signs, or of one sign only in name: 거부할 수 있다, 거부하지 않을 수 있다.
_COMPATIBLE = frozenset({frozenset({Mode.CAN, Mode.MAY_REFRAIN})})
_APART = frozenset(
    {
        frozenset({Mode.NEED_NOT, Mode.MUST_NOT}),
        frozenset({Mode.NEED_NOT, Mode.CANNOT}),
        frozenset({Mode.MAY_REFRAIN, Mode.MUST_NOT}),
        frozenset({Mode.MAY_REFRAIN, Mode.CANNOT}),
    }
)


def _cannot_both_be(one: Mode, other: Mode) -> bool:
    modes = frozenset({one, other})
    if modes in _COMPATIBLE:
        return False
    return modes in _APART or (one in AFFIRMATIVE) != (other in AFFIRMATIVE)


_OPPOSED = frozenset(modes for modes in product(Mode, repeat=2) if _cannot_both_be(*modes))


def are_opposed(one: Mode, other: Mode) -> bool:
    """Tell whether two things said of one predicate cannot both be true."""
    return (one, other) in _OPPOSED
