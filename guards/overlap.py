"""Claims whose words the sources hardly have.

Finds: sentences of which no window of three neighbouring source sentences holds enough words and
    syllable pairs.
Misses: a claim in the sources' words that says something else. A right paraphrase in other words
    is reported, which is why findings are weak.
Score: one minus the support found.
Source: containment of stems and syllable pairs, own measure; the threshold was measured on Korean
    answers.
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading
from guards.text.claims import bare_claim, claims
from guards.text.overlap_score import best_window, features
from guards.text.sentences import Sentence


class OverlapSettings(GuardSettings):
    """Options of the guard."""

    min_support: float = Field(
        0.45, ge=0, le=1, description="Least share of a claim that a source passage must hold."
    )
    min_words: int = Field(
        3,
        ge=1,
        description="Claims with fewer content words, figures aside, are too short to judge.",
    )


class Overlap(Guard[OverlapSettings]):
    """Report claims that no source passage resembles; weak."""

    id = "overlap"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = OverlapSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "overlap.low": Code(
            "No passage of the sources holds enough of the claim's words.",
            '"{observed}" 문장은 자료에서 근거를 찾기 어렵습니다. 자료에 있는 내용만 쓰세요.',
        )
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def check(self, reading: Reading) -> list[Finding]:
        """Measure the support of each claim."""
        if reading.answer is None:
            return []
        passages = [
            [part.source.title if part.source else "", *(s.text for s in part.text.sentences)]
            for part in reading.sources
        ]
        findings: list[Finding] = []
        for claim in claims(reading.answer.text.raw):
            words = bare_claim(claim.text)
            if len(features(words).stems) < self.settings.min_words:
                continue
            support = max(best_window(words, sentences) for sentences in passages)
            if support < self.settings.min_support:
                findings.append(self._finding(claim, support))
        return findings

    def _finding(self, claim: Sentence, support: float) -> Finding:
        return Finding(
            guard=self.id,
            code="overlap.low",
            part="answer",
            span=Span(claim.start, claim.end),
            observed=claim.text,
            severity=Severity.WEAK,
            strength=Strength.E0,
            score=round(1 - support, 3),
        )
