"""What has left of an answer, and how it came of what the model wrote."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from guards.core.finding import Span
from guards.text.citing.references import read_references
from policies.citing.references import Cited, cited_in, unlisted
from policies.edits import Edit, apply, then
from policies.gating.heard import as_taken_out, placed, put_together
from policies.gating.left import edits_of_the_rest
from policies.gating.numbering import Numbers
from policies.schema.guard_rule import Action
from policies.verdict import Verdict

WINDOW_CHARS = 1000
"""Least text before a segment that is read with it; all of it would cost the square of it."""
WIDEST_WINDOW_CHARS = 1600
"""Where no paragraph begins between the two, so that a list is seen with what it is about."""
_BEGINS_PARAGRAPH = re.compile(r"[ \t]*\n\s*\n[ \t]*(?:#|\*\*|[가-힣])")


class Shown:
    """What a reader has seen of an answer.

    Attributes:
        text: What has left.
        done: Up to where the answer as it came is done with: it has left, changed or not, or was
            taken out.
        is_whole: All that follows `done` is known, and its list of references may change.
    """

    def __init__(self) -> None:
        self._numbers = Numbers()
        self._edits: tuple[Edit, ...] = ()
        self._heard: list[Verdict] = []
        self._steps: list[int] = []
        self._paragraphs: list[int] = []
        self.text = ""
        self.done = 0
        self.is_whole = False

    def copy(self) -> "Shown":
        """Return the same, from which more may leave."""
        other = Shown()
        other._numbers, other._edits = self._numbers, self._edits
        other._heard, other._steps = [*self._heard], [*self._steps]
        other._paragraphs = [*self._paragraphs]
        other.text, other.done, other.is_whole = self.text, self.done, self.is_whole
        return other

    def following(self, answer: str, end: int) -> str:
        """Return what stands behind `done`, as it may leave if nothing is wrong with it."""
        came = answer[self.done : end]
        return apply(came, moved(self._ahead(answer, end), -self.done))

    def extended(self, answer: str, end: int) -> str:
        """Return `text` with what follows it up to a place in the answer as it came."""
        return self.text + self.following(answer, end)

    def may_unlist(self, answer: str, end: int) -> bool:
        """Tell whether the list of references begins of which lines may have to go.

        Those are lines of sources that only sentences cited which were taken out.

        Args:
            answer: The answer as it came.
            end: Up to where it is looked at.
        """
        if not self._edits:
            return False
        text = self._numbered(answer, end)[1]
        references = read_references(text)
        begins = references is not None and references.end > len(self.text)
        return begins and bool(cited_in(answer[:end]) - cited_in(text))

    def window(self) -> int:
        """Return where in `text` reading begins for the next segment."""
        earliest = len(self.text) - WIDEST_WINDOW_CHARS
        latest = len(self.text) - WINDOW_CHARS
        near = [place for place in self._paragraphs if earliest < place <= latest]
        far = [step for step in self._steps if step <= earliest]
        return (near or far or [0])[-1]

    def leave(
        self, answer: str, end: int, verdict: Verdict, start: int, waited: Sequence[int] = ()
    ) -> str:
        """Let what follows leave as a verdict over it says; return what leaves.

        Args:
            answer: The answer as it came.
            end: Up to where it leaves.
            verdict: Over `text` from `start` on with what follows.
            start: Where in `text` the judged text began.
            waited: Where segments in it end that did not leave alone.
        """
        following = self.following(answer, end)
        made = moved(verdict.edits, start - len(self.text))
        leaving = apply(following, made)
        before = self._until(answer, end)
        if verdict.action is not Action.PASS:
            self._heard.append(placed(verdict, before, start))
        self._edits = then(before, moved(verdict.edits, start))
        self._numbers = self._numbers.after(answer, self.done, end, made)
        is_as_it_came = leaving == answer[self.done : end]
        # Windows begin at the same places whether a segment had to wait or not.
        steps = [self.done, *(waited if is_as_it_came else ()), end]
        for begun, over in pairwise(steps):
            self._step(over, answer[begun:over] if is_as_it_came else leaving)
        return leaving

    def take_out(self, answer: str, end: int, verdict: Verdict, start: int) -> None:
        """Let nothing of what follows leave, for what a verdict over it says; see `leave`."""
        self._heard.append(placed(as_taken_out(verdict), self._until(answer, end), start))
        self._edits = (*self._edits, Edit(Span(self.done, end)))
        self._numbers = Numbers()
        self._step(end, "")

    def recorded(self, answer: str, verdict: Verdict | None) -> Verdict | None:
        """Return a verdict over all with those over segments, placed in the answer as it came.

        Args:
            answer: The answer as it came.
            verdict: Over `text` with all that follows; None if there is none.
        """
        if verdict is None:
            return put_together(self._heard[:-1], self._heard[-1]) if self._heard else None
        return put_together(self._heard, placed(verdict, self._until(answer, len(answer))))

    def _until(self, answer: str, end: int) -> tuple[Edit, ...]:
        """Return how `text` and what follows it came of the answer."""
        return (*self._edits, *self._ahead(answer, end))

    def _ahead(self, answer: str, end: int) -> tuple[Edit, ...]:
        """Return what changes behind `done` although nothing is wrong with it."""
        numbered, text = self._numbered(answer, end)
        if not (self.is_whole and self._edits):
            return numbered
        left_chars = len(self.text)
        cited = Cited(cited_in(answer[:end]), cited_in(text))
        lines = edits_of_the_rest(unlisted(text, cited), text, left_chars) or ()
        return then(numbered, moved(lines, self.done - left_chars))

    def _numbered(self, answer: str, end: int) -> tuple[tuple[Edit, ...], str]:
        """Return how items behind `done` are numbered anew, and `text` with all that follows it."""
        edits = self._numbers.edits(answer, self.done, end)
        return edits, self.text + apply(answer[self.done : end], moved(edits, -self.done))

    def _step(self, end: int, leaving: str) -> None:
        self._steps.append(len(self.text))
        if _BEGINS_PARAGRAPH.match(leaving):
            self._paragraphs.append(len(self.text))
        self.text += leaving
        self.done = end


def moved(edits: Iterable[Edit], by: int) -> tuple[Edit, ...]:
    """Return the edits at places that are further behind."""
    return tuple(Edit(Span(edit.span.start + by, edit.span.end + by), edit.text) for edit in edits)
