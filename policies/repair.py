"""What a verdict changes in an answer: mended places, and sentences taken out."""

from collections.abc import Iterable
from dataclasses import replace

from guards.core.exchange import Exchange
from guards.core.finding import Finding, Severity
from policies.citing.mending import Mended, mend
from policies.confidence import CITATION_GUARDS
from policies.edits import Edit, fixes, without_overlaps
from policies.policy import Action, Policy, ReferenceList
from policies.trimming import trim
from policies.verdict import Verdict

LIST_ADDED = "references_added"
"""Reason of an answer in which nothing was wrong and that got the list of its sources."""


def repaired(policy: Policy, exchange: Exchange, verdict: Verdict) -> Mended | None:
    """Return the answer with all mended or taken out that led to the verdict.

    What is mended in place need not be taken out, so only the other findings cost a sentence; a
    FIX verdict leaves them.

    Returns:
        None if too little would be left, or if a sentence does not survive its citation.
    """
    findings = verdict.acting
    mendable = [found for found in findings if _is_mendable(policy, found)]
    edits = fixes(mendable)
    bad = [found.span for found in findings if found not in mendable and found.part == "answer"]
    if not bad or verdict.action is Action.FIX:
        return _mended(policy, exchange, edits)
    removals = trim(exchange.question, exchange.answer or "", bad, policy.trimming)
    if removals is None:
        return None
    return _mended(policy, exchange, without_overlaps([*removals, *edits]))


def citations_repaired(policy: Policy, exchange: Exchange, verdict: Verdict) -> Mended | None:
    """Return the answer with its wrong citations mended and all else as it is.

    Whatever the verdict asks for; None if a sentence does not survive its citation.
    """
    wrong = [
        found
        for found in verdict.findings
        if found.guard in CITATION_GUARDS
        and found.severity is Severity.STRONG
        and _is_mendable(policy, found)
    ]
    return _mended(policy, exchange, fixes(wrong))


def with_list_of_sources(policy: Policy, exchange: Exchange, verdict: Verdict) -> Verdict:
    """Return the verdict over a good answer, with the list of its sources if the policy wants one.

    An answer that gets a list is no longer the model server's own, so it counts as mended.
    """
    if policy.citations.references is not ReferenceList.ALWAYS:
        return verdict
    mended = _mended(policy, exchange, ())
    if mended is None or not mended.edits:
        return verdict
    return replace(verdict, action=Action.FIX, reasons=(LIST_ADDED,), edits=mended.edits)


def _mended(policy: Policy, exchange: Exchange, edits: Iterable[Edit]) -> Mended | None:
    return mend(exchange.answer or "", tuple(edits), exchange.sources, policy.citations)


def _is_mendable(policy: Policy, finding: Finding) -> bool:
    return finding.fix is not None and policy.guards[finding.guard].fix
