"""Figures that are not in the sources, or belong to something else there.

Finds: amounts, periods, rates, counts, dates and times of day that differ from what the sources say
    about the same thing, that are in no source and follow from nothing named beside them, or that
    the sources give for something else (another row, plan, person, branch); results that contradict
    the answer's own equation, list or table. Weak: results that no operands give by the operation
    that the words beside them name (을 더하면, 의 10%인). A figure that only the question has is
    wrong if the answer confirms it and the sources give another.
Misses: the wrong one of two conditions if only knowledge of the world distinguishes them; a wrong
    value that another passage gives for a thing of the same name; numbers below ten without a unit;
    a wrong total that some other calculation would give (weak). Hedged figures are left to
    `estimates`, telephone numbers to `contact`, lines and exits to `transport`.
Score: 1.0 for a wrong result, and if the sources give another value; 0.9 if no source has the
    figure, or it belongs to another thing, to the other side of a limit or to another time; 0.8 if
    the sources have the value elsewhere; 0.6 for a result without matching operands and for a
    number without a unit (weak); 0.3 for a value that some calculation from the figures at hand
    could give (weak).
Source: our own rules; see `guards.evidence.binding` and `guards.evidence.calculations.arithmetic`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Label, Scope, Stage, Subject
from guards.core.reading import Reading, RequestReading
from guards.evidence.answers import Compared
from guards.evidence.binding import Bound, Relation, SourceFigures
from guards.evidence.calculations.arithmetic import Explanation, Outcome
from guards.evidence.calculations.points import DATES, POINTS
from guards.evidence.figures import Figure, written_number
from guards.evidence.sides import with_base, words_of
from guards.text.slots.units import COUNTED, Dimension

# Answers count these out themselves: days between dates, the items of a list, points for an amount;
# or know them: 13살이면 6학년.
_COUNTED_OUT = frozenset(
    {"period", "date", "month", "year", "시간대", "끼", "포인트", "학년", Dimension.BARE}
    | {"곳", "개", "종", "건", "장", "권", "대", "마리", "병", "잔"}
)
_WITH_VALUE = frozenset({Relation.HELD, Relation.OTHER_SIDE, Relation.OTHER_BASE})
_OF_ANOTHER = frozenset({Relation.MOVED, Relation.ELSEWHERE})
# Steps that give most small figures of a long text: no reason to let another thing's value pass.
_BY_CHANCE = ("range", "(three user)", "(user user)")
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
    label = Label("Figures", "수치")
    subject = Subject.FIGURES
    stages = frozenset({Stage.OUTPUT})
    needs_sources = True
    scope = Scope.SEGMENT
    settings_type = NumbersSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "numbers.value_differs": Code(
            label=Label("The source has another figure", "출처의 수치와 다름"),
            meaning="The sources give another value for the same thing.",
            instruction=(
                '"{observed}"{observed:은} 자료와 다릅니다. 자료의 값은 "{expected}"입니다.'
            ),
            without_value=(
                '"{observed}"{observed:은} 자료와 다릅니다. 질문한 대상의 값을 자료에서 확인해 '
                "쓰고, 없으면 쓰지 마세요."
            ),
        ),
        "numbers.not_in_sources": Code(
            label=Label("A figure that no source has", "출처에 없는 수치"),
            meaning="No source has the value, and it does not follow from anything named beside "
            "it.",
            instruction=(
                '"{observed}"{observed:은} 제공된 자료에 없는 수치입니다. 자료에 있는 수치만 '
                "쓰세요."
            ),
        ),
        "numbers.wrong_result": Code(
            label=Label(
                "The answer's own calculation gives another result", "답변의 계산 결과가 틀림"
            ),
            meaning=(
                "The answer's own equation, list or table, or the operands named beside the "
                "result, give another value."
            ),
            instruction='"{observed}"{observed:은} 계산이 틀렸습니다. 바른 값은 {expected}입니다.',
        ),
        "numbers.unfounded_result": Code(
            label=Label("No operands give this result", "근거 수치가 없는 계산 결과"),
            meaning=(
                "No operands give the result by the operation named beside it; the correct result "
                "is not known."
            ),
            instruction='"{observed}"{observed:은} 계산이 맞지 않습니다. 다시 계산해 쓰세요.',
        ),
        "numbers.comparator_differs": Code(
            label=Label(
                "The wrong comparison: at least, at most, over, under", "이상·이하·초과·미만이 다름"
            ),
            meaning=(
                "The sources give the same limit with another comparison (이상, 이하, 초과, 미만, "
                "전, 후)."
            ),
            instruction=(
                '"{observed}"의 범위 표현이 자료와 다릅니다. 자료의 표현({expected})을 그대로 '
                "쓰세요."
            ),
            without_value=(
                '"{observed}"의 범위 표현이 자료와 다릅니다. 자료의 범위 표현을 그대로 쓰세요.'
            ),
        ),
        "numbers.derived": Code(
            label=Label("A figure calculated from others", "다른 수치로 계산한 값"),
            meaning=(
                "No source has the value; some calculation from the figures at hand could give it."
            ),
            instruction=(
                '"{observed}"{observed:은} 자료에 없는 계산 값입니다. 계산 과정을 함께 쓰세요.'
            ),
        ),
        "numbers.moved": Code(
            label=Label("A figure that belongs to something else", "다른 항목의 수치"),
            meaning="The sources have the value, but for something else.",
            instruction=(
                '"{observed}"{observed:은} 자료에서 다른 항목의 값입니다. 이 항목의 값은 '
                '"{expected}"입니다.'
            ),
            without_value=(
                '"{observed}"{observed:은} 자료에서 다른 항목의 값입니다. 질문한 항목의 값을 '
                "자료에서 확인해 쓰고, 없으면 쓰지 마세요."
            ),
        ),
    }

    def read_ahead(self, request: RequestReading) -> Iterator[None]:
        """Read what the sources say in figures."""
        request.source_set.once(SourceFigures)
        yield

    def check(self, reading: Reading) -> list[Finding]:
        """Compare each figure of the answer with those of the sources."""
        compared = reading.once(Compared)
        judge = self._finding_about if compared.is_small else _looked_up
        found = [judge(figure, compared) for figure in compared.asserted]
        if compared.is_small:
            found += [_misreckoned(figure, compared) for figure in compared.rounded]
        return [finding for finding in found if finding is not None]

    def _finding_about(self, figure: Figure, compared: Compared) -> Finding | None:
        if compared.is_quoted(figure):
            return None
        bound = compared.bound(figure)
        if bound.held is Relation.HELD and not compared.arithmetic.may_be_wrong(figure):
            return None
        explained = compared.arithmetic.of(figure)
        if explained.outcome is Outcome.SHOWN_WRONG:
            return _wrong(figure, explained, compared)
        is_users = explained.outcome is Outcome.GIVEN_BY_USER or compared.is_of_user(figure)
        if is_users and self.settings.allow_from_question:
            return _differs(figure, bound, compared) if compared.agrees(figure, bound) else None
        is_explained = explained.outcome in _EXPLAINED and not is_users
        by_chance = explained.step.endswith(_BY_CHANCE) and not explained.step.startswith("between")
        if bound.held in _OF_ANOTHER and by_chance:
            is_explained = False
        if bound.held in {Relation.OTHER_SIDE, Relation.OTHER_BASE} and not explained.is_operand:
            return _in_other_words(figure, bound, compared)
        if bound.held in _WITH_VALUE or (is_explained and not explained.is_operand):
            return None
        if bound.held is Relation.MOVED and not explained.is_operand:
            return None if compared.says(bound.right) else _moved_finding(figure, bound, compared)
        return None if is_explained else _without_value(figure, bound, compared)


def _misreckoned(figure: Figure, compared: Compared) -> Finding | None:
    """Report a rounded figure that is wrong by more than rounding; the rest is an estimate."""
    if compared.is_quoted(figure) or compared.bound(figure).held is Relation.HELD:
        return None
    explained = compared.arithmetic.of(figure)
    # An amount without the one value that it should be may be rounded from another.
    is_known = explained.right is not None or figure.measure.dimension in POINTS
    is_wrong = explained.outcome is Outcome.SHOWN_WRONG and is_known
    return _wrong(figure, explained, compared) if is_wrong else None


def _wrong(figure: Figure, explained: Explanation, compared: Compared) -> Finding:
    if explained.right is None:
        return _finding("unfounded_result", figure, compared, (), score=0.6)
    return _finding("wrong_result", figure, compared, (_as_written(explained.right, figure),))


def _looked_up(figure: Figure, compared: Compared) -> Finding | None:
    """Look a figure's value up, where there are too many to compare what they are about."""
    dimension, values, *_ = figure.measure
    held = compared.sources.values
    if all((dimension, value) in held for value in values):
        return None
    return replace(_underived(figure, compared), score=0.1)


