"""Figures that a text states as certain, figures that it hedges, and hedging in words alone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from guards.core.reading import Text
from guards.lexicons.loading import sections
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension

_TWO_DIGITS = 10
_NUMBERED_LINE = re.compile(r"^[ \t]*(?P<number>\d{1,2})[.)][ \t]", re.MULTILINE)
_NUMBER = re.compile(r"(?P<number>\d{1,2})번")
_BEGINS = re.compile(
    r"(?:^|[.!?,:\n]|\d번[과와]|(?<![가-힣])(?:위|위의|참고로|다만|또한|특히))[ \t]*\Z"
)
_GOES_ON = re.compile(r"[은는의](?=[ ])|[과와](?=[ ]\d{1,2}번)|[ ]?항목")
_BEFORE_CHARS = 8


def claimed_quantities(text: Text) -> tuple[Quantity, ...]:
    """Return a text's quantities without everyday wording, lone digits and those in code.

    Nor those that name a line of its list by its number (``2번의 요금은``).
    """
    return text.once(_hedged_quantities)


def _hedged_quantities(text: Text) -> tuple[Quantity, ...]:
    lines = {int(line["number"]): line.start() for line in _NUMBERED_LINE.finditer(text.raw)}
    return tuple(
        quantity
        for quantity in text.quantities
        if not quantity.measure.everyday
        and not _is_lone_digit(quantity)
        and text.prose[quantity.start : quantity.end] == quantity.text
        and not (lines and _names_line(quantity, text, lines))
    )


def _is_lone_digit(quantity: Quantity) -> bool:
    measure = quantity.measure
    return measure.dimension == Dimension.BARE and measure.values[0] < _TWO_DIGITS


def _names_line(quantity: Quantity, text: Text, lines: dict[int, int]) -> bool:
    """Tell whether a figure begins a clause and is the number of a line before it."""
    named = _NUMBER.fullmatch(quantity.text)
    if not named or lines.get(int(named["number"]), quantity.start) >= quantity.start:
        return False
    before = text.raw[max(0, quantity.start - _BEFORE_CHARS) : quantity.start]
    return bool(_BEGINS.search(before) and _GOES_ON.match(text.raw, quantity.end))


# How far before a figure a hedge may stand: 예상 요금은 성인 기준 2만원.
REACH_CHARS = 20
_TABLE = sections("hedges")
_FIGURE_HEDGES, _TRAVEL_MODES = _TABLE["figure"], _TABLE["travel"]
_GUESSING_WORDS, _GUESSING_ENDINGS = _TABLE["words"], _TABLE["endings"]
_CLAUSE_END = re.compile(r"[.!?,;:\n]|(?<=[고며나])\s")
_TRAVEL_DIMENSIONS = frozenset({Dimension.SECONDS, Dimension.METRES})


def _longest_first(words: tuple[str, ...]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_FIGURE_HEDGE = re.compile(
    rf"(?<![가-힣])(?:{_longest_first(_FIGURE_HEDGES)})[은는이도]?(?![가-힣])"
)
_MAKE_ESTIMATES = (*_FIGURE_HEDGES, *_TRAVEL_MODES)
_TRAVEL = re.compile(rf"(?<![가-힣])(?:{_longest_first(_TRAVEL_MODES)})")
_GUESS = re.compile(
    rf"(?<![가-힣])(?:{_longest_first(_GUESSING_WORDS)})(?![가-힣])|(?:{_longest_first(_GUESSING_ENDINGS)})"
)

# Without what stands around them, which is found much faster.
_MAY_GUESS = re.compile(_longest_first((*_GUESSING_WORDS, *_GUESSING_ENDINGS)))


@dataclass(frozen=True, slots=True)
class Guess:
    """A hedging expression and its half-open place, in code points."""

    text: str
    start: int
    end: int


def is_estimate(quantity: Quantity, raw: str) -> bool:
    """Tell whether a figure is hedged, or is the time or way that a journey is said to take."""
    if quantity.approximate:
        return True
    before = raw[max(0, quantity.start - REACH_CHARS) : quantity.start]
    clause = _CLAUSE_END.split(before)[-1]
    if quantity.measure.dimension in _TRAVEL_DIMENSIONS and _TRAVEL.search(clause):
        return True
    return _FIGURE_HEDGE.search(clause) is not None


def hedged_starts(text: Text) -> Sequence[int]:
    """Return where the estimates of a text begin, in order."""
    return text.once(_hedged_starts)


def _hedged_starts(text: Text) -> Sequence[int]:
    if not any(word in text.raw for word in _MAKE_ESTIMATES):
        return [figure.start for figure in text.quantities if figure.approximate]
    return [figure.start for figure in text.quantities if is_estimate(figure, text.raw)]


def may_guess(text: str) -> bool:
    """Tell quickly whether a text may contain a guess without a figure."""
    return _MAY_GUESS.search(text) is not None


def guesses(text: str, start: int = 0, end: int | None = None) -> list[Guess]:
    """Return the hedging expressions without a figure between two places of a text."""
    stop = len(text) if end is None else end
    return [Guess(match[0], *match.span()) for match in _GUESS.finditer(text, start, stop)]
