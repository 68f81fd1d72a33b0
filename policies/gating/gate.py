"""The stream gate, which releases an answer segment by segment.

A pure state machine: it takes text, returns the text to inspect next, takes the verdict, and
returns the text to send. Cuts between pieces of text make no difference. A check covers the text
that the reader has seen so far and the next segment; where more is known, all of it is checked at
once if that gives the same result (see `AtOnce`).

While nothing has been sent, a bad segment stops the attempt, and a second one may begin. Afterwards
it is fixed or taken out, together with the text that depends on it. Where neither is possible, the
rest is held to the end and judged with the whole answer: either it can follow the text already
sent, or the answer ends with a closing template.
"""

from collections.abc import Callable
from dataclasses import dataclass

from guards.core.exchange import Exchange
from guards.core.finding import Span
from guards.core.guard import Stage
from guards.text.claims import claims
from guards.text.sentences import Sentence
from policies.decision import Possible
from policies.gating.segments import AnswerBuffer
from policies.gating.shown import AtOnce, Kind, Shown, moved
from policies.schema.policy import Action, Trimming
from policies.trimming import is_complete_without, takes_out
from policies.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Check:
    """Something to be inspected."""

    kind: Kind
    exchange: Exchange
    possible: Possible


@dataclass(frozen=True, slots=True)
class Release:
    """Text that may be sent.

    Attributes:
        end: Up to where the answer as it came is done with.
        text: What leaves in the place of everything up to there that was not done with before.
        as_it_came: That is what stands there.
    """

    end: int
    text: str
    as_it_came: bool


def may_be_taken_back(verdict: Verdict) -> bool:
    """Tell whether words that may still follow could lift what a verdict rests on."""
    waits = [found.provisional for found in verdict.acting]
    return all(waits) if verdict.action is Action.REGENERATE else any(waits)


def ends_with_a_gap(answer: str, verdict: Verdict) -> bool:
    """Tell whether the last sentence is taken out, so that what follows may have to go with it.

    Or be the one that makes the sentence before it stay: another item of its list.
    """
    end = len(answer)
    return verdict.action is Action.TRIM and any(edit.span.end == end for edit in verdict.edits)


def objects_behind(verdict: Verdict, start: int) -> bool:
    """Tell whether a verdict is against what stands behind a place, or against the whole."""
    if verdict.action not in (Action.FIX, Action.TRIM):
        return verdict.action is not Action.PASS
    return any(found.part == "answer" and found.span.end > start for found in verdict.acting)


def taken_with(answer: str, verdict: Verdict, earlier: int, limits: Trimming) -> int | None:
    """Return how many bad claims are taken out in all; None if those are too many.

    Args:
        answer: What was judged.
        verdict: The verdict, within the limits by itself.
        earlier: How many were taken out before.
        limits: How much may go.
    """
    if verdict.action is not Action.TRIM:
        return earlier
    made = claims(answer)
    taken = earlier + sum(_takes_out(verdict, claim) for claim in made)
    is_much = taken > limits.most_claims or taken > limits.most_share * (len(made) + earlier)
    return None if earlier and is_much else taken


def _takes_out(verdict: Verdict, claim: Sentence) -> bool:
    """Tell whether a claim is taken out for what was found in it, not for leaning on another."""
    span = Span(claim.start, claim.end)
    is_bad = any(found.part == "answer" and span.overlaps(found.span) for found in verdict.acting)
    return is_bad and takes_out(verdict.edits, claim)


PATIENCE_CHARS = 400
"""Most characters that may wait together; beyond it, all following text waits."""
_OWN_MARK = "[†"


