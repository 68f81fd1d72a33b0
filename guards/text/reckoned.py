"""Figures that an answer reckons from other figures that it shows.

An equation (``2명 × 4,000원 = 8,000원``) and a row of a table (``2,000원 | 2 | 4,000원``) check
themselves. Elsewhere a figure follows if the sentence says that it reckons and the operands, which
the sources, the question or an earlier step give, stand close by: a total, a difference, a rate
times a count, a share of an amount, an amount per head. A figure that an example assumes
(``예를 들어 … 20일 이용하셨다면``) is an operand too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise

from guards.core.reading import Text
from guards.text.derived import Derivable
from guards.text.equations import equation_results
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure

_REACH_CHARS = 320
_MOST_OPERANDS = 12
_MOST_SUMMANDS = 5
_MOST_STEPS = 3
# An answer with more figures is a data table.
_MOST_FIGURES = 200
_ADDS = re.compile(
    r"총[ ]?[*_]*\d|총액|총합|합계|합산|합쳐|합치|합하|합한|더하|더해|모두|추가|가산|"
    r"따라서|므로|때문"
)
_TAKES_OFF = re.compile(
    r"차이|차액|저렴|비싸|비싼|절감|절약|남은|남는|남습|줄어|줄었|줄이|늘어|"
    r"늘었|뺀|빼면|빼고|공제|제외|"
    r"초과|넘는|넘은|인상|인하|더[ ]|덜[ ]"
)
_CONCLUDES = re.compile(
    r"므로|이면|라면|다면|하면|따라서|총[ ]?[*_]*\d|합계|계산|할인|감면|기준|예를[ ]들|예컨대|가령|"
    r"예시|[=×→]|"
    r"꼴|이용[ ]시|경우|대해"
)
_PER_BEFORE = re.compile(
    r"(?:(?:시간|회|인|명|일|박|건|개|"
    r"장|대|월|k?g|m[23]|분)[ ]?당|하루에?|매월|매일|마다)[ ]?[*_]*$"
)
_RATE_NEAR = re.compile(r"당(?![가-힣])|마다|매일|[가-힣]+별|씩|[×*]|(?<![가-힣])1[인명일박회개]")
_EXAMPLE = re.compile(r"예를[ ]?들|예컨대|가령|예시|만약|만일")
_ASSUMED = re.compile(r"[^.,\n]{0,14}(?:다면|라면|이면|하면|으면|때)")
# 10일이 지났다면: not said to be so, and reckoned with afterwards.
_SUPPOSED = re.compile(r"[^.,\n]{0,14}(?:다면|라면)")
_LIST_LINE = re.compile(r"[ \t]*[-*•·]|[ \t]*\d{1,2}[.)][ ]")
_PART = re.compile(r"(?<![\d/.])1/(?P<whole>[2-9])(?![\d/])")
_HALF = re.compile(r"절반|반값")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_NO_AMOUNTS = frozenset(
    {
        Dimension.DATE, Dimension.MONTH_DAY, Dimension.YEAR_MONTH, Dimension.YEAR, Dimension.MONTH,
        Dimension.CLOCK, Dimension.CLOCK_12,
    }
)  # fmt: skip
_TIMES_OF_DAY = frozenset({Dimension.CLOCK, Dimension.CLOCK_12})
_POINTS: dict[str, str] = {Dimension.PERCENT_POINT: Dimension.PERCENT}


@dataclass(frozen=True, slots=True)
class _Operand:
    """A figure to reckon with.

    Attributes:
        dimension: What it measures; percentage points count as percent.
        value: In the base unit.
        written: The number as it stands, by which a rate is multiplied.
        start: Where it begins in the answer; -1 in the question.
        is_rate: Whether it is so much per one of something.
    """

    dimension: str
    value: Fraction
    written: Fraction
    start: int
    is_rate: bool


class Reckoning:
    """Which figures of an answer follow from others that stand in it or in the question."""

    def __init__(self, answer: Text, question: Text, is_known: Callable[[Quantity], bool]) -> None:
        self._answer = answer
        self._question = question
        self._is_known = is_known

    def has(self, quantity: Quantity) -> bool:
        """Tell whether a figure of the answer follows."""
        return quantity.start in self._followed

    def shows(self, quantity: Quantity) -> bool:
        """Tell whether the answer shows how it comes to a figure: an equation, a table row."""
        return quantity.start in self._shown

    @cached_property
    def _followed(self) -> frozenset[int]:
        """Where the figures stand that follow, in up to a few steps."""
        quantities = [one for one in self._answer.quantities if len(one.measure.values) == 1]
        if len(quantities) > _MOST_FIGURES:
            return self._shown
        known = {one.start for one in quantities if self._is_known(one)}
        followed = set(self._shown) | {one.start for one in quantities if self._assumed(one)}
        for _ in range(_MOST_STEPS):
            operands = [
                self._operand(one, self._answer)
                for one in quantities
                if one.start in known or one.start in followed
            ]
            new = {
                one.start
                for one in quantities
                if one.start not in known and one.start not in followed
                if self._follows(one, operands)
            }
            if not new:
                break
            followed |= new
        return frozenset(followed)

    @cached_property
    def _shown(self) -> frozenset[int]:
        supposed = self._supposed
        results = equation_results(
            self._answer, lambda one: one.measure in supposed or self._is_known(one)
        )
        if not results:
            return results
        return results | {one.start for one in self._answer.quantities if one.measure in supposed}

    @cached_property
    def _supposed(self) -> frozenset[Measure]:
        """What no source gives and the answer supposes to reckon with it (``10일이 지났다면``)."""
        return frozenset(
            one.measure
            for one in self._answer.quantities
            if _SUPPOSED.match(self._answer.raw, one.end) and not self._is_known(one)
        )

    @cached_property
    def _asked(self) -> list[_Operand]:
        return [
            self._operand(one, self._question)
            for one in self._question.quantities
            if len(one.measure.values) == 1
        ]

    def _operand(self, quantity: Quantity, text: Text) -> _Operand:
        written = _NUMBER.match(quantity.text)
        value = quantity.measure.values[0]
        before = text.raw[max(0, quantity.start - 14) : quantity.start]
        after = text.raw[quantity.end : quantity.end + 6]
        return _Operand(
            _POINTS.get(quantity.measure.dimension, quantity.measure.dimension),
            value,
            Fraction(written[0].replace(",", "")) if written else value,
            quantity.start if text is self._answer else -1,
            bool(_RATE_NEAR.search(before) or _RATE_NEAR.search(after)),
        )

    def _assumed(self, quantity: Quantity) -> bool:
        sentence = self._sentence(quantity)
        return bool(
            _EXAMPLE.search(self._answer.raw, sentence[0], quantity.start)
            and _ASSUMED.match(self._answer.raw, quantity.end)
        )

    def _sentence(self, quantity: Quantity) -> tuple[int, int]:
        for sentence in self._answer.sentences:
            if sentence.start <= quantity.start < sentence.end:
                return sentence.start, sentence.end
        return quantity.start, quantity.end

    def _follows(self, quantity: Quantity, operands: Sequence[_Operand]) -> bool:
        near = [one for one in operands if abs(one.start - quantity.start) <= _REACH_CHARS]
        near = sorted(near, key=lambda one: abs(one.start - quantity.start))[:_MOST_OPERANDS]
        near = [*sorted(near, key=lambda one: one.start), *self._asked[:_MOST_OPERANDS]]
        start, end = self._sentence(quantity)
        said = self._answer.raw[start:end]
        wanted = self._operand(quantity, self._answer)
        if wanted.dimension in _TIMES_OF_DAY:
            beside = [
                one
                for one in self._answer.quantities
                if start <= one.start < end and one.start != quantity.start
            ]
            return Derivable(beside).has(quantity, said, "")
        if wanted.dimension in _NO_AMOUNTS or wanted.dimension == Dimension.BARE:
            return False
        same = [one for one in near if one.dimension == wanted.dimension]
        before = self._answer.raw[start : quantity.start]
        return (
            (_ADDS.search(said) is not None and _is_sum(wanted.value, same))
            or (_TAKES_OFF.search(said) is not None and _is_rest(wanted.value, same))
            or self._totals_list(wanted, end, same)
            or (
                _CONCLUDES.search(said) is not None
                and (_is_product(wanted.value, same, near) or self._is_share(wanted, same, near))
            )
            or (_PER_BEFORE.search(before) is not None and _is_quotient(wanted.value, same, near))
            or (wanted.dimension == "배" and _is_ratio(wanted.value, near))
        )

    def _totals_list(self, wanted: _Operand, end: int, same: Sequence[_Operand]) -> bool:
        """Tell whether a figure is the sum of the first ones in the list lines behind it."""
        firsts: list[Fraction] = []
        for sentence in self._answer.sentences:
            if sentence.start < end:
                continue
            if not _LIST_LINE.match(sentence.text):
                break
            held = [one.value for one in same if sentence.start <= one.start < sentence.end]
            firsts += held[:1]
        return len(firsts) > 1 and any(
            sum(firsts[:count]) == wanted.value for count in range(2, len(firsts) + 1)
        )

    def _is_share(
        self, wanted: _Operand, same: Sequence[_Operand], near: Sequence[_Operand]
    ) -> bool:
        around = self._answer.raw[max(0, wanted.start - _REACH_CHARS) : wanted.start]
        shares = {one.value / 100 for one in near if one.dimension == Dimension.PERCENT}
        shares |= {Fraction(1, int(part["whole"])) for part in _PART.finditer(around)}
        if _HALF.search(around):
            shares.add(Fraction(1, 2))
        return wanted.dimension != Dimension.PERCENT and any(
            wanted.value in {one.value * share, one.value * (1 - share)}
            for one in same
            for share in shares
            if 0 < share < 1
        )


def _is_sum(value: Fraction, same: Sequence[_Operand]) -> bool:
    parts = list(dict.fromkeys(one.value for one in same if 0 < one.value < value))
    return any(
        sum(some) == value
        for count in range(2, min(len(parts), _MOST_SUMMANDS) + 1)
        for some in (combinations(parts, 2) if count == 2 else _runs(parts, count))
    )


def _runs(values: Sequence[Fraction], count: int) -> Iterator[Sequence[Fraction]]:
    return (values[at : at + count] for at in range(len(values) - count + 1))


def _is_rest(value: Fraction, same: Sequence[_Operand]) -> bool:
    values = list(dict.fromkeys(one.value for one in same))
    taken = {*values, *(one + other for one, other in pairwise(values))}
    return any(one - off == value for one in values for off in taken)


def _counts(near: Sequence[_Operand], dimension: str) -> set[Fraction]:
    """Return the numbers by which a rate may be multiplied."""
    barred = {dimension, Dimension.PERCENT, Dimension.WON, *_NO_AMOUNTS}
    return {one.written for one in near if one.dimension not in barred and one.written > 1}


def _is_product(value: Fraction, same: Sequence[_Operand], near: Sequence[_Operand]) -> bool:
    """Tell whether a value is a rate times a count, or that on top of an amount."""
    for rate in same:
        if not rate.is_rate:
            continue
        products = {rate.value * count for count in _counts(near, rate.dimension)}
        if products & {value, *(value - one.value for one in same)}:
            return True
    return False


def _is_quotient(value: Fraction, same: Sequence[_Operand], near: Sequence[_Operand]) -> bool:
    return any(one.value == value * count for one in same for count in _counts(near, one.dimension))


def _is_ratio(value: Fraction, near: Sequence[_Operand]) -> bool:
    return any(
        one.dimension == other.dimension and one.value == other.value * value
        for one in near
        for other in near
    )
