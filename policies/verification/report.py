"""Builds the report on an answer from the verdict: correction, findings, scores."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter

from guards.answerability import Answerability, AnswerabilitySettings
from guards.citations import Citations, CitationsSettings
from guards.core.exchange import Exchange
from guards.core.finding import Evidence, Finding
from guards.core.reading import Reading
from guards.evidence.thresholds import CLAIM_SUPPORTED_FROM
from guards.overlap import Overlap, OverlapSettings
from policies.codes import message
from policies.coverage import Coverage, options_of
from policies.decision import trust
from policies.edits import Offsets, apply
from policies.inspection import Inspector, citations_repaired, repaired
from policies.mending import MendedCitations
from policies.schema.base import Mode
from policies.schema.policy import Action, Policy
from policies.verdict import Confidence, GuardOutcome, JudgeWord, Verdict, confidence_of
from policies.verification.citations import CitedAnswer
from policies.verification.judgement import CheckBook, Claims, Judgement, SourceTexts
from policies.verification.shape import (
    ClaimReport,
    Correction,
    EvidenceReport,
    FindingReport,
    Label,
    Options,
    Renumbered,
    Scores,
    Thresholds,
    Verification,
)


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


@dataclass(frozen=True, slots=True)
class Corrected:
    """An answer after its correction.

    Attributes:
        text: The answer itself if none was wanted; None if too little of it would be left.
        removed: Numbers that are cited no more.
        renumbered: Old and new numbers of citations that got another one.
    """

    text: str | None = None
    removed: tuple[int, ...] = ()
    renumbered: Mapping[int, int] = field(default_factory=dict)


def corrected(
    inspector: Inspector, exchange: Exchange, verdict: Verdict, wanted: Correction
) -> Corrected:
    """Return the answer as far as it can be corrected without asking a model again."""
    if wanted == "none":
        return Corrected(exchange.answer)
    if wanted == "citations":
        return _corrected(exchange, citations_repaired(inspector.policy, exchange, verdict))
    settled = inspector.settled(exchange, verdict, may_edit=True)
    if settled.action is Action.PASS:
        return Corrected(exchange.answer)
    if not settled.edits:
        return Corrected()
    return _corrected(exchange, repaired(inspector.policy, exchange, settled))


def _corrected(exchange: Exchange, mended: MendedCitations | None) -> Corrected:
    if mended is None:
        return Corrected()
    text = apply(exchange.answer or "", mended.edits)
    return Corrected(text, mended.removed, mended.renumbered)


@dataclass(frozen=True)
class JudgedAnswer:
    """An answer with the verdict over it.

    Attributes:
        requested_guards: The guards that were asked for by name; None for all.
        began_s: When it began, on `perf_counter`.
        step_ms: Time of each step so far, in milliseconds.
    """

    id: str
    policy_name: str
    inspector: Inspector
    reading: Reading
    options: Options
    requested_guards: frozenset[str] | None
    verdict: Verdict
    began_s: float
    step_ms: dict[str, float] = field(default_factory=dict)

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self.inspector.policy

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time what happens inside."""
        began_s = perf_counter()
        yield
        self.step_ms[name] = _ms_since(began_s)


