"""A text whose numbers in digits are read kind by kind; what was read is blotted out."""

import re
from collections.abc import Iterable, Sequence

from guards.text.slots.windows import (
    AT_NUMBERS,
    Sought,
    digit_neighbourhoods,
    digit_runs,
    matches_at,
    matches_in,
)

BLOT = "\x01"


def blotted(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Return a text of the same length with some places, given in order, made unreadable.

    Of places that overlap the first one counts.
    """
    pieces: list[str] = []
    position = 0
    for start, end in places:
        if start < position:
            continue
        pieces += text[position:start], BLOT * (end - start)
        position = end
    return "".join(pieces) + text[position:]


class NumberedText:
    """A text and its numbers in digits, as far as they were not read.

    Attributes:
        text: The text, with blots where something was read.
        near_digits: The neighbourhoods of its digits; they stay when a digit is blotted out.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.near_digits, self._runs = digit_neighbourhoods(text)
        self._behind = {run[3] for run in self._runs}

    def matches(self, sought: Sought) -> Iterable[re.Match[str]]:
        """Return a pattern's matches near digits."""
        if sought.begins is not AT_NUMBERS:
            return matches_in(sought, self.text, self.near_digits)
        if not self._runs or (sought.follows and sought.follows.isdisjoint(self._behind)):
            return ()
        return matches_at(sought, self.text, self._runs)

    def leave_out(self, places: Sequence[tuple[int, int]]) -> None:
        """Blot out places, given in order."""
        if places:
            self.text = text = blotted(self.text, places)
            # What stood behind a number may be blotted out by now, which is no harm.
            self._runs = [run for run in self._runs if text[run[1] - 1] != BLOT]
            if any(text[run[0]] == BLOT for run in self._runs):
                self._runs = digit_runs(text, self.near_digits)
