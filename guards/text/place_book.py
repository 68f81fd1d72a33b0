"""The floors, rooms and addresses of an exchange's sources, and what is there."""

import re
from collections import defaultdict
from collections.abc import Sequence

from guards.core.reading import Reading, Text
from guards.text.namings import CLAUSE_END, named, said_in
from guards.text.ownership import Owned, Ownership
from guards.text.passages import Passages, Place, sentence_places
from guards.text.slots.place import PlaceKind, PlaceSlot, find_places

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
_LOOK_AROUND_CHARS = 60
_MOST_HOUSES = 100


class PlaceBook:
    """What the sources say is where."""

    def __init__(self, reading: Reading) -> None:
        self._passages = reading.told.once(Passages)
        self._houses: dict[str, list[Owned[PlaceSlot]]] = defaultdict(list)
        self._by_level: dict[tuple[PlaceKind, int], list[Owned[PlaceSlot]]] = defaultdict(list)
        self._owned = {kind: Ownership[PlaceSlot]() for kind in PlaceKind}
        for number, text in self._passages.texts():
            for entry in self._entries(number, text):
                self._add(entry)

    def _add(self, entry: Owned[PlaceSlot]) -> None:
        place = entry.value
        if place.kind is PlaceKind.HOUSE:
            self._houses[place.inside].append(entry)
        elif self._owned[place.kind].add(entry):
            for level in place.levels:
                self._by_level[place.kind, level].append(entry)

    def _entries(self, number: int, text: Text) -> list[Owned[PlaceSlot]]:
        places = find_places(text.prose)
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
            known = self._houses.get(place.inside, [])[:_MOST_HOUSES]
            return () if any(place.may_be(entry.value) for entry in known) else tuple(known)
        owned = self._owned[place.kind]
        at_level = (self._by_level.get((place.kind, level), ()) for level in place.levels)
        given = {entry for entries in at_level for entry in entries if place.may_be(entry.value)}
        return owned.owners_instead(said, given) if given else owned.named_by(said)


def said_around(raw: str, places: Sequence[PlaceSlot]) -> list[frozenset[str]]:
    """Return the words around each place, in their forms."""
    spans = [(place.start, place.end) for place in places]
    names = named(raw, spans, _TELLING_NOTHING, _NOUN_BEHIND)
    borders = [0, *(end for _, end in spans)]
    following = [start for start, _ in spans[1:]] + [len(raw)]
    said = []
    for name, (start, end), last, first in zip(names, spans, borders, following, strict=False):
        if _is_in_row(raw, start):
            said.append(name.forms)
            continue
        before = CLAUSE_END.split(raw[max(last, start - _LOOK_AROUND_CHARS) : start])[-1]
        behind = CLAUSE_END.split(raw[end : min(first, end + _LOOK_AROUND_CHARS)])[0]
        if last:
            # What stands right behind the place before is there, not here.
            before = before[_first_piece_end(before) :]
        said.append(said_in(f"{before} {_PIECE_END.split(behind)[0]}"))
    return said


def _is_in_row(raw: str, position: int) -> bool:
    line_start = raw.rfind("\n", 0, position) + 1
    return "|" in raw[line_start:position]


def _first_piece_end(text: str) -> int:
    found = _PIECE_END.search(text)
    return found.end() if found else 0
