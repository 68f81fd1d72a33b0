"""Figures that the sources do not hold, or hold about something else.

Finds: amounts, periods, rates, counts, dates and times of day of the answer that differ from what
    the sources say of the same thing, that no source holds and nothing named beside them gives,
    that the sources hold of something else (another row, plan, person, branch), and results that
    the answer's own equation, list or table does not give. A figure that only the question has is
    wrong where the answer agrees to it and the sources give another.
Misses: the wrong one of two conditions that only knowledge of the world tells apart; a wrong value
    that another place says of a thing of the same name; bare numbers without a unit below ten;
    a wrong total that some other calculation would give (weak). Hedged figures are left to
    `estimates`, telephone numbers to `contact`, lines and exits to `transport`.
Score: 1.0 for a wrong result and where the sources give another value; 0.9 where no source has it,
    it was moved, or counts on the other side or for another time; 0.8 where the sources have the
    value elsewhere; 0.6 for a bare number without a unit (weak); 0.3 for a value that some
    calculation from the figures at hand could give (weak).
Source: own rules; see `guards.evidence.binding` and `guards.evidence.arithmetic`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from guards.claims.reader import read_claims
from guards.claims.standing import Standing, standing_of
from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.lazy import lazy
from guards.core.reading import Asked, Reading
from guards.evidence.answers import answer_claims, answer_figures
from guards.evidence.arithmetic import Arithmetic, Outcome
from guards.evidence.binding import Bound, Held, SourceFigures, figures_in
from guards.evidence.derivable import Derivable
from guards.evidence.figures import Figure, same_value
from guards.evidence.sides import with_base, words_of
from guards.evidence.thresholds import BINDING
from guards.lexicons.loading import lines
from guards.text.citing.references import read_references
from guards.text.claimed_quantities import claimed_quantities
from guards.text.hedging import hedged_starts
from guards.text.slots.citation_places import citation_places
from guards.text.slots.units import Dimension

_SHORTEST_QUOTE_CHARS = 8
_MOST_FIGURES, _MOST_PAIRS = 150, 30_000
# Answers count these out themselves: days between dates, the items of a list, points for an amount.
_COUNTED_OUT = frozenset(
    {"period", "date", "month", "year", "곳", "개", "종", "건", "포인트", Dimension.BARE}
)
# What users tell of themselves, and what is meant by it in every later turn.
_OF_THE_USER = frozenset({Dimension.AGE, Dimension.PEOPLE, "마리", "박"})
# 30일 맞나요?, 30일이라던데요, 30일이죠?: the question asserts its figure of the sources' world.
_CONFIRMS = re.compile(
    r"맞/V|이/VCP (?:\S+/EP )?(?:죠|지요|지|라던데|라면서|라고|ㄴ가요|ㄴ가|나요|냐)\S*/E"
    r"|다던데|다면서|다고/EC"
)
_CALCULATES = re.compile("|".join(lines("calculating")))
# 6개월이 아니라 9개월: the first one is what the answer says is not so.
_TAKEN_BACK = re.compile(r"[ ]?(?:이|가|은|는)?[ ]?(?:아니라|아니고|아닌|대신)")
_WITH_VALUE = frozenset({Held.HELD, Held.OTHER_SIDE, Held.OTHER_BASE})
_EXPLAINED = frozenset(
    {Outcome.SHOWN_RIGHT, Outcome.FOLLOWS, Outcome.HYPOTHESIS, Outcome.GIVEN_BY_USER}
)


class NumbersSettings(GuardSettings):
    """Options of the guard."""

    allow_from_question: bool = Field(
        True, description="Let the answer repeat figures of the user's own circumstances."
    )


class Numbers(Guard[NumbersSettings]):
    """Report every figure of the answer that no source holds, or holds about something else."""

    id = "numbers"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = NumbersSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "numbers.value_differs": Code(
            "The sources give another value where they speak of the same.",
            '"{observed}"은(는) 자료와 다릅니다. 자료의 값 {expected}만 쓰세요.',
        ),
        "numbers.not_in_sources": Code(
            "No source holds the value, and nothing named beside it gives it.",
            '"{observed}"은(는) 제공된 자료에 없는 수치입니다. 자료에 있는 수치만 쓰세요.',
        ),
        "numbers.wrong_result": Code(
            "The answer's own equation, list or table gives another result.",
            '"{observed}"은(는) 계산이 틀렸습니다. 바른 값은 {expected}입니다.',
        ),
        "numbers.comparator_differs": Code(
            "The sources say the same of the value's other side (이상, 이하, 초과, 미만, 전, 후).",
            '"{observed}"의 범위 표현이 자료와 다릅니다. 자료의 표현({expected})을 그대로 쓰세요.',
        ),
        "numbers.derived": Code(
            "No source holds the value; some calculation from the figures at hand could give it.",
            '"{observed}"은(는) 자료에 없는 계산 값입니다. 계산 과정을 함께 쓰세요.',
        ),
        "numbers.moved": Code(
            "The sources hold the value, but of something else.",
            '"{observed}"은(는) 자료에서 다른 항목의 값입니다. 이 항목의 값 {expected}만 쓰세요.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def read_ahead(self, asked: Asked) -> Iterator[None]:
        """Read what the sources say in figures."""
        asked.told.once(SourceFigures)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Compare each figure of the answer with those of the sources."""
        if reading.answer is None:
            return []
        compared = reading.once(_Compared)
        judge = self._judged if compared.is_small else _looked_up
        found = (judge(figure, compared) for figure in compared.asserted)
        return [finding for finding in found if finding is not None]

    def _judged(self, figure: Figure, compared: "_Compared") -> Finding | None:
        if compared.is_quoted(figure):
            return None
        explained = compared.arithmetic.of(figure)
        if explained.outcome is Outcome.SHOWN_WRONG:
            expected = () if explained.right is None else (_shown(explained.right, figure),)
            return _finding("wrong_result", figure, compared, expected)
        bound = compared.bound(figure)
        is_users = explained.outcome is Outcome.GIVEN_BY_USER
        if is_users and self.settings.allow_from_question:
            return _differs(figure, bound, compared) if compared.agrees(figure, bound) else None
        is_explained = explained.outcome in _EXPLAINED and not is_users
        if bound.held in {Held.OTHER_SIDE, Held.OTHER_BASE} and not explained.is_operand:
            return _in_other_words(figure, bound, compared)
        if bound.held in _WITH_VALUE or (is_explained and not explained.is_operand):
            return None
        if bound.held is Held.MOVED and not explained.is_operand:
            return None if compared.says(bound.right) else _moved(figure, bound, compared)
        return None if is_explained else _without_value(figure, bound, compared)


