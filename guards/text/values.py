"""A value as it can be looked up, whatever it is: a figure, a line, an exit."""

from collections.abc import Hashable
from typing import NamedTuple


class Value(NamedTuple):
    """A value in a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        keys: What equals it in any notation; several for a range.
        kind: Values of one kind can stand for one another.
        shown: The value as a reader would quote it.
        side: Which side of it is meant (이상, 미만); None if that is not said.
    """

    start: int
    end: int
    keys: frozenset[Hashable]
    kind: Hashable
    shown: str
    side: str | None = None
