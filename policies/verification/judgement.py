"""The judgement of an answer: which checks ran, whether it is verified, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guards.core.finding import Severity
from guards.core.guard import Stage
from guards.core.registry import all_guards
from guards.estimates import Estimates
from policies.codes import guard_labels, message, reasoning
from policies.decision import open_signs
from policies.inspection import LIST_ADDED
from policies.judging.claims import Skip
from policies.judging.judge import JUDGE
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
from policies.verification.shape import Checks, ClaimReport, Label, NotCheckable, Options

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
