"""The judgement of an answer: each sentence with its sources, the checks that ran, the result."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guards.core.exchange import Source
from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import GuardReport, Stage
from guards.core.keeping import lazy
from guards.core.reading import Reading, Text
from guards.core.registry import all_guards
from guards.estimates import Estimates
from guards.evidence.doubt import Doubts, limits
from guards.evidence.support import Support
from guards.evidence.thresholds import CLAIM_SUPPORTED_FROM
from guards.text.citing.statements import Statement, support_of
from policies.codes import guard_labels, message, reasoning
from policies.coverage import Coverage, is_about_mark
from policies.decision import is_backed, open_signs
from policies.edits import Offsets, Place
from policies.inspection import LIST_ADDED
from policies.judging.claims import Skip
from policies.judging.judge import JUDGE
from policies.judging.regate import says_untrue, strong_grounding
from policies.schema.base import Mode
from policies.schema.policy import Action, Policy
from policies.verdict import (
    NOT_WANTED,
    PARTIAL,
    Confidence,
    GuardOutcome,
    GuardResult,
    Verdict,
    is_bad_citation,
)
from policies.verification.citations import CitedAnswer
from policies.verification.shape import (
    Checks,
    ClaimCitation,
    ClaimReport,
    Label,
    Method,
    NotCheckable,
    Options,
    SourceReport,
)


class SourceTexts:
    """The texts of the sources of one exchange."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._offsets: dict[str, Offsets] = {}
        self.reports = tuple(
            SourceReport(
                id=source.id,
                title=source.title,
                text=source.text,
                file=source.file,
                page=source.page,
                score=source.score,
            )
            for source in sources
        )
        self._texts = {source.id: source.text for source in self.reports}

    def place(self, source_id: str, quote: str) -> Place | None:
        """Return where a quote first stands in a source; None if it is not there word for word."""
        start = self._texts.get(source_id, "").find(quote) if quote else -1
        return None if start < 0 else self.at(source_id, Span(start, start + len(quote)))

    def at(self, source_id: str, span: Span) -> Place:
        """Return a place in a source in all three counts."""
        if source_id not in self._offsets:
            self._offsets[source_id] = Offsets(self._texts[source_id])
        return self._offsets[source_id].place(span)


MOST_CITATIONS = 3
_SHORTEST_EXACT_CHARS = 8

_LABELS = {
    Strength.E3: Label.SUPPORTED,
    Strength.E2: Label.SUPPORTED,
    Strength.E1: Label.PARTIAL,
    Strength.E0: Label.UNSUPPORTED,
    Strength.C1: Label.CONTRADICTED,
    Strength.C2: Label.CONTRADICTED,
}
_WORST_FIRST = (Strength.C2, Strength.C1, Strength.E0)


