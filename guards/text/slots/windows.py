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
# Behind any of some first characters: all of a number.
_REST_OF_NUMBER = r"(?:(?<=\d)\d*)"

Window = tuple[int, int]


def digit_windows(text: str) -> list[Window]:
    """Return the neighbourhoods of a text's digits, in order and without overlaps."""
    return [
        (max(0, digits.start() - _BEFORE_CHARS), digits.end() + _AFTER_CHARS)
        for digits in _NEIGHBOURS.finditer(text)
    ]


def beginning(characters: str) -> re.Pattern[str]:
    r"""Return what finds one of some characters, where a pattern is tried; \d is a whole number."""
    return re.compile(f"[{characters}]{_REST_OF_NUMBER}?")


AT_NUMBERS = beginning(r"\d")
"""A pattern whose matches begin where a number does."""


class Sought(NamedTuple):
    """A pattern and what each of its matches holds, which tells at once where there can be none.

    Attributes:
        pattern: The pattern.
        needed: What every match holds; a digit, if nothing else is known.
        begins: What every match begins with (see `beginning`); None if anything may.
    """

    pattern: re.Pattern[str]
    needed: re.Pattern[str] = _DIGITS
    begins: re.Pattern[str] | None = None


def matches_in(sought: Sought, text: str, windows: Sequence[Window]) -> Iterable[re.Match[str]]:
    """Return a pattern's matches in the windows of a text."""
    return _matches_in(sought, text, windows) if windows and sought.needed.search(text) else ()


def _matches_in(sought: Sought, text: str, windows: Sequence[Window]) -> Iterator[re.Match[str]]:
    pattern, needed, begins = sought
    for start, end in windows:
        if needed is not _DIGITS and not needed.search(text, start, end):
            continue
        if begins is None:
            yield from pattern.finditer(text, start, end)
            continue
        position = start
        while begin := begins.search(text, position, end):
            match = pattern.match(text, begin.start(), end)
            if match:
                yield match
            position = (match or begin).end()
