"""Estimates and guesses that no source makes.

Finds: hedged figures (약 2만원, 보통 30분, 도보 10분, 30여 명) whose value the sources do not
    give; hedging words alone (아마도, 일반적으로, …할 수도 있습니다) where the sources do not.
Misses: estimates without a figure or a listed word; an estimate that happens to equal some other
    figure of the sources.
Score: 1.0 for a figure; 0.5 for words alone (weak); 0.3 for a figure that follows from others of
    one passage (weak).
Source: own lists in `guards.lexicons.hedges`.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from guards.claims.standing import abstains
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading, Text
from guards.text.claimed_quantities import claimed_quantities
from guards.text.hedging import REACH_CHARS, Guess, guesses, hedged_starts, may_guess
from guards.text.known_quantities import KnownQuantities, known_in
from guards.text.open_sources import OpenSources
from guards.text.reckoned import Reckoning
from guards.text.slots.quantity import Quantity
from guards.text.source_figures import SourceFigures


class EstimatesSettings(GuardSettings):
    """Options of the guard."""

    rounding: float = Field(
        0.05,
        ge=0,
        le=0.5,
        description="A hedged figure this near to a figure of the sources (as a share) passes.",
    )


class Estimates(Guard[EstimatesSettings]):
    """Report hedged figures without support, and hedging words as weak signs."""

    id = "estimates"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = EstimatesSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "estimates.unsupported": Code(
            "A hedged figure that no source gives.",
            '"{observed}"은(는) 자료에 없는 추정입니다. 추정하지 말고 자료에 있는 값만 쓰세요.',
        ),
        "estimates.derived": Code(
            "A hedged figure that no source gives; it follows from figures of one passage.",
            '"{observed}"은(는) 자료에 없는 계산 값입니다. 자료에 있는 수치를 그대로 쓰세요.',
        ),
        "estimates.hedge": Code(
            "A guess in words, where the sources do not hedge.",
            '"{observed}" 같은 추측 표현 없이 자료에 있는 내용만 쓰세요.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def check(self, reading: Reading) -> list[Finding]:
        """Compare hedged figures with the sources, then look for guesses in words."""
        if reading.answer is None:
            return []
        text = reading.answer.text
        hedged = frozenset(hedged_starts(text))
        figures = [figure for figure in claimed_quantities(text) if figure.start in hedged]
        return [*self._unsupported(figures, reading), *self._guesses(text, reading)]

    def _unsupported(self, figures: list[Quantity], reading: Reading) -> list[Finding]:
        if not figures:
            return []
        known = reading.told.once(known_in)
        unknown = [
            figure
            for figure in figures
            if not (known.has(figure) or self._is_rounded(figure, known))
        ]
        if not unknown:
            return []
        licensed = KnownQuantities([reading.question.text, reading.asked.echo])
        sources = SourceFigures(reading)
        if reading.answer is None:
            return []
        reckoning = Reckoning(
            reading.answer.text,
            reading.question.text,
            lambda one: known.has(one) or licensed.has(one),
        )
        return [
            self._figure_finding(
                figure, sources, is_derived=reckoning.averages(figure) or sources.imply(figure)
            )
            for figure in unknown
            if not (licensed.has(figure) or sources.repeat(figure))
        ]

    def _is_rounded(self, figure: Quantity, known: KnownQuantities) -> bool:
        return figure.approximate and known.values_near(figure, self.settings.rounding)

    def _figure_finding(
        self, figure: Quantity, sources: SourceFigures, *, is_derived: bool
    ) -> Finding:
        if is_derived:
            return Finding(
                guard=self.id,
                code="estimates.derived",
                part="answer",
                span=Span(figure.start, figure.end),
                observed=figure.text,
                severity=Severity.WEAK,
                strength=Strength.E1,
                score=0.3,
            )
        closest = sources.closest(figure)
        return Finding(
            guard=self.id,
            code="estimates.unsupported",
            part="answer",
            span=Span(figure.start, figure.end),
            observed=figure.text,
            strength=Strength.C2 if closest else Strength.E0,
            expected=closest.figures if closest else (),
            evidence=(Evidence(closest.source_id, closest.sentence),) if closest else (),
        )

    def _guesses(self, text: Text, reading: Reading) -> list[Finding]:
        if not may_guess(text.prose):
            return []
        starts = hedged_starts(text)
        open_sources = OpenSources(reading)
        return [
            self._guess_finding(guess)
            for sentence in text.sentences
            if (found := guesses(text.prose, sentence.start, sentence.end))
            if not abstains(sentence.text)
            for guess in found
            if not _belongs_to_figure(guess, starts) and not open_sources.hedge(sentence.text)
        ]

    def _guess_finding(self, guess: Guess) -> Finding:
        return Finding(
            guard=self.id,
            code="estimates.hedge",
            part="answer",
            span=Span(guess.start, guess.end),
            observed=guess.text,
            severity=Severity.WEAK,
            strength=Strength.E1,
            score=0.5,
        )


def _belongs_to_figure(guess: Guess, starts: Sequence[int]) -> bool:
    """Tell whether a hedged figure begins right behind a guess."""
    at = bisect_left(starts, guess.end)
    return at < len(starts) and starts[at] - guess.end <= REACH_CHARS
