"""The verdict: an action, the findings that led to it, and the confidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from guards.core.finding import Finding, Severity, Strength
from guards.core.guard import Stage
from guards.core.runner import GuardReport
from policies.confidence import Confidence
from policies.edits import Edit
from policies.judging.judge import OpinionCounts
from policies.schema.base import Mode
from policies.schema.guard_rule import Action

NOT_WANTED = frozenset({"no_evidence_demanded", "no_open_claims", "answer_replaced"})
"""Reasons of guards, and of the judge, that had no call to run, as against nothing to look at."""


PARTIAL = "partial"
"""Reason of a judge whose word counts on some of the open claims only."""


class GuardOutcome(StrEnum):
    """Outcome of one guard's run."""

    ACTED = "acted"
    """Its findings led to something other than pass."""
    WOULD_ACT = "would_act"
    """It found something and is in shadow: nothing changed."""
    NOTED = "noted"
    """It found something that only lowers the confidence."""
    CLEAN = "clean"
    """It ran and found nothing."""
    NOT_RUN = "not_run"
    """It did not run; `GuardResult.reason` says why."""


@dataclass(frozen=True, slots=True)
class GuardResult:
    """One guard's run and what the policy made of it.

    Attributes:
        guard: Id of the guard.
        mode: Its mode in the policy.
        outcome: See `GuardOutcome`.
        action: What it asked for; PASS unless it acted (or would have).
        findings: What it saw.
        cleared: What it saw and the judge took back.
        reason: Why it did not run, or not to the end; empty otherwise.
        duration_ms: Time it took, in milliseconds.
        counts: Of a judge that was asked: the use of asking it.
    """

    guard: str
    mode: Mode
    outcome: GuardOutcome
    action: Action = Action.PASS
    findings: tuple[Finding, ...] = ()
    cleared: tuple[Finding, ...] = ()
    reason: str = ""
    duration_ms: float = 0.0
    counts: OpinionCounts | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the strong findings, each once; empty if the guard acted without any."""
        strong = (found.code for found in self.findings if found.severity is Severity.STRONG)
        return tuple(dict.fromkeys(strong))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Decision on a question (stage input) or an answer (stage output).

    Attributes:
        stage: Which of the two was judged.
        action: The strongest action that any enforced guard asked for.
        reasons: Codes of the findings that led to the action, each once, in the order of results.
        results: One for each guard that the policy has switched on, in the policy's order.
        confidence: None if nothing was checkable.
        reports: What the guards reported, from which all this was decided.
        edits: What FIX and TRIM change in the answer; empty for every other action.
    """

    stage: Stage
    action: Action
    reasons: tuple[str, ...] = ()
    results: tuple[GuardResult, ...] = ()
    confidence: Confidence | None = None
    reports: tuple[GuardReport, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def leading(self) -> GuardResult | None:
        """The first guard, in the policy's order, that asked for the action; None for PASS."""
        if self.action is Action.PASS:
            return None
        acted = (result for result in self.results if result.outcome is GuardOutcome.ACTED)
        return next(result for result in acted if result.action is self.action)

    @property
    def ran(self) -> frozenset[str]:
        """The guards in force that ran."""
        return frozenset(
            result.guard
            for result in self.results
            if result.mode is Mode.ENFORCE and result.outcome is not GuardOutcome.NOT_RUN
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding of guards that are not in shadow."""
        return tuple(
            finding
            for result in self.results
            if result.mode is Mode.ENFORCE
            for finding in result.findings
        )

    @property
    def acting(self) -> tuple[Finding, ...]:
        """The strong findings of guards that acted."""
        return tuple(
            finding
            for result in self.results
            if result.outcome is GuardOutcome.ACTED
            for finding in result.findings
            if finding.severity is Severity.STRONG
        )

    @property
    def not_run(self) -> tuple[str, ...]:
        """``guard:reason`` for each guard that was wanted and did not run, or not to the end."""
        return tuple(
            f"{result.guard}:{result.reason}"
            for result in self.results
            if result.outcome is GuardOutcome.NOT_RUN or result.reason == PARTIAL
            if result.reason not in NOT_WANTED
        )


def count(findings: Sequence[Finding], strength: Strength) -> int:
    """Return how many strong findings have a given evidence strength."""
    return sum(
        finding.severity is Severity.STRONG and finding.strength is strength for finding in findings
    )
