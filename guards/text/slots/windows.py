"""Where in a text it pays to look: the neighbourhoods of its digits.

Most of a text has none, and a pattern that may begin in several ways is tried at every character.
"""

import re
from collections.abc import Iterator, Sequence

_DIGITS = re.compile(r"[0-9]+")
# Room for what stands before a number (a bullet, 오전, US$) and after it (units, 까지).
_BEFORE_CHARS, _AFTER_CHARS = 16, 24

Window = tuple[int, int]


def digit_windows(text: str) -> list[Window]:
    """Return the neighbourhoods of a text's digits, in order and without overlaps."""
    windows: list[Window] = []
    for digits in _DIGITS.finditer(text):
        start, end = max(0, digits.start() - _BEFORE_CHARS), digits.end() + _AFTER_CHARS
        if windows and start <= windows[-1][1]:
            start = windows.pop()[0]
        windows.append((start, end))
    return windows


def matches_in(
    pattern: re.Pattern[str], text: str, windows: Sequence[Window]
) -> Iterator[re.Match[str]]:
    """Yield a pattern's matches in the windows of a text."""
    for start, end in windows:
        yield from pattern.finditer(text, start, end)
