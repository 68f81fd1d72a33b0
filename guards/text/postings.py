"""Where words stand, kept small: most words of a text stand in one place of it."""

from collections.abc import Collection, Iterable, Mapping
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


def posted(keys: Iterable[tuple[int, Iterable[KeyT]]]) -> dict[KeyT, tuple[int, ...]]:
    """Return the numbers of the places of each key in the same way.

    Args:
        keys: Each place with its keys, none of them twice.
    """
    places: dict[KeyT, tuple[int, ...]] = {}
    several: dict[KeyT, list[int]] = {}
    first_of = places.setdefault
    for place, standing in keys:
        alone = (place,)
        for key in standing:
            first = first_of(key, alone)
            if first is alone:
                continue
            if key in several:
                several[key].append(place)
            else:
                several[key] = [first[0], place]
    shared: dict[tuple[int, ...], tuple[int, ...]] = {}
    for key, numbers in several.items():
        standing_at = tuple(numbers)
        places[key] = shared.setdefault(standing_at, standing_at)
    return places
