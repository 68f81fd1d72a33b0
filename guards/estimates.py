"""Estimates and guesses that the sources do not make.

Finds: hedged figures (약 2만원, 보통 30분, 도보 10분, 30여 명) whose value the sources do not give;
    hedging words alone (아마도, 일반적으로, …할 수도 있습니다) where the sources do not hedge.
Misses: estimates without a figure or a listed word; an estimate that happens to equal another
    figure of the sources or of the user.
Score: 1.0 for a figure; 0.5 for words alone (weak); 0.3 for a figure that follows from others named
    beside it (weak).
Source: our own lists in `guards/lexicons/hedges.txt`; see
    `guards.evidence.calculations.arithmetic`.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import ClassVar

from pydantic import Field

from guards.claims.standing import Standing, abstains, standing_of
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, RequestReading, SourceSet, Text
from guards.evidence.answers import (
    Compared,
    answer_arithmetic,
    answer_claims,
    answer_figures,
    user_figures,
)
from guards.evidence.binding import Bound, Relation, SourceFigures
from guards.evidence.calculations.arithmetic import Arithmetic, Outcome
from guards.evidence.calculations.points import POINTS, months_apart
from guards.evidence.figures import Figure
from guards.evidence.passages import Place, SourcePassages, units_of
from guards.text.hedging import (
    REACH_CHARS,
    Guess,
    claimed_quantities,
    guesses,
    hedged_starts,
    may_guess,
)
from guards.text.slots.units import Dimension

_SAME_SUBJECT = 0.5
_MOST_POINTS = 16
# A source that grants a possibility may be repeated as one: 거부할 수 있다 -> 거부할 수도 있습니다.
_POSSIBILITY = re.compile(r"수(?:도|가)?\s?있")
_MONEY = frozenset({Dimension.WON, "USD", "EUR", "JPY", "CNY", "점", "포인트"})
# Lengths of time and of ways, and people, are what models guess at; the rest is mostly reckoned.
_GUESSED = frozenset(
    {Dimension.SECONDS, Dimension.DAYS, Dimension.MONTHS, Dimension.METRES, Dimension.PEOPLE}
)
_SHOWN = frozenset({Outcome.SHOWN_RIGHT, Outcome.HYPOTHESIS, Outcome.GIVEN_BY_USER})


class EstimatesSettings(GuardSettings):
    """Options of the guard."""

    rounding: float = Field(
        0.05,
        ge=0,
        le=0.5,
        description="Relative distance to a figure of the sources up to which a hedged figure "
        "passes.",
    )


class Estimates(Guard[EstimatesSettings]):
    """Report hedged figures without support, and hedging words as weak signs."""

    id = "estimates"
    label = Label("Estimates", "추정 표현")
    subject = Subject.FIGURES
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.SEGMENT
    settings_type = EstimatesSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "estimates.unsupported": Code(
            label=Label("An estimate that no source has", "출처에 없는 추정값"),
            meaning="A hedged figure that no source gives.",
            message="자료에 없는 추정입니다",
            instruction=(
                '"{observed}"{observed:은} 자료에 없는 추정입니다. 추정하지 말고 자료에 있는 값만 '
                "쓰세요."
            ),
        ),
        "estimates.derived": Code(
            label=Label(
                "An estimate calculated from figures of a source", "출처의 수치로 계산한 추정값"
            ),
            meaning="A hedged figure that no source gives; it follows from figures of one passage.",
            message="자료의 수치로 어림한 값입니다",
            instruction=(
                '"{observed}"{observed:은} 자료에 없는 계산 값입니다. 자료에 있는 수치를 그대로 '
                "쓰세요."
            ),
        ),
        "estimates.hedge": Code(
            label=Label("A guess where the sources are sure", "출처는 단정하는데 추측으로 말함"),
            meaning="A guess in words, where the sources do not hedge.",
            message="추측하는 표현입니다",
            instruction='"{observed}" 같은 추측 표현 없이 자료에 있는 내용만 쓰세요.',
        ),
    }

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        """Read what the sources say in figures."""
        request.source_set.once(SourceFigures)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Compare hedged figures with the sources, then look for guesses in words."""
        text = reading.answer_text
        hedged = frozenset(hedged_starts(text))
        claimed = {one.start: one for one in claimed_quantities(text) if one.start in hedged}
        figures = self._unsupported(frozenset(claimed), reading) if claimed else ()
        return [*figures, *self._guesses(text, reading)]

    def _unsupported(self, starts: frozenset[int], reading: Reading) -> Iterator[Finding]:
        answer, figures = reading.once(answer_claims), reading.once(answer_figures)
        sources = reading.source_set.once(SourceFigures)
        arithmetic = reading.once(answer_arithmetic)
        compared = reading.once(Compared)
        for figure in figures:
            start, end = answer.page.raw_span(figure.start, figure.end)
            standing = standing_of(figure.claim, answer.sentences[figure.claim.sentence])
            if start not in starts or standing not in {Standing.ASSERTED, Standing.LABEL}:
                continue
            bound = sources.bind(figure)
            # A value that stands elsewhere is no guess: `numbers` and `scope` ask whose it is.
            if bound.same is not None or self._is_rounded(figure, sources):
                continue
            outcome = arithmetic.of(figure).outcome
            if outcome not in _SHOWN:
                follows = (
                    outcome is Outcome.FOLLOWS
                    or _is_reckoned(figure, arithmetic)
                    or _is_between(figure, (*figures, *reading.request.once(user_figures)))
                    or _is_concluded(figure, figures)
                )
                if figure.measure.dimension not in _GUESSED and compared.is_small:
                    follows = follows or compared.derivable.may_give(figure, bound)
                yield self._figure_finding(Span(start, end), bound, reading, is_derived=follows)

    def _is_rounded(self, figure: Figure, sources: SourceFigures) -> bool:
        """Tell whether a figure is near to one of the sources of its kind."""
        most = self.settings.rounding
        if not figure.quantity.approximate:
            return False
        alike = [
            one for one in sources.figures if one.measure.dimension == figure.measure.dimension
        ]
        own = figure.measure.values
        if any(
            one.measure.values[0] <= own[0] and own[-1] <= one.measure.values[-1] for one in alike
        ):
            return True  # 20분 안팎: within 18~22분
        return any(
            len(one.measure.values) == len(figure.measure.values)
            and all(
                abs(own - its) <= most * abs(its)
                for own, its in zip(figure.measure.values, one.measure.values, strict=True)
            )
            for one in alike
        )

    def _figure_finding(
        self, span: Span, bound: Bound, reading: Reading, *, is_derived: bool
    ) -> Finding:
        observed = reading.answer_text.raw[span.start : span.end]
        if is_derived:
            return Finding(
                guard=self.id,
                code="estimates.derived",
                part="answer",
                span=span,
                observed=observed,
                severity=Severity.WEAK,
                strength=Strength.E1,
                score=0.3,
            )
        right = bound.right if bound.held is not Relation.ABSENT else None
        return Finding(
            guard=self.id,
            code="estimates.unsupported",
            part="answer",
            span=span,
            observed=observed,
            strength=Strength.C2 if right else Strength.E0,
            expected=(right.quantity.shown,) if right else (),
            evidence=(_quote(reading, right),) if right else (),
            # What comes next may show how it was reckoned.
            provisional=True,
        )

    def _guesses(self, text: Text, reading: Reading) -> list[Finding]:
        if not may_guess(text.prose):
            return []
        starts = hedged_starts(text)
        return [
            self._guess_finding(guess)
            for sentence in text.sentences
            if (found := guesses(text.prose, sentence.start, sentence.end))
            if not abstains(sentence.text)
            for guess in found
            if not _belongs_to_figure(guess, starts)
            and not _is_left_open(sentence.text, reading.source_set)
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


def _is_reckoned(figure: Figure, arithmetic: Arithmetic) -> bool:
    """Tell whether an amount's sentence has a rate or a supposed amount that it may follow from."""
    if figure.measure.dimension not in _MONEY:
        return False
    block = figure.claim.block
    return any(
        one.start != figure.start
        and (
            one.claim.sentence == figure.claim.sentence
            or (block.is_cell and one.claim.block.table == block.table)
        )
        and (
            one.measure.dimension == Dimension.PERCENT
            or arithmetic.of(one).outcome is Outcome.HYPOTHESIS
        )
        for one in arithmetic.figures
    )


# 한 통이 60정이니 두 달 정도 드십니다; 연 70만 원이므로 한 달이면 약 5만 8천 원입니다.
_REASON = re.compile(r"(?:(?:으)?니|니까|므로|어서|아서|라서|(?:으)?면)/EC$")


def _is_concluded(figure: Figure, figures: Sequence[Figure]) -> bool:
    """Tell whether a clause before gives another figure it follows from: that is no guess."""
    reasons = [
        claim
        for claim in figure.sentence
        if claim.start < figure.claim.start and _REASON.search(claim.clause.trail)
    ]
    return any(reason.start <= one.start < reason.end for reason in reasons for one in figures)


def _is_between(figure: Figure, named: Iterable[Figure]) -> bool:
    """Tell whether about so many months lie between two points that the turns name.

    3월에 신청하시면 8월까지 다섯 달쯤 여유가 있습니다.
    """
    if figure.measure.dimension != Dimension.MONTHS:
        return False
    points = dict.fromkeys(one.measure for one in named if one.measure.dimension in POINTS)
    return any(
        abs(figure.measure.values[0] - gap) < 1
        for pair in combinations(islice(points, _MOST_POINTS), 2)
        for gap in months_apart(*pair)
    )


def _belongs_to_figure(guess: Guess, starts: Sequence[int]) -> bool:
    """Tell whether a hedged figure begins right behind a guess."""
    at = bisect_left(starts, guess.end)
    return at < len(starts) and starts[at] - guess.end <= REACH_CHARS


def _is_left_open(sentence: str, sources: SourceSet) -> bool:
    """Tell whether a source guesses at what a sentence guesses at, or grants the possibility."""
    places = sources.once(_left_open)
    if not places or not units_of(sentence):
        return bool(places)
    shares = sources.once(SourcePassages).shares(sentence)
    return any(shares.get(place, 0.0) >= _SAME_SUBJECT for place in places)


def _left_open(sources: SourceSet) -> frozenset[Place]:
    return frozenset(
        Place(source, at)
        for source, part in enumerate(sources.parts)
        for at, sentence in enumerate(part.text.sentences)
        if _POSSIBILITY.search(sentence.text) or guesses(sentence.text)
    )


def _quote(reading: Reading, figure: Figure) -> Evidence:
    """Return the source's sentence that a figure stands in."""
    source = reading.source_set.once(SourceFigures).index.readings[figure.source]
    sentence = source.sentences[figure.claim.sentence]
    start, end = source.page.raw_span(sentence[0].start, sentence[-1].end)
    part = reading.sources[figure.source]
    return Evidence(part.source.id if part.source else "", part.text.raw[start:end])