def _without_value(figure: Figure, bound: Bound, compared: Compared) -> Finding | None:
    """Report a figure that the sources do not have where they speak of the same."""
    if bound.held is Relation.ELSEWHERE:
        found = None if compared.says(bound.right) else _differs(figure, bound, compared)
        return found and replace(found, score=0.8)
    if compared.is_of_example(figure) or compared.derivable.may_give(figure, bound):
        return _underived(figure, compared)
    if bound.held is Relation.DIFFERS:
        return _differs(figure, bound, compared)
    if compared.is_of_earlier_turn(figure) or compared.is_number_of(figure):
        return _underived(figure, compared)
    return _absent(figure, compared)


def _differs(figure: Figure, bound: Bound, compared: Compared) -> Finding:
    return replace(
        _finding("value_differs", figure, compared, _shown_of(bound)),
        strength=Strength.C2,
        evidence=compared.quotes(bound),
        provisional=True,
    )


def _moved_finding(figure: Figure, bound: Bound, compared: Compared) -> Finding:
    return replace(
        _finding("moved", figure, compared, _shown_of(bound), score=0.9),
        strength=Strength.C2,
        evidence=compared.quotes(bound),
    )


def _in_other_words(figure: Figure, bound: Bound, compared: Compared) -> Finding:
    """Report a right value with the word beside it that makes another set or rate of it."""
    is_side = bound.held is Relation.OTHER_SIDE
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


