"""The floors, rooms and addresses of an exchange's sources, and what is there."""

import re
from collections import defaultdict
from collections.abc import Sequence

from guards.core.reading import Reading, Text
from guards.text.namings import CLAUSE_END, named
from guards.text.ownership import Owned, Ownership
from guards.text.passages import Passages, Place, sentence_places
from guards.text.scripts import prose_only
from guards.text.slots.place import PlaceKind, PlaceSlot, find_places
from guards.text.tokens import content_words

# Words that say that a place is one, not what is there.
_TELLING_NOTHING = frozenset(
    """
    층 호 호실 지하 지상 위치 장소 건물 빌딩 내 안 옆 앞 뒤 근처 이용 안내 운영 방문 가능
    이동 경우 각각 모두 현재 해당 관련 및 또는 주소 오시는 길 시설 공간 내부 이용시간 시간
    평일 주말 매일 무료 유료 있음 없음 본관 별관 신관 구관 동관 서관 남관 북관
    """.split()
)
_NOUN_BEHIND = re.compile(
    r"(?:의)?[ ](?P<label>[가-힣A-Za-z]{2,12}(?:[ ]?'[^'\n]{1,12}')?)(?=[ .,()'\n·/]|$)"
)
_PIECE_END = re.compile(r"[,;\n|]")
_SHORTEST_PREFIX = 2
_LOOK_AROUND_CHARS = 60


class PlaceBook:
    """What the sources say is where."""

    def __init__(self, reading: Reading) -> None:
        self._passages = Passages(reading)
        self._houses: dict[str, list[Owned[PlaceSlot]]] = defaultdict(list)
        entries: dict[PlaceKind, list[Owned[PlaceSlot]]] = defaultdict(list)
        for number, text in self._passages.texts():
            for entry in self._entries(number, text):
                entries[entry.value.kind].append(entry)
        for entry in entries[PlaceKind.HOUSE]:
            self._houses[entry.value.inside].append(entry)
        self._owned = {kind: Ownership(entries[kind]) for kind in (PlaceKind.FLOOR, PlaceKind.ROOM)}

    def _entries(self, number: int, text: Text) -> list[Owned[PlaceSlot]]:
        places = find_places(prose_only(text.raw))
        spans = [(place.start, place.end) for place in places]
        sentences = sentence_places(text, [start for start, _ in spans])
        names = named(text.raw, spans, _TELLING_NOTHING, _NOUN_BEHIND)
        return [
            Owned(
                place,
                place.text,
                name.labels,
                self._passages.source_id(Place(number, sentence)),
                self._passages.sentence(Place(number, sentence)),
            )
            for place, name, sentence in zip(places, names, sentences, strict=True)
        ]

    def meant_instead(self, place: PlaceSlot, said: frozenset[str]) -> tuple[Owned[PlaceSlot], ...]:
        """Return the places that a claim names, none of which is the one that it gives.

        Args:
            place: The place that it gives.
            said: The words around it, in their forms.
        """
        if place.kind is PlaceKind.HOUSE:
            known = self._houses.get(place.inside, ())
            return () if any(place.may_be(entry.value) for entry in known) else tuple(known)
        owned = self._owned[place.kind]
        if any(place.may_be(entry.value) for entry in owned.entries):
            return owned.owners_instead(said, place.may_be)
        return owned.named_by(said)


def said_around(raw: str, places: Sequence[PlaceSlot]) -> list[frozenset[str]]:
    """Return the words around each place, with all that they may begin with (주차하실, 주차)."""
    spans = [(place.start, place.end) for place in places]
    names = named(raw, spans, _TELLING_NOTHING, _NOUN_BEHIND)
    borders = [0, *(end for _, end in spans)]
    starts = [start for start, _ in spans[1:]] + [len(raw)]
    said = []
    for name, (start, end), previous, following in zip(names, spans, borders, starts, strict=False):
        before = raw[max(previous, start - _LOOK_AROUND_CHARS) : start]
        behind = raw[end : min(following, end + _LOOK_AROUND_CHARS)]
        clause = (
            f"{CLAUSE_END.split(before)[-1]} {_PIECE_END.split(CLAUSE_END.split(behind)[0])[0]}"
        )
        words = (word.text for word in content_words(clause))
        said.append(name.forms.union(*map(_prefixes, words)))
    return said


def _prefixes(word: str) -> set[str]:
    return {word[:size] for size in range(_SHORTEST_PREFIX, len(word) + 1)}