class _Compared:
    """The figures of one answer and what they are held against.

    Attributes:
        text: The answer.
        parts: The sources.
        judged_from: Where in the answer that begins which has to be judged.
        answer: The answer, read.
        figures: Its figures, in order.
        sources: The figures of the sources.
    """

    def __init__(self, reading: Reading) -> None:
        # Neither the reading nor the request: they keep this, and must go when nobody needs them.
        self.text = reading.answer.text if reading.answer else None
        self.parts = reading.sources
        self._question = reading.asked.once(_question_figures)
        self._earlier = reading.asked.once(_earlier_figures)
        self.judged_from = reading.judged_from
        self.answer = reading.once(answer_claims)
        self.figures = reading.once(answer_figures)
        self.sources = reading.told.once(SourceFigures)
        self._bound: dict[int, Bound] = {}

    @property
    def is_small(self) -> bool:
        """Whether there are few enough figures to hold each against each."""
        own, told = len(self.figures), len(self.sources.figures)
        return own <= _MOST_FIGURES and own * told <= _MOST_PAIRS

    @lazy
    def asserted(self) -> tuple[Figure, ...]:
        """The figures that the answer commits itself to and that are still to be judged."""
        return tuple(figure for figure in self.figures if self._is_asserted(figure))

    def _is_asserted(self, figure: Figure) -> bool:
        start, end = self.span(figure)
        if end <= self.judged_from or start not in self._claimed:
            return False
        if self._is_taken_back(figure):
            return False
        sentence = self.answer.sentences[figure.claim.sentence]
        return standing_of(figure.claim, sentence) in {Standing.ASSERTED, Standing.LABEL}

    @lazy
    def _claimed(self) -> frozenset[int]:
        """Where the figures begin that are no hedge, no citation and no number of a list item."""
        text = self.text
        if text is None:
            return frozenset()
        references = read_references(text.raw)
        until = references.start if references else len(text.raw)
        marks = citation_places(text.raw)
        hedged = frozenset(hedged_starts(text))
        return frozenset(
            one.start
            for one in claimed_quantities(text)
            if one.start < until
            and one.start not in hedged
            and not any(start <= one.start < end for start, end in marks)
        )

    def span(self, figure: Figure) -> tuple[int, int]:
        """Return the place of a figure in the raw answer."""
        return self.answer.page.raw_span(figure.start, figure.end)

    def bound(self, figure: Figure) -> Bound:
        """Return how the sources stand to a figure of the answer."""
        if figure.start not in self._bound:
            self._bound[figure.start] = self.sources.bind(figure)
        return self._bound[figure.start]

    def says(self, told: Figure | None) -> bool:
        """Tell whether the answer gives a figure of the sources at its place, or sets it aside."""
        return any(
            same_value(one.measure, told.measure)
            and (self._is_taken_back(one) or self._is_at_home(one, told))
            for one in self.figures
            if told is not None
        )

    def _is_at_home(self, figure: Figure, told: Figure) -> bool:
        bound = self.bound(figure)
        return bound.held is Held.HELD and bound.same is told

    def _is_taken_back(self, figure: Figure) -> bool:
        return _TAKEN_BACK.match(self.answer.page.plain, figure.end) is not None

    @lazy
    def arithmetic(self) -> Arithmetic:
        """How the answer comes to its figures."""
        index = self.sources.index
        return Arithmetic(
            self.answer, self.figures, self.asked, self.sources.figures, index.likeness
        )

    @lazy
    def asked(self) -> tuple[Figure, ...]:
        """The figures of the user: those of the question, and of earlier turns about the same."""
        own = [figure.context for figure in self.figures]
        return (
            *self._question,
            *(
                one
                for one in self._earlier
                if one.measure.dimension in _OF_THE_USER
                or any(_share_a_word(one, context) for context in own)
            ),
        )

    @lazy
    def derivable(self) -> Derivable:
        """What could be calculated."""
        return Derivable(self.figures, self.asked, self.sources.figures)

    @lazy
    def is_calculated(self) -> bool:
        """Whether the user gives figures to calculate with, or the answer says that it does."""
        return bool(self.asked) or _CALCULATES.search(self.answer.page.plain) is not None

    def is_quoted(self, figure: Figure) -> bool:
        """Tell whether a source has the figure's sentence word for word."""
        sentence = self.answer.sentences[figure.claim.sentence]
        text = self.answer.page.plain[sentence[0].start : sentence[-1].end].strip(" .!")
        return len(text) >= _SHORTEST_QUOTE_CHARS and any(
            text in part.text.raw for part in self.parts
        )

    def agrees(self, figure: Figure, bound: Bound) -> bool:
        """Tell whether the answer agrees to a figure that the question asserts of the sources."""
        if bound.held is not Held.DIFFERS or bound.likeness < BINDING.premise:
            return False
        clause = figure.claim.clause
        if clause.is_condition or clause.is_concession:
            return False
        return any(
            same_value(figure.measure, one.measure)
            and _CONFIRMS.search(one.claim.clause.trail)
            and not one.claim.clause.is_condition
            for one in self._question
        )

    def quotes(self, bound: Bound) -> tuple[Evidence, ...]:
        """Return the source's sentence that the right figure stands in."""
        right = bound.right
        if right is None:
            return ()
        page = self.sources.index.readings[right.source].page
        sentence = self.sources.index.readings[right.source].sentences[right.claim.sentence]
        start, end = page.raw_span(sentence[0].start, sentence[-1].end)
        part = self.parts[right.source]
        source_id = part.source.id if part.source else ""
        return (Evidence(source_id, part.text.raw[start:end]),)


