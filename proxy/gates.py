"""Runs the answers of a request through their gates among other requests."""

from collections.abc import AsyncIterator
from functools import partial

from policies.decision import Possible
from policies.gating.gate import Gate
from policies.gating.looks import Look, Release
from policies.gating.open_gate import OpenGate
from policies.verdict import Verdict
from proxy.call import Call
from proxy.errors import UpstreamBroken
from proxy.gatekeeping import inspected
from proxy.inspecting import among_others, log_failures
from proxy.judged import Judged

MOST_ANSWER_CHARS = 200_000
"""What is longer could not be judged in the time that a reader waits."""


async def looked_at(call: Call, gate: Gate) -> AsyncIterator[Release]:
    """Inspect what there is to inspect by now; yield what may leave.

    Raises:
        UpstreamBroken: the answer is too long to be judged.
    """
    if isinstance(gate, OpenGate):
        return
    if gate.read_chars > MOST_ANSWER_CHARS:
        raise UpstreamBroken(f"an answer of more than {MOST_ANSWER_CHARS} characters")
    while look := gate.look():
        began_s = call.trace.clock()
        verdict = await _inspected(call, look)
        call.inspecting_s += call.trace.clock() - began_s
        released = gate.hear(look, verdict)
        if released is not None:
            yield released


def still_possible(one: Judged, *, may_regenerate: bool) -> Possible:
    """Return what can still be done about an answer."""
    return Possible(
        regenerate=may_regenerate and not one.has_begun,
        edit=one.may_edit,
        edit_from=len(one.gate.shown),
        taken=one.gate.claims_taken,
    )


async def _inspected(call: Call, look: Look) -> Verdict:
    inspect = partial(inspected, call.tenant, look)
    verdict = await among_others(call.tenant.inspector, look.exchange, inspect)
    log_failures(call.trace.id, verdict)
    return verdict
