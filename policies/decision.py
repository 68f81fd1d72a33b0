"""The decision: from the guards' and the judge's findings to an action.

Pure: equal input, equal output.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import GuardReport, Outcome, Stage
from policies.judging.claims import Skip
from policies.judging.judge import JUDGE, OpinionCounts
from policies.judging.regate import Objection, agreement, is_grounding, regate, rests_on_absence
from policies.schema.base import Mode
from policies.schema.policy import Action, GuardRule, OnNotRun, Policy
from policies.schema.sections import ConfidenceWeights, OpinionRules
from policies.verdict import (
    Confidence,
    GuardOutcome,
    GuardResult,
    JudgeWord,
    Verdict,
    confidence_of,
    count,
)

ANSWER_EDITED = "answer_edited"
"""Reason for no opinion on an answer that was edited and not judged again."""


@dataclass(frozen=True, slots=True)
class JudgeReport(GuardReport):
    """Report of a judge call, alongside the reports of the guards.

    Attributes:
        mode: Whether its opinions count.
        objections: What it has against the answer.
        backed: Places of claims that it supports with a quote.
        approved: Places of those claims about which it may take findings back.
        confidence: How far it trusts the answer; None if it does not say.
        covered: Share of the open claims on which it gave an opinion that counts.
        is_weighed: Its approval and its own confidence count.
        wants_trim: Claims may be taken out for its sake.
        counts: The use of asking it; None if nobody was asked.
    """

    mode: Mode = Mode.ENFORCE
    objections: tuple[Objection, ...] = ()
    backed: tuple[Span, ...] = ()
    approved: tuple[Span, ...] = ()
    confidence: float | None = None
    covered: float = 1.0
    is_weighed: bool = True
    wants_trim: bool = True
    counts: OpinionCounts | None = None

    @property
    def word(self) -> JudgeWord | None:
        """Effect on the confidence; None if no judge was called or it only watches."""
        if self.mode is not Mode.ENFORCE:
            return None
        if self.outcome is Outcome.NOT_RUN:
            return None if self.reason in set(Skip) else JudgeWord(covered=0.0)
        if self.is_weighed:
            return JudgeWord(self.confidence, self.covered)
        return JudgeWord(covered=0.0) if self.covered < 1 else None

    def open_signs(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings without the guards' weak doubts about claims that it supports."""
        if self.mode is not Mode.ENFORCE or not self.is_weighed:
            return list(findings)
        return [one for one in findings if not self._is_answered(one)]

    def without_cleared(self, reports: Iterable[GuardReport]) -> tuple[GuardReport, ...]:
        """Return the guards' reports without the findings that it takes back, if it counts."""
        if self.mode is not Mode.ENFORCE:
            return tuple(reports)
        return tuple(map(self._cleared_of, reports))

    def would_clear(self, finding: Finding) -> bool:
        """Tell whether a finding is one that it takes back, were it in force."""
        return self._takes_back(finding) or self._is_answered(finding)

    def _cleared_of(self, report: GuardReport) -> GuardReport:
        gone = tuple(filter(self._takes_back, report.findings))
        if not gone:
            return report
        kept = tuple(one for one in report.findings if one not in gone)
        outcome = Outcome.FOUND if kept else Outcome.CLEAN
        return replace(report, findings=kept, outcome=outcome, cleared=report.cleared + gone)

    def _takes_back(self, finding: Finding) -> bool:
        """Tell whether a strong finding rests on absence, and the sources have the claim."""
        return (
            finding.severity is Severity.STRONG
            and rests_on_absence(finding)
            and any(map(finding.span.overlaps, self.approved))
        )

    def after(self, before: str, text: str) -> "JudgeReport":
        """Return what of the report on an answer, `before`, holds for it once it was edited.

        Objections to what still stands in it do; how far the judge trusts it is not known. That
        nobody was asked because the answer would not go out as it was, holds no longer.
        """
        if self.reason == Skip.TWO_STRONG_FINDINGS:
            return replace(self, reason=ANSWER_EDITED)
        objections = tuple(
            replace(one, finding=replace(one.finding, span=Span(at, at + len(observed))))
            for one in self.objections
            if (at := text.find(observed := one.finding.observed)) >= 0
        )
        return replace(
            self,
            outcome=outcome_of(objections) if self.outcome is not Outcome.NOT_RUN else self.outcome,
            findings=tuple(one.finding for one in objections),
            objections=objections,
            backed=(),
            approved=tuple(
                Span(at, at + len(claim))
                for place in self.approved
                if (at := text.find(claim := before[place.start : place.end])) >= 0
            ),
            is_weighed=False,
        )

    def _is_answered(self, finding: Finding) -> bool:
        if finding.severity is not Severity.WEAK or not is_grounding(finding):
            return False
        if finding.strength in {Strength.C1, Strength.C2}:
            return False
        return self.is_weighed and any(map(finding.span.overlaps, self.backed))

    def backs(self, place: Span) -> bool:
        """Tell whether it supports a claim that a place of the answer touches."""
        is_heard = self.mode is Mode.ENFORCE and self.is_weighed
        return is_heard and any(map(place.overlaps, self.backed))