# 부부는 두 분 모두, 위의 세 가지: the answer counts what it names.
_ALL_OF_THEM = re.compile(
    r"(?:두|세|네) ?(?:(?:분|명|사람|가지|곳|개|권|장|대|마리|통|판|벌|켤레|잔|그릇)"
    r"|[가-힣]{1,2}(?=(?:을|를|이|가)? ?(?:다|모두) ))"
)


def _is_counted_out(figure: Figure, compared: Compared) -> bool:
    """Tell whether answers count out figures of this kind by themselves, or write them anew."""
    if figure.measure.dimension in DATES:
        return compared.has_day(figure) or compared.counts_from_user
    is_month = figure.measure.dimension == Dimension.YEAR_MONTH
    return figure.group in _COUNTED_OUT and not is_month


def _absent(figure: Figure, compared: Compared) -> Finding:
    is_bare = figure.measure.dimension == Dimension.BARE
    found = _finding("not_in_sources", figure, compared, (), score=0.6 if is_bare else 0.9)
    is_counted_out = _is_counted_out(figure, compared) or _ALL_OF_THEM.match(
        compared.answer.page.plain, figure.start
    )
    # 차 1대로 오시면: that there is one of it is hardly what the answer tells.
    is_one = figure.measure.dimension in COUNTED and written_number(figure) == "1"
    is_fraction = "분의" in figure.quantity.text
    is_weak = is_counted_out or is_one or is_fraction
    severity = Severity.WEAK if is_weak else Severity.STRONG
    # What comes next may show how it was reckoned.
    return replace(found, severity=severity, provisional=True)


def _underived(figure: Figure, compared: Compared) -> Finding:
    found = _finding("derived", figure, compared, (), score=0.3)
    return replace(found, severity=Severity.WEAK, strength=Strength.E1)


def _finding(
    kind: str, figure: Figure, compared: Compared, expected: tuple[str, ...], score: float = 1.0
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


def _as_written(value: Fraction, figure: Figure) -> str:
    """Return a value as the answer would write it."""
    number = f"{int(value):,}" if value.denominator == 1 else f"{float(value):,.4g}"
    unit = figure.quantity.text.lstrip("0123456789,. 만억천백십")
    return f"{number}{unit}"