@dataclass(frozen=True)
class Claims:
    """The sentences of one answer, compared with the sources."""

    reading: Reading
    coverage: Coverage
    findings: Sequence[Finding]
    policy: Policy
    sources: SourceTexts
    offsets: Offsets
    judged: Sequence[GuardReport]

    @lazy
    def reports(self) -> tuple[ClaimReport, ...]:
        """Return a report on each sentence, in order."""
        return tuple(
            self._report(index, statement)
            for index, statement in enumerate(self.coverage.statements)
        )

    @lazy
    def about(self) -> tuple[int | None, ...]:
        """For each finding the index of the sentence that it is about; None for none."""
        return tuple(map(self._about, self.findings))

    def _about(self, finding: Finding) -> int | None:
        if finding.part != "answer":
            return None
        span = finding.span
        at = bisect_right(self._ends, span.start)
        if at < len(self._ends):
            begins = self.coverage.statements[at].sentence.start
            if begins < max(span.end, span.start + 1):
                return at
        return self._marked.get(span.start)

    @lazy
    def _ends(self) -> list[int]:
        return [statement.sentence.end for statement in self.coverage.statements]

    @lazy
    def _marked(self) -> dict[int, int]:
        """For each citation mark, some of which stand behind their sentence, whose it is."""
        return {
            mark.start: index
            for index, statement in enumerate(self.coverage.statements)
            for mark in statement.marks
        }

    @lazy
    def _findings_of(self) -> dict[int | None, list[int]]:
        found: dict[int | None, list[int]] = defaultdict(list)
        for number, index in enumerate(self.about):
            found[index].append(number)
        return found

    @lazy
    def not_checkable(self) -> tuple[NotCheckable, ...]:
        """Return what nobody could check, and why."""
        whole = self._whole_reason
        if whole:
            return (NotCheckable(claim=None, reason=whole),)
        return tuple(
            NotCheckable(claim=index, reason=self._reason(statement))
            for index, statement in enumerate(self.coverage.statements)
            if statement.is_claim and not self._checked_by(index, statement)
        )

    @property
    def _whole_reason(self) -> str:
        answer = self.reading.answer
        if answer is None or not answer.text.raw.strip():
            return "no_answer"
        if not self.coverage.claims:
            return "no_claims"
        return "" if self.reading.sources else "no_sources"

    def _reason(self, statement: Statement) -> str:
        return "too_short" if self.coverage.is_too_short(statement) else "not_looked_at"

    def _checked_by(self, index: int, statement: Statement) -> tuple[str, ...]:
        """Return the guards that compared a claim with the sources, or object to it."""
        objecting = strong_grounding(self._findings_at(index, statement))
        guards = (*self.coverage.checked_by(statement), *(one.guard for one in objecting))
        return tuple(dict.fromkeys(guards))

    def _report(self, index: int, statement: Statement) -> ClaimReport:
        sentence = statement.sentence
        checked_by = self._checked_by(index, statement) if statement.is_claim else ()
        about = tuple(self._findings_of[index])
        cited = self._citations(statement) if checked_by else ()
        score = max((one.score for one in cited), default=0.0) if checked_by else None
        strength = self._strength(statement, self._findings_at(index, statement), score, cited)
        return ClaimReport(
            index=index,
            text=sentence.text,
            span=self.offsets.place(Span(sentence.start, sentence.end)),
            check_required=statement.is_claim,
            label=Label.NOT_CHECKABLE if strength is None else _LABELS[strength],
            strength=strength,
            score=score,
            checked_by=checked_by,
            citations=tuple(one for one in cited if one.score >= CLAIM_SUPPORTED_FROM),
            findings=about,
        )

    def _findings_at(self, index: int, statement: Statement) -> list[Finding]:
        """Return the findings about what a sentence says."""
        found = (self.findings[at] for at in self._findings_of[index])
        return [one for one in found if not is_about_mark(one, statement)]

    def _strength(
        self,
        statement: Statement,
        findings: Sequence[Finding],
        score: float | None,
        cited: Sequence[ClaimCitation],
    ) -> Strength | None:
        """Return how well a sentence is founded; None where nobody could look at it."""
        untrue = [one for one in open_signs(findings, self.judged) if says_untrue(one)]
        strong = {one.strength for one in untrue if one.severity is Severity.STRONG}
        worst = next((strength for strength in _WORST_FIRST if strength in strong), None)
        if worst is not None or score is None:
            return worst
        span = Span(statement.sentence.start, statement.sentence.end)
        if not untrue and is_backed(span, self.judged):
            return Strength.E2
        if score < CLAIM_SUPPORTED_FROM:
            return Strength.E0
        if untrue or self._is_doubtful(span):
            return Strength.E1
        exact = any(one.method is Method.EXACT for one in cited)
        return Strength.E3 if exact else Strength.E2

    def _citations(self, statement: Statement) -> tuple[ClaimCitation, ...]:
        """Return the best passages for a claim, the best first."""
        figures = self._support.figures(statement.sentence.start, statement.sentence.end)
        carried = self._support.carried(statement.text, figures)
        scores = [(carried.score([place]), place) for place in range(len(self.sources.reports))]
        best = sorted(scores, key=lambda one: (-one[0], one[1]))[:MOST_CITATIONS]
        return tuple(self._citation(statement, place, score) for score, place in best)

    def _citation(self, statement: Statement, place: int, score: float) -> ClaimCitation:
        source = self.sources.reports[place]
        exact = self._exact(statement, self.reading.sources[place].text)
        if exact is not None:
            quote = source.text[exact.start : exact.end]
            return ClaimCitation(
                source_id=source.id,
                span=self.sources.at(source.id, exact),
                quote=quote,
                method=Method.EXACT,
                score=1.0,
            )
        quote = self._support.quote(statement.text, place)
        return ClaimCitation(
            source_id=source.id,
            span=self.sources.place(source.id, quote),
            quote=quote,
            method=Method.ALIGNED,
            score=round(score, 4),
        )

    @staticmethod
    def _exact(statement: Statement, source: Text) -> Span | None:
        """Return where a claim stands in a source word for word; None if it does not."""
        wanted = statement.text.strip().rstrip(".!")
        start = source.raw.find(wanted) if len(wanted) >= _SHORTEST_EXACT_CHARS else -1
        return None if start < 0 else Span(start, start + len(wanted))

    def _is_doubtful(self, span: Span) -> bool:
        """Tell whether the comparison with the sources leaves a sentence in doubt."""
        doubt = self.reading.once(Doubts).of(span)
        return doubt is not None and doubt >= limits().doubtful_from

    @lazy
    def _support(self) -> Support:
        return support_of(self.reading)


