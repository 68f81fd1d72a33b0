"""What can be said of a predicate."""

from enum import StrEnum


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
