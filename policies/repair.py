"""Changes that a verdict makes in an answer: fixes in place, and removed sentences."""

from collections.abc import Sequence
from dataclasses import replace

from guards.core.exchange import Exchange
from guards.core.finding import Finding, Severity, Span
from guards.text.citing.references import read_references
from policies.citing.mending import MendedCitations, RemovalEdits, mend
from policies.edits import Edit, fixes, without_overlaps
from policies.lists import renumbered
from policies.schema.policy import Action, Policy
from policies.schema.sections import ReferenceList
from policies.trimming import trim
from policies.verdict import Verdict, citation_guards

LIST_ADDED = "references_added"
"""Reason of an answer in which nothing was wrong and that got the list of its sources."""


def repaired(policy: Policy, exchange: Exchange, verdict: Verdict) -> MendedCitations | None:
    """Return the answer with all mended or taken out that led to the verdict.

    What is mended in place need not be taken out, so only the other findings cost a sentence, and
    citations without which their sentence has no meaning; a FIX verdict takes none out.

    Returns:
        None if too little would be left, or if a sentence does not survive its citation.
    """
    findings = verdict.acting
    mendable = [found for found in findings if _is_mendable(policy, found)]
    edits = fixes(mendable)
    if verdict.action is Action.FIX:
        return _mended_only(policy, exchange, edits)
    bad = [
        found.span
        for found in findings
        if found.part == "answer" and not _is_mendable(policy, found)
    ]
    return _trimmed(policy, exchange, edits, bad)


def workable(policy: Policy, exchange: Exchange, verdict: Verdict) -> Verdict:
    """Return a verdict that can be put into effect: FIX as TRIM where a sentence has to go.

    That is so where a citation is all that a sentence speaks of. It is not put into effect while a
    second attempt is left, which may write the sentence anew.
    """
    if verdict.action is Action.FIX and repaired(policy, exchange, verdict) is None:
        return replace(verdict, action=Action.TRIM)
    return verdict


def citations_repaired(
    policy: Policy, exchange: Exchange, verdict: Verdict
) -> MendedCitations | None:
    """Return the answer with its wrong citations mended and all else as it is.

    Whatever the verdict asks for. A sentence that has no meaning without its citation goes; None
    if too little would be left.
    """
    wrong = [
        found
        for found in verdict.findings
        if found.guard in citation_guards()
        and found.severity is Severity.STRONG
        and _is_mendable(policy, found)
    ]
    return _trimmed(policy, exchange, fixes(wrong), [])


def with_list_of_sources(policy: Policy, exchange: Exchange, verdict: Verdict) -> Verdict:
    """Return the verdict over a good answer, with the list of its sources if the policy wants one.

    An answer that gets a list is no longer the model server's own, so it counts as mended.
    """
    if policy.citations.references is not ReferenceList.ALWAYS:
        return verdict
    mended = _mended_only(policy, exchange, ())
    if mended is None or not mended.edits:
        return verdict
    return replace(verdict, action=Action.FIX, reasons=(LIST_ADDED,), edits=mended.edits)


def _trimmed(
    policy: Policy, exchange: Exchange, edits: Sequence[Edit], bad: Sequence[Span]
) -> MendedCitations | None:
    """Return the answer with its edits made, and without the sentences that cannot stay."""
    made = _without(policy, exchange, edits, bad)
    if isinstance(made, RemovalEdits):
        made = _without(policy, exchange, edits, [*bad, *made.places])
    return made if isinstance(made, MendedCitations) else None


def _without(
    policy: Policy, exchange: Exchange, edits: Sequence[Edit], bad: Sequence[Span]
) -> MendedCitations | RemovalEdits | None:
    """Return the answer without the sentences of some places; None if too little would be left."""
    removals = trim(exchange.question, exchange.answer or "", bad, policy.trimming) if bad else ()
    if removals is None:
        return None
    return _mended(policy, exchange, [*removals, *edits])


def _mended_only(
    policy: Policy, exchange: Exchange, edits: Sequence[Edit]
) -> MendedCitations | None:
    made = _mended(policy, exchange, edits)
    return made if isinstance(made, MendedCitations) else None


def _mended(
    policy: Policy, exchange: Exchange, edits: Sequence[Edit]
) -> MendedCitations | RemovalEdits:
    answer = exchange.answer or ""
    references = read_references(answer)
    # What counts the lines of that list are the numbers of citations.
    body = answer[: references.start] if references else answer
    made = without_overlaps([*edits, *renumbered(body, edits)])
    return mend(answer, made, exchange.sources, policy.citations)


def _is_mendable(policy: Policy, finding: Finding) -> bool:
    return finding.fix is not None and policy.guards[finding.guard].fix
