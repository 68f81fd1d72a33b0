"""The part of an answer that was sent, and the edits that led to it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Stage
from guards.text.citing.references import read_references
from policies.edits import Edit, apply, edits_of_the_rest, left_by, original_span, then
from policies.mending import Cited, cited_in, unlisted
from policies.schema.policy import Action
from policies.trimming import Count, Level, Marker, is_taken_out, markers
from policies.verdict import GuardOutcome, GuardResult, Verdict


class Kind(StrEnum):
    """Kind of text to inspect."""

    SEGMENT = "segment"
    """An answer that goes on: what its last segment shows."""
    SEGMENTS = "segments"
    """An answer of which all is known: what its segments would show."""
    TURN = "turn"
    """Text beside tool calls."""
    WHOLE = "whole"


def put_together(segments: Sequence[Verdict], whole: Verdict) -> Verdict:
    """Return the verdict over an answer with what its segments had led to."""
    if not segments:
        return whole
    results = tuple(
        _with_earlier(result, [one for other in segments for one in other.results])
        for result in whole.results
    )
    action = max((whole.action, *(one.action for one in segments)), key=lambda each: each.rank)
    reasons = dict.fromkeys(code for one in (*segments, whole) for code in one.reasons)
    return replace(whole, action=action, reasons=tuple(reasons), results=results)


def _with_earlier(result: GuardResult, earlier: Iterable[GuardResult]) -> GuardResult:
    """Return a guard's result with those by which it acted on a segment."""
    acted = [
        one for one in earlier if one.guard == result.guard and one.outcome is GuardOutcome.ACTED
    ]
    if not acted:
        return result
    found = dict.fromkeys(finding for one in (*acted, result) for finding in one.findings)
    action = max((one.action for one in (*acted, result)), key=lambda each: each.rank)
    spent_ms = result.duration_ms + sum(one.duration_ms for one in acted)
    return replace(
        result,
        outcome=GuardOutcome.ACTED,
        action=action,
        findings=tuple(found),
        reason="",
        duration_ms=spent_ms,
    )


def placed(verdict: Verdict, edits: Iterable[Edit], shift: int = 0) -> Verdict:
    """Return a verdict over an edited answer, with its findings at their places in the original.

    Args:
        edits: What was changed in the original before it was judged.
        shift: Where in the edited answer the judged text began.
    """
    places = left_by(edits)
    if not places and not shift:
        return verdict
    results = tuple(
        replace(
            one,
            findings=tuple(_moved_finding(found, places, shift) for found in one.findings),
            cleared=tuple(_moved_finding(found, places, shift) for found in one.cleared),
        )
        for one in verdict.results
    )
    return replace(verdict, results=results)


def _moved_finding(found: Finding, places: Sequence[tuple[Edit, Edit]], shift: int) -> Finding:
    if found.part != "answer":
        return found
    span = Span(found.span.start + shift, found.span.end + shift)
    return replace(found, span=original_span(span, places))


def as_taken_out(verdict: Verdict) -> Verdict:
    """Return the verdict over a text that was taken out although it could not be repaired."""
    results = tuple(
        replace(one, action=Action.TRIM) if one.outcome is GuardOutcome.ACTED else one
        for one in verdict.results
    )
    return replace(verdict, action=Action.TRIM, results=results, edits=())


# What is taken out and what follows it in the same segment are numbered by `policies.trimming`.


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers that the lists of an answer have reached."""

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


WINDOW_CHARS = 1000
"""Least text before a segment that is read with it; all of it would cost the square of it."""
WIDEST_WINDOW_CHARS = 1600
"""Largest window, where no paragraph begins earlier, so that a list is read with its lead-in."""
_BEGINS_PARAGRAPH = re.compile(r"[ \t]*\n\s*\n[ \t]*(?:#|\*\*|[가-힣])")


class Shown:
    """The part of an answer that a reader has seen.

    Attributes:
        done: End of the part of the original answer that is done with: sent, changed or not, or
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
        """Return the same, from which more may be sent."""
        other = Shown()
        other._numbers, other._edits = self._numbers, self._edits
        other._heard, other._steps = [*self._heard], [*self._steps]
        other._paragraphs = [*self._paragraphs]
        other.text, other.done, other.is_whole = self.text, self.done, self.is_whole
        return other

    def following(self, answer: str, end: int) -> str:
        """Return what stands behind `done`, as it may be sent if nothing is wrong with it."""
        came = answer[self.done : end]
        return apply(came, moved(self._ahead(answer, end), -self.done))

    def extended(self, answer: str, end: int) -> str:
        """Return `text` with what follows it up to a place in the answer as it came."""
        return self.text + self.following(answer, end)

    def may_unlist(self, answer: str, end: int) -> bool:
        """Tell whether the list of references begins of which lines may have to go.

        Those are lines of sources that only sentences cited which were taken out.
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


_PASSES = Verdict(Stage.OUTPUT, Action.PASS)
_MOST_WINDOWS = 4
"""Each is read to the answer's end, so that many of them cost more than the segments do."""


# Each segment of an answer is looked at with what stands before it, in a window. For all segments
# whose windows begin at the same place, one look is made, from there to the end of what is known;
# then, of an answer that is known to its end, one at the whole. If none of them finds anything
# that could be acted on, each segment would have been sent as it came:
#
# - It would have been read from a place from which all that follows is read here, so that what
#   would have been found in it is found here, too, unless what follows takes it back. A guard says
#   so of such a finding (`Finding.provisional`), so a segment waits: it is sent with the next one
#   as it came. A value that was reckoned may rest on what follows it; its segment is looked at
#   alone too.
# - What had been sent before, and whether a second attempt is left, changes what becomes of strong
#   findings and of places to be mended; where there are none, it changes nothing.
#
# Otherwise nothing was decided, and the answer goes through segment by segment.
#
# If something has been sent and the whole answer is now known, the look at the whole comes first
# if the windows begin where it does: what would be found in the rest is found there, too. The
# other looks follow only if anything is.


class Extent(NamedTuple):
    """Extent of one check: start of reading, start of judging, and end."""

    start: int
    judged_from: int
    end: int


@dataclass(slots=True)
class AtOnce:
    """A whole answer checked at once, and the text that is sent if nothing is wrong.

    Attributes:
        shown: What has been sent then.
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
            shown: What has been sent of it so far, as it came; stays as it is.
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

    def next_check(self, chars: int) -> tuple[Kind, Extent]:
        """Return what is to be looked at next, of an answer of so many characters."""
        if self.looks and not self.whole_first:
            return Kind.SEGMENTS, self.looks[-1]
        return Kind.WHOLE, Extent(0, self.shown.done, chars)

    def apply(self, verdict: Verdict) -> bool:
        """Take in what the next look found; tell whether all may still leave at once."""
        if self.whole_first:
            self.whole_first = False
            if _finds_nothing(verdict) and not _reckoned_in(verdict):
                self.looks = []
            return True
        if not _finds_nothing(verdict):
            return False
        if self.looks:
            self._apply_segments(verdict)
        return True

    def _apply_segments(self, verdict: Verdict) -> None:
        """Check at segments alone, too, in which a value was reckoned."""
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
    """Tell whether a verdict is the same whatever was sent before and whatever follows."""
    return verdict.action is Action.PASS and not any(
        found.severity is Severity.STRONG or found.fix is not None
        for report in verdict.reports
        for found in report.findings
    )
