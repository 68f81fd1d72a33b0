"""Whole answers judged by a real policy, as they are before anything of them has left."""

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.gating.gate import Gate
from policies.inspection import Inspector
from policies.schema.sections import Renumber
from proxy.candidates import TOOL_CALLS, Candidate
from proxy.openai_api.reply import Reply


def judged_whole(
    inspector: Inspector,
    asked: Exchange,
    reply: Reply,
    *,
    may_regenerate: bool,
    may_edit: bool,
    unjudged: str = "",
) -> Candidate:
    """Return the first answer of a reply as it comes out of a gate that held it to its end.

    Args:
        inspector: Who judges.
        asked: What was asked, without the answer.
        reply: The reply.
        may_regenerate: A second attempt is left.
        may_edit: The answer's text may be changed.
        unjudged: Why it is not judged, if it is not.
    """
    answer = reply.answers[0]
    policy = inspector.policy
    gate = Gate(
        asked,
        may_regenerate=may_regenerate,
        may_edit=may_edit,
        holds=True,
        may_renumber=policy.citations.renumber is not Renumber.NEVER,
        trimming=policy.trimming,
    )
    gate.feed(answer.content)
    gate.close(in_tool_turn=unjudged == TOOL_CALLS)
    while check := gate.next_check():
        gate.apply(check, inspector.inspect(check.exchange, Stage.OUTPUT, check.possible))
    assert (gate.verdict is None) == bool(unjudged), "the gate judges what can be judged"
    return Candidate(
        reply=reply,
        answer=answer,
        exchange=asked.answered(answer.content),
        gate=gate,
        may_edit=may_edit,
        verdict=gate.verdict,
        unjudged=unjudged,
    )
