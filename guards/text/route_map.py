"""The ways that the sources describe, and whether a sentence of the answer agrees with one.

The pieces of a way belong together if they stand in one passage: a sentence with the two before it
and the two after.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from guards.core.reading import Reading, Text
from guards.text.claims import bare_claim
from guards.text.likeness import kept_words_of, words_of
from guards.text.moved import Homes, Told
from guards.text.passages import Passages, Place, clause_around, sentence_places
from guards.text.sentence_index import SentenceIndex
from guards.text.sentences import Sentence
from guards.text.slots.route import RouteKind, RouteSlot
from guards.text.source_row import SourceRow
from guards.text.values import Value

_REACH_SENTENCES = 2
_SAME_SUBJECT = 0.3
_BY_NAME = frozenset({RouteKind.STATION, RouteKind.STOP})
_MOST_EXPECTED = 4
_MOST_PLACES = 60
# A sentence with more pieces is a list of ways, not one way.
_MOST_TOGETHER = 30

Key = tuple[str, str]


class Differing(NamedTuple):
    """What the sources have where the answer has another piece of a way.

    Attributes:
        source_id: Id of the source.
        sentence: The sentence that has it.
        expected: The pieces of that kind there.
        fix: The piece to write instead, where only one can be meant.
    """

    source_id: str
    sentence: str
    expected: tuple[str, ...]
    fix: str | None


class RouteMap:
    """The ways that the sources of one exchange describe."""

    def __init__(self, reading: Reading) -> None:
        self.passages = reading.told.once(Passages)
        titles = [Text(source.title) for source in reading.exchange.sources]
        self.raw_texts = [text.raw for _, text in self.passages.texts()]
        self.raw_texts += [title.raw for title in titles]
        self._dense = ["".join(raw.split()) for raw in self.raw_texts]
        self._slots: dict[Place, list[RouteSlot]] = defaultdict(list)
        self._places: dict[Key, list[Place]] = defaultdict(list)
        self._keys = {slot.key for title in titles for slot in title.routes}
        values: list[tuple[Place, Value]] = []
        for number, text in self.passages.texts():
            named = [slot for slot in text.routes if slot.kind is not RouteKind.MODE]
            places = sentence_places(text, [slot.start for slot in named])
            for slot, at in zip(named, places, strict=True):
                place = Place(number, at)
                values.append((place, _value(slot)))
                self._slots[place].append(slot)
                self._places[slot.key].append(place)
        self._keys |= self._places.keys()
        self._homes = Homes(self.passages, reading.told.once(SourceRow), values)
        self._index = SentenceIndex((place, self.passages.sentence(place)) for place in self._slots)
        self.describes = any(text.routes for _, text in self.passages.texts())

    def has(self, slot: RouteSlot) -> bool:
        """Tell whether a source has a piece of a way anywhere."""
        if slot.key in self._keys:
            return True
        return slot.kind in _BY_NAME and any(slot.value in dense for dense in self._dense)

    def differing(
        self, slot: RouteSlot, together: Sequence[RouteSlot], sentence: Sentence
    ) -> Differing | None:
        """Return what a passage on the same way has instead of a piece of a sentence, or None.

        Args:
            slot: The piece.
            together: All pieces of the sentence, lines, stations and the like.
            sentence: The sentence.
        """
        if len(together) > _MOST_TOGETHER:
            return None
        if not self.has(slot):
            place = self._closest(slot, together, sentence)
        else:
            clause = clause_around(sentence, slot.start, slot.end)
            home = self._homes.other_home(
                _value(slot),
                [_value(one) for one in together if one.kind is slot.kind],
                Told(sentence.text),
                Told(clause),
            )
            place = home.place if home else self._without(slot, together)
        return None if place is None else self._difference(slot, together, place)

    def _difference(
        self, slot: RouteSlot, together: Sequence[RouteSlot], place: Place
    ) -> Differing | None:
        there = [one for one in self._slots[place] if one.kind is slot.kind]
        expected = tuple(dict.fromkeys(one.text for one in there))
        others = [one for one in together if one is not slot]
        around = self._keys_around(place)
        only = len({one.key for one in there}) == 1
        agrees = all(one.kind is not slot.kind and one.key in around for one in others)
        return Differing(
            self.passages.source_id(place),
            self.passages.sentence(place),
            expected[:_MOST_EXPECTED],
            expected[0] if only and agrees else None,
        )

    def _closest(
        self, slot: RouteSlot, together: Sequence[RouteSlot], sentence: Sentence
    ) -> Place | None:
        """Return the sentence with pieces of that kind that is most like the answer's."""
        wanted = words_of(bare_claim(sentence.text))
        keys = {one.key for one in together}
        best: Place | None = None
        best_score = _SAME_SUBJECT
        for place in self._index.nearest(wanted):
            if self._has_kind(place, slot):
                shared = sum(one.key in keys for one in self._slots[place])
                score = shared + wanted.share_in(kept_words_of(self.passages.sentence(place)))
                if score > best_score:
                    best, best_score = place, score
        return best

    def _without(self, slot: RouteSlot, together: Sequence[RouteSlot]) -> Place | None:
        """Return where all other pieces meet with another one of that kind, if nowhere with it."""
        others = {one.key for one in together if one.kind is not slot.kind}
        if not others or not others <= self._places.keys():
            return None
        places = min((self._places[key] for key in sorted(others)), key=len)
        if len(places) > _MOST_PLACES:
            return None
        meeting = [place for place in places if others <= self._keys_around(place)]
        if any(slot.key in self._keys_around(place) for place in meeting):
            return None
        return next(
            (near for place in meeting for near in self._near(place) if self._has_kind(near, slot)),
            None,
        )

    def _has_kind(self, place: Place, slot: RouteSlot) -> bool:
        return any(one.kind is slot.kind for one in self._slots.get(place, ()))

    def _near(self, place: Place) -> list[Place]:
        steps = sorted(range(-_REACH_SENTENCES, _REACH_SENTENCES + 1), key=abs)
        return [Place(place.source, place.at + step) for step in steps]

    def _keys_around(self, place: Place) -> set[Key]:
        return {slot.key for near in self._near(place) for slot in self._slots.get(near, ())}


def _value(slot: RouteSlot) -> Value:
    return Value(slot.start, slot.end, frozenset({slot.key}), slot.kind, slot.text)