def report_on(judged: JudgedAnswer) -> Verification:
    """Return the report."""
    verdict, reading, policy = judged.verdict, judged.reading, judged.policy
    exchange = reading.exchange
    coverage = Coverage(policy, reading, verdict.ran)
    sources = SourceTexts(exchange.sources)
    claims = Claims(
        reading=reading,
        coverage=coverage,
        findings=verdict.findings,
        policy=policy,
        sources=sources,
        offsets=Offsets(exchange.answer or ""),
        judged=verdict.reports,
    )
    cited = CitedAnswer(reading, coverage, verdict)
    book = CheckBook(policy, verdict, judged.options, judged.requested_guards)
    with judged.step("correction"):
        made = corrected(judged.inspector, exchange, verdict, judged.options.correction)
    confidence = _confidence(judged, coverage, book)
    with judged.step("claims"):
        claim_reports = claims.reports
    with judged.step("citations"):
        log = cited.log
    judgement = Judgement(
        policy=policy,
        verdict=verdict,
        book=book,
        claims=claim_reports,
        not_checkable=claims.not_checkable,
        cited=cited,
        confidence=confidence,
    )
    return Verification(
        id=judged.id,
        policy=judged.policy_name,
        question=exchange.question,
        context=exchange.context,
        verdict=verdict.action,
        verified=judgement.verified,
        confidence=confidence.value if confidence else None,
        confidence_band=confidence.band if confidence else None,
        confidence_caps=confidence.caps if confidence else (),
        issues=judgement.issues,
        reasoning=judgement.reasoning,
        citations_valid=cited.valid,
        scores=_scores(verdict, claim_reports, cited),
        thresholds=thresholds_of(policy),
        claims=claim_reports,
        findings=FindingReports(reading, claims, sources).reports(),
        citations=cited.count,
        original_answer=exchange.answer or "",
        corrected_answer=made.text,
        removed_citations=made.removed,
        renumbered=_renumbered(made),
        sources=sources.reports,
        accuracy_rate=cited.accuracy_rate,
        verification_log=log,
        checks=book.checks,
        not_checkable=claims.not_checkable,
        degraded=book.degraded,
        timings_ms=_timings(judged),
        processing_time_ms=_ms_since(judged.began_s),
    )


def _confidence(judged: JudgedAnswer, coverage: Coverage, book: CheckBook) -> Confidence | None:
    """Return the confidence in the answer as it was given, whatever mending would make of it."""
    verdict = judged.verdict
    if not coverage.met_a_source(verdict.findings):
        return None
    weights = judged.policy.confidence
    if book.misses_judge:
        return confidence_of(weights, verdict.findings, JudgeWord(covered=0.0))
    return trust(weights, verdict.findings, verdict.reports)


def _scores(verdict: Verdict, claims: tuple[ClaimReport, ...], cited: CitedAnswer) -> Scores:
    support = [claim.score for claim in claims if claim.score is not None]
    labels = [claim.label for claim in claims if claim.checked_by]
    outcome = next(
        (one.outcome for one in verdict.results if one.guard == Answerability.id),
        GuardOutcome.NOT_RUN,
    )
    known = outcome is not GuardOutcome.NOT_RUN
    contradicted = labels.count(Label.CONTRADICTED)
    return Scores(
        support=round(fmean(support), 4) if support else None,
        contradiction=round(contradicted / len(labels), 4) if labels else None,
        answerability=float(outcome is GuardOutcome.CLEAN) if known else None,
        citation=cited.score,
    )


def _renumbered(made: Corrected) -> tuple[Renumbered, ...]:
    pairs = sorted(made.renumbered.items())
    return tuple(Renumbered(before=before, after=after) for before, after in pairs)


def _timings(judged: JudgedAnswer) -> dict[str, float]:
    guards = {
        result.guard: result.duration_ms
        for result in judged.verdict.results
        if result.outcome is not GuardOutcome.NOT_RUN
    }
    return {name: round(spent, 3) for name, spent in (guards | judged.step_ms).items()}


def _ms_since(began_s: float) -> float:
    return round((perf_counter() - began_s) * 1000, 3)


def thresholds_of(policy: Policy) -> Thresholds:
    """Return the thresholds in force."""
    retrieval = options_of(policy, Answerability.id, AnswerabilitySettings).min_score
    overlap = options_of(policy, Overlap.id, OverlapSettings)
    citation = options_of(policy, Citations.id, CitationsSettings).threshold
    return Thresholds(
        retrieval=retrieval if _is_on(policy, Answerability.id) else None,
        support=overlap.min_support if _is_on(policy, Overlap.id) else None,
        unsupported=CLAIM_SUPPORTED_FROM if _is_on(policy, Overlap.id) else None,
        relevance=policy.sources.min_relevance,
        citation=citation if _is_on(policy, Citations.id) else None,
        confidence=policy.confidence.threshold,
    )


def _is_on(policy: Policy, guard: str) -> bool:
    rule = policy.guards.get(guard)
    return rule is not None and rule.mode is not Mode.OFF
