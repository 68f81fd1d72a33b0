"""From what a classifier of pairs says of passage and claim to an opinion on the claim.

A classifier quotes nothing: its label is about the passage that it was shown, which stands as the
quote. So nothing shows whether it is right, and what it says is advisory: it may lower the
confidence and do nothing else.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

from policies.judging.judge import JudgeLabel, JudgeQuestion, OpenClaim, Opinion, Opinions
from proxy.judge.server import JudgeCallFailed

ENTAILMENT, NEUTRAL, CONTRADICTION = "entailment", "neutral", "contradiction"
_SURE_FROM = 0.5

Scores = Mapping[str, float]
"""How likely each label is for one pair of a passage and a claim."""


def pairs(question: JudgeQuestion) -> list[tuple[str, str]]:
    """Return every pair of a passage and a claim, claim by claim."""
    return [(window.text, claim.text) for claim in question.claims for window in claim.windows]


def opinions_from(question: JudgeQuestion, scored: Sequence[Scores]) -> Opinions:
    """Return the opinions that a classifier's scores come to.

    Args:
        question: What was asked.
        scored: One for each of `pairs`, in their order.

    Raises:
        JudgeCallFailed: there are more or fewer, or the labels are not those of a classifier of
            entailment.
    """
    if len(scored) != len(pairs(question)):
        raise JudgeCallFailed("garbage")
    rest = iter([_known(scores) for scores in scored])
    opinions: list[Opinion] = []
    entailed: list[float] = []
    for claim in question.claims:
        of_claim = [next(rest) for _ in claim.windows]
        entailed.append(max(scores.get(ENTAILMENT, 0.0) for scores in of_claim))
        opinions.append(_opinion(claim, of_claim))
    return Opinions(tuple(opinions), fmean(entailed))


def _known(scores: Scores) -> Scores:
    named = {label.strip().lower(): score for label, score in scores.items()}
    if not named or not named.keys() <= {ENTAILMENT, NEUTRAL, CONTRADICTION}:
        raise JudgeCallFailed("unknown_labels")
    return named


def _opinion(claim: OpenClaim, scored: Sequence[Scores]) -> Opinion:
    for label, meaning in (
        (ENTAILMENT, JudgeLabel.SUPPORTED),
        (CONTRADICTION, JudgeLabel.CONTRADICTORY),
    ):
        best = max(range(len(scored)), key=lambda at: scored[at].get(label, 0.0))
        score = scored[best].get(label, 0.0)
        if score >= _SURE_FROM:
            return Opinion(claim.number, meaning, score=score, quote=claim.windows[best].text)
    unsure = 1 - max(scores.get(ENTAILMENT, 0.0) for scores in scored)
    return Opinion(claim.number, JudgeLabel.UNSUPPORTED, score=unsure, quote=claim.windows[0].text)
