"""Claims whose words the sources hardly have.

Finds: sentences of which no window of three neighbouring source sentences holds enough words and
    syllable pairs. Far below the threshold, and with several words that the sources have not, the
    claim comes from nowhere (strong); else the sentence may be a paraphrase in other words (weak),
    and so may one with a figure, which is compared by value elsewhere. A long clause (…고, …며,
    …지만) that is added to a sentence and comes from nowhere is reported by itself.
Misses: a claim in the sources' words that says something else, or that strings their set phrases
    together; one in the question's words; claims of one word that carries a subject, or of two of
    which the sources have one; what is invented around a figure is weak at most.
Score: one minus the support found.
Source: containment of stems and syllable pairs, own measure; the thresholds were measured on
    Korean answers.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Asked, Reading, Text
from guards.text.claims import bare_claim, claims, may_lead_in
from guards.text.coordinate import coordinate_clauses
from guards.text.features import features
from guards.text.held_claims import HeldClaims
from guards.text.overlap_score import Support, support
from guards.text.sentences import Sentence
from guards.text.slots.citation_places import citation_places
from guards.text.slots.quantity import Quantity

_PROVISION = re.compile(r"\([^()\n]{0,80}제\s?\d{1,4}(?:조|항|호|장|절)[^()\n]{0,80}\)")
# So few words are no paraphrase only if the sources have nothing of either.
_PAIR = 2
_EMPHASIS = re.compile(r"[*_~`]{1,3}")


class OverlapSettings(GuardSettings):
    """Options of the guard."""

    min_support: float = Field(
        0.45, ge=0, le=1, description="Least share of a claim that a source passage must hold."
    )
    unsupported_below: float = Field(
        0.36, ge=0, le=1, description="A claim with a smaller share may be invented."
    )
    unsupported_words: float = Field(
        2.5,
        ge=0,
        description="A claim that may be invented is taken for it (strong) when so many of its "
        "words are not in the sources.",
    )
    min_words: int = Field(
        3,
        ge=1,
        description="Claims with fewer content words, figures and words that only frame them "
        "aside, are too short to judge, but for two words of which the sources have nothing.",
    )
    min_clause_words: int = Field(
        5, ge=1, description="The same for a clause of a sentence that is judged by itself."
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

    def check(self, reading: Reading) -> list[Finding]:
        """Measure the support of each claim, and of the clauses of one that has little."""
        if reading.answer is None:
            return []
        answer = reading.answer.text
        measure = _Measure(reading, answer)
        return [
            replace(finding, provisional=may_lead_in(claim, answer.raw))
            for claim in claims(answer.raw)
            if claim.end > reading.judged_from
            for finding in self._of_claim(claim, measure)
        ]

    def _of_claim(self, claim: Sentence, measure: "_Measure") -> list[Finding]:
        held = measure.support(claim)
        if held.words < self.settings.min_words:
            is_pair = held.words == _PAIR and self._is_invented(claim, held, measure)
            return [self._finding(claim, held, is_invented=True)] if is_pair else []
        # No clause can miss more words than its sentence.
        if held.missing >= self.settings.unsupported_words:
            invented = self._invented_clauses(claim, measure)
            if invented:
                return invented
            if self._is_invented(claim, held, measure):
                return [self._finding(claim, held, is_invented=True)]
        is_low = held.share < self.settings.min_support
        return [self._finding(claim, held, is_invented=False)] if is_low else []

    def _invented_clauses(self, claim: Sentence, measure: "_Measure") -> list[Finding]:
        clauses = [(clause, measure.support(clause)) for clause in _added_clauses(claim)]
        return [
            self._finding(clause, held, is_invented=True)
            for clause, held in clauses
            if held.words >= self.settings.min_clause_words
            and self._is_invented(clause, held, measure)
        ]

    def _is_invented(self, place: Sentence, held: Support, measure: "_Measure") -> bool:
        return (
            held.share < min(self.settings.unsupported_below, self.settings.min_support)
            and held.missing >= min(self.settings.unsupported_words, held.words)
            and not measure.has_figure(place)
        )

    def _finding(self, place: Sentence, held: Support, *, is_invented: bool) -> Finding:
        return Finding(
            guard=self.id,
            code="overlap.unsupported" if is_invented else "overlap.low",
            part="answer",
            span=Span(place.start, place.end),
            observed=place.text,
            severity=Severity.STRONG if is_invented else Severity.WEAK,
            strength=Strength.E0,
            score=round(1 - held.share, 3),
        )


class _Known:
    """How far the sources hold what was said, by what of it is compared; filled as it comes.

    An answer is looked at again and again while it grows, and a long one repeats itself.
    """

    def __init__(self, asked: Asked) -> None:
        self._claims = asked.once(HeldClaims)
        self._asked = features(asked.question.text.raw)
        self._known: dict[str, Support] = {}

    def support(self, words: str) -> Support:
        """Return how far the best passage holds some words."""
        if words not in self._known:
            found = self._claims.of(words)
            self._known[words] = support(found.wanted, found.windows, self._asked)
        return self._known[words]


class _Measure:
    """Measures how far the sources hold places of an answer."""

    def __init__(self, reading: Reading, answer: Text) -> None:
        unmarked = _blanked(answer.raw, citation_places(answer.raw))
        figures = [one for one in answer.quantities if not unmarked[one.start].isspace()]
        self._figures = [one.start for one in figures]
        self._compared = _compared(unmarked, figures)
        self._known = reading.asked.once(_Known)

    def support(self, place: Sentence) -> Support:
        """Return how far the best passage holds the words of a place."""
        return self._known.support(bare_claim(self._compared[place.start : place.end]))

    def has_figure(self, place: Sentence) -> bool:
        """Tell whether a figure begins in a place."""
        return bisect_left(self._figures, place.start) < bisect_left(self._figures, place.end)


def _added_clauses(claim: Sentence) -> Iterator[Sentence]:
    """Yield the clauses behind the first: what is invented is added to something told."""
    for start, end in coordinate_clauses(claim.text)[1:]:
        text = claim.text[start:end].strip()
        begin = claim.text.index(text, start) + claim.start
        yield Sentence(text, begin, begin + len(text))


def _compared(text: str, figures: Iterable[Quantity]) -> str:
    """Return what of a text is compared: blanks stand for figures, provisions and emphasis."""
    provisions = (match.span() for match in _PROVISION.finditer(text))
    emphasis = (match.span() for match in _EMPHASIS.finditer(text))
    return _blanked(text, (*((one.start, one.end) for one in figures), *provisions, *emphasis))


def _blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Return a text of the same length with blanks in some places, which may overlap."""
    pieces: list[str] = []
    position = 0
    for start, end in sorted(places):
        if end > position:
            pieces += [text[position : max(start, position)], " " * (end - max(start, position))]
            position = end
    return "".join((*pieces, text[position:]))
