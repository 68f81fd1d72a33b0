"""How answers are let through their gates, and what is judged of them."""

from dataclasses import dataclass
from functools import partial

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.gating.gate import Gate
from policies.gating.looks import GateRules, Kind, Look
from policies.gating.open_gate import OpenGate
from policies.schema.policy import Policy
from policies.schema.sections import ReferenceList, Renumber, StreamMode
from policies.verdict import Verdict
from proxy.judged import TOOL_CALLS, Judged
from proxy.openai_api.answer import Answer, visible
from proxy.openai_api.reply import Reply
from proxy.tenants import Judging

JSON_VALUES = "json_values"
"""Numbers and truth values of a JSON answer, of which no guard knows what they count."""
EMPTY_ANSWER = "empty_answer"
LENGTH = "length"
"""Why an answer ended that was not allowed to be longer."""


@dataclass(frozen=True, slots=True)
class Gatekeeper:
    """Opens and closes the gates of a request's answers.

    Attributes:
        policy: The policy that judges them.
        structured: The request asks for JSON.
        offers_tools: It offers tools.
        looks: Anything can come of looking at an answer.
    """

    policy: Policy
    structured: bool
    offers_tools: bool
    looks: bool = True

    def open(self, exchange: Exchange, *, may_regenerate: bool) -> Gate:
        """Return a gate for one answer."""
        policy = self.policy
        seen = partial(visible, structured=self.structured)
        if not self.looks:
            return OpenGate(seen)
        rules = GateRules(
            may_regenerate=may_regenerate,
            may_edit=self._may_edit,
            holds=self.structured or policy.stream.mode is not StreamMode.GATE,
            may_renumber=policy.citations.renumber is not Renumber.NEVER,
            may_unlist=policy.citations.references is not ReferenceList.NEVER,
            # What a judge says may have the answer written again, unless some of it has left.
            at_once=policy.judge is None,
            trimming=policy.trimming,
        )
        return Gate(exchange, rules, seen)

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

    def judged(self, exchange: Exchange, reply: Reply, answer: Answer, gate: Gate) -> Judged:
        """Return what was decided about an answer that went through its gate."""
        return Judged(
            reply=reply,
            answer=answer,
            exchange=exchange.answered(visible(gate.base, structured=self.structured)),
            gate=gate,
            may_edit=self._may_edit,
            verdict=gate.verdict,
            unjudged="" if gate.verdict else self._unjudged(answer),
        )

    @property
    def lets_all_out(self) -> bool:
        """Whether answers leave as they come, whatever is found in them."""
        return self.policy.only_watches or not self.looks

    @property
    def _may_edit(self) -> bool:
        """Whether an answer's text may be changed.

        A piece taken out of a JSON text could leave no JSON, and what is only watched has left
        already.
        """
        return not (self.structured or self.policy.only_watches)

    def _unjudged(self, answer: Answer) -> str:
        """Return why an answer as a whole is none to judge."""
        if self.is_tool_turn(calls_tool=answer.tool_turn):
            return TOOL_CALLS
        return JSON_VALUES if answer.content.strip() else EMPTY_ANSWER


def inspected(judging: Judging, look: Look) -> Verdict:
    """Return the verdict over what a gate wants inspected."""
    inspector = judging.inspector
    if look.kind is not Kind.WHOLE:
        inspector = inspector.of_segments
    return inspector.inspect(look.exchange, Stage.OUTPUT, look.possible)