def _question_figures(asked: Asked) -> tuple[Figure, ...]:
    return tuple(figures_in(read_claims(asked.question.text.raw), "", -1))


def _earlier_figures(asked: Asked) -> tuple[Figure, ...]:
    return tuple(figures_in(read_claims(asked.exchange.echo), "", -1))


def _share_a_word(figure: Figure, context: Mapping[str, float]) -> bool:
    """Tell whether a figure of an earlier turn is about what a figure of the answer is about."""
    return any(
        feature[0] not in "=@"
        and weight >= BINDING.near
        and context.get(feature, 0) >= BINDING.near
        for feature, weight in figure.context.items()
    )


def _looked_up(figure: Figure, compared: _Compared) -> Finding | None:
    """Look a figure's value up, where there are too many to compare what they are said of."""
    dimension, values, *_ = figure.measure
    held = compared.sources.values
    if all((dimension, value) in held for value in values):
        return None
    return replace(_underived(figure, compared), score=0.1)


def _without_value(figure: Figure, bound: Bound, compared: _Compared) -> Finding | None:
    """Report a figure that the sources do not have where they speak of the same."""
    if bound.held is Held.ELSEWHERE:
        found = None if compared.says(bound.right) else _differs(figure, bound, compared)
        return found and replace(found, score=0.8)
    if compared.derivable.may_give(figure, bound):
        return _underived(figure, compared)
    if bound.held is Held.DIFFERS:
        return _differs(figure, bound, compared)
    return _absent(figure, compared)


