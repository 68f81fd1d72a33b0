"""What a verdict changes in an answer: mended places, and sentences taken out."""

from guards.core.finding import Finding
from policies.edits import Edit, fixes, without_overlaps
from policies.policy import Action, Policy
from policies.trimming import trim
from policies.verdict import Verdict


def edits_for(
    policy: Policy, question: str, answer: str, verdict: Verdict
) -> tuple[Edit, ...] | None:
    """Return the edits of a FIX or TRIM verdict; None if too little would be left.

    What is mended in place need not be taken out, so only the other findings cost a sentence.
    """
    findings = verdict.acting
    mendable = [found for found in findings if _mended(policy, found)]
    edits = fixes(mendable)
    if verdict.action is Action.FIX:
        return edits
    bad = [found.span for found in findings if found not in mendable and found.part == "answer"]
    removals = trim(question, answer, bad, policy.trimming)
    return None if removals is None else without_overlaps([*removals, *edits])


def _mended(policy: Policy, finding: Finding) -> bool:
    return finding.fix is not None and policy.guards[finding.guard].fix
