"""Where in a text it pays to look: the neighbourhoods of its digits.

Most of a text has none, and a pattern that may begin in several ways is tried at every character.
"""

import re
from collections.abc import Iterator, Sequence

# Room for what stands before a number (a bullet, 오전, US$) and after it (units, 까지).
_BEFORE_CHARS, _AFTER_CHARS = 16, 24
_NEIGHBOURS = re.compile(rf"[0-9]+(?:[^0-9]{{1,{_BEFORE_CHARS + _AFTER_CHARS}}}[0-9]+)*")

Window = tuple[int, int]


def digit_windows(text: str) -> list[Window]:
    """Return the neighbourhoods of a text's digits, in order and without overlaps."""
    return [
        (max(0, digits.start() - _BEFORE_CHARS), digits.end() + _AFTER_CHARS)
        for digits in _NEIGHBOURS.finditer(text)
    ]


def matches_in(
    pattern: re.Pattern[str], text: str, windows: Sequence[Window]
) -> Iterator[re.Match[str]]:
    """Yield a pattern's matches in the windows of a text."""
    for start, end in windows:
        yield from pattern.finditer(text, start, end)
