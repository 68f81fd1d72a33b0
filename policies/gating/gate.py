"""The gate that an answer leaves through, segment by segment.

A pure state machine: it is fed text, says what has to be inspected next, hears the verdict, and
says what may leave. Where the pieces of the text are cut makes no difference. What is inspected is
always what the reader has seen so far with the next segment behind it.

While nothing has left, a bad segment stops the attempt, and a second one may begin. Afterwards it
is mended or taken out. Where neither is possible, the rest is held to the end and judged there
with the whole answer: either it can follow what has left, or the answer ends with a closing word.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from guards.core.exchange import Exchange
from guards.core.finding import Span
from guards.text.claims import claims
from policies.decision import Possible
from policies.edits import Edit, apply
from policies.gating.heard import as_taken_out, placed, put_together
from policies.gating.segments import Segmenter, is_complete
from policies.policy import Action, Trimming
from policies.verdict import Verdict

WINDOW_CHARS = 800
"""Least text before a segment that is read with it; all of it would cost the square of it."""

CUT = "answer.cut"
"""Reason of an answer that lost a sentence which the model could not finish."""


_OWN_MARK = "[†"


class Kind(StrEnum):
    """What has to be inspected."""

    SEGMENT = "segment"
    """An answer that goes on: what its last segment shows."""
    TURN = "turn"
    """What was said beside calls of tools."""
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Look:
    """Something to be inspected.

    Attributes:
        kind: How much of the answer it is.
        exchange: What to inspect.
        possible: What can still be done about it.
    """

    kind: Kind
    exchange: Exchange
    possible: Possible


@dataclass(frozen=True, slots=True)
class Release:
    """What may leave.

    Attributes:
        end: Up to where the answer as it came is done with.
        text: What leaves in the place of everything up to there that was not done with before.
        as_it_came: That is what stands there.
    """

    end: int
    text: str
    as_it_came: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRules:
    """How a gate treats one answer.

    Attributes:
        may_regenerate: A second attempt is left.
        may_edit: Its text may be changed.
        holds: Nothing leaves before the end.
        may_renumber: Numbers of citations may change once all of them are known.
        trimming: How much may be taken out.
    """

    may_regenerate: bool
    may_edit: bool
    holds: bool
    may_renumber: bool
    trimming: Trimming


class Gate:
    """Lets one answer out.

    Args:
        exchange: What was asked, without the answer.
        rules: How the answer is treated.
        visible: What a reader sees of a text, at the same places.

    Attributes:
        shown: What has left of it.
        done: Up to where `text` is done with: it has left, changed or not, or was taken out.
        verdict: Over `rest` behind `shown`, once the whole was judged; over the segment that
            stopped the attempt; None as long as there is none.
        stopped: A bad segment stopped the attempt; nothing more of it is looked at.
    """

    def __init__(
        self, exchange: Exchange, rules: GateRules, visible: Callable[[str], str] = str
    ) -> None:
        self._exchange = exchange
        self._rules = rules
        self._visible = visible
        self._segmenter = Segmenter()
        self._cut_at: int | None = None
        self._ends: deque[int] = deque()
        self._turn_end: int | None = None
        self._holds = rules.holds
        self._calls_tools = False
        self._closed = False
        self._unfinished: int | None = None
        self._taken_claims = 0
        self._steps = [0]
        self._edits: list[Edit] = []
        self._heard: list[Verdict] = []
        self.shown = ""
        self.done = 0
        self.verdict: Verdict | None = None
        self.stopped = False

    def feed(self, piece: str) -> None:
        """Take in more of the answer."""
        self._ends += self._segmenter.feed(piece)

    @property
    def text(self) -> str:
        """The answer as it came, as far as it counts."""
        return self._segmenter.text[: self._cut_at]

    def pause(self) -> None:
        """Calls of tools follow: what was said until now is all that was said before them."""
        self._turn_end = len(self.text)
        self._calls_tools = True

    def close(self, *, in_tool_turn: bool = False, cut: bool = False) -> None:
        """The answer has ended.

        Args:
            in_tool_turn: It calls tools, so that it is no answer as a whole.
            cut: The model was not allowed to write more, so that its last sentence may be torn.
        """
        self._ends += (end for end in self._segmenter.close() if end < len(self.text))
        self._closed = not in_tool_turn
        if in_tool_turn:
            self.pause()
        last = self._ends[-1] if self._ends else self.done
        if cut and last and not is_complete(self.text[last:]):
            self._unfinished = last

    @property
    def rest(self) -> str:
        """What has not left and is not done with."""
        return self.text[self.done :]

    @property
    def base(self) -> str:
        """What `verdict` is about: all that has left, and the rest."""
        return self.shown + self.rest

    def look(self) -> Look | None:
        """Return what has to be inspected next; None if there is nothing for now."""
        if self.stopped or self.verdict is not None:
            return None
        if self._ends and self._rules.may_renumber and _OWN_MARK in self.text[: self._ends[0]]:
            # It will end with a list of its sources, by which its numbers may still change.
            self._holds = True
        if self._ends and not self._holds:
            return self._look_at(Kind.SEGMENT, self._ends[0])
        if self._turn_end is not None:
            return self._look_at(Kind.TURN, self._turn_end)
        if self._closed and self._visible(self.base).strip():
            return self._look_at(Kind.WHOLE, len(self.text))
        return None

    def hear(self, look: Look, verdict: Verdict) -> Release | None:
        """Take in the verdict over what had to be inspected; return what may leave now."""
        match look.kind:
            case Kind.SEGMENT:
                return self._hear_segment(look, verdict)
            case Kind.TURN:
                return self._hear_turn(look, verdict)
            case Kind.WHOLE:
                return self._hear_whole(verdict)

    def recorded(self, verdict: Verdict | None) -> Verdict | None:
        """Return a verdict over `base` with those over segments, placed in the text as it came.

        Args:
            verdict: None if the whole was not judged; those over segments count all the same.
        """
        if verdict is None:
            return put_together(self._heard[:-1], self._heard[-1]) if self._heard else None
        return put_together(self._heard, placed(verdict, self._edits))

    def _look_at(self, kind: Kind, end: int) -> Look:
        start = 0 if kind is Kind.WHOLE else self._window()
        text = self._visible(self.shown + self.text[self.done : end])[start:]
        return Look(
            kind,
            self._exchange.answered(text),
            Possible(
                # Neither words nor calls of tools that have left can be unsaid.
                regenerate=not (self.shown or self._calls_tools) and self._rules.may_regenerate,
                edit=self._rules.may_edit,
                edit_from=len(self.shown) - start,
            ),
        )

    def _window(self) -> int:
        """Return where in what was shown reading begins for the next segment."""
        latest = len(self.shown) - WINDOW_CHARS
        return max((step for step in self._steps if step <= latest), default=0)

    def _hear_segment(self, look: Look, verdict: Verdict) -> Release | None:
        end = self._ends.popleft()
        if _may_be_taken_back(verdict):
            return None  # the next segment is judged together with this one
        if verdict.action is Action.REGENERATE:
            self.stopped = True
            self._cut_at = end
            self.verdict = verdict
            return None
        released = self._released(look, verdict, end)
        # What cannot be decided now can be at the end, when all that was said is known.
        self._holds = released is None
        return released

    def _hear_turn(self, look: Look, verdict: Verdict) -> Release | None:
        end = len(self.text) if self._turn_end is None else self._turn_end
        self._turn_end = None
        while self._ends and self._ends[0] <= end:
            self._ends.popleft()
        if end == self.done:
            return None
        released = self._released(look, verdict, end)
        if released is None:
            return self._take_out(as_taken_out(verdict), end)
        return released

    def _hear_whole(self, verdict: Verdict) -> Release | None:
        if verdict.action is not Action.PASS and self._unfinished is not None:
            # Half a sentence says nothing yet that could be wrong: the answer goes without it.
            self._cut_at, self._unfinished = self._unfinished, None
            return None
        self.verdict = verdict
        return None

    def _released(self, look: Look, verdict: Verdict, end: int) -> Release | None:
        """Let the text up to a place leave as the verdict says; None if that cannot be."""
        if verdict.action not in (Action.PASS, Action.FIX, Action.TRIM):
            return None
        start = len(self.shown) - look.possible.edit_from
        came = self.text[self.done : end]
        taken = self._claims_taken(look, verdict)
        if taken is None:
            return None
        text = apply(self.shown[start:] + came, verdict.edits)[look.possible.edit_from :]
        if verdict.action is not Action.PASS:
            self._note(verdict, start)
        self._taken_claims += taken
        self._step(end, text)
        return Release(end, text, as_it_came=text == came)

    def _claims_taken(self, look: Look, verdict: Verdict) -> int | None:
        """Return how many claims a verdict takes out; None if those are too many in all."""
        if verdict.action is not Action.TRIM:
            return 0
        judged = look.exchange.answer or ""
        taken = len(claims(judged)) - len(claims(apply(judged, verdict.edits)))
        limits = self._rules.trimming
        in_all = self._taken_claims + taken
        said = len(claims(judged)) + self._taken_claims
        is_much = in_all > limits.most_claims or in_all > limits.most_share * said
        return None if is_much else taken

    def _take_out(self, verdict: Verdict, end: int) -> Release:
        edit = Edit(Span(self.done, end))
        self._heard.append(placed(verdict, self._edits))
        self._edits.append(edit)
        self._step(end, "")
        return Release(end, "", as_it_came=False)

    def _note(self, verdict: Verdict, start: int) -> None:
        """Keep what a segment led to, at its places in the text as it came."""
        self._heard.append(placed(verdict, self._edits, start))
        moved = self.done - len(self.shown) + start
        self._edits += (
            Edit(Span(edit.span.start + moved, edit.span.end + moved), edit.text)
            for edit in verdict.edits
        )

    def _step(self, end: int, text: str) -> None:
        self.shown += text
        self.done = end
        self._steps.append(len(self.shown))


def _may_be_taken_back(verdict: Verdict) -> bool:
    """Tell whether words that may still follow could lift what a verdict rests on."""
    waits = [found.provisional for found in verdict.acting]
    return all(waits) if verdict.action is Action.REGENERATE else any(waits)
