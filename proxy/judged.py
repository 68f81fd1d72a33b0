"""Answers with their verdicts, and which of two attempts at a choice goes out."""

import dataclasses
from dataclasses import dataclass

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.decision import preferred
from policies.edits import apply
from policies.policy import Action
from policies.verdict import Verdict
from proxy.openai_api.chat import Answer, ChatReply, ChoiceOutcome, Edited, Kept, Replaced
from proxy.tenants import Tenant

TOOL_CALLS = "tool_calls"
"""Why a turn that calls tools is not judged."""


@dataclass(frozen=True)
class Judged:
    """One choice of a reply and what was decided about it.

    Attributes:
        reply: The reply that holds it.
        answer: The answer.
        exchange: What was judged, with what a reader sees of the answer.
        may_edit: The answer's text may be changed.
        verdict: None for what is no answer to judge: a turn that calls tools, or an empty one.
        unjudged: Why there is no verdict: ``tool_calls`` or ``empty_answer``; empty otherwise.
    """

    reply: ChatReply
    answer: Answer
    exchange: Exchange
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


@dataclass(frozen=True)
class Settled:
    """What becomes of one choice, for good.

    Attributes:
        outcome: What the client gets.
        action: What was done: REGENERATE if the second attempt goes out.
        verdict: Over the answer that was settled on; None as in `Judged`.
        reasons: Codes that led to the action.
        attempt: Number of the attempt that was settled on, from 1; 0 when the model was not asked.
    """

    outcome: ChoiceOutcome
    action: Action
    verdict: Verdict | None
    reasons: tuple[str, ...]
    attempt: int


def settle(tenant: Tenant, index: int, first: Judged, second: Judged | None) -> Settled:
    """Settle one choice: the better of its attempts if that may go out, else a template.

    Args:
        tenant: Whose policy decides.
        index: Number of the choice that the client sees.
        first: The first attempt.
        second: The second, if there was one.
    """
    last_word = _last_word(tenant, first)
    chosen, verdict, attempt = first, last_word, 1
    if second is not None and _is_better(second, last_word):
        chosen, verdict, attempt = second, second.verdict, 2
    if verdict is not None and verdict.action is Action.REPLACE:
        return replace(tenant, chosen.exchange, index, verdict, attempt)
    if verdict is not None and verdict.edits:
        content = apply(chosen.answer.content, verdict.edits)
        outcome: ChoiceOutcome = Edited(index, chosen.reply, chosen.answer, content)
        return Settled(outcome, verdict.action, verdict, verdict.reasons, attempt)
    kept = Kept(index, chosen.reply, chosen.answer)
    if attempt == 2 and first.verdict is not None:
        return Settled(kept, Action.REGENERATE, verdict, first.verdict.reasons, attempt)
    return Settled(kept, Action.PASS, verdict, (), attempt)


def replace(
    tenant: Tenant, exchange: Exchange, index: int, verdict: Verdict, attempt: int
) -> Settled:
    """Put the sources' own answer or the policy's template in the place of a choice."""
    text = tenant.inspector.direct_answer(exchange) if verdict.stage is Stage.OUTPUT else None
    text = text or _template(tenant, exchange, verdict)
    return Settled(Replaced(index, text), Action.REPLACE, verdict, verdict.reasons, attempt)


def _template(tenant: Tenant, exchange: Exchange, verdict: Verdict) -> str:
    """Return the reply that the verdict's leading guard calls for."""
    leading = verdict.leading
    guard = leading.guard if leading else ""
    codes = leading.codes if leading else ()
    return tenant.loaded.templates.reply(guard, codes, exchange).text


def _last_word(tenant: Tenant, judged: Judged) -> Verdict | None:
    if judged.verdict is None:
        return None
    return tenant.inspector.settled(judged.exchange, judged.verdict, may_edit=judged.may_edit)


def _is_better(second: Judged, first: Verdict | None) -> bool:
    """Tell whether the second attempt is the better one.

    A turn that calls tools is; an empty answer, or one of which nothing could be judged, never.
    """
    if second.verdict is None:
        return second.unjudged == TOOL_CALLS
    return first is None or preferred(first, second.verdict) == 1
