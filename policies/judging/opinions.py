"""What a judge's answer is worth: opinions whose quote stands in a source, and nothing else.

The weights are fixed. A source that says the opposite weighs most; figures and what was asked come
next; all else only lowers the confidence. An opinion in favour of a claim takes no finding back: a
claim that it supports with a quote no longer counts against the confidence where a guard had a
weak doubt about it. How far a judge trusts the answer counts by the share of the open claims on
which it gave an opinion that counts; claims that it was not asked about, passed over or waved
through are not checked, and that is said.
"""

import math
from collections.abc import Iterable

from guards.core.finding import Evidence, Finding, Severity, Strength
from guards.core.runner import Outcome
from policies.judging.codes import CONTRADICTED, UNSUPPORTED, UNVERIFIABLE
from policies.judging.judge import (
    JUDGE,
    JudgeFailure,
    JudgeLabel,
    JudgeQuestion,
    Matter,
    OpenClaim,
    Opinion,
    Opinions,
    Window,
)
from policies.judging.quotes import compared, is_beside_the_point, speaks_against
from policies.judging.regate import Gravity, Objection
from policies.judging.report import JudgeReport, outcome_of
from policies.schema.sections import OpinionRules
from policies.verdict import PARTIAL

_FEWEST_QUOTED_CHARS = 6
_LONGEST_EVIDENCE_CHARS = 300

_CODES = {JudgeLabel.CONTRADICTORY: CONTRADICTED, JudgeLabel.UNSUPPORTED: UNSUPPORTED}
# Whatever a judge says is a possibility, so a contradiction is C1 and never C2.
_STRENGTHS = {JudgeLabel.CONTRADICTORY: Strength.C1, JudgeLabel.UNSUPPORTED: Strength.E0}


def weighed(
    rules: OpinionRules,
    asked: JudgeQuestion,
    said: Opinions | JudgeFailure,
    answer: str,
    duration_ms: float,
) -> JudgeReport:
    """Return what a judge's answer is worth.

    Args:
        rules: How judges are asked.
        asked: What it was asked.
        said: What it said.
        answer: The answer that it was asked about.
        duration_ms: Time that it took.
    """
    if isinstance(said, JudgeFailure):
        return _failed(rules, said.reason, (), duration_ms)
    claims = {claim.number: claim for claim in asked.claims}
    heard = [
        one
        for one in _one_for_each(said.opinions, claims.keys())
        if one.label is not JudgeLabel.NO_RAD
    ]
    valid = [one for one in heard if is_verified(one, claims[one.claim])]
    discarded = tuple(
        _finding(one, claims[one.claim], answer, UNVERIFIABLE) for one in heard if one not in valid
    )
    if not valid:
        return _failed(rules, "unverifiable" if heard else "no_opinion", discarded, duration_ms)
    covered = len(valid) / (len(claims) + asked.left_out)
    objections = tuple(
        Objection(
            _finding(one, claims[one.claim], answer, _CODES[one.label]),
            Gravity.WEAK if rules.is_advisory else _gravity(one),
            claims[one.claim].is_critical,
        )
        for one in valid
        if one.label in _CODES
    )
    return JudgeReport(
        guard=JUDGE,
        outcome=outcome_of(objections),
        findings=tuple(one.finding for one in objections),
        reason=PARTIAL if covered < 1 else "",
        duration_ms=duration_ms,
        cleared=discarded,
        mode=rules.mode,
        objections=objections,
        backed=tuple(claims[one.claim].span for one in valid if one.label is JudgeLabel.SUPPORTED),
        confidence=_clamped(said.confidence),
        covered=covered,
        is_weighed=not rules.is_advisory,
    )


def is_verified(opinion: Opinion, claim: OpenClaim) -> bool:
    """Tell whether an opinion counts: its score is a number, its quote stands in what was shown.

    A quote in Korean must also have a word of the claim, so that a sentence which only tells judges
    what to say is evidence for nothing; and nothing that says the opposite of a claim supports it.
    """
    if not math.isfinite(opinion.score):
        return False
    shown = _shown_in(opinion, claim)
    if shown is None or is_beside_the_point(opinion.quote, claim.text):
        return False
    approves = opinion.label is JudgeLabel.SUPPORTED
    return not (approves and speaks_against(opinion.quote, shown.text, claim.text))


def _shown_in(opinion: Opinion, claim: OpenClaim) -> Window | None:
    """Return where the quote of an opinion stands; None if nowhere, or if it says nothing."""
    wanted = compared(opinion.quote)
    if len(wanted) < _FEWEST_QUOTED_CHARS:
        return None
    return next((one for one in claim.windows if wanted in compared(one.text)), None)


def _one_for_each(opinions: Iterable[Opinion], numbers: Iterable[int]) -> list[Opinion]:
    """Return the opinions on claims that were asked about, without those at odds with another."""
    said: dict[int, list[Opinion]] = {number: [] for number in numbers}
    for opinion in opinions:
        if opinion.claim in said:
            said[opinion.claim].append(opinion)
    return [each[0] for each in said.values() if len({one.label for one in each}) == 1]


def _gravity(opinion: Opinion) -> Gravity:
    if opinion.matter in {Matter.NUMERIC, Matter.INTENT}:
        return Gravity.MEDIUM
    denied = opinion.label is JudgeLabel.CONTRADICTORY and opinion.matter is Matter.NEGATION
    return Gravity.STRONG if denied else Gravity.WEAK


def _finding(opinion: Opinion, claim: OpenClaim, answer: str, code: str) -> Finding:
    shown = None if code == UNVERIFIABLE else _shown_in(opinion, claim)
    quote = opinion.quote.strip()[:_LONGEST_EVIDENCE_CHARS]
    return Finding(
        guard=JUDGE,
        code=code,
        part="answer",
        span=claim.span,
        observed=answer[claim.span.start : claim.span.end],
        severity=Severity.WEAK,
        strength=_STRENGTHS.get(opinion.label, Strength.E1),
        evidence=(Evidence(shown.source_id, quote),) if shown else (),
        score=_clamped(opinion.score) or 0.0,
    )


def _failed(
    rules: OpinionRules, reason: str, discarded: tuple[Finding, ...], duration_ms: float
) -> JudgeReport:
    return JudgeReport(
        guard=JUDGE,
        outcome=Outcome.NOT_RUN,
        reason=reason,
        duration_ms=duration_ms,
        cleared=discarded,
        mode=rules.mode,
        is_weighed=not rules.is_advisory,
    )


def _clamped(score: float | None) -> float | None:
    """Return a score within 0 to 1; None for what is no number."""
    if score is None or not math.isfinite(score):
        return None
    return min(1.0, max(0.0, score))
