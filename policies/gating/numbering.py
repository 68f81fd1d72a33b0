"""Keeps the numbers of a list in order when an item of it was taken out and the next ones follow.

What is taken out and what follows it in the same segment are numbered by `policies.schema.lists`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from policies.edits import Edit
from policies.schema.lists import Count, Level, Marker, is_taken_out, markers


@dataclass(frozen=True, slots=True)
class Numbers:
    """How far the lists of an answer have counted.

    Attributes:
        counts: For each kind of list, see `policies.schema.lists.Marker`.
    """

    counts: Mapping[Level, Count] = field(default_factory=dict)

    def edits(self, answer: str, start: int, end: int) -> tuple[Edit, ...]:
        """Return what closes the gap in a piece of the answer that follows, as it came."""
        counts = dict(self.counts)
        made = []
        for marker in markers(answer, start, end):
            count = counts[marker.level] = _next(counts, marker)
            if count.gone:
                made.append(marker.edit(count.last - count.gone))
        return tuple(made)

    def after(self, answer: str, start: int, end: int, removed: Sequence[Edit]) -> "Numbers":
        """Return how far the answer has counted behind a piece of it.

        Args:
            answer: The answer as it came.
            start: Where the piece begins.
            end: Where it ends.
            removed: What was changed in the piece after its gaps had been closed.
        """
        counts = dict(self.counts)
        grown = -start
        for marker in markers(answer, start, end):
            count = _next(counts, marker)
            if count.gone:
                written = marker.edit(count.last - count.gone).text
                grown += len(written) - len(marker.written)
            is_gone = is_taken_out(marker.span.end + grown, removed)
            counts[marker.level] = Count(count.last, count.gone + is_gone)
        return Numbers(counts)


def _next(counts: Mapping[Level, Count], marker: Marker) -> Count:
    return counts.get(marker.level, Count()).at(marker.number)
