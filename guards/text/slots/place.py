"""Where something is inside or along: floors, rooms and the numbers of houses in a road.

A floor is a level: 2층 and 지상 2층 are one, 지하 2층 is another. Heights (5층 이상, 12층 건물)
are none.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from guards.text.particles import stem

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
_ROOM = re.compile(r"(?<![제\d.,-])(?P<room>\d{2,4})호(?:실)?(?![선차기봉점수])")
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
    """What kind of place it is."""

    FLOOR = "floor"
    ROOM = "room"
    HOUSE = "house"


@dataclass(frozen=True, slots=True)
class PlaceSlot:
    """A place and its half-open span in the text that was read.

    Attributes:
        kind: See `PlaceKind`.
        levels: The floors (below ground they are negative), or the number of the room.
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


def find_places(text: str) -> tuple[PlaceSlot, ...]:
    """Return the places of a text, in order."""
    found = [_floor(match) for match in _FLOOR.finditer(text)] if "층" in text else []
    if "호" in text:
        found += [
            PlaceSlot(PlaceKind.ROOM, frozenset((int(match["room"]),)), "", "", *_where(match))
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


def _where(match: re.Match[str]) -> tuple[str, int, int]:
    return match[0], match.start(), match.end()
