"""Whether an answer is verified, and what is to be said about it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guards.core.finding import Severity
from guards.estimates import Estimates
from policies.codes import guard_labels
from policies.confidence import Confidence, is_bad_citation
from policies.judging.report import open_signs
from policies.repair import LIST_ADDED
from policies.schema.guard_rule import Action
from policies.schema.policy import Policy
from policies.verdict import Verdict
from policies.verification.checks import CheckBook
from policies.verification.citations import CitedAnswer
from policies.verification.parts import ClaimReport, Label, NotCheckable
from policies.verification.words import message, reasoning

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
        policy: The policy.
        verdict: The verdict over the answer.
        book: Which checks ran.
        claims: The answer's sentences.
        not_checkable: What nobody could check.
        cited: The answer's citations.
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
        """Whether the answer may be relied on as far as the policy can tell."""
        nothing_wrong = self.verdict.reasons == (LIST_ADDED,)
        passes = self.verdict.action is Action.PASS or nothing_wrong
        sound = passes and self.cited.valid is not False and not self._is_doubted
        supported = all(one.label is Label.SUPPORTED for one in self._checked)
        return sound and supported and not self._shortfalls

    @property
    def _is_doubted(self) -> bool:
        """Whether a guard found what the policy only notes, and no judge supports the claim."""
        noted = {code for rule in self.policy.guards.values() for code in rule.weak}
        signs = open_signs(self.verdict.findings, self.verdict.reports)
        return any(found.code in noted for found in signs)

    @property
    def issues(self) -> tuple[str, ...]:
        """What keeps the answer from being verified, and what else was found."""
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
        told = {
            number
            for claim in self._checked
            if claim.label in _NO_APPROVAL
            for number in claim.findings
        }
        return sum(
            finding.severity is Severity.STRONG
            and number not in told
            and finding.guard != _HEDGING
            and not is_bad_citation(finding)
            for number, finding in enumerate(self.verdict.findings)
        )
