"""Confidence in an answer: the only formula.

Starts at 1.0; a fixed part is taken off once for bad citations and another for each further sign.
Where a judge was asked, its own confidence is weighed in. What is still open caps the result. The
numbers are the policy's (`ConfidenceWeights`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from guards.core.finding import Finding, Severity, Strength
from guards.core.guard import Subject
from guards.core.registry import guards_about
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
    """Return the confidence in an answer of which something could be checked.

    Args:
        weights: The policy's numbers.
        findings: Everything that the enforced guards see in the answer as it stands.
        judge: What came of asking a judge; None if none was wanted.
    """
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


def _caps(findings: Iterable[Finding], judge: JudgeWord | None) -> tuple[Cap, ...]:
    strong = [finding for finding in findings if finding.severity is Severity.STRONG]
    open_ = {
        Cap.CONTRADICTION: any(one.strength is Strength.C2 for one in strong),
        Cap.CRITICAL: any(
            one.strength is Strength.E0 and one.guard in guards_about(*_CRITICAL) for one in strong
        ),
        Cap.DEGRADED_JUDGE: judge is not None and judge.degraded,
    }
    return tuple(cap for cap, is_open in open_.items() if is_open)


def _band(value: float, bands: ConfidenceBands) -> Band:
    if value >= bands.high:
        return Band.HIGH
    return Band.MEDIUM if value >= bands.medium else Band.LOW
