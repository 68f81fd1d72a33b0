"""Keeps the numbers of a list in order when an item of it was taken out and the next ones follow.

What is taken out and what follows it in the same segment are numbered by `policies.trimming`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from guards.core.finding import Span
from policies.edits import Edit

_NUMBERED = re.compile(r"^[ \t]*(\d{1,3})(?=[.)]\s)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Numbers:
    """How far an answer has counted.

    Attributes:
        last: The number that it gave last.
        gone: How many items of that list were taken out.
    """

    last: int = 0
    gone: int = 0

    def edits(self, answer: str, start: int, end: int) -> tuple[Edit, ...]:
        """Return what closes the gap in a piece of the answer that follows, as it came."""
        made = []
        numbers = self
        for marker in _NUMBERED.finditer(answer, start, end):
            numbers = numbers._at(int(marker[1]))
            if numbers.gone:
                made.append(Edit(Span(*marker.span(1)), str(numbers.last - numbers.gone)))
        return tuple(made)

    def after(self, answer: str, start: int, end: int, removed: Sequence[Edit]) -> "Numbers":
        """Return how far the answer has counted behind a piece of it.

        Args:
            answer: The answer as it came.
            start: Where the piece begins.
            end: Where it ends.
            removed: What was changed in the piece after its gaps had been closed.
        """
        numbers = self
        grown = -start
        for marker in _NUMBERED.finditer(answer, start, end):
            numbers = numbers._at(int(marker[1]))
            if numbers.gone:
                grown += len(str(numbers.last - numbers.gone)) - len(marker[1])
            # A number that is only changed keeps the stop behind it.
            stop = marker.end() + grown
            if any(edit.span.start <= stop < edit.span.end for edit in removed):
                numbers = replace(numbers, gone=numbers.gone + 1)
        return numbers

    def _at(self, number: int) -> "Numbers":
        goes_on = number == self.last + 1
        return Numbers(number, self.gone if goes_on else 0)