def trust(
    weights: ConfidenceWeights, findings: Sequence[Finding], reports: Iterable[GuardReport]
) -> Confidence:
    """Return the confidence in an answer, the judge's word included where one was heard."""
    reports = list(reports)
    word = next((one.word for one in reports if isinstance(one, JudgeReport)), None)
    return confidence_of(weights, open_signs(findings, reports), word)


def open_signs(findings: Sequence[Finding], reports: Iterable[GuardReport]) -> Sequence[Finding]:
    """Return the findings without weak doubts about claims that a judge supports, if one did."""
    for report in reports:
        if isinstance(report, JudgeReport):
            return report.open_signs(findings)
    return findings


def is_backed(place: Span, reports: Iterable[GuardReport]) -> bool:
    """Tell whether a judge supports a claim that a place of the answer touches."""
    return any(isinstance(one, JudgeReport) and one.backs(place) for one in reports)


def not_asked(rules: OpinionRules, skip: Skip) -> JudgeReport:
    """Return the report on a judge that nobody asked."""
    return JudgeReport(JUDGE, Outcome.NOT_RUN, reason=skip.value, mode=rules.mode)


def outcome_of(objections: Sequence[Objection]) -> Outcome:
    """Return how a run ended in which a judge gave its opinion."""
    return Outcome.FOUND if objections else Outcome.CLEAN


@dataclass(frozen=True, slots=True)
class Possible:
    """Actions that are still possible for an answer.

    Attributes:
        regenerate: A second attempt is left.
        edit: Places can be corrected and sentences taken out.
        edit_from: Start of the part that can be edited, in code points; the text before was sent.
        taken: How many claims were taken out of the answer before.
    """

    regenerate: bool = False
    edit: bool = False
    edit_from: int = 0
    taken: int = 0


def decide(
    policy: Policy, stage: Stage, reports: Sequence[GuardReport], possible: Possible
) -> Verdict:
    """Return the verdict over one question or one answer.

    Args:
        stage: INPUT for a question, OUTPUT for an answer.
        reports: One for each guard that the policy switched on for this stage, and one for the
            judge where there is one.
        possible: What can still be done; nothing can about a question.
    """
    if stage is Stage.INPUT:
        possible = Possible()
    elif not policy.regeneration.enabled:
        possible = replace(possible, regenerate=False)
    results = _results(policy, stage, reports, possible)
    action = max(
        (result.action for result in results if result.outcome is GuardOutcome.ACTED),
        key=lambda wanted: wanted.rank,
        default=Action.PASS,
    )
    verdict = Verdict(stage, action, _reasons(results, action), results, reports=tuple(reports))
    confidence = _confidence(policy, verdict)
    return verdict if confidence is None else replace(verdict, confidence=confidence)


def preferred(first: Verdict, second: Verdict) -> int:
    """Return 0 or 1: which of two judged answers to the same question is the better one.

    Fewer contradictions, then fewer unsupported claims, then the higher confidence; the second
    attempt where they are equal, because it was told what was wrong.
    """
    return 0 if _badness(first) < _badness(second) else 1


def _badness(verdict: Verdict) -> tuple[int, int, int, float]:
    findings = verdict.findings
    return (
        verdict.action.rank,
        count(findings, Strength.C2) + count(findings, Strength.C1),
        count(findings, Strength.E0),
        -(verdict.confidence.value if verdict.confidence else 0.0),
    )


def _confidence(policy: Policy, verdict: Verdict) -> Confidence | None:
    """Return the confidence in an answer; None if no guard in force could look at it."""
    if verdict.stage is Stage.INPUT or not verdict.ran:
        return None
    return trust(policy.confidence, verdict.findings, verdict.reports)


