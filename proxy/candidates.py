"""Candidates: answers with their verdicts, their gates, and which attempt is sent."""

import dataclasses
from dataclasses import dataclass
from functools import partial

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from guards.text.sentences import split_sentences
from policies.decision import preferred
from policies.edits import apply
from policies.gating.gate import Check, Gate, OpenGate
from policies.gating.segments import CUT
from policies.gating.shown import Kind
from policies.schema.policy import Action, Policy
from policies.schema.sections import ReferenceList, Renumber, StreamMode
from policies.templates import Reply as TemplateReply
from policies.verdict import Verdict
from proxy.openai_api.reply import Answer, ChoiceOutcome, Kept, Replaced, Reply, visible
from proxy.tenants import Judging

TOOL_CALLS = "tool_calls"
"""Reason why a turn that calls tools is not judged as an answer."""
SOURCES = "sources"
"""In the place of a template's name: the reply is a sentence of the sources."""
_MOST_CORRECTED = 3
_LONGEST_CORRECTED_CHARS = 200


@dataclass(frozen=True)
class Candidate:
    """One choice of a reply and what was decided about it.

    Attributes:
        exchange: What was judged, with what a reader sees of the answer.
        gate: What the answer went through.
        verdict: None for what is no answer to judge: a turn that calls tools, or an empty one.
        unjudged: Why there is no verdict, such as ``tool_calls``; empty if there is one.
    """

    reply: Reply
    answer: Answer
    exchange: Exchange
    gate: Gate
    may_edit: bool
    verdict: Verdict | None
    unjudged: str = ""

    def decided(self, verdict: Verdict) -> "Candidate":
        """Return the same with another verdict."""
        return dataclasses.replace(self, verdict=verdict)

    @property
    def wants_second(self) -> bool:
        """True if a second attempt was asked for."""
        return self.verdict is not None and self.verdict.action is Action.REGENERATE

    @property
    def is_partial(self) -> bool:
        """True if the attempt was stopped, so that the rest of the answer is unknown."""
        return self.gate.stopped

    @property
    def has_begun(self) -> bool:
        """True if some of it has been sent."""
        return bool(self.gate.shown)

    @property
    def text(self) -> str:
        """The judged part of the answer, as it came."""
        return self.gate.text if self.is_partial else self.answer.content

    @property
    def recorded(self) -> Verdict | None:
        """The verdict with what was decided about segments, at its places in `text`."""
        return self.gate.recorded(self.verdict)


@dataclass(frozen=True)
class Selection:
    """The final outcome of one choice: the attempt that goes out, or what replaces it.

    Attributes:
        action: What was done: REGENERATE if the second attempt goes out.
        verdict: Over the answer that was settled on; None as in `Candidate`.
        reasons: Codes that led to the action.
        attempt: Number of the attempt that was settled on, from 1; 0 when the model was not asked.
        template: Name of the template that stands in the place of the answer or ends it; `SOURCES`
            for a sentence of theirs; empty if none does.
        closing: What ends an answer that had begun to leave; empty if nothing does.
    """

    outcome: ChoiceOutcome
    action: Action
    verdict: Verdict | None
    reasons: tuple[str, ...]
    attempt: int
    template: str = ""
    closing: str = ""


def select(tenant: Judging, index: int, first: Candidate, second: Candidate | None) -> Selection:
    """Settle one choice: the better of its attempts if that may go out, else a template."""
    last_word = _last_word(tenant, first)
    chosen, verdict, attempt = first, last_word, 1
    if second is not None and _is_better(second, first, last_word):
        chosen, verdict, attempt = second, second.verdict, 2
    if verdict is not None and (chosen.is_partial or verdict.action is Action.REPLACE):
        if chosen.has_begun:
            return _closed(tenant, chosen, index, verdict, attempt)
        return replace_choice(tenant, chosen.exchange, index, verdict, attempt)
    return _selection(chosen, index, verdict, attempt, first)


def replace_choice(
    tenant: Judging, exchange: Exchange, index: int, verdict: Verdict, attempt: int
) -> Selection:
    """Put the sources' own answer or the policy's template in the place of a choice."""
    direct = tenant.inspector.direct_answer(exchange) if verdict.stage is Stage.OUTPUT else None
    reply = TemplateReply(SOURCES, direct) if direct else _template(tenant, exchange, verdict)
    outcome = Replaced(index, reply.text)
    return Selection(
        outcome, Action.REPLACE, verdict, verdict.reasons, attempt, template=reply.template
    )


def _selection(
    chosen: Candidate, index: int, verdict: Verdict | None, attempt: int, first: Candidate
) -> Selection:
    """Let an answer out, with what its verdicts change in it."""
    base = chosen.gate.base
    content = apply(base, verdict.edits) if verdict else base
    said = chosen.gate.recorded(verdict)
    if content != chosen.answer.content:
        outcome = Kept(index, chosen.reply, chosen.answer, content)
        if said is None or said.action is Action.PASS:
            return Selection(outcome, Action.FIX, said, (CUT,), attempt)
        return Selection(outcome, said.action, said, said.reasons, attempt)
    kept = Kept(index, chosen.reply, chosen.answer)
    if attempt == 2 and first.verdict is not None:
        return Selection(kept, Action.REGENERATE, said, first.verdict.reasons, attempt)
    return Selection(kept, Action.PASS, said, (), attempt)


