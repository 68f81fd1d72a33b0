"""Makes the report on an answer out of the verdict over it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean
from time import perf_counter

from guards.answerability import Answerability
from guards.core.reading import Reading
from policies.confidence import Confidence, JudgeWord, confidence_of
from policies.coverage import Coverage
from policies.inspection import Inspector
from policies.judging.report import trust
from policies.offsets import Offsets
from policies.schema.policy import Policy
from policies.verdict import GuardOutcome, Verdict
from policies.verification.checks import CheckBook
from policies.verification.citations import CitedAnswer
from policies.verification.claims import Claims
from policies.verification.correction import Corrected, corrected
from policies.verification.findings import FindingReports
from policies.verification.judgement import Judgement
from policies.verification.options import Options
from policies.verification.parts import ClaimReport, Label, Renumbered, Scores
from policies.verification.shape import Verification
from policies.verification.sources import SourceTexts
from policies.verification.thresholds import thresholds_of


@dataclass(frozen=True)
class Judged:
    """An answer with the verdict over it.

    Attributes:
        id: Id of the verification.
        policy_name: Name and version of the policy.
        inspector: What judged it.
        reading: The exchange, read.
        options: What was wanted.
        asked: The guards that were asked for by name; None for all.
        verdict: What was decided.
        began_s: When it began, on `perf_counter`.
        step_ms: Time of each step so far, in milliseconds.
    """

    id: str
    policy_name: str
    inspector: Inspector
    reading: Reading
    options: Options
    asked: frozenset[str] | None
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


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found out about one answer."""

    claims: Claims
    cited: CitedAnswer
    made: Corrected
    book: CheckBook
    confidence: Confidence | None
    sources: SourceTexts


def report_on(judged: Judged) -> Verification:
    """Return the report."""
    verdict, reading, policy = judged.verdict, judged.reading, judged.policy
    coverage = Coverage(policy, reading, verdict.ran)
    sources = SourceTexts(reading.exchange.sources)
    claims = Claims(
        reading=reading,
        coverage=coverage,
        findings=verdict.findings,
        policy=policy,
        sources=sources,
        offsets=Offsets(reading.exchange.answer or ""),
        judged=verdict.reports,
    )
    cited = CitedAnswer(reading, coverage, verdict)
    book = CheckBook(policy, verdict, judged.options, judged.asked)
    with judged.step("correction"):
        made = corrected(judged.inspector, reading.exchange, verdict, judged.options.correction)
    confidence = _confidence(judged, coverage, book)
    return _written(judged, _Found(claims, cited, made, book, confidence, sources))


def _written(judged: Judged, found: _Found) -> Verification:
    claims, cited, confidence = found.claims, found.cited, found.confidence
    exchange, verdict = judged.reading.exchange, judged.verdict
    with judged.step("claims"):
        claim_reports = claims.reports
    with judged.step("citations"):
        log = cited.log
    judgement = Judgement(
        policy=judged.policy,
        verdict=verdict,
        book=found.book,
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
        thresholds=thresholds_of(judged.policy),
        claims=claim_reports,
        findings=FindingReports(judged.reading, claims, found.sources).reports(),
        citations=cited.count,
        original_answer=exchange.answer or "",
        corrected_answer=found.made.text,
        removed_citations=found.made.removed,
        renumbered=_renumbered(found.made),
        sources=found.sources.reports,
        accuracy_rate=cited.accuracy_rate,
        verification_log=log,
        checks=found.book.checks,
        not_checkable=claims.not_checkable,
        degraded=found.book.degraded,
        timings_ms=_timings(judged),
        processing_time_ms=_ms_since(judged.began_s),
    )


def _confidence(judged: Judged, coverage: Coverage, book: CheckBook) -> Confidence | None:
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


def _timings(judged: Judged) -> dict[str, float]:
    guards = {
        result.guard: result.duration_ms
        for result in judged.verdict.results
        if result.outcome is not GuardOutcome.NOT_RUN
    }
    return {name: round(spent, 3) for name, spent in (guards | judged.step_ms).items()}


def _ms_since(began_s: float) -> float:
    return round((perf_counter() - began_s) * 1000, 3)
