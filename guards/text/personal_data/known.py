"""Looks up identifiers that are known from elsewhere, in whatever notation they stand in a text."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from guards.text.personal_data.dense import Dense, dense, subscriber
from guards.text.personal_data.kinds import PersonalKind
from guards.text.personal_data.mask_occurrences import Occurrences

_LEAST_DENSE_CHARS = 7
_PREFIXES = ("0", "82", "820", "0082")


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """Where a known identifier stands in a text.

    Attributes:
        value: The identifier as it is known, which may be another notation.
        start: Where it begins, in code points.
        end: Where it ends.
    """

    value: str
    start: int
    end: int


class Known:
    """Some identifiers, to be found in texts that do not say what they are.

    Args:
        identifiers: The identifiers. Of two notations of the same one, the first counts.
    """

    def __init__(self, identifiers: Mapping[str, PersonalKind]) -> None:
        self._known_as: dict[str, str] = {}
        self._written: dict[str, str] = {}
        for value, kind in identifiers.items():
            first = self._known_as.setdefault(subscriber(kind, value), value)
            # The arguments of a tool write it as JSON in ASCII does.
            for written in (value, json.dumps(value)[1:-1]):
                self._written.setdefault(written, first)
        self._notations = {
            notation: value
            for written, value in self._written.items()
            for notation in _notations(identifiers[value], written)
        }
        self._exact = Occurrences(self._written)
        self._dense = Occurrences(self._notations)

    @property
    def values(self) -> tuple[str, ...]:
        """The identifiers, each in its first notation."""
        return tuple(self._known_as.values())

    def all_in(self, text: str) -> list[KnownPlace]:
        """Return every place where one stands, the first and longest ones first; some overlap."""
        if not self._written:
            return []
        places = {
            KnownPlace(self._written[text[start:end]], start, end)
            for start, end in self._exact.all_in(text)
        }
        places.update(self._other_notations(text))
        return sorted(places, key=lambda place: (place.start, -place.end, place.value))

    def apart_in(self, text: str) -> Iterator[KnownPlace]:
        """Yield places that do not overlap: from the left, the longest at each."""
        position = 0
        for place in self.all_in(text):
            if place.start >= position:
                yield place
                position = place.end

    def _other_notations(self, text: str) -> Iterator[KnownPlace]:
        shown = Dense(text)
        for start, end in self._dense.all_in(shown.text):
            place = shown.whole(start, end)
            if place is not None:
                yield KnownPlace(self._notations[shown.text[start:end]], *place)


def _notations(kind: PersonalKind, written: str) -> Iterator[str]:
    """Yield what may be left of an identifier without its separators."""
    said = dense(written)
    if len(said) < _LEAST_DENSE_CHARS:
        return
    yield said
    if kind is PersonalKind.PHONE:
        number = subscriber(kind, written)
        yield from (f"{prefix}{number}" for prefix in _PREFIXES)