_FAILED = "failed:"


@dataclass(frozen=True, slots=True)
class CheckBook:
    """The checks to run on an answer, and their outcomes.

    Attributes:
        requested_guards: The guards that were asked for by name; None for all.
    """

    policy: Policy
    verdict: Verdict
    options: Options
    requested_guards: frozenset[str] | None

    @property
    def checks(self) -> Checks:
        """Every check, as one that ran or with why it did not."""
        results = self._results
        skipped = {
            guard: reason for guard in all_guards() if (reason := self._reason(guard)) is not None
        }
        if JUDGE not in self.verdict.ran:
            skipped[JUDGE] = self._why_no_judge
        return Checks(
            run=tuple(guard for guard in results if guard in self.verdict.ran),
            shadow=tuple(
                guard
                for guard, result in results.items()
                if result.mode is Mode.SHADOW and result.outcome is not GuardOutcome.NOT_RUN
            ),
            skipped=skipped,
        )

    @property
    def degraded(self) -> tuple[str, ...]:
        """Checks that were requested and failed, as ``name:reason``."""
        failed = [
            f"{guard}:{result.reason}"
            for guard, result in self._results.items()
            if guard != JUDGE and result.mode is Mode.ENFORCE and result.reason.startswith(_FAILED)
        ]
        if self.misses_judge or self._has_part_of_judge:
            failed.append(f"{JUDGE}:{self._why_no_judge}")
        return tuple(failed)

    @property
    def misses_judge(self) -> bool:
        """True if a judge's opinion was requested and there is none."""
        if JUDGE in self.verdict.ran:
            return False
        result = self._results.get(JUDGE)
        failed = (
            result is not None
            and result.mode is Mode.ENFORCE
            and result.outcome is GuardOutcome.NOT_RUN
            and result.reason not in set(Skip)
        )
        return failed or self.options.judge == "force"

    @property
    def _has_part_of_judge(self) -> bool:
        """Return whether a model's opinion counts on some of the open claims only."""
        return JUDGE in self.verdict.ran and self._results[JUDGE].reason == PARTIAL

    @property
    def _why_no_judge(self) -> str:
        """Return why no opinion of a judge counts, or not on every open claim."""
        result = self._results.get(JUDGE)
        if result is not None:
            return result.reason or "shadow"
        if self.options.judge == "off":
            return "off"
        rules = self.policy.judge
        if rules is None:
            return "not_configured"
        return "off" if rules.mode is Mode.OFF else "not_asked"

    @property
    def missing(self) -> tuple[str, ...]:
        """Checks without which the answer is not verified, and that did not run."""
        failed = [name.partition(":")[0] for name in self.degraded]
        demanded = sorted((self.requested_guards or frozenset()) - self.verdict.ran)
        wanting = [guard for guard in demanded if self._reason(guard) not in NOT_WANTED]
        return tuple(dict.fromkeys([*failed, *wanting]))

    @property
    def _results(self) -> dict[str, GuardResult]:
        return {result.guard: result for result in self.verdict.results}

    def _reason(self, guard: str) -> str | None:
        """Return why a guard did not run; None if it did."""
        rule = self.policy.guards.get(guard)
        if rule is None or rule.mode is Mode.OFF:
            return "off"
        if Stage.OUTPUT not in all_guards()[guard].stages:
            return "question_only"
        result = self._results.get(guard)
        if result is None:
            return "not_asked"
        return result.reason if result.outcome is GuardOutcome.NOT_RUN else None


