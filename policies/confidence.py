"""How far an answer can be trusted: the one formula.

Starts at 1.0; a fixed part is taken off once for bad citations and another for each further sign.
The weights and the threshold are the policy's (`ConfidenceWeights`).
"""

from collections.abc import Collection, Sequence

from guards.core.finding import Severity
from policies.policy import ConfidenceWeights, Mode
from policies.verdict import GuardOutcome, GuardResult


def confidence_of(
    weights: ConfidenceWeights,
    results: Sequence[GuardResult],
    *,
    citation_guards: Collection[str],
) -> float | None:
    """Return the confidence from 0 to 1, or None when no enforced guard could check anything."""
    enforced = [result for result in results if result.mode is Mode.ENFORCE]
    if all(result.outcome is GuardOutcome.NOT_RUN for result in enforced):
        return None
    signs = 0
    bad_citations = False
    for result in enforced:
        for finding in result.findings:
            if result.guard in citation_guards and finding.severity is Severity.STRONG:
                bad_citations = True
            else:
                signs += 1
    taken_off = weights.bad_citation * bad_citations + weights.sign * signs
    return round(max(0.0, 1.0 - taken_off), 4)
