"""Runs answers through their gates: what a gate wants inspected is, and what leaves is told."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.decision import Possible
from policies.gating.gate import Gate, GateRules, Kind, Look, Release
from policies.gating.rules import StreamMode
from policies.policy import ReferenceList, Renumber
from policies.verdict import Verdict
from proxy.call import Call
from proxy.errors import UpstreamBroken
from proxy.inspecting import log_failures, takes_long
from proxy.judged import TOOL_CALLS, Judged
from proxy.openai_api.answer import Answer, visible
from proxy.openai_api.door import Reply

JSON_VALUES = "json_values"
"""Numbers and truth values of a JSON answer, of which no guard knows what they count."""
EMPTY_ANSWER = "empty_answer"
LENGTH = "length"
"""Why an answer ended that was not allowed to be longer."""
MOST_ANSWER_CHARS = 200_000
"""What is longer could not be judged in the time that a reader waits."""


def open_gate(call: Call, exchange: Exchange, *, may_regenerate: bool) -> Gate:
    """Return a gate for one answer."""
    policy = call.tenant.policy
    structured = call.request.structured
    rules = GateRules(
        may_regenerate=may_regenerate,
        may_edit=_may_edit(call),
        holds=structured or policy.stream.mode is not StreamMode.GATE,
        may_renumber=policy.citations.renumber is not Renumber.NEVER,
        may_unlist=policy.citations.references is not ReferenceList.NEVER,
        trimming=policy.trimming,
    )
    return Gate(exchange, rules, partial(visible, structured=structured))


def is_tool_turn(call: Call, *, calls_tool: bool) -> bool:
    """Tell whether an answer is a turn that calls tools.

    Calls of tools that the request did not offer are nobody's turn: what is said beside them is the
    answer.
    """
    return calls_tool and call.request.offers_tools


def take_whole(call: Call, gate: Gate, answer: Answer) -> None:
    """Feed a gate an answer of which all is known."""
    gate.feed(answer.content)
    close_gate(call, gate, answer.finish_reason, calls_tool=answer.tool_turn)


def close_gate(call: Call, gate: Gate, finish_reason: str | None, *, calls_tool: bool) -> None:
    """Tell a gate that its answer has ended."""
    in_tool_turn = is_tool_turn(call, calls_tool=calls_tool)
    gate.close(in_tool_turn=in_tool_turn, cut=finish_reason == LENGTH)


async def looked_at(call: Call, gate: Gate) -> AsyncIterator[Release]:
    """Inspect what there is to inspect by now; yield what may leave.

    Raises:
        UpstreamBroken: the answer is too long to be judged.
    """
    if gate.read_chars > MOST_ANSWER_CHARS:
        raise UpstreamBroken(f"an answer of more than {MOST_ANSWER_CHARS} characters")
    while look := gate.look():
        began_s = call.trace.clock()
        verdict = await inspected(call, look)
        call.inspecting_s += call.trace.clock() - began_s
        released = gate.hear(look, verdict)
        if released is not None:
            yield released


async def inspected(call: Call, look: Look) -> Verdict:
    """Return the verdict over what a gate wants inspected."""
    inspector = call.tenant.inspector
    if look.kind is not Kind.WHOLE:
        inspector = inspector.of_segments
    inspect = partial(inspector.inspect, look.exchange, Stage.OUTPUT, look.possible)
    long = takes_long(call.tenant.policy, look.exchange)
    verdict = await asyncio.to_thread(inspect) if long else inspect()
    log_failures(call.trace.id, verdict)
    return verdict


def judged(call: Call, exchange: Exchange, reply: Reply, answer: Answer, gate: Gate) -> Judged:
    """Return what was decided about an answer that went through its gate."""
    structured = call.request.structured
    text = visible(gate.base, structured=structured)
    return Judged(
        reply=reply,
        answer=answer,
        exchange=exchange.answered(text),
        gate=gate,
        may_edit=_may_edit(call),
        verdict=gate.verdict,
        unjudged="" if gate.verdict else _unjudged(call, answer),
    )


def still_possible(one: Judged, *, may_regenerate: bool) -> Possible:
    """Return what can still be done about an answer."""
    return Possible(
        regenerate=may_regenerate and not one.has_begun,
        edit=one.may_edit,
        edit_from=len(one.gate.shown),
        taken=one.gate.claims_taken,
    )


def _may_edit(call: Call) -> bool:
    """Tell whether an answer's text may be changed.

    A piece taken out of a JSON text could leave no JSON, and what is only watched has left already.
    """
    return not (call.request.structured or call.tenant.policy.only_watches)


def _unjudged(call: Call, answer: Answer) -> str:
    """Return why an answer as a whole is none to judge."""
    if is_tool_turn(call, calls_tool=answer.tool_turn):
        return TOOL_CALLS
    return JSON_VALUES if answer.content.strip() else EMPTY_ANSWER
