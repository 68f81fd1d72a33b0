"""Where words stand, kept small: most words of a text stand in one place of it."""

from collections.abc import Collection, Mapping
from typing import TypeVar

KeyT = TypeVar("KeyT")
PlaceT = TypeVar("PlaceT")

Postings = Mapping[KeyT, tuple[PlaceT, ...]]


def packed(places: Mapping[KeyT, Collection[PlaceT]]) -> dict[KeyT, tuple[PlaceT, ...]]:
    """Return the places of each key in tuples; keys in the same places share one.

    A list for each would take more room than all the rest of an index, and the garbage collector
    would have to walk through it. Places are the same if they are one object: to compare them, as
    figures with all that they say, would take longer than all the rest.
    """
    shared: dict[int | tuple[int, ...], tuple[PlaceT, ...]] = {}
    found: dict[KeyT, tuple[PlaceT, ...]] = {}
    for key, standing in places.items():
        if len(standing) == 1:
            [place] = standing
            name: int | tuple[int, ...] = id(place)
        else:
            name = tuple(map(id, standing))
        known = shared.get(name)
        if known is None:
            known = shared[name] = tuple(standing)
        found[key] = known
    return found
