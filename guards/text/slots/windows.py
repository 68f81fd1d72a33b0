"""Where in a text it pays to look: the neighbourhoods of its digits.

Most of a text has none, and a pattern that may begin in several ways is tried at every character.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

# Room for what stands before a number (a bullet, 오전, US$) and after it (units, 까지).
_BEFORE_CHARS, _AFTER_CHARS = 16, 24
_NEIGHBOURS = re.compile(rf"[0-9]+(?:[^0-9]{{1,{_BEFORE_CHARS + _AFTER_CHARS}}}[0-9]+)*")
_DIGITS = re.compile(r"\d+")

Window = tuple[int, int]


def digit_windows(text: str) -> list[Window]:
    """Return the neighbourhoods of a text's digits, in order and without overlaps."""
    return [
        (max(0, digits.start() - _BEFORE_CHARS), digits.end() + _AFTER_CHARS)
        for digits in _NEIGHBOURS.finditer(text)
    ]


class Sought(NamedTuple):
    """A pattern and what each of its matches holds, which tells at once where there can be none.

    Attributes:
        pattern: The pattern.
        needed: What every match holds; a digit, if nothing else is known.
        at_numbers: Every match begins where a number does.
    """

    pattern: re.Pattern[str]
    needed: re.Pattern[str] = _DIGITS
    at_numbers: bool = False


def matches_in(sought: Sought, text: str, windows: Sequence[Window]) -> Iterable[re.Match[str]]:
    """Return a pattern's matches in the windows of a text."""
    return _matches_in(sought, text, windows) if sought.needed.search(text) else ()


def _matches_in(sought: Sought, text: str, windows: Sequence[Window]) -> Iterator[re.Match[str]]:
    pattern, needed, at_numbers = sought
    for start, end in windows:
        if at_numbers:
            yield from _at_numbers(pattern, text, start, end)
        elif needed.search(text, start, end):
            yield from pattern.finditer(text, start, end)


def _at_numbers(
    pattern: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[re.Match[str]]:
    """Yield the same as a search of the pattern, which is tried where numbers begin alone."""
    while digits := _DIGITS.search(text, start, end):
        match = pattern.match(text, digits.start(), end)
        if match:
            yield match
        start = (match or digits).end()
