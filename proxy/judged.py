"""Answers with their verdicts, and which of two attempts at a choice goes out."""

import dataclasses
from dataclasses import dataclass

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from guards.text.sentences import split_sentences
from policies.decision import preferred
from policies.edits import apply
from policies.gating.arrived import CUT
from policies.gating.gate import Gate
from policies.schema.guard_rule import Action
from policies.templates import Reply
from policies.verdict import Verdict
from proxy.openai_api.answer import Answer
from proxy.openai_api.reply import ChoiceOutcome, Edited, Kept, Replaced
from proxy.openai_api.reply import Reply as ModelReply
from proxy.tenants import Judging

TOOL_CALLS = "tool_calls"
"""Why a turn that calls tools is not judged as an answer."""
SOURCES = "sources"
"""In the place of a template's name: the reply is a sentence of the sources."""
_MOST_CORRECTED = 3
_LONGEST_CORRECTED_CHARS = 200


@dataclass(frozen=True)
class Judged:
    """One choice of a reply and what was decided about it.

    Attributes:
        reply: The reply that holds it.
        answer: The answer.
        exchange: What was judged, with what a reader sees of the answer.
        gate: What the answer went through.
        may_edit: The answer's text may be changed.
        verdict: None for what is no answer to judge: a turn that calls tools, or an empty one.
        unjudged: Why there is no verdict: ``tool_calls`` or ``empty_answer``; empty otherwise.
    """

    reply: ModelReply
    answer: Answer
    exchange: Exchange
    gate: Gate
    may_edit: bool
    verdict: Verdict | None
    unjudged: str = ""

    def decided(self, verdict: Verdict) -> "Judged":
        """Return the same with another verdict."""
        return dataclasses.replace(self, verdict=verdict)

    @property
    def wants_second(self) -> bool:
        """Whether a second attempt was asked for."""
        return self.verdict is not None and self.verdict.action is Action.REGENERATE

    @property
    def is_partial(self) -> bool:
        """Whether the attempt was stopped, so that nobody knows the rest of the answer."""
        return self.gate.stopped

    @property
    def has_begun(self) -> bool:
        """Whether some of it has left."""
        return bool(self.gate.shown)

    @property
    def text(self) -> str:
        """What was judged of the answer, as it came."""
        return self.gate.text if self.is_partial else self.answer.content

    @property
    def recorded(self) -> Verdict | None:
        """The verdict with what was decided about segments, at its places in `text`."""
        return self.gate.recorded(self.verdict)


@dataclass(frozen=True)
class Settled:
    """What becomes of one choice, for good.

    Attributes:
        outcome: What the client gets.
        action: What was done: REGENERATE if the second attempt goes out.
        verdict: Over the answer that was settled on; None as in `Judged`.
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


def settle(tenant: Judging, index: int, first: Judged, second: Judged | None) -> Settled:
    """Settle one choice: the better of its attempts if that may go out, else a template.

    Args:
        tenant: Whose policy decides.
        index: Number of the choice that the client sees.
        first: The first attempt.
        second: The second, if there was one.
    """
    last_word = _last_word(tenant, first)
    chosen, verdict, attempt = first, last_word, 1
    if second is not None and _is_better(second, first, last_word):
        chosen, verdict, attempt = second, second.verdict, 2
    if verdict is not None and (chosen.is_partial or verdict.action is Action.REPLACE):
        if chosen.has_begun:
            return _closed(tenant, chosen, index, verdict, attempt)
        return replace(tenant, chosen.exchange, index, verdict, attempt)
    return _kept(chosen, index, verdict, attempt, first)


def replace(
    tenant: Judging, exchange: Exchange, index: int, verdict: Verdict, attempt: int
) -> Settled:
    """Put the sources' own answer or the policy's template in the place of a choice."""
    direct = tenant.inspector.direct_answer(exchange) if verdict.stage is Stage.OUTPUT else None
    reply = Reply(SOURCES, direct) if direct else _template(tenant, exchange, verdict)
    outcome = Replaced(index, reply.text)
    return Settled(
        outcome, Action.REPLACE, verdict, verdict.reasons, attempt, template=reply.template
    )


def _kept(
    chosen: Judged, index: int, verdict: Verdict | None, attempt: int, first: Judged
) -> Settled:
    """Let an answer out, with what its verdicts change in it."""
    base = chosen.gate.base
    content = apply(base, verdict.edits) if verdict else base
    said = chosen.gate.recorded(verdict)
    if content != chosen.answer.content:
        outcome: ChoiceOutcome = Edited(index, chosen.reply, chosen.answer, content)
        if said is None or said.action is Action.PASS:
            return Settled(outcome, Action.FIX, said, (CUT,), attempt)
        return Settled(outcome, said.action, said, said.reasons, attempt)
    kept = Kept(index, chosen.reply, chosen.answer)
    if attempt == 2 and first.verdict is not None:
        return Settled(kept, Action.REGENERATE, said, first.verdict.reasons, attempt)
    return Settled(kept, Action.PASS, said, (), attempt)


def _closed(tenant: Judging, chosen: Judged, index: int, verdict: Verdict, attempt: int) -> Settled:
    """End an answer that has begun to leave and must not go on, with a word that says so."""
    shown = chosen.gate.shown
    templates = tenant.loaded.templates
    written = templates.closing(_wrong(shown, verdict), verdict.reasons, chosen.exchange)
    gap = "\n" * (2 - (len(shown) - len(shown.rstrip("\n"))))
    closing = f"{gap}{written.text}"
    finish_reason = tenant.policy.replacement.finish_reason
    outcome = Edited(index, chosen.reply, chosen.answer, f"{shown}{closing}", finish_reason)
    said = chosen.gate.recorded(verdict)
    # What ended it comes first; what took sentences out before that has led here too.
    reasons = tuple(dict.fromkeys((*verdict.reasons, *(said.reasons if said else ()))))
    return Settled(
        outcome, Action.REPLACE, said, reasons, attempt, written.template, closing=closing
    )


def _wrong(shown: str, verdict: Verdict) -> list[str]:
    """Return the sentences that have left and that a verdict objects to."""
    places = [found.span for found in verdict.acting if found.part == "answer"]
    return [
        sentence.text[:_LONGEST_CORRECTED_CHARS]
        for sentence in split_sentences(shown)
        if any(place.start < sentence.end and sentence.start < place.end for place in places)
    ][:_MOST_CORRECTED]


def _template(tenant: Judging, exchange: Exchange, verdict: Verdict) -> Reply:
    """Return the reply that the verdict's leading guard calls for."""
    leading = verdict.leading
    guard = leading.guard if leading else ""
    codes = leading.codes if leading else ()
    return tenant.loaded.templates.reply(guard, codes, exchange)


def _last_word(tenant: Judging, judged: Judged) -> Verdict | None:
    """Return the verdict now that no second attempt is left; nothing more is known of a part."""
    if judged.verdict is None or judged.is_partial:
        return judged.verdict
    return tenant.inspector.settled(judged.exchange, judged.verdict, may_edit=judged.may_edit)


def _is_better(second: Judged, first: Judged, last_word: Verdict | None) -> bool:
    """Tell whether the second attempt is the better one.

    A turn that calls tools is; an empty answer, or one of which nothing could be judged, never.
    """
    if second.verdict is None:
        return second.unjudged == TOOL_CALLS
    if last_word is None or first.is_partial or second.has_begun:
        return True
    return preferred(last_word, second.verdict) == 1