class Gate:
    """Lets one answer out.

    Args:
        exchange: What was asked, without the answer.
        visible: What a reader sees of a text, at the same places.
        may_regenerate: A second attempt is left.
        may_edit: The answer's text may be changed.
        holds: Nothing leaves before the end.
        may_renumber: Numbers of citations may change once all of them are known.
        may_unlist: Lines of the list of references may go with what was taken out.
        at_once: An answer of which all is known may be looked at as a whole first. What of it then
            counts as having left may be more than would have been sent in segments.
        trimming: How much may be taken out.

    Attributes:
        verdict: Over `base`, once the whole was judged; over the segment that stopped the attempt;
            None as long as there is none.
        claims_taken: How many bad claims were taken out.
        stopped: A bad segment stopped the attempt; nothing more of it is looked at.
        too_long: The answer is longer than what is judged; nothing of it is looked at any more.
    """

    too_long = False

    def __init__(
        self,
        exchange: Exchange,
        visible: Callable[[str], str] = str,
        *,
        may_regenerate: bool,
        may_edit: bool,
        holds: bool,
        may_renumber: bool,
        may_unlist: bool = True,
        at_once: bool = True,
        trimming: Trimming,
    ) -> None:
        self._exchange = exchange
        self._visible = visible
        self._regenerates = may_regenerate
        self._renumbers = may_renumber
        self._unlists = may_unlist
        self._looks_at_once = at_once
        self._arrived = AnswerBuffer()
        self._shown = Shown()
        self._turn_end: int | None = None
        self._closed = False
        self._holds = holds
        self._may_edit = may_edit
        self._limits = trimming
        self._has_paused = False
        self._tried_until = 0
        self._at_once: AtOnce | None = None
        self._waiting: list[int] = []
        self.claims_taken = 0
        self.verdict: Verdict | None = None
        self.stopped = False

    @property
    def has_news(self) -> bool:
        """True if there may be something to inspect; `next_check` decides."""
        has_segment = bool(self._arrived.ends) and not self._holds
        return has_segment or self._turn_end is not None or self._closed

    @property
    def read_chars(self) -> int:
        """Number of characters received so far."""
        return self._arrived.chars

    @property
    def text(self) -> str:
        """The answer as it came, as far as it counts."""
        return self._arrived.text

    @property
    def shown(self) -> str:
        """The text sent so far."""
        return self._shown.text

    @property
    def done(self) -> int:
        """Up to where `text` is done with: it has been sent, changed or not, or was taken out."""
        return self._shown.done

    @property
    def base(self) -> str:
        """The text that `verdict` is about: everything sent, and what follows it."""
        return self._shown.extended(self.text, len(self.text))

    def feed(self, piece: str) -> None:
        """Take in more of the answer."""
        self._arrived.feed(piece, self.done)

    def give_up(self) -> None:
        """The answer is too long: take the rest in without looking at it."""
        if not self.too_long:
            self.too_long = True
            self._arrived.give_up()

    def pause(self) -> None:
        """Calls of tools follow: what was said until now is all that was said before them."""
        if self.done < len(self.text):
            self._turn_end = len(self.text)
        else:
            self._has_paused = True

    def close(self, *, in_tool_turn: bool = False, cut: bool = False) -> None:
        """The answer has ended.

        Args:
            in_tool_turn: It calls tools, so that it is no answer as a whole.
            cut: The model was not allowed to write more, so that its last sentence may be torn.
        """
        if self.too_long:
            return
        if in_tool_turn:
            self.pause()
            return
        self._arrived.close(self.done, cut=cut)
        self._closed = True
        self._shown.is_whole = self._unlists

    def break_off(self) -> None:
        """Nothing more is known of the answer: where it ends by now, a segment does."""
        if not self.too_long:
            self._arrived.break_off(self.done)

    def next_check(self) -> Check | None:
        """Return what has to be inspected next; None if there is nothing for now."""
        if self.stopped or self.verdict is not None:
            return None
        if self._arrived.ends and not self._holds:
            if self._at_once is None and self._arrived.ends[0] > self._tried_until:
                self._at_once = self._known_at_once()
            if self._at_once is not None:
                return self._check_known(self._at_once)
            end = self._arrived.ends[0]
            self._holds = self._may_renumber(end) or self._may_unlist(end)
            if not self._holds:
                return self._check_of_kind(Kind.SEGMENT, end)
        if self._turn_end is not None:
            # What came before it is looked at as if nothing were known of the calls.
            self._has_paused = True
            return self._check_of_kind(Kind.TURN, self._turn_end)
        if self._closed and self._visible(self.base).strip():
            return self._check_of_kind(Kind.WHOLE, len(self.text))
        return None

    def apply(self, check: Check, verdict: Verdict) -> Release | None:
        """Take in the verdict over what had to be inspected; return what may be sent now."""
        if self._at_once is not None:
            return self._apply_known(check, verdict, self._at_once)
        match check.kind:
            case Kind.TURN:
                return self._apply_turn(check, verdict)
            case Kind.WHOLE:
                return self._apply_whole(check, verdict)
            case _:
                return self._apply_segment(check, verdict)

    def recorded(self, verdict: Verdict | None) -> Verdict | None:
        """Return a verdict over `base` with those over segments, placed in the text as it came.

        Args:
            verdict: None if the whole was not judged; those over segments count all the same.
        """
        return self._shown.recorded(self.text, verdict)

    def _may_renumber(self, end: int) -> bool:
        """Tell whether an answer will end with a list by which its numbers may still change."""
        return self._renumbers and self.text.find(_OWN_MARK, self.done, end) >= 0

    def _may_unlist(self, end: int) -> bool:
        return self._unlists and self._shown.may_unlist(self.text, end)

    def _known_at_once(self) -> AtOnce | None:
        """Return how all is looked at that is known; None if it goes through by segments."""
        if not self._looks_at_once or self._has_paused or self._waiting:
            return None
        ends = self._arrived.ends
        is_all = self._closed and not self.done
        # What is read first leaves before anything else is looked at.
        if not is_all and not (self.shown and (self._closed or len(ends) > 1)):
            return None
        self._tried_until = last = ends[-1]
        if self._may_renumber(last) or self.shown != self.text[: self.done]:
            return None
        if not self._visible(self.text).strip():
            return None
        known = self.text if is_all else self.text[:last]
        return AtOnce.of(known, ends, self._shown, is_rest=self._closed and not is_all)

    def _check_known(self, at_once: AtOnce) -> Check:
        kind, extent = at_once.next_check(len(self.text))
        text = self._visible(self.text[: extent.end])[extent.start :]
        return self._check(kind, text, extent.start, left_chars=extent.judged_from)

    def _apply_known(self, check: Check, verdict: Verdict, at_once: AtOnce) -> Release | None:
        if not at_once.apply(verdict):
            self._at_once = None
            return None
        if at_once.looks or (check.kind is Kind.SEGMENTS and not self.done):
            return None
        leaving = at_once.shown.text[len(self.shown) :]
        self._arrived.drop_ends(at_once.shown.done)
        self._at_once, self._shown = None, at_once.shown
        if check.kind is Kind.WHOLE:
            self.verdict = verdict
        return Release(self.done, leaving, as_it_came=True)

    def _check_of_kind(self, kind: Kind, end: int) -> Check:
        start = 0 if kind is Kind.WHOLE else self._shown.window()
        text = self._visible(self._shown.extended(self.text, end))[start:]
        return self._check(kind, text, start, left_chars=len(self.shown))

    def _check(self, kind: Kind, text: str, start: int, *, left_chars: int) -> Check:
        possible = Possible(
            # Neither words nor calls of tools that have been sent can be unsaid.
            regenerate=self._regenerates and not (left_chars or self._has_paused),
            edit=self._may_edit,
            taken=self.claims_taken,
            edit_from=left_chars - start,
        )
        return Check(kind, self._exchange.answered(text), possible)

    def _apply_segment(self, check: Check, verdict: Verdict) -> Release | None:
        end = self._arrived.ends.popleft()
        if may_be_taken_back(verdict) or ends_with_a_gap(check.exchange.answer or "", verdict):
            self._waiting.append(end)
            return None  # the next segment is judged together with this one
        if verdict.action is Action.REGENERATE:
            self.stopped = True
            self._arrived.cut(end)
            self.verdict = verdict
            return None
        released = self._released(check, verdict, end)
        # What cannot leave alone may with what follows it: of more claims, one is a smaller share.
        # What still cannot then is decided at the end, when all that was said is known.
        self._holds = released is None and end - self.done > PATIENCE_CHARS
        return released

    def _apply_turn(self, check: Check, verdict: Verdict) -> Release | None:
        end = self.done if self._turn_end is None else self._turn_end
        self._turn_end = None
        self._arrived.drop_ends(end)
        released = self._released(check, verdict, end)
        if released is None:
            start = len(self.shown) - check.possible.edit_from
            self._shown.take_out(self.text, end, verdict, start)
            self._waiting = []
            released = Release(end, "", as_it_came=False)
        return released

    def _apply_whole(self, check: Check, verdict: Verdict) -> Release | None:
        torn = self._arrived.torn_from
        if torn is not None and objects_behind(verdict, len(self._shown.extended(self.text, torn))):
            # Half a sentence says nothing yet that could be wrong: the answer goes without it.
            self._arrived.cut(torn)
        elif self._taken_with(check, verdict) is None:
            self._may_edit = False
        else:
            self.verdict = verdict
        return None

    def _released(self, check: Check, verdict: Verdict, end: int) -> Release | None:
        """Let the text up to a place leave as the verdict says; None if that cannot be."""
        if verdict.action not in (Action.PASS, Action.FIX, Action.TRIM):
            return None
        taken = self._taken_with(check, verdict)
        if taken is None:
            return None
        came = self.text[self.done : end]
        start = len(self.shown) - check.possible.edit_from
        if start and verdict.action is Action.TRIM:
            said = self._visible(self._shown.extended(self.text, end))
            if not is_complete_without(self._exchange.question, said, moved(verdict.edits, start)):
                return None
        self.claims_taken = taken
        leaving = self._shown.leave(self.text, end, verdict, start, self._waiting)
        self._waiting = []
        return Release(end, leaving, as_it_came=leaving == came)

    def _taken_with(self, check: Check, verdict: Verdict) -> int | None:
        """Return how many bad claims are taken out in all with a verdict; None if too many."""
        return taken_with(check.exchange.answer or "", verdict, self.claims_taken, self._limits)


