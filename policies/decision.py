"""The decision: from the guards' findings to an action. Pure: equal input, equal output."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from guards.core.finding import Finding, Severity, Strength
from guards.core.guard import Stage
from guards.core.runner import GuardReport, Outcome
from policies.confidence import Confidence
from policies.judging.judge import OpinionCounts
from policies.judging.regate import agreement, is_grounding, regate
from policies.judging.report import JudgeReport, trust
from policies.schema.base import Mode
from policies.schema.guard_rule import Action, GuardRule, OnNotRun
from policies.schema.policy import Policy
from policies.verdict import GuardOutcome, GuardResult, Verdict, count


@dataclass(frozen=True, slots=True)
class Possible:
    """Actions that are still possible for an answer.

    Attributes:
        regenerate: A second attempt is left.
        edit: Places can be mended and sentences taken out.
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
        policy: The tenant's policy.
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
    """Return what each report comes to; what the judge's does depends on the guards'."""
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
    wanted = _wanted(rule, stage, report, possible)
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


def _wanted(rule: GuardRule, stage: Stage, report: GuardReport, possible: Possible) -> Action:
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
