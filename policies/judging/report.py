"""Report of a judge call, alongside the reports of the guards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.runner import GuardReport, Outcome
from policies.confidence import Confidence, JudgeWord, confidence_of
from policies.judging.claims import Skip
from policies.judging.judge import JUDGE, OpinionCounts
from policies.judging.regate import Objection, is_grounding, rests_on_absence
from policies.schema.base import Mode
from policies.schema.sections import ConfidenceWeights, OpinionRules

ANSWER_EDITED = "answer_edited"
"""Reason for no opinion on an answer that was edited and not judged again."""


@dataclass(frozen=True, slots=True)
class Approval:
    """A claim that a judge supports with a quote that can take findings back.

    Attributes:
        span: Where the claim stands in the answer.
        text: The claim as it stands there.
    """

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class JudgeReport(GuardReport):
    """Report of a judge call, alongside the reports of the guards.

    Attributes:
        mode: Whether its opinions count.
        objections: What it has against the answer.
        backed: Places of claims that it supports with a quote.
        approved: Those claims about which it may take findings back.
        confidence: How far it trusts the answer; None if it does not say.
        covered: Share of the open claims on which it gave an opinion that counts.
        is_weighed: Its approval and its own confidence count.
        wants_trim: Claims may be taken out for its sake.
        counts: The use of asking it; None if nobody was asked.
    """

    mode: Mode = Mode.ENFORCE
    objections: tuple[Objection, ...] = ()
    backed: tuple[Span, ...] = ()
    approved: tuple[Approval, ...] = ()
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
            and _touches(finding.span, [one.span for one in self.approved])
        )

    def after(self, text: str) -> "JudgeReport":
        """Return what of the report holds for the answer once it was edited.

        Objections to what still stands in it do; how far the judge trusts it is not known. That
        nobody was asked because the answer would not go out as it was, holds no longer.

        Args:
            text: The answer as it stands then.
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
                replace(one, span=Span(at, at + len(one.text)))
                for one in self.approved
                if (at := text.find(one.text)) >= 0
            ),
            is_weighed=False,
        )

    def _is_answered(self, finding: Finding) -> bool:
        if finding.severity is not Severity.WEAK or not is_grounding(finding):
            return False
        if finding.strength in {Strength.C1, Strength.C2}:
            return False
        return self.is_weighed and _touches(finding.span, self.backed)

    def backs(self, place: Span) -> bool:
        """Tell whether it supports a claim that a place of the answer touches."""
        is_heard = self.mode is Mode.ENFORCE and self.is_weighed
        return is_heard and _touches(place, self.backed)


def _touches(place: Span, spans: Iterable[Span]) -> bool:
    return any(span.start < place.end and place.start < span.end for span in spans)


def trust(
    weights: ConfidenceWeights, findings: Sequence[Finding], reports: Iterable[GuardReport]
) -> Confidence:
    """Return the confidence in an answer, the judge's word included where one was heard.

    Args:
        weights: The policy's numbers.
        findings: Everything that was found in the answer as it stands.
        reports: Everything that was reported on it.
    """
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