def _differs(figure: Figure, bound: Bound, compared: _Compared) -> Finding:
    return replace(
        _finding("value_differs", figure, compared, _shown_of(bound)),
        strength=Strength.C2,
        evidence=compared.quotes(bound),
        provisional=True,
    )


def _moved(figure: Figure, bound: Bound, compared: _Compared) -> Finding:
    return replace(
        _finding("moved", figure, compared, _shown_of(bound), score=0.9),
        strength=Strength.C2,
        evidence=compared.quotes(bound),
    )


def _in_other_words(figure: Figure, bound: Bound, compared: _Compared) -> Finding:
    """Report a right value with the word beside it that makes another set or rate of it."""
    is_side = bound.held is Held.OTHER_SIDE
    words = words_of if is_side else with_base
    observed = words(figure)
    start = figure.start if is_side else figure.end - len(observed)
    span = Span(*compared.answer.page.raw_span(start, start + len(observed)))
    kind = "comparator_differs" if is_side else "value_differs"
    expected = () if bound.right is None else (words(bound.right),)
    return replace(
        _finding(kind, figure, compared, expected, score=0.9),
        span=span,
        observed=compared.text.raw[span.start : span.end] if compared.text else observed,
        strength=Strength.C2,
        evidence=compared.quotes(bound),
    )


def _shown_of(bound: Bound) -> tuple[str, ...]:
    return () if bound.right is None else (bound.right.quantity.shown,)


def _absent(figure: Figure, compared: _Compared) -> Finding:
    is_bare = figure.measure.dimension == Dimension.BARE
    found = _finding("not_in_sources", figure, compared, (), score=0.6 if is_bare else 0.9)
    severity = Severity.WEAK if figure.group in _COUNTED_OUT else Severity.STRONG
    # What comes next may show how it was reckoned.
    return replace(found, severity=severity, provisional=True)


def _underived(figure: Figure, compared: _Compared) -> Finding:
    found = _finding("derived", figure, compared, (), score=0.3)
    return replace(found, severity=Severity.WEAK, strength=Strength.E1)


def _finding(
    kind: str, figure: Figure, compared: _Compared, expected: tuple[str, ...], score: float = 1.0
) -> Finding:
    start, end = compared.span(figure)
    return Finding(
        guard=Numbers.id,
        code=f"numbers.{kind}",
        part="answer",
        span=Span(start, end),
        observed=compared.text.raw[start:end] if compared.text else "",
        strength=Strength.C2 if expected else Strength.E0,
        expected=expected,
        score=score,
    )


def _shown(value: Fraction, figure: Figure) -> str:
    """Return a value as the answer would write it."""
    number = f"{int(value):,}" if value.denominator == 1 else f"{float(value):,.4g}"
    unit = figure.quantity.text.lstrip("0123456789,. 만억천백십")
    return f"{number}{unit}"
