"""Numbers without a unit of their own, and the captions of tables that give them one."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from operator import itemgetter

from guards.text.slots.numerals import FREE, MIXED_NUMBER, SCALES, mixed_value
from guards.text.slots.units import UNITS, Dimension, Measure, Unit
from guards.text.slots.windows import AT_NUMBERS, Sought

# The halves of ½, which the normal form writes as 1⁄2, are no numbers.
_BARE_NUMBER = re.compile(rf"(?<!⁄){FREE}(?P<number>{MIXED_NUMBER})(?![A-Za-z_\d⁄])")
BARE_NUMBER = Sought(_BARE_NUMBER, begins=AT_NUMBERS)
_CAPTION_BEGINS = "단위"
_CAPTION = re.compile(
    rf"{_CAPTION_BEGINS}[ ]?:[ ]?(?P<scale>[십백천만억]{{0,3}})(?P<unit>[가-힣%]{{1,4}})"
)
_NUMBERS_KEPT = 8192


def caption_units(text: str) -> list[tuple[int, Unit]]:
    """Return where captions like ``(단위: 천원)`` stand and what a bare number after each means."""
    return [
        (match.end(), Unit(unit.dimension, unit.factor * (mixed_value(match["scale"]) or 1)))
        for match in _captions(text)
        if (unit := UNITS.get(match["unit"]))
    ]


def caption_places(text: str) -> list[tuple[int, int]]:
    """Return the places of captions, in order."""
    return [match.span() for match in _captions(text)]


def _captions(text: str) -> Iterable[re.Match[str]]:
    return _CAPTION.finditer(text) if _CAPTION_BEGINS in text else ()


def read_bare(match: re.Match[str], captions: list[tuple[int, Unit]]) -> Measure:
    """Return a number without a unit of its own, in the unit of the caption before it if any."""
    above = bisect_right(captions, match.start(), key=itemgetter(0)) if captions else 0
    if above and not SCALES & set(match["number"]):
        unit = captions[above - 1][1]
        return Measure(unit.dimension, (mixed_value(match["number"]) * unit.factor,))
    return _bare(match["number"])


@lru_cache(maxsize=_NUMBERS_KEPT)
def _bare(number: str) -> Measure:
    return Measure(Dimension.BARE, (mixed_value(number),))
