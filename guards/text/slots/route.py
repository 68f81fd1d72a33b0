"""Routes: means of transport, bus routes, lines, stations, stops and exits.

Many Korean words end in 역 (지역, 병역), so a station is read only in a sentence that speaks of
travel otherwise, and a bus route only beside a bus.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from guards.korean.morphemes import morphemes
from guards.lexicons.loading import section_words, sections
from guards.text.citing.references import citation_places
from guards.text.normal import Normal
from guards.text.slots.units import mixed_value
from guards.text.slots.windows import blotted


class RouteKind(StrEnum):
    """Kind of route detail."""

    MODE = "mode"
    BUS = "bus"
    LINE = "line"
    STATION = "station"
    STOP = "stop"
    EXIT = "exit"


@dataclass(frozen=True, slots=True)
class RouteSlot:
    """A piece of a way and its half-open place in the raw text, in code points.

    Attributes:
        kind: See `RouteKind`.
        value: Canonical form, equal for all notations of the same thing.
        text: As it stands.
        start: Where it begins.
        end: Where it ends.
    """

    kind: RouteKind
    value: str
    text: str
    start: int
    end: int

    @property
    def key(self) -> tuple[str, str]:
        """Key that two slots share if they name the same thing."""
        return self.kind, self.value


_Found = tuple[int, int, RouteKind, str]

_MODES = {mode: words for mode, *words in map(str.split, sections("routes")["modes"])}
_MODE_OF = {word: mode for mode, words in _MODES.items() for word in words}
_MODE = re.compile(
    rf"(?<![가-힣A-Za-z])(?:(?:시내|마을|광역|좌석|직행|급행|간선|지선|심야|순환|무료)[ ]?)?"
    rf"(?P<mode>{'|'.join(sorted(_MODE_OF, key=len, reverse=True))})"
)
# Words that only begin like a means of travel (차로 is also a lane).
_OTHER_WORD_AFTER = re.compile(r"기사|운전|업체|사업|회사|면허|전용|차로|운송|요금|카드|표준|법")
_NAMED_LINES = sorted(section_words("routes", "lines"), key=len, reverse=True)
_LANE_BEFORE = re.compile(r"(?:\d|[가-힣])[ ]?$")
_LINE = re.compile(
    r"(?<![가-힣\d.,])(?P<number>\d{1,2}|[일이삼사오육칠팔구십]{1,3})[ ]?호선"
    rf"|(?<![가-힣])(?P<name>{'|'.join(_NAMED_LINES)})"
)
_EXIT = re.compile(r"(?<![\d.])(?P<number>\d{1,2}(?:-\d)?)[ ]?번?(?P<tail>[ ]?출구)")
_EXIT_LIST = re.compile(
    r"(?<![\d.])(?:\d{1,2}[ ]?번?[ ]?(?:[,·/]|또는|혹은|와|과|및|나|이나)[ ]?){1,6}"
    r"(?=\d{1,2}(?:-\d)?[ ]?번?[ ]?출구)"
)
_NUMBER = re.compile(r"\d{1,4}")
_BUS = re.compile(
    r"(?<![\d.,A-Za-z-])(?:(?P<named>[MNGP]\d{2,4})(?:[ ]?번)?"
    r"|(?P<id>[A-Z]{0,2}\d{1,4}(?:-\d{1,2})?[A-Z]?)[ ]?번)"
    r"(?![,.]*\d)(?![ ]?(?:출구|째|승강장|홈|정류|갈아|환승|이상|이하|씩|정도|정차|운행|왕복))"
)
_BUS_WORD = re.compile("버스")
_BUS_REACH_CHARS = 40
_LOOK_BACK_CHARS = 10
# The quantities and the ways of a text both ask, one after the other.
_TEXTS_KEPT = 32
_OFTEN = re.compile(r"(?:하루|매일|일일|주|월|년|시간당|시간에|매시|총|한|두)(?:에)?[ ]?$")
_STATION = re.compile(
    r"(?<![가-힣A-Za-z\d])(?P<name>[가-힣A-Za-z\d·]{1,12}?역)"
    r"(?=(?:에서|까지|부터|으로|에|은|는|이|을|의|과|과의|앞|행|입니|이며|이고|이나|하차|방면|방향)|[^가-힣]|$)"
)
_NO_STATION = section_words("routes", "no_station")
_NO_STATION_END = re.compile(r"(?:지역|권역|용역|(?<!수)영역|(?<!대)구역)$")
_STOP = re.compile(
    r"(?<![가-힣A-Za-z\d])(?P<name>[가-힣A-Za-z\d·]{2,16})[ ]?(?:버스[ ]?)?(?:정류장|정류소)"
)
_NO_STOP = section_words("routes", "no_stop")
_LINE_BREAK = re.compile(r"[^\n]*\n|[^\n]+")
_TRAVEL = re.compile(
    r"호선|지하철|전철|출구|하차|승차|환승|KTX|SRT|기차|열차|도보|정류[장소]|버스|셔틀|택시|걸어|차로|차량으로|"
    r"승용차|자가용|자전거|여객선|페리|비행기|항공편|내려|내리|타고|노선|역에서|교통|오시는"
    r"|선(?:[ 을으에은이의,]|$)"
)
# The same of a text of several lines.
_MAY_TRAVEL = re.compile(rf"{_TRAVEL.pattern}|선\n")


def speaks_of_travel(text: str) -> bool:
    """Tell whether any line of a normal form may hold a way to get somewhere."""
    return _MAY_TRAVEL.search(text) is not None


def names_mode(text: str, mode: str) -> bool:
    """Tell whether a text has a word for a means of travel, even inside a longer one."""
    return any(word in text for word in _MODES[mode])


def find_routes(raw: str, normal: Normal) -> tuple[RouteSlot, ...]:
    """Return the pieces of ways in a text, in order; none overlaps another."""
    slots: list[RouteSlot] = []
    for start, end, kind, value in route_places(normal.text):
        begin, stop = normal.to_raw(start, end)
        if not slots or slots[-1].end <= begin:
            slots.append(RouteSlot(kind, value, raw[begin:stop], begin, stop))
    return tuple(slots)


@lru_cache(maxsize=_TEXTS_KEPT)
def route_places(text: str) -> tuple[_Found, ...]:
    """Return the same for a normal form, as places with kind and canonical value."""
    found: list[_Found] = []
    if not _MAY_TRAVEL.search(text):
        return ()
    text = blotted(text, citation_places(text))
    for line in _LINE_BREAK.finditer(text):
        if _TRAVEL.search(text, *line.span()):
            found += _in_line(text, *line.span())
    kept: list[_Found] = []
    for one in sorted(found, key=lambda one: (one[0], -one[1])):
        if not kept or kept[-1][1] <= one[0]:
            kept.append(one)
    return tuple(kept)


def _in_line(text: str, start: int, end: int) -> Iterator[_Found]:
    for match in _LINE.finditer(text, start, end):
        yield *match.span(), RouteKind.LINE, match["name"] or str(mixed_value(match["number"]))
    yield from _exits(text, start, end)
    yield from _modes(text, start, end)
    yield from _stations(text, start, end)
    for match in _STOP.finditer(text, start, end):
        if match["name"] not in _NO_STOP and _ends_in_noun(match["name"]):
            yield *match.span(), RouteKind.STOP, match["name"]
    yield from _buses(text, start, end)


def _exits(text: str, start: int, end: int) -> Iterator[_Found]:
    for match in _EXIT.finditer(text, start, end):
        yield *match.span(), RouteKind.EXIT, match["number"]
    for listed in _EXIT_LIST.finditer(text, start, end):
        for number in _NUMBER.finditer(text, *listed.span()):
            yield *number.span(), RouteKind.EXIT, number[0]


def _modes(text: str, start: int, end: int) -> Iterator[_Found]:
    for match in _MODE.finditer(text, start, end):
        mode = _MODE_OF[match["mode"]]
        is_lane = match["mode"] == "차로" and _LANE_BEFORE.search(
            text[max(start, match.start() - 2) : match.start()]
        )
        if not is_lane and not _OTHER_WORD_AFTER.match(text, match.end()):
            yield *match.span("mode"), RouteKind.MODE, mode


def _stations(text: str, start: int, end: int) -> Iterator[_Found]:
    for match in _STATION.finditer(text, start, end):
        name = match["name"]
        if len(name) > 1 and name not in _NO_STATION and not _NO_STATION_END.search(name):
            yield *match.span("name"), RouteKind.STATION, name


def _buses(text: str, start: int, end: int) -> Iterator[_Found]:
    """Yield the route numbers that stand near a bus."""
    near = [
        (max(start, bus.start() - _BUS_REACH_CHARS), min(end, bus.end() + _BUS_REACH_CHARS))
        for bus in _BUS_WORD.finditer(text, start, end)
    ]
    position = start
    for begin, stop in near:
        for match in _BUS.finditer(text, max(begin, position), stop):
            position = match.end()
            before = text[max(start, match.start() - _LOOK_BACK_CHARS) : match.start()]
            if not _OFTEN.search(before):
                yield *match.span(), RouteKind.BUS, match["named"] or match["id"]


def _ends_in_noun(name: str) -> bool:
    """Tell whether a word may be a name: 거쳐 (정류장) and 전까지 are none."""
    found = morphemes(name)
    return bool(found) and found[-1].tag[0] in "NSX"
