"""Answers with their verdicts, and which of two attempts at a choice goes out."""

from dataclasses import dataclass

from guards.core.exchange import Exchange
from policies.decision import preferred, settled
from policies.policy import Action
from policies.verdict import Verdict
from proxy.openai_api.chat import Answer, ChatReply, ChoiceOutcome, Kept, Replaced
from proxy.tenants import Tenant


@dataclass(frozen=True)
class Judged:
    """One choice of a reply and what was decided about it.

    Attributes:
        reply: The reply that holds it.
        answer: The answer.
        verdict: None for what is no answer to judge: a turn that calls tools, or an empty one.
        unjudged: Why there is no verdict: ``tool_calls`` or ``empty_answer``; empty otherwise.
    """

    reply: ChatReply
    answer: Answer
    verdict: Verdict | None
    unjudged: str = ""

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


def settle(
    tenant: Tenant, exchange: Exchange, index: int, first: Judged, second: Judged | None
) -> Settled:
    """Settle one choice: the better of its attempts if that may go out, else a template.

    Args:
        tenant: Whose policy decides.
        exchange: What was asked.
        index: Number of the choice that the client sees.
        first: The first attempt.
        second: The second, if there was one.
    """
    chosen = first if second is None or not _second_is_better(tenant, first, second) else second
    attempt = 1 if chosen is first else 2
    verdict = chosen.verdict and settled(tenant.policy, chosen.verdict)
    if verdict is not None and verdict.action is Action.REPLACE:
        return replace(tenant, exchange, index, verdict, attempt)
    kept = Kept(index, chosen.reply, chosen.answer)
    if attempt == 2 and first.verdict is not None:
        return Settled(kept, Action.REGENERATE, verdict, first.verdict.reasons, attempt)
    return Settled(kept, Action.PASS, verdict, (), attempt)


def replace(
    tenant: Tenant, exchange: Exchange, index: int, verdict: Verdict, attempt: int
) -> Settled:
    """Put the policy's template in the place of a choice; the verdict's leading guard names it."""
    leading = verdict.leading
    guard = leading.guard if leading else ""
    codes = leading.codes if leading else ()
    reply = tenant.loaded.templates.reply(guard, codes, exchange)
    return Settled(Replaced(index, reply.text), Action.REPLACE, verdict, verdict.reasons, attempt)


def _second_is_better(tenant: Tenant, first: Judged, second: Judged) -> bool:
    if first.verdict is None or second.verdict is None:
        return second.verdict is None
    return preferred(settled(tenant.policy, first.verdict), second.verdict) == 1
