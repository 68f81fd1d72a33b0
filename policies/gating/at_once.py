"""What leaves of an answer of which more is known than the next segment.

Each segment of an answer is looked at with what stands before it, in a window. For all segments
whose windows begin at the same place, one look is made, from there to the end of what is known;
then, of an answer that is known to its end, one at the whole. If none of them finds anything that
could be acted on, each segment would have left as it came:

- It would have been read from a place from which all that follows is read here, so that what would
  have been found in it is found here, too, unless what follows takes it back. A guard says so of
  such a finding (`Finding.provisional`), and for that a segment waits: it leaves with the next one,
  as it came. A value that was reckoned may rest on what follows it; its segment is looked at alone,
  too.
- What had left before, and whether a second attempt is left, changes what becomes of strong
  findings and of places to be mended; where there are none, it changes nothing.

Otherwise nothing was decided, and the answer goes through segment by segment.

Of an answer of which something has left and now all is known, the look at the whole comes first if
the windows begin where it does: what would be found in the rest is found there, too. The other
looks follow only if anything is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from guards.core.finding import Severity, Strength
from guards.core.guard import Stage
from policies.gating.looks import Kind
from policies.gating.shown import Shown
from policies.schema.guard_rule import Action
from policies.verdict import Verdict

_PASSES = Verdict(Stage.OUTPUT, Action.PASS)
_MOST_WINDOWS = 4
"""Each is read to the answer's end, so that many of them cost more than the segments do."""


class Extent(NamedTuple):
    """What one look reads: from where on, from where it judges, and up to where."""

    start: int
    judged_from: int
    end: int


@dataclass(slots=True)
class AtOnce:
    """How an answer is looked at, and what has left if nothing is wrong.

    Attributes:
        shown: What has left then.
        looks: What is still to be looked at, the next one last.
        segments: What would be looked at of each segment.
        whole_first: The look at the whole is the next one, and may be the only one.
    """

    shown: Shown
    looks: list[Extent]
    segments: list[Extent]
    whole_first: bool = False

    @classmethod
    def of(
        cls, answer: str, ends: Iterable[int], shown: Shown, *, is_rest: bool = False
    ) -> "AtOnce | None":
        """Return how segments are looked at; None if that takes too many looks.

        Args:
            answer: The answer as far as it is to be read.
            ends: Where the segments end.
            shown: What has left of it so far, as it came; stays as it is.
            is_rest: Behind them nothing follows but the answer's end.
        """
        shown = shown.copy()
        segments: list[Extent] = []
        looks: dict[int, Extent] = {}
        for end in ends:
            start, judged_from = shown.window(), shown.done
            segments.append(Extent(start, judged_from, end))
            looks.setdefault(start, Extent(start, judged_from, len(answer)))
            if len(looks) > _MOST_WINDOWS:
                return None
            shown.leave(answer, end, _PASSES, start=0)
        return cls(shown, list(looks.values()), segments, is_rest and set(looks) == {0})

    def next_look(self, chars: int) -> tuple[Kind, Extent]:
        """Return what is to be looked at next, of an answer of so many characters."""
        if self.looks and not self.whole_first:
            return Kind.SEGMENTS, self.looks[-1]
        return Kind.WHOLE, Extent(0, self.shown.done, chars)

    def hear(self, verdict: Verdict) -> bool:
        """Take in what the next look found; tell whether all may still leave at once."""
        if self.whole_first:
            self.whole_first = False
            if _finds_nothing(verdict) and not _reckoned_in(verdict):
                self.looks = []
            return True
        if not _finds_nothing(verdict):
            return False
        if self.looks:
            self._hear_segments(verdict)
        return True

    def _hear_segments(self, verdict: Verdict) -> None:
        """Look at segments alone, too, in which a value was reckoned."""
        looked = self.looks.pop()
        reckoned = _reckoned_in(verdict)
        if reckoned and looked not in self.segments:
            self.looks += [
                one
                for one in self.segments
                if one.start == looked.start and one.end < looked.end
                if any(one.judged_from <= looked.start + place < one.end for place in reckoned)
            ]


def _reckoned_in(verdict: Verdict) -> list[int]:
    """Return where in an answer values begin that were reckoned."""
    return [
        found.span.start
        for report in verdict.reports
        for found in report.findings
        if found.part == "answer" and found.strength is Strength.E1
    ]


def _finds_nothing(verdict: Verdict) -> bool:
    """Tell whether a verdict is the same whatever had left before, and whatever is still left."""
    return verdict.action is Action.PASS and not any(
        found.severity is Severity.STRONG or found.fix is not None
        for report in verdict.reports
        for found in report.findings
    )
