"""What a verdict takes out of an answer that goes on: whether it may yet, and how much in all."""

from guards.core.finding import Span
from guards.text.claims import claims
from guards.text.sentences import Sentence
from policies.schema.guard_rule import Action
from policies.schema.policy import Trimming
from policies.trimming import takes_out
from policies.verdict import Verdict


def may_be_taken_back(verdict: Verdict) -> bool:
    """Tell whether words that may still follow could lift what a verdict rests on."""
    waits = [found.provisional for found in verdict.acting]
    return all(waits) if verdict.action is Action.REGENERATE else any(waits)


def ends_with_a_gap(answer: str, verdict: Verdict) -> bool:
    """Tell whether the last sentence is taken out, so that what follows may have to go with it.

    Or be the one that makes the sentence before it stay: another item of its list.
    """
    end = len(answer)
    return verdict.action is Action.TRIM and any(edit.span.end == end for edit in verdict.edits)


def objects_behind(verdict: Verdict, start: int) -> bool:
    """Tell whether a verdict is against what stands behind a place, or against the whole."""
    if verdict.action not in (Action.FIX, Action.TRIM):
        return verdict.action is not Action.PASS
    return any(found.part == "answer" and found.span.end > start for found in verdict.acting)


def taken_with(answer: str, verdict: Verdict, earlier: int, limits: Trimming) -> int | None:
    """Return how many bad claims are taken out in all; None if those are too many.

    Args:
        answer: What was judged.
        verdict: The verdict, within the limits by itself.
        earlier: How many were taken out before.
        limits: How much may go.
    """
    if verdict.action is not Action.TRIM:
        return earlier
    made = claims(answer)
    taken = earlier + sum(_takes_out(verdict, claim) for claim in made)
    is_much = taken > limits.most_claims or taken > limits.most_share * (len(made) + earlier)
    return None if earlier and is_much else taken


def _takes_out(verdict: Verdict, claim: Sentence) -> bool:
    """Tell whether a claim is taken out for what was found in it, not for leaning on another."""
    span = Span(claim.start, claim.end)
    is_bad = any(found.part == "answer" and _meet(found.span, span) for found in verdict.acting)
    return is_bad and takes_out(verdict.edits, claim)


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end
