"""Clauses whose words the sources have not.

Finds: asserted clauses several of whose telling words no source has in any form (inflected, in a
    compound, as a synonym), nor the question, nor the general language of explaining (strong); and
    clauses of which no single sentence of a source holds enough (weak).
Misses: what is invented in the sources' own words, or with one word of its own; advice, offers,
    and what the answer says that it does not know.
Score: one minus the share of the telling words that the sources have.
Source: own measure over morphemes; general words in `guards.lexicons`, thresholds fitted in
    `guards.evidence.thresholds`.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from pydantic import Field

from guards.claims.reader import Claim
from guards.claims.standing import Standing, standing_of
from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Asked, Reading, Text
from guards.evidence.index import SourceIndex, claims_of
from guards.evidence.novelty import Measured, Vocabulary
from guards.evidence.thresholds import (
    FEWEST_WORDS,
    INVENTED_BELOW,
    INVENTED_WORDS,
    SUPPORTED_FROM,
)


class OverlapSettings(GuardSettings):
    """Options of the guard."""

    min_support: float = Field(
        SUPPORTED_FROM,
        ge=0,
        le=1,
        description="Least share of a clause's telling words that a source's sentence must hold.",
    )
    unsupported_below: float = Field(
        INVENTED_BELOW,
        ge=0,
        le=1,
        description="A clause is taken for invented if all sources together have a smaller share.",
    )
    unsupported_words: float = Field(
        INVENTED_WORDS,
        ge=0,
        description="... and so many of its words are not in the sources.",
    )
    min_words: int = Field(
        FEWEST_WORDS,
        ge=1,
        description="Clauses with fewer telling words are too short to judge.",
    )


class Overlap(Guard[OverlapSettings]):
    """Report clauses that no source passage resembles."""

    id = "overlap"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = OverlapSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "overlap.unsupported": Code(
            "The sources have next to nothing of the claim.",
            '"{observed}" 부분은 자료에 없는 내용입니다. 빼고, 자료에 있는 내용만 쓰세요.',
        ),
        "overlap.low": Code(
            "No passage of the sources holds enough of the claim's words.",
            '"{observed}" 문장은 자료에서 근거를 찾기 어렵습니다. 자료에 있는 내용만 쓰세요.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def read_ahead(self, asked: Asked) -> Iterator[None]:
        """Read the claims of the sources and their words."""
        asked.told.once(SourceIndex)
        yield
        asked.once(Vocabulary)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Measure what each asserted clause tells."""
        if reading.answer is None:
            return []
        vocabulary = reading.asked.once(Vocabulary)
        text = reading.answer.text
        read = text.once(claims_of)
        found: list[Finding] = []
        for sentence in read.sentences:
            for claim in sentence:
                start, end = read.page.raw_span(claim.start, claim.end)
                if end <= reading.judged_from:
                    continue
                if standing_of(claim, sentence) is not Standing.ASSERTED:
                    continue
                severity, measured = self._judge(vocabulary, claim)
                if severity is not None:
                    is_last = claim.block is read.page.blocks[-1]
                    span = _trimmed(text, start, end)
                    found.append(_finding(text, span, severity, measured, is_last))
        return found

    def _judge(self, vocabulary: Vocabulary, claim: Claim) -> tuple[Severity | None, Measured]:
        measured = vocabulary.measure(claim)
        settings = self.settings
        if measured.telling < settings.min_words:
            return None, measured
        needed = min(settings.unsupported_words, measured.telling)
        if measured.novel >= needed and measured.known < settings.unsupported_below:
            return Severity.STRONG, measured
        return (Severity.WEAK if measured.held < settings.min_support else None), measured


def _trimmed(text: Text, start: int, end: int) -> Span:
    """Return a span without blanks and commas around it."""
    piece = text.raw[start:end]
    start += len(piece) - len(piece.lstrip(" ,;\n\t"))
    return Span(start, max(start, end - len(piece) + len(piece.rstrip())))


def _finding(
    text: Text, span: Span, severity: Severity, measured: Measured, is_last: bool
) -> Finding:
    observed = text.raw[span.start : span.end]
    is_strong = severity is Severity.STRONG
    share = measured.known if is_strong else measured.held
    # What ends without a full stop may still become the heading of what follows.
    is_open = not observed.rstrip("*_\"'” )").endswith((".", "!", "다", "요"))
    return Finding(
        guard=Overlap.id,
        code="overlap.unsupported" if is_strong else "overlap.low",
        part="answer",
        span=span,
        observed=observed,
        severity=severity,
        strength=Strength.E0,
        score=round(1 - share, 3),
        provisional=is_last and is_open,
    )