def _closed(
    tenant: Judging, chosen: Candidate, index: int, verdict: Verdict, attempt: int
) -> Selection:
    """End an answer that has begun to leave and must not go on, with a word that says so."""
    shown = chosen.gate.shown
    templates = tenant.loaded.templates
    written = templates.closing(_wrong(shown, verdict), verdict.reasons, chosen.exchange)
    gap = "\n" * (2 - (len(shown) - len(shown.rstrip("\n"))))
    closing = f"{gap}{written.text}"
    finish_reason = tenant.policy.replacement.finish_reason
    outcome = Kept(index, chosen.reply, chosen.answer, f"{shown}{closing}", finish_reason)
    said = chosen.gate.recorded(verdict)
    # What ended it comes first; what took sentences out before that has led here too.
    reasons = tuple(dict.fromkeys((*verdict.reasons, *(said.reasons if said else ()))))
    return Selection(
        outcome, Action.REPLACE, said, reasons, attempt, written.template, closing=closing
    )


def _wrong(shown: str, verdict: Verdict) -> list[str]:
    """Return the sentences that have been sent and that a verdict objects to."""
    places = [found.span for found in verdict.acting if found.part == "answer"]
    return [
        sentence.text[:_LONGEST_CORRECTED_CHARS]
        for sentence in split_sentences(shown)
        if any(place.start < sentence.end and sentence.start < place.end for place in places)
    ][:_MOST_CORRECTED]


def _template(tenant: Judging, exchange: Exchange, verdict: Verdict) -> TemplateReply:
    """Return the reply that the verdict's leading guard calls for."""
    leading = verdict.leading
    guard = leading.guard if leading else ""
    codes = leading.codes if leading else ()
    return tenant.loaded.templates.reply(guard, codes, exchange)


def _last_word(tenant: Judging, judged: Candidate) -> Verdict | None:
    """Return the verdict now that no second attempt is left; nothing more is known of a part."""
    if judged.verdict is None or judged.is_partial:
        return judged.verdict
    return tenant.inspector.settled(judged.exchange, judged.verdict, may_edit=judged.may_edit)


def _is_better(second: Candidate, first: Candidate, last_word: Verdict | None) -> bool:
    """Tell whether the second attempt is the better one.

    A turn that calls tools is; an empty answer, or one of which nothing could be judged, never.
    """
    if second.verdict is None:
        return second.unjudged == TOOL_CALLS
    if last_word is None or first.is_partial or second.has_begun:
        return True
    return preferred(last_word, second.verdict) == 1


JSON_VALUES = "json_values"
"""Numbers and truth values of a JSON answer, of which no guard knows what they count."""
EMPTY_ANSWER = "empty_answer"
ANSWER_TOO_LONG = "answer_too_long"
"""It is longer than what is judged, and guards only watch."""
LENGTH = "length"
"""Reason of an answer that ended because of its length limit."""


@dataclass(frozen=True, slots=True)
class Gatekeeper:
    """Opens and closes the gates of a request's answers."""

    policy: Policy
    structured: bool
    offers_tools: bool
    looks: bool = True
    acts: bool = True

    def open(self, exchange: Exchange, *, may_regenerate: bool) -> Gate:
        """Return a gate for one answer."""
        policy = self.policy
        seen = partial(visible, structured=self.structured)
        if not self.looks:
            return OpenGate(seen)
        return Gate(
            exchange,
            seen,
            may_regenerate=may_regenerate,
            may_edit=self._may_edit,
            holds=self.structured or policy.stream.mode is not StreamMode.GATE,
            may_renumber=policy.citations.renumber is not Renumber.NEVER,
            may_unlist=policy.citations.references is not ReferenceList.NEVER,
            # What a judge says may have the answer written again, unless some of it has been sent.
            at_once=policy.judge is None,
            trimming=policy.trimming,
        )

    def is_tool_turn(self, *, calls_tool: bool) -> bool:
        """Tell whether an answer is a turn that calls tools.

        Calls of tools that the request did not offer are nobody's turn: what is said beside them is
        the answer.
        """
        return calls_tool and self.offers_tools

    def take_whole(self, gate: Gate, answer: Answer) -> None:
        """Feed a gate an answer of which all is known."""
        gate.feed(answer.content)
        self.close(gate, answer.finish_reason, calls_tool=answer.tool_turn)

    def close(self, gate: Gate, finish_reason: str | None, *, calls_tool: bool) -> None:
        """Tell a gate that its answer has ended."""
        in_tool_turn = self.is_tool_turn(calls_tool=calls_tool)
        gate.close(in_tool_turn=in_tool_turn, cut=finish_reason == LENGTH)

    def judged(self, exchange: Exchange, reply: Reply, answer: Answer, gate: Gate) -> Candidate:
        """Return what was decided about an answer that went through its gate."""
        return Candidate(
            reply=reply,
            answer=answer,
            exchange=exchange.answered(visible(gate.base, structured=self.structured)),
            gate=gate,
            may_edit=self._may_edit,
            verdict=gate.verdict,
            unjudged="" if gate.verdict else self._unjudged(answer, gate),
        )

    @property
    def lets_all_out(self) -> bool:
        """True if answers are sent as they come, whatever is found in them."""
        return self.policy.only_watches or not self.looks

    @property
    def _may_edit(self) -> bool:
        """True if an answer's text may be changed.

        A piece taken out of a JSON text could leave no JSON, and what is only watched has left
        already.
        """
        return not (self.structured or self.policy.only_watches)

    def _unjudged(self, answer: Answer, gate: Gate) -> str:
        """Return why an answer as a whole is none to judge."""
        if gate.too_long:
            return ANSWER_TOO_LONG
        if self.is_tool_turn(calls_tool=answer.tool_turn):
            return TOOL_CALLS
        return JSON_VALUES if answer.content.strip() else EMPTY_ANSWER


def inspected(judging: Judging, check: Check) -> Verdict:
    """Return the verdict over what a gate wants inspected."""
    inspector = judging.inspector
    if check.kind is not Kind.WHOLE:
        inspector = inspector.of_segments
    return inspector.inspect(check.exchange, Stage.OUTPUT, check.possible)
