"""Claims without a citation.

Finds: claims longer than `min_chars` without a citation mark, in answers that cite elsewhere; a
    long answer without any citation, and if citations are required a short one too: one finding for
    the whole answer, not one per sentence.
Misses: whether a citation supports its sentence; short claims. A mark counts for all sentences
    before it on its line, since many answers cite once at the end of a paragraph.
Score: 0.5; 0.8 for an answer of `long_answer_chars` or more without any citation. All weak.
Source: our own rules; the lengths are those usual for Korean answers.
"""

from bisect import bisect_left
from collections.abc import Mapping
from operator import attrgetter
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading
from guards.text.claims import bare_claim, claims
from guards.text.sentences import Sentence
from guards.text.slots.citation_mark import CitationMark, read_marks

_start_of = attrgetter("start")


class UncitedClaimsSettings(GuardSettings):
    """Options of the guard."""

    citations_required: bool = Field(
        False, description="The app's answers are to cite, so a short answer without counts too."
    )
    min_chars: int = Field(20, ge=0, description="Claims up to this length need no citation.")
    long_answer_chars: int = Field(
        500, ge=1, description="From this length on an answer without any citation counts more."
    )


class UncitedClaims(Guard[UncitedClaimsSettings]):
    """Report claims without a citation; weak."""

    id = "uncited_claims"
    label = Label("Missing citations", "출처 누락")
    subject = Subject.FORM
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.ANSWER
    settings_type = UncitedClaimsSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "uncited_claims.sentence": Code(
            label=Label("A claim without a citation", "출처 표시가 없는 문장"),
            meaning="A claim without a citation, in an answer that cites elsewhere.",
            message="출처를 표시하지 않았습니다",
            instruction="문장마다 근거가 된 자료의 번호를 표시하세요.",
        ),
        "uncited_claims.answer": Code(
            label=Label("An answer without any citation", "출처 표시가 하나도 없는 답변"),
            meaning="An answer that makes claims without any citation.",
            message="출처를 표시하지 않았습니다",
            instruction="답변의 각 문장 끝에 근거가 된 자료의 번호를 표시하세요.",
        ),
        "uncited_claims.long_answer": Code(
            label=Label("A long answer without any citation", "출처 표시가 없는 긴 답변"),
            meaning="A long answer without any citation.",
            message="출처를 표시하지 않았습니다",
            instruction="답변의 각 문장 끝에 근거가 된 자료의 번호를 표시하세요.",
        ),
    }

    def check(self, reading: Reading) -> list[Finding]:
        """Look for claims without a mark."""
        answer = reading.answer_text.raw
        marks = read_marks(answer)
        wanting = [
            claim
            for claim in claims(answer)
            if len(bare_claim(claim.text)) > self.settings.min_chars
            and not _is_cited(claim, marks, answer)
        ]
        if not wanting:
            return []
        if marks:
            return [self._finding("sentence", claim, 0.5) for claim in wanting]
        if len(answer) >= self.settings.long_answer_chars:
            return [self._finding("long_answer", wanting[0], 0.8)]
        if self.settings.citations_required:
            return [self._finding("answer", wanting[0], 0.5)]
        return []

    def _finding(self, what: str, claim: Sentence, score: float) -> Finding:
        return Finding(
            guard=self.id,
            code=f"uncited_claims.{what}",
            part="answer",
            span=Span(claim.start, claim.end),
            observed=claim.text,
            severity=Severity.WEAK,
            strength=Strength.E1,
            score=score,
        )


def _is_cited(claim: Sentence, marks: tuple[CitationMark, ...], answer: str) -> bool:
    """Tell whether a mark stands in the claim or after it on the same line."""
    line_end = answer.find("\n", claim.end)
    end = len(answer) if line_end < 0 else line_end
    following = bisect_left(marks, claim.start, key=_start_of)
    return following < len(marks) and marks[following].start < end
