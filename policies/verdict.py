"""The verdict: an action, the findings that caused it, and the confidence in the answer.

The confidence starts at 1.0; a fixed part is taken off once for bad citations and another for each
further sign. Where a judge was asked, its own confidence is weighed in. What is still open caps the
result. The numbers are the policy's (`ConfidenceWeights`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from guards.core.finding import Finding, Severity, Strength
from guards.core.guard import GuardReport, Stage, Subject
from guards.core.registry import guards_about
from policies.codes import CONTRADICTED
from policies.edits import Edit
from policies.judging.judge import OpinionCounts
from policies.schema.base import Mode
from policies.schema.policy import Action
from policies.schema.sections import ConfidenceBands, ConfidenceWeights

_CITATION = (Subject.CITATIONS, Subject.PROVISIONS)
_CRITICAL = (Subject.FIGURES, Subject.PROVISIONS, Subject.CONTACTS, Subject.ROUTES)
"""Claims that do harm where they are invented."""
_NOT_WRONG = frozenset({"citations.missing"})
"""Codes that say only that a citation is lacking."""


class Band(StrEnum):
    """A confidence in one word."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Cap(StrEnum):
    """Reason for a cap on the confidence."""

    CONTRADICTION = "contradiction"
    """A strong finding says that the answer contradicts a source."""
    CRITICAL = "critical"
    """A figure, a provision, a contact or a route stands in no source."""
    OBJECTION = "objection"
    """A judge says that a source contradicts what is sent."""
    DEGRADED_JUDGE = "degraded_judge"
    """A judge was wanted and gave nothing to go by, or on some of the open claims only."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """Confidence in an answer.

    Attributes:
        value: From 0 to 1.
        band: The same in one word.
        caps: What holds it down.
    """

    value: float
    band: Band
    caps: tuple[Cap, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeWord:
    """Outcome of a judge call.

    Attributes:
        confidence: Its own, from 0 to 1; None if it named none.
        covered: Share of the open claims on which its word counts.
    """

    confidence: float | None = None
    covered: float = 1.0

    @property
    def degraded(self) -> bool:
        """True if claims remain that the judge could not settle."""
        return self.covered < 1


def confidence_of(
    weights: ConfidenceWeights, findings: Sequence[Finding], judge: JudgeWord | None = None
) -> Confidence:
    """Return the confidence in an answer of which something could be checked."""
    bad_citation = any(is_bad_citation(finding) for finding in findings)
    signs = sum(not is_bad_citation(finding) for finding in findings)
    value = max(0.0, 1.0 - weights.bad_citation * bad_citation - weights.sign * signs)
    if judge is not None:
        said = weights.judge_unsaid if judge.confidence is None else judge.confidence
        value += weights.judge_share * judge.covered * (said - value)
    caps = _caps(findings, judge)
    limits = (getattr(weights.caps, cap.value) for cap in caps)
    value = round(min([value, *limits]), 4)
    return Confidence(value, _band(value, weights.bands), caps)


def citation_guards() -> frozenset[str]:
    """Return the guards that check citations, be it of sources or of law."""
    return guards_about(*_CITATION)


def is_bad_citation(finding: Finding) -> bool:
    """Tell whether a finding says for sure that a citation is wrong."""
    is_wrong = finding.guard in citation_guards() and finding.code not in _NOT_WRONG
    return is_wrong and finding.severity is Severity.STRONG


def _caps(findings: Sequence[Finding], judge: JudgeWord | None) -> tuple[Cap, ...]:
    strong = [finding for finding in findings if finding.severity is Severity.STRONG]
    open_ = {
        Cap.CONTRADICTION: any(one.strength is Strength.C2 for one in strong),
        Cap.CRITICAL: any(
            one.strength is Strength.E0 and one.guard in guards_about(*_CRITICAL) for one in strong
        ),
        Cap.OBJECTION: any(one.code == CONTRADICTED for one in findings),
        Cap.DEGRADED_JUDGE: judge is not None and judge.degraded,
    }
    return tuple(cap for cap, is_open in open_.items() if is_open)


def _band(value: float, bands: ConfidenceBands) -> Band:
    if value >= bands.high:
        return Band.HIGH
    return Band.MEDIUM if value >= bands.medium else Band.LOW


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
        action: What it asked for; PASS unless it acted (or would have).
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
        action: The strongest action that any enforced guard asked for.
        reasons: Codes of the findings that led to the action, each once, in the order of results.
        results: One for each guard that the policy has switched on, in the policy's order.
        confidence: None if nothing was checkable.
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
