"""Floors, rooms and addresses that differ from the sources.

Finds: a floor (지하 2층 for 지상 2층), a building (본관 for 별관) or a numbered room other than the
    one that a source gives, in the same line, cell or brackets, for the thing that the sentence
    names; another house number on a road of the sources.
Misses: places given only by name (대강당, 정문 앞); things for which the sources give no place in
    the same line; an invented floor of something whose place no source gives (`numbers` checks the
    figure); roads and cities that are in no source (`names`).
Score: 0.9.
Source: our own rules. A sentence may name the thing by any complete label, before or after the
    place; a word that belongs to the given place alone justifies it.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from guards.claims.standing import abstains
from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage
from guards.core.reading import Part, Reading
from guards.lexicons.loading import words
from guards.text.namings import CLAUSE_END, Owned, Ownership, named, said_in
from guards.text.particles import stem
from guards.text.sentences import sentence_places

_DENIED = re.compile(r"[ ]?(?:이|가)?[ ]?(?:아니|아닌|아닙)")
_ASKED = re.compile(r"[ ]?(?:에|에서)?[ ]?(?:있|인가|인지|이에요|예요|이죠|이지|맞|\?)")
_TELLING_NOTHING = words("place_words")
_NOUN_BEHIND = re.compile(
    r"(?:의)?[ ](?P<label>[가-힣A-Za-z]{2,12}(?:[ ]?'[^'\n]{1,12}')?)(?=[ .,()'\n·/]|$)"
)
_PIECE_END = re.compile(r"[,;\n|]|(?:므로|[으하되]니|기 때문에)[ ]")
_LOOK_AROUND_CHARS = 60
_MOST_HOUSES = 100
_MOST_ROOMS = 200
_BUILDING = r"(?:(?P<building>[본별신구동서남북A-Z]관|\d{3}동)[ ]?)?"
_HEIGHT = (
    r"(?:짜리|높이|간|고|수|마다|씩|[가-힣]?소음"
    r"|[ ]?(?:이상|이하|초과|미만|규모|건물|빌딩|아파트|높이))"
)
_FLOOR = re.compile(
    rf"(?<![가-힣A-Za-z\d.]){_BUILDING}"
    r"(?:(?P<below>지하|B)[ ]?|지상[ ]?)?(?<!\d)(?P<first>\d{1,2})"
    r"(?:층?[ ]?[~-][ ]?(?:(?P<last_below>지하|B)[ ]?)?(?P<last>\d{1,2}))?"
    rf"[ ]?층(?!{_HEIGHT})"
)
_ROOM = re.compile(
    r"(?<![제\d.,-])(?P<room>\d{2,4})(?:호?(?:실)?[ ]?[~∼～-][ ]?(?P<last_room>\d{2,4}))?호(?:실)?"
    r"(?![선차기봉점수])"
)
_UNIT = (
    r"(?:번길|[년월일시분초층호개명건회장점배번박세주차]|시간|가지|[가-힣]?원|%|퍼센트"
    r"|[가-힣]?미터|킬로|[kK㎞]|[mM㎡])"
)
_MAY_BE_HOUSE = re.compile(r"[로길][ ]?\d")
_HOUSE = re.compile(
    r"(?<![가-힣\d])(?P<road>[가-힣\d]{2,12}(?:로|길))[ ]?(?P<house>\d{1,4}(?:-\d{1,3})?)"
    rf"(?![\d.,:]?\d|[ ]?{_UNIT}|[~-])"
)


class PlaceKind(StrEnum):
    """Kind of place."""

    FLOOR = "floor"
    ROOM = "room"
    HOUSE = "house"


@dataclass(frozen=True, slots=True)
class PlaceSlot:
    """A place and its half-open span in the text that was read.

    Attributes:
        kind: See `PlaceKind`.
        levels: The floors (below ground they are negative), or the numbers of the rooms.
        inside: The building of a floor, the road of a house; empty if not said.
        house: Number of the house; empty for others.
        text: As it stands.
        start: Where it begins.
        end: Where it ends.
    """

    kind: PlaceKind
    levels: frozenset[int]
    inside: str
    house: str
    text: str
    start: int
    end: int

    def may_be(self, other: "PlaceSlot") -> bool:
        """Tell whether two places may be one; one of them may leave its building out."""
        if self.kind is not other.kind or self.house != other.house:
            return False
        alike = self.inside == other.inside or not (self.inside and other.inside)
        return alike and (self.levels <= other.levels or other.levels <= self.levels)


def _find_places(text: str) -> tuple[PlaceSlot, ...]:
    """Return the places of a text, in order."""
    found = [_floor(match) for match in _FLOOR.finditer(text)] if "층" in text else []
    if "호" in text:
        found += [
            PlaceSlot(PlaceKind.ROOM, _rooms(match), "", "", *_where(match))
            for match in _ROOM.finditer(text)
        ]
    found += [
        PlaceSlot(PlaceKind.HOUSE, frozenset(), match["road"], match["house"], *_where(match))
        for match in (_HOUSE.finditer(text) if _MAY_BE_HOUSE.search(text) else ())
        # A particle makes no road: 지하철로 10.
        if stem(match["road"]) == match["road"] or len(stem(match["road"])) > 1
    ]
    return tuple(sorted(found, key=lambda place: place.start))


def _floor(match: re.Match[str]) -> PlaceSlot:
    first = -int(match["first"]) if match["below"] else int(match["first"])
    last = first
    if match["last"]:
        below = match["last_below"] or (match["below"] and "~" in match[0])
        last = -int(match["last"]) if below else int(match["last"])
    levels = frozenset(range(min(first, last), max(first, last) + 1)) - {0}
    return PlaceSlot(PlaceKind.FLOOR, levels, match["building"] or "", "", *_where(match))


def _rooms(match: re.Match[str]) -> frozenset[int]:
    first, last = int(match["room"]), int(match["last_room"] or match["room"])
    return frozenset(range(first, min(last, first + _MOST_ROOMS) + 1)) | {first, last}


def _where(match: re.Match[str]) -> tuple[str, int, int]:
    return match[0], match.start(), match.end()


class _PlaceBook:
    """Places that the sources give, by thing."""

    def __init__(self, reading: Reading) -> None:
        self._houses: dict[str, list[Owned[PlaceSlot]]] = defaultdict(list)
        self._by_level: dict[tuple[PlaceKind, int], list[Owned[PlaceSlot]]] = defaultdict(list)
        self._owned = {kind: Ownership[PlaceSlot]() for kind in PlaceKind}
        for part in reading.source_set.parts:
            for entry in _entries(part):
                self._add(entry)

    def _add(self, entry: Owned[PlaceSlot]) -> None:
        place = entry.value
        if place.kind is PlaceKind.HOUSE:
            self._houses[place.inside].append(entry)
        elif self._owned[place.kind].add(entry):
            for level in place.levels:
                self._by_level[place.kind, level].append(entry)

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
        if not given:
            return owned.named_by(said)
        # A source that gives the place may be about another branch, which the claim need not name.
        sources = {entry.source_id for entry in given}
        meant = owned.owners_instead(said, given)
        return meant if sources <= {entry.source_id for entry in meant} else ()


def _entries(part: Part) -> list[Owned[PlaceSlot]]:
    text = part.text
    places = _find_places(text.prose)
    spans = [(place.start, place.end) for place in places]
    sentences = sentence_places(text.sentences, [start for start, _ in spans])
    names = named(text.raw, spans, _TELLING_NOTHING, _NOUN_BEHIND)
    return [
        Owned(
            place,
            place.text,
            name.labels,
            part.source.id if part.source else "",
            text.sentences[at].text,
        )
        for place, name, at in zip(places, names, sentences, strict=True)
    ]


def _said_around(raw: str, places: Sequence[PlaceSlot]) -> list[frozenset[str]]:
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


def _users_own(question: str, book: _PlaceBook) -> list[PlaceSlot]:
    """Return the places of a question that are the user's: 12층이고 엘리베이터가 있어요.

    Neither is what is asked for (2층에 있나요?), nor what is said about something in the sources.
    """
    places = _find_places(question)
    return [
        place
        for place, said in zip(places, _said_around(question, places), strict=True)
        if not (_ASKED.match(question, place.end) or book.meant_instead(place, said))
    ]


def _is_in_row(raw: str, position: int) -> bool:
    line_start = raw.rfind("\n", 0, position) + 1
    return "|" in raw[line_start:position]


def _first_piece_end(text: str) -> int:
    found = _PIECE_END.search(text)
    return found.end() if found else 0


class PlacesSettings(GuardSettings):
    """Options of the guard."""


class Places(Guard[PlacesSettings]):
    """Report every place of the answer that the sources give for something else."""

    id = "places"
    label = Label("Places", "위치")
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.SEGMENT
    settings_type = PlacesSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "places.differs": Code(
            label=Label("The sources give another floor or number", "출처의 층이나 호수와 다름"),
            meaning="The sources give another floor, room or house number for the same place.",
            instruction=(
                '"{observed}"{observed:은} 자료의 위치와 다릅니다. 자료의 위치 '
                "{expected}{expected:을} 쓰세요."
            ),
            without_value=(
                '"{observed}"{observed:은} 자료의 위치와 다릅니다. 질문한 곳의 위치를 자료에서 '
                "확인해 쓰고, 없으면 쓰지 마세요."
            ),
        ),
    }

    def check(self, reading: Reading) -> list[Finding]:
        """Look up each place of the answer's claims."""
        answer = reading.answer_text
        raw = answer.raw
        places = _find_places(answer.prose)
        if not places:
            return []
        book = _PlaceBook(reading)
        own = _users_own(reading.question.text.raw, book)
        sentences = sentence_places(answer.sentences, [place.start for place in places])
        texts = [answer.sentences[at].text for at in sentences]
        is_open = {text: _is_open(text) for text in set(texts)}
        findings = (
            self._finding(place, book.meant_instead(place, said))
            for place, said, text in zip(places, _said_around(raw, places), texts, strict=True)
            if not (_DENIED.match(raw, place.end) or is_open[text] or any(map(place.may_be, own)))
        )
        return [finding for finding in findings if finding is not None]

    def _finding(self, place: PlaceSlot, meant: tuple[Owned[PlaceSlot], ...]) -> Finding | None:
        if not meant:
            return None
        expected = tuple(dict.fromkeys(entry.written for entry in meant))
        tells_less = place.inside and not all(entry.value.inside for entry in meant)
        return Finding(
            guard=self.id,
            code="places.differs",
            part="answer",
            span=Span(place.start, place.end),
            observed=place.text,
            strength=Strength.C2,
            expected=expected,
            evidence=tuple(
                dict.fromkeys(Evidence(entry.source_id, entry.sentence) for entry in meant)
            ),
            score=0.9,
            fix=expected[0] if len(expected) == 1 and not tells_less else None,
        )


def _is_open(sentence: str) -> bool:
    """Tell whether a sentence asks, or says that the sources do not say."""
    return sentence.rstrip().endswith("?") or abstains(sentence)
