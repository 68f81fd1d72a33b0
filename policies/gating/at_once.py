"""What leaves of an answer of which all is known, where a few looks come to the same as many.

Each segment of an answer is looked at with what stands before it, in a window. For all segments
whose windows begin at the same place, one look is made, from there to the answer's end; then one at
the whole. If none of them finds anything that could be acted on, each segment would have left as it
came:

- It would have been read from a place from which all that follows is read here, so that what would
  have been found in it is found here, too, unless what follows takes it back. A guard says so of
  such a finding (`Finding.provisional`), and for that a segment waits: it leaves with the next one,
  as it came.
- What had left before, and whether a second attempt is left, changes what becomes of strong
  findings and of places to be mended; where there are none, it changes nothing.

Otherwise nothing was decided, and the answer goes through segment by segment.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from guards.core.finding import Severity
from guards.core.guard import Stage
from policies.gating.shown import Shown
from policies.policy import Action
from policies.verdict import Verdict

_PASSES = Verdict(Stage.OUTPUT, Action.PASS)
_MOST_WINDOWS = 4
"""Each is read to the answer's end, so that many of them cost more than the segments do."""


@dataclass(slots=True)
class AtOnce:
    """How an answer is looked at, and what has left if nothing is wrong.

    Attributes:
        shown: What has left then.
        windows: Where each look begins to read, and where to judge; the first one that is still to
            be made stands last.
    """

    shown: Shown
    windows: list[tuple[int, int]]

    @classmethod
    def of(cls, answer: str, ends: Sequence[int], *, is_whole: bool) -> "AtOnce | None":
        """Return how an answer is looked at; None if that takes too many looks.

        Args:
            answer: The answer.
            ends: Where its segments end.
            is_whole: Its list of references may change, see `Shown`.
        """
        shown = Shown()
        shown.is_whole = is_whole
        judged_from: dict[int, int] = {}
        for end in ends:
            judged_from.setdefault(shown.window(), shown.done)
            if len(judged_from) > _MOST_WINDOWS:
                return None
            shown.leave(answer, end, _PASSES, start=0)
        return cls(shown, list(judged_from.items()))


def finds_nothing(verdict: Verdict) -> bool:
    """Tell whether a verdict is the same whatever had left before, and whatever is still left."""
    return verdict.action is Action.PASS and not any(
        found.severity is Severity.STRONG or found.fix is not None
        for report in verdict.reports
        for found in report.findings
    )