_NO_APPROVAL = frozenset({Label.UNSUPPORTED, Label.CONTRADICTED})
_HEDGING = Estimates.id
_NOT_LOOKED_AT = "not_looked_at"
_NOTHING = {
    "no_sources": "대조할 자료가 없어 답변을 확인하지 못했습니다.",
    "no_answer": "확인할 답변이 없습니다.",
    "no_claims": "답변에 자료와 대조할 내용이 없습니다.",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer with all that was found out about it.

    Attributes:
        claims: The answer's sentences.
        not_checkable: What nobody could check.
        confidence: None if nothing could be checked.
    """

    policy: Policy
    verdict: Verdict
    book: CheckBook
    claims: Sequence[ClaimReport]
    not_checkable: Sequence[NotCheckable]
    cited: CitedAnswer
    confidence: Confidence | None

    @property
    def verified(self) -> bool:
        """True if the answer is verified under the policy."""
        nothing_wrong = self.verdict.reasons == (LIST_ADDED,)
        passes = self.verdict.action is Action.PASS or nothing_wrong
        sound = passes and self.cited.valid is not False and not self._is_doubted
        supported = all(one.label is Label.SUPPORTED for one in self._checked)
        return sound and supported and not self._shortfalls

    @property
    def _is_doubted(self) -> bool:
        """True if a guard found something that the policy only notes and no judge supports it."""
        noted = {code for rule in self.policy.guards.values() for code in rule.weak}
        signs = open_signs(self.verdict.findings, self.verdict.reports)
        return any(found.code in noted for found in signs)

    @property
    def issues(self) -> tuple[str, ...]:
        """Reasons why the answer is not verified, and other findings."""
        strong_first = sorted(self.verdict.findings, key=lambda one: one.severity.value)
        lines = [*map(message, strong_first), *self._shortfalls]
        return tuple(dict.fromkeys(lines))

    @property
    def reasoning(self) -> str:
        """The judgement in one line."""
        return reasoning([*self._pieces()])

    @property
    def _checked(self) -> list[ClaimReport]:
        return [claim for claim in self.claims if claim.checked_by]

    @property
    def _doubtful(self) -> list[ClaimReport]:
        """The claims of which the comparison cannot tell whether the sources say the same."""
        return [one for one in self._checked if one.label is Label.PARTIAL]

    @property
    def _shortfalls(self) -> list[str]:
        """Say what is lacking although no guard objects."""
        lines = [_NOTHING[one.reason] for one in self.not_checkable if one.claim is None]
        if not lines and not self._checked:
            lines.append("자료와 대조한 내용이 없어 답변을 확인하지 못했습니다.")
        left_out = [one for one in self.not_checkable if one.reason == _NOT_LOOKED_AT]
        if left_out:
            lines.append(f"확인하지 않은 문장이 {len(left_out)}개 있습니다.")
        lines += [
            f'근거: "{claim.text}" - 자료에서 확인되지 않습니다'
            for claim in self.claims
            if claim.label in _NO_APPROVAL and not claim.findings
        ]
        lines += [
            f'근거: "{claim.text}" - 자료와 같은 뜻인지 확인하지 못했습니다'
            for claim in self._doubtful
        ]
        missing = [guard_labels()[name].ko for name in self.book.missing]
        if missing:
            lines.append(f"필요한 검사를 하지 못했습니다: {', '.join(missing)}.")
        threshold = self.policy.confidence.threshold
        if self.confidence is not None and self.confidence.value < threshold:
            lines.append(f"신뢰도 {self.confidence.value:g} - 기준인 {threshold:g}보다 낮습니다.")
        return lines

    def _pieces(self) -> Iterator[tuple[bool | None, str]]:
        yield self._citations_piece()
        yield self._claims_piece()
        yield self._hedging_piece()
        others = self._others()
        if others:
            yield False, f"그 밖의 문제가 {others}건 있습니다"
        if self.book.missing:
            yield None, "필요한 검사를 모두 하지는 못했습니다"

    def _citations_piece(self) -> tuple[bool | None, str]:
        if not self.cited.cites:
            return None, "출처 인용이 없습니다"
        match self.cited.valid:
            case None:
                return None, "출처 인용을 확인하지 않았습니다"
            case True:
                return True, "출처 인용이 유효합니다"
            case False:
                return False, "출처 인용이 올바르지 않습니다"

    def _claims_piece(self) -> tuple[bool | None, str]:
        checked = self._checked
        if not checked:
            return None, "자료와 대조한 내용이 없습니다"
        bad = [claim for claim in checked if claim.label in _NO_APPROVAL]
        if bad:
            return False, f"문장 {len(checked)}개 중 {len(bad)}개가 자료에서 확인되지 않습니다"
        if doubtful := len(self._doubtful):
            return (
                None,
                f"문장 {len(checked)}개 중 {doubtful}개는 자료와 같은 뜻인지 알 수 없습니다",
            )
        return True, f"문장 {len(checked)}개를 자료와 대조했습니다"

    def _hedging_piece(self) -> tuple[bool | None, str]:
        if _HEDGING not in self.verdict.ran:
            return None, "불확실한 표현을 확인하지 못했습니다"
        found = sum(one.guard == _HEDGING for one in self.verdict.findings)
        if found:
            return False, f"불확실한 표현이나 추정이 {found}건 있습니다"
        return True, "불확실한 표현이 감지되지 않았습니다"

    def _others(self) -> int:
        """Return how many strong findings none of the other pieces tells of."""
        cited = {
            number
            for claim in self._checked
            if claim.label in _NO_APPROVAL
            for number in claim.findings
        }
        return sum(
            finding.severity is Severity.STRONG
            and number not in cited
            and finding.guard != _HEDGING
            and not is_bad_citation(finding)
            for number, finding in enumerate(self.verdict.findings)
        )
