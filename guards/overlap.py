"""Claims whose words the sources hardly have.

Finds: sentences of which no window of three neighbouring source sentences holds enough words and
    syllable pairs. Far below the threshold the claim comes from nowhere (strong); else the sentence
    may be a paraphrase in other words (weak), and so may one with a figure, which is compared by
    value elsewhere.
Misses: a claim in the sources' words that says something else, or that strings their set phrases
    together; one in the question's words; claims of one or two words; what is invented around a
    figure is weak at most.
Score: one minus the support found.
Source: containment of stems and syllable pairs, own measure; the thresholds were measured on
    Korean answers.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Part, Reading, Text
from guards.text.claims import bare_claim, claims
from guards.text.features import features
from guards.text.overlap_score import Passage, Support, support
from guards.text.sentences import Sentence

_CITATION = re.compile(
    r"\[[†^]?\d{1,3}(?:\s?[,~-]\s?\d{1,3}){0,9}\]|【[^】\n]{1,120}】"
    r"|[(\[](?:출처|근거|참조|참고)[^)\]\n]{0,120}[)\]]"
    r"|\([^()\n]{0,80}제\s?\d{1,4}(?:조|항|호|장|절)[^()\n]{0,80}\)"
)
_EMPHASIS = re.compile(r"[*_~`]{1,3}")


class OverlapSettings(GuardSettings):
    """Options of the guard."""

    min_support: float = Field(
        0.45, ge=0, le=1, description="Least share of a claim that a source passage must hold."
    )
    unsupported_below: float = Field(
        0.3, ge=0, le=1, description="A claim with a smaller share is taken for invented (strong)."
    )
    min_words: int = Field(
        3,
        ge=1,
        description="Claims with fewer content words, figures aside, are too short to judge.",
    )


class Overlap(Guard[OverlapSettings]):
    """Report claims that no source passage resembles."""

    id = "overlap"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = OverlapSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "overlap.unsupported": Code(
            "The sources have next to nothing of the claim.",
            '"{observed}" 문장은 자료에 없는 내용입니다. 빼고, 자료에 있는 내용만 쓰세요.',
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

    def check(self, reading: Reading) -> list[Finding]:
        """Measure the support of each claim."""
        if reading.answer is None:
            return []
        answer = reading.answer.text
        without_figures = _without_figures(answer)
        figures = [quantity.start for quantity in answer.quantities]
        passages = [_passage(part) for part in reading.sources]
        asked = features(reading.question.text.raw)
        findings: list[Finding] = []
        measured: dict[str, Support] = {}
        for claim in claims(answer.raw):
            words = _own_words(without_figures[claim.start : claim.end])
            if words not in measured:
                measured[words] = support(words, passages, asked)
            held = measured[words]
            if held.words >= self.settings.min_words and held.share < self.settings.min_support:
                findings.append(self._finding(claim, held, _has_figure(claim, figures)))
        return findings

    def _finding(self, claim: Sentence, held: Support, has_figure: bool) -> Finding:
        is_invented = held.share < self.settings.unsupported_below and not has_figure
        return Finding(
            guard=self.id,
            code="overlap.unsupported" if is_invented else "overlap.low",
            part="answer",
            span=Span(claim.start, claim.end),
            observed=claim.text,
            severity=Severity.STRONG if is_invented else Severity.WEAK,
            strength=Strength.E0,
            score=round(1 - held.share, 3),
        )


def _passage(part: Part) -> Passage:
    return Passage(part.source.title if part.source else "", part.text.held_index)


def _without_figures(text: Text) -> str:
    """Return a text of the same length with blanks for its quantities."""
    pieces: list[str] = []
    position = 0
    for quantity in text.quantities:
        pieces += [text.raw[position : quantity.start], " " * (quantity.end - quantity.start)]
        position = quantity.end
    return "".join((*pieces, text.raw[position:]))


def _own_words(claim: str) -> str:
    """Return a claim without citations, list marks and marks of emphasis."""
    return bare_claim(_EMPHASIS.sub("", _CITATION.sub(" ", claim)))


def _has_figure(claim: Sentence, figures: Sequence[int]) -> bool:
    """Tell whether one of the figures that begin at some places, in order, is in a claim."""
    return bisect_left(figures, claim.start) < bisect_left(figures, claim.end)