_PASSES = Verdict(Stage.OUTPUT, Action.PASS)


class OpenGate(Gate):
    """Lets one answer out as it comes."""

    def __init__(self, visible: Callable[[str], str] = str) -> None:
        self._visible = visible
        self._pieces: list[str] = []
        self._chars = 0
        self.claims_taken = 0
        self.verdict = None
        self.stopped = False

    @property
    def has_news(self) -> bool:
        """Always false: there is nothing to inspect."""
        return False

    @property
    def read_chars(self) -> int:
        """Number of characters received so far."""
        return self._chars

    @property
    def text(self) -> str:
        """The answer as it came."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def shown(self) -> str:
        """The text sent so far: all of it."""
        return self.text

    @property
    def done(self) -> int:
        """Up to where it is done with: its end."""
        return self._chars

    @property
    def base(self) -> str:
        """The text that `verdict` is about: all of it."""
        return self.text

    def feed(self, piece: str) -> None:
        """Take in more of the answer."""
        self._pieces.append(piece)
        self._chars += len(piece)

    def pause(self) -> None:
        """Calls of tools follow, which makes no difference here."""

    def close(self, *, in_tool_turn: bool = False, cut: bool = False) -> None:
        """The answer has ended; what is no answer gets no verdict here either."""
        if not in_tool_turn and self._visible(self.text).strip():
            self.verdict = _PASSES

    def break_off(self) -> None:
        """Nothing more is known of the answer, which makes no difference here."""

    def next_check(self) -> Check | None:
        """Return what has to be inspected next: nothing."""
        return None

    def apply(self, check: Check, verdict: Verdict) -> Release | None:
        """Take in a verdict that nobody asked for."""
        return None

    def recorded(self, verdict: Verdict | None) -> Verdict | None:
        """Return a verdict as it is: there are none over segments beside it."""
        return verdict
