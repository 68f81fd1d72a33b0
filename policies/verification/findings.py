"""The guards' findings as a verification reports them."""

from guards.core.finding import Evidence, Finding
from guards.core.reading import Reading
from policies.offsets import Offsets
from policies.verification.claims import Claims
from policies.verification.parts import EvidenceReport, FindingReport
from policies.verification.sources import SourceTexts
from policies.verification.words import message


class FindingReports:
    """Reports on findings about one exchange."""

    def __init__(self, reading: Reading, claims: Claims, sources: SourceTexts) -> None:
        self._claims = claims
        self._sources = sources
        self._texts = {part.name: part.text.raw for part in reading.parts}
        self._offsets: dict[str, Offsets] = {}

    def reports(self) -> tuple[FindingReport, ...]:
        """Return a report on each finding; its id is its place."""
        return tuple(self._report(at, each) for at, each in enumerate(self._claims.findings))

    def _report(self, number: int, finding: Finding) -> FindingReport:
        return FindingReport(
            id=number,
            guard=finding.guard,
            code=finding.code,
            severity=finding.severity,
            strength=finding.strength,
            claim=self._claims.about[number],
            part=finding.part,
            span=self._offsets_of(finding.part).place(finding.span),
            observed=finding.observed,
            expected=finding.expected,
            evidence=tuple(map(self._evidence, finding.evidence)),
            score=finding.score,
            fix=finding.fix,
            message=message(finding),
        )

    def _evidence(self, evidence: Evidence) -> EvidenceReport:
        return EvidenceReport(
            source_id=evidence.source_id,
            quote=evidence.quote,
            span=self._sources.place(evidence.source_id, evidence.quote),
        )

    def _offsets_of(self, part: str) -> Offsets:
        if part not in self._offsets:
            self._offsets[part] = Offsets(self._texts[part])
        return self._offsets[part]
