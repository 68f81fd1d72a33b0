"""What came of asking a judge, among the reports of the guards."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.runner import GuardReport, Outcome
from policies.confidence import JudgeWord
from policies.judging import JUDGE
from policies.judging_claims import Skip
from policies.judging_rules import OpinionRules
from policies.regate import Objection, is_grounding
from policies.shape import Mode


@dataclass(frozen=True, slots=True)
class JudgeReport(GuardReport):
    """What came of asking a judge, among the reports of the guards.

    Attributes:
        mode: Whether its opinions count.
        objections: What it has against the answer.
        backed: Places of claims that it supports with a quote.
        confidence: How far it trusts the answer; None if it does not say.
        is_advisory: It may lower the confidence only.
    """

    mode: Mode = Mode.ENFORCE
    objections: tuple[Objection, ...] = ()
    backed: tuple[Span, ...] = ()
    confidence: float | None = None
    is_advisory: bool = False

    @property
    def word(self) -> JudgeWord | None:
        """What it means for the confidence; None if nobody was asked, or only to see."""
        if self.mode is not Mode.ENFORCE:
            return None
        if self.outcome is Outcome.NOT_RUN:
            return None if self.reason in set(Skip) else JudgeWord(degraded=True)
        return None if self.is_advisory else JudgeWord(self.confidence)

    def open_signs(self, findings: Sequence[Finding]) -> list[Finding]:
        """Return the findings without the guards' weak doubts about claims that it supports."""
        if self.mode is not Mode.ENFORCE or self.is_advisory:
            return list(findings)
        return [one for one in findings if not self._is_answered(one)]

    def after(self, text: str) -> "JudgeReport":
        """Return the report on the same answer once it was edited: claims that are gone are left.

        Args:
            text: The answer as it stands then.
        """
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
        )

    def _is_answered(self, finding: Finding) -> bool:
        if finding.severity is not Severity.WEAK or not is_grounding(finding):
            return False
        if finding.guard == JUDGE or finding.strength in {Strength.C1, Strength.C2}:
            return False
        return any(
            span.start < finding.span.end and finding.span.start < span.end for span in self.backed
        )


def not_asked(rules: OpinionRules, skip: Skip) -> JudgeReport:
    """Return the report on a judge that nobody asked."""
    return JudgeReport(JUDGE, Outcome.NOT_RUN, reason=skip.value, mode=rules.mode)


def outcome_of(objections: Sequence[Objection]) -> Outcome:
    """Return how a run ended in which a judge gave its opinion."""
    return Outcome.FOUND if objections else Outcome.CLEAN
