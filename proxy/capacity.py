"""How many requests and streams this process serves at the same time."""

from collections.abc import Callable, Mapping
from enum import StrEnum

from proxy.errors import Overloaded


class Kind(StrEnum):
    """What there is room for, as metrics and errors call it."""

    REQUESTS = "requests"
    STREAMS = "streams"


class Capacity:
    """Places for requests, and for those of them that ask for a stream.

    Args:
        most: How many there are of each kind.
        on_refused: Called with what there was too much of.
    """

    def __init__(self, most: Mapping[Kind, int], on_refused: Callable[[Kind], None]) -> None:
        self._free = dict(most)
        self._on_refused = on_refused

    def take(self, kind: Kind) -> None:
        """Take a place, which has to be given back.

        Raises:
            Overloaded: there is none.
        """
        if self._free[kind] == 0:
            self._on_refused(kind)
            raise Overloaded(kind.value)
        self._free[kind] -= 1

    def give_back(self, kind: Kind) -> None:
        """Give back a place."""
        self._free[kind] += 1
