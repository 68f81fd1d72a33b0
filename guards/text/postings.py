"""Where words stand, kept small: most words of a text stand in one place of it."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

KeyT = TypeVar("KeyT")
PlaceT = TypeVar("PlaceT")

Postings = Mapping[KeyT, tuple[PlaceT, ...]]


def packed(places: Mapping[KeyT, Iterable[PlaceT]]) -> dict[KeyT, tuple[PlaceT, ...]]:
    """Return the places of each key in tuples; keys in the same places share one.

    A list for each would take more room than all the rest of an index, and the garbage collector
    would have to walk through it. Places are the same if they are one object: to compare them, as
    figures with all that they say, would take longer than all the rest.
    """
    shared: dict[tuple[int, ...], tuple[PlaceT, ...]] = {}
    exact = {key: tuple(standing) for key, standing in places.items()}
    return {
        key: shared.setdefault(tuple(map(id, standing)), standing)
        for key, standing in exact.items()
    }


def posted(keys: Iterable[tuple[PlaceT, Iterable[KeyT]]]) -> dict[KeyT, tuple[PlaceT, ...]]:
    """Return the places of each key in the same way.

    Args:
        keys: Each place with its keys, none of them twice.
    """
    places: dict[KeyT, tuple[PlaceT, ...]] = {}
    several: dict[KeyT, list[PlaceT]] = {}
    for place, standing in keys:
        alone = (place,)
        for key in standing:
            if key not in places:
                places[key] = alone
            elif key in several:
                several[key].append(place)
            else:
                several[key] = [*places[key], place]
    places.update(packed(several))
    return places