def _results(
    policy: Policy, stage: Stage, reports: Sequence[GuardReport], possible: Possible
) -> tuple[GuardResult, ...]:
    """Return what follows from each report; for the judge's that depends on the guards'."""
    watched = stage is Stage.OUTPUT and policy.only_watches
    guards = tuple(
        _result(policy.guards[report.guard], stage, report, possible, watched=watched)
        for report in reports
        if not isinstance(report, JudgeReport)
    )
    judge_reports = [one for one in reports if isinstance(one, JudgeReport)]
    if not judge_reports:
        return guards
    return (
        *guards,
        *(_judge_result(report, guards, possible, watched=watched) for report in judge_reports),
    )


def _judge_result(
    report: JudgeReport, guards: Sequence[GuardResult], possible: Possible, *, watched: bool
) -> GuardResult:
    found = Verdict(Stage.OUTPUT, Action.PASS, results=tuple(guards)).findings
    regated = regate(
        report.objections,
        found,
        may_regenerate=possible.regenerate,
        may_edit=possible.edit and report.wants_trim,
    )
    mode = Mode.SHADOW if watched else report.mode
    return GuardResult(
        guard=report.guard,
        mode=mode,
        outcome=_outcome(mode, report, regated.action),
        action=regated.action,
        findings=regated.findings,
        cleared=report.cleared,
        reason=report.reason,
        duration_ms=report.duration_ms,
        counts=_counts(report, found, guards),
    )


def _counts(
    report: JudgeReport, found: Sequence[Finding], guards: Iterable[GuardResult]
) -> OpinionCounts | None:
    """Return the use of asking a judge, with what it means for the guards' findings."""
    if report.counts is None:
        return None
    objections = [one.finding for one in report.objections]
    return replace(
        report.counts,
        # What it took back is not among the findings any more.
        cleared=sum(len(one.cleared) for one in guards) + sum(map(report.would_clear, found)),
        confirmed=sum(
            any(agreement(one, [finding]) for one in objections)
            for finding in found
            if is_grounding(finding)
        ),
    )


def _result(
    rule: GuardRule, stage: Stage, report: GuardReport, possible: Possible, *, watched: bool
) -> GuardResult:
    wanted = _action_wanted(rule, stage, report, possible)
    mode = Mode.SHADOW if watched else rule.mode
    return GuardResult(
        guard=report.guard,
        mode=mode,
        outcome=_outcome(mode, report, wanted),
        action=wanted,
        findings=report.findings,
        cleared=report.cleared,
        reason=report.reason,
        duration_ms=report.duration_ms,
    )


def _action_wanted(
    rule: GuardRule, stage: Stage, report: GuardReport, possible: Possible
) -> Action:
    """Return the action that a report asks for, were it enforced."""
    if report.outcome is Outcome.CLEAN:
        return Action.PASS
    if report.outcome is Outcome.NOT_RUN:
        needed = report.failed and rule.on_not_run is OnNotRun.REPLACE
        return Action.REPLACE if needed else Action.PASS
    strong = [found for found in report.findings if found.severity is Severity.STRONG]
    if not strong or rule.action is Action.PASS:
        return Action.PASS
    if stage is Stage.INPUT:
        return Action.REPLACE
    wanted = (_wanted_of(rule, finding, possible) for finding in strong)
    return max(wanted, key=lambda action: action.rank)


def _wanted_of(rule: GuardRule, finding: Finding, possible: Possible) -> Action:
    """Return what one strong finding in an answer asks for."""
    if rule.fix and finding.fix is not None and possible.edit:
        return Action.FIX
    if rule.action is Action.REPLACE:
        return Action.REPLACE
    if rule.action is Action.TRIM and possible.edit:
        return Action.TRIM
    if possible.regenerate:
        return Action.REGENERATE
    if rule.final is Action.TRIM and not possible.edit:
        return Action.REPLACE
    return rule.final


def _outcome(mode: Mode, report: GuardReport, wanted: Action) -> GuardOutcome:
    if report.outcome is Outcome.CLEAN:
        return GuardOutcome.CLEAN
    if mode is Mode.SHADOW:
        unseen = report.outcome is Outcome.NOT_RUN
        return GuardOutcome.NOT_RUN if unseen else GuardOutcome.WOULD_ACT
    if wanted is not Action.PASS:
        return GuardOutcome.ACTED
    return GuardOutcome.NOT_RUN if report.outcome is Outcome.NOT_RUN else GuardOutcome.NOTED


def _reasons(results: Sequence[GuardResult], action: Action) -> tuple[str, ...]:
    if action is Action.PASS:
        return ()
    codes = [
        code
        for result in results
        if result.outcome is GuardOutcome.ACTED and result.action is action
        for code in result.codes or (f"{result.guard}.not_run",)
    ]
    return tuple(dict.fromkeys(codes))
