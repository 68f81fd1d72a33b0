"""Figures that an answer reckons from other figures that it shows, or that it was asked with.

An equation (``2명 × 4,000원 = 8,000원``) and a row of a table (``2,000원 | 2 | 4,000원``) check
themselves. Elsewhere a figure follows if the operands, which the sources, the question or an
earlier step give, stand close by, and the sentence says that it reckons: a total, a difference, a
rate times a count, a share of an amount, an amount per head. What it is reckoned from may also
stand in the source passage that speaks of the same (``장작 2망은 24,000원``). A figure that an
example assumes (``예를 들어 … 20일 이용하셨다면``) is an operand too.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from guards.core.reading import Text
from guards.text.arithmetic import (
    counts_of,
    is_product,
    is_quotient,
    is_ratio,
    is_rest,
    is_rest_of_product,
    is_share,
    is_sum,
)
from guards.text.derived import Derivable
from guards.text.equations import equation_results
from guards.text.operands import NO_AMOUNTS, Operand, operand
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure
from guards.text.totals import Totals, is_list_line

_REACH_CHARS = 320
_MOST_OPERANDS = 14
_MOST_STEPS = 4
# An answer with more figures is a data table.
_MOST_FIGURES = 200
_ADDS = re.compile(
    r"(?<![가-힣])총(?!무|장|리|회|학)|합계|합[산쳐치하한해]|더[하해한]|모두|전부|전체|추가|가산|"
    r"할증|포함|함께|따라서|므로|때문|→|늘어|올라|만점"
)
_TOTALS = re.compile(r"(?<![가-힣])총(?!무|장|리|회|학)|합계|모두|전부")
_TAKES_OFF = re.compile(
    r"차이|차액|저렴|비싸|비싼|비쌉|싸[고며다지]|쌉|절감|절약|아끼|아낄|이득|이익|남은|남는|남습|"
    r"나머지|잔금|잔액|줄|늘어|뺀|빼|공제|제외|제하|초과|넘는|넘은|인상|인하|더[ ]|덜[ ]|할인|감면|"
    r"환불|환급|돌려|넓어|높아|낮아|부터는"
)
_CONCLUDES = re.compile(
    r"므로|이면|라면|다면|하면|따라서|총[ ]?[*_]*\d|합계|계산|할인|감면|기준|예를[ ]들|예컨대|가령|"
    r"예시|[=×→]|꼴|셈|이용[ ]시|경우|대해"
)
_SHARES = re.compile(
    r"할인|감면|할증|가산|추가|공제|위약금|수수료|연체|환불|환급|돌려|인상|인하|예약금|계약금"
)
_PER_BEFORE = re.compile(
    r"(?:(?:시간|회|인|명|일|박|건|개|"
    r"장|대|월|k?g|m[23]|분)[ ]?당|하루에?|한[ ]달에?|월|매월|매일|마다|1[인명일회박개])[ ]?[*_]*$"
)
_PER_AFTER = re.compile(r"[*_]*(?:씩|[ ]?꼴|인[ ]셈|[ ]?[×xX])")
_SAYS_SHARE = re.compile(rf"{_SHARES.pattern}|분의|절반|%[가-힣]{{0,3}}[,:]?[ ]|[1-9]/[2-9]")
_MORE = re.compile(r"할증|가산|추가|인상|증가|오르|오른|올라|더해|붙")
_BOUNDS = frozenset({"이상", "이하", "초과", "미만", "이내"})
_CLAUSE_CHARS = 16
_EXAMPLE = re.compile(r"예를[ ]?들|예컨대|가령|예시|만약|만일")
_ASSUMED = re.compile(r"[^.,\n]{0,14}(?:다면|라면|이면|하면|으면|때)")
# 10일이 지났다면: not said to be so, and reckoned with afterwards.
_SUPPOSED = re.compile(r"[^.,\n]{0,14}(?:다면|라면)")
_PART = re.compile(r"(?<![\d/.])(?P<part>\d)/(?P<whole>[2-9])(?![\d/])")
_HALF = re.compile(r"절반|반값")
# 이틀 of a stay are 2박.
_COUNTED_ALIKE = (frozenset({Dimension.TIMES, "건", "개", "장"}), frozenset({Dimension.DAYS, "박"}))
_POINTS = frozenset({Dimension.DATE, Dimension.MONTH_DAY, Dimension.YEAR_MONTH})
_IN_TIME = frozenset({*NO_AMOUNTS, Dimension.DAYS, Dimension.SECONDS, Dimension.MONTHS})


class Told(Protocol):
    """What the sources tell that a figure of the answer may be reckoned from."""

    def told(self, quantity: Quantity) -> Sequence[tuple[Quantity, Text]]:
        """Return the figures of the sources that are said of what a figure is said of."""

    @property
    def changes(self) -> Sequence[Quantity]:
        """The amounts of which the sources say that they come on top or are taken off."""


class Reckoning:
    """Which figures of an answer follow from others that stand in it or in the question.

    Args:
        answer: The answer.
        question: The question.
        is_known: Tells whether a figure of the answer stands in the sources or the question.
        sources: What the sources tell; None if only what is shown counts.
    """

    def __init__(
        self,
        answer: Text,
        question: Text,
        is_known: Callable[[Quantity], bool],
        sources: Told | None = None,
    ) -> None:
        self._answer = answer
        self._question = question
        self._is_known = is_known
        self._sources = sources
        self._totals = Totals(answer)

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
            self._reckoned = frozenset(followed)
            given = [one for one in quantities if one.start in known or one.start in followed]
            shown = {one.measure for one in given if one.start in self._shown}
            new = {
                one.start
                for one in quantities
                if one.start not in known and one.start not in followed
                if one.measure in shown or self._follows(one, given)
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
    def _asked(self) -> list[Operand]:
        singles = [one for one in self._question.quantities if len(one.measure.values) == 1]
        return [operand(one, self._question) for one in singles[:_MOST_OPERANDS]]

    def _assumed(self, quantity: Quantity) -> bool:
        start, _ = self._sentence(quantity)
        return bool(
            _EXAMPLE.search(self._answer.raw, start, quantity.start)
            and _ASSUMED.match(self._answer.raw, quantity.end)
        )

    def _sentence(self, quantity: Quantity) -> tuple[int, int]:
        for sentence in self._answer.sentences:
            if sentence.start <= quantity.start < sentence.end:
                return sentence.start, sentence.end
        return quantity.start, quantity.end

    def _before(self, start: int) -> int:
        """Return where the sentence before the one at a place begins."""
        before = (one.start for one in reversed(self._answer.sentences) if one.start < start)
        return next(before, start)

    def _follows(self, quantity: Quantity, given: Sequence[Quantity]) -> bool:
        start, end = self._sentence(quantity)
        if quantity.measure.dimension in _IN_TIME:
            is_date = quantity.measure.dimension in _POINTS
            begin = self._before(start) if is_date else start
            beside = [one for one in given if begin <= one.start < end]
            if Derivable([*beside, *self._question.quantities]).has_in_time(quantity):
                return True
        wanted = operand(quantity, self._answer)
        if any(_says_again(wanted, one) for one in self._asked):
            return True
        if (
            wanted.dimension in NO_AMOUNTS
            or wanted.dimension == Dimension.BARE
            or quantity.comparing_word in _BOUNDS
        ):
            return False
        shown = [operand(one, self._answer) for one in given]
        step = _Step(
            wanted,
            self._answer.raw[start:end],
            self._answer.raw[max(0, start - _REACH_CHARS) : end],
            self._answer.raw[start : quantity.start],
            self._answer.raw[quantity.end : end],
            [one for one in shown if start <= one.start < end],
            _nearest(wanted, shown),
            self._asked,
            self._of_sources(quantity),
        )
        return self._adds_up(step) or self._is_part(step, end)

    def _told(self, quantity: Quantity) -> Sequence[tuple[Quantity, Text]]:
        return self._sources.told(quantity) if self._sources else ()

    def _of_sources(self, quantity: Quantity) -> list[Operand]:
        return [
            operand(one, text)
            for one, text in self._told(quantity)[:_MOST_OPERANDS]
            if len(one.measure.values) == 1
        ]

    def _adds_up(self, step: "_Step") -> bool:
        """Tell whether a figure is a sum or a rest of others."""
        wanted = step.wanted
        asked = step.alike(step.asked)
        same = [*step.alike(step.near), *asked]
        return (
            (_ADDS.search(step.around) is not None and is_sum(wanted.value, same))
            or (_TAKES_OFF.search(step.around) is not None and is_rest(wanted.value, same))
            or (
                (_TOTALS.search(step.said) is not None or not is_list_line(step.said))
                and self._totals.has(wanted, step.alike(step.near))
            )
            or (len(asked) > 1 and sum(one.value for one in asked) == wanted.value)
            or _is_beyond(wanted, step.asked, step.beside)
            or self._is_changed(step)
        )

    def _is_changed(self, step: "_Step") -> bool:
        """Tell whether a price is one beside it with a surcharge or discount of the sources."""
        if self._sources is None or step.wanted.dimension != Dimension.WON:
            return False
        changes = {one.measure.values[0] for one in self._sources.changes}
        return any(abs(step.wanted.value - one.value) in changes for one in step.alike(step.beside))

    def _is_part(self, step: "_Step", end: int) -> bool:
        """Tell whether a figure is a product, a share, a quotient or a ratio of others."""
        wanted = step.wanted
        if wanted.dimension == "배":
            return is_ratio(wanted.value, [*step.near, *step.asked])
        return (
            self._is_product(step)
            or self._is_quotient(step)
            or _is_share(step, step.said, step.beside, step.told)
            or _is_share(step, step.context, step.before_and_beside, ())
            or self._is_share_of_next(step, end)
        )

    def _is_product(self, step: "_Step") -> bool:
        wanted = step.wanted
        all_of = [*step.near, *step.asked]
        same = step.alike(all_of)
        rates = [one for one in same if one.is_rate]
        every = counts_of(all_of, wanted.dimension)
        if _CONCLUDES.search(step.said) and is_product(wanted.value, rates, every, same):
            return True
        totals = _TOTALS.search(step.said) is not None
        if step.is_rate or not (totals or wanted.dimension == Dimension.WON):
            return False
        counts = every if totals else counts_of([*step.beside, *step.asked], wanted.dimension)
        firm = [one for one in same if one.is_rate or one.start not in self._reckoned]
        firm += step.alike(step.told)
        return is_product(wanted.value, firm, counts, ()) or (
            _TAKES_OFF.search(step.said) is not None
            and is_rest_of_product(wanted.value, firm, counts, step.alike(step.beside))
        )

    def _is_quotient(self, step: "_Step") -> bool:
        """Tell whether a rate is an amount before it divided by a count."""
        if not step.is_rate:
            return False
        all_of = [*step.near, *step.asked]
        firm = [
            one
            for one in step.alike(all_of)
            if one.start < step.wanted.start and one.start not in self._reckoned
        ]
        return is_quotient(step.wanted.value, firm, counts_of(all_of, step.wanted.dimension))

    def _is_share_of_next(self, step: "_Step", end: int) -> bool:
        """Tell whether the next sentence gives the amount and the share that make a figure."""
        following = next((one for one in self._answer.sentences if one.start >= end), None)
        if following is None:
            return False
        there = [one for one in step.near if following.start <= one.start < following.end]
        return _is_share(step, following.text, there, ())


@dataclass(frozen=True)
class _Step:
    """A figure that may follow, and what stands around it.

    Attributes:
        wanted: The figure.
        said: Its sentence.
        context: That with what stands close before it.
        before: The sentence before it.
        after: The sentence behind it.
        beside: The operands of its sentence.
        near: The operands close to it.
        asked: Those of the question.
        told: Those of the sources that are said of the same.
    """

    wanted: Operand
    said: str
    context: str
    before: str
    after: str
    beside: Sequence[Operand]
    near: Sequence[Operand]
    asked: Sequence[Operand]
    told: Sequence[Operand]

    def alike(self, operands: Sequence[Operand]) -> list[Operand]:
        """Return those that measure the same."""
        return [one for one in operands if one.dimension == self.wanted.dimension]

    @property
    def before_and_beside(self) -> list[Operand]:
        """The operands before it and in its sentence."""
        return [one for one in self.near if one.start < self.wanted.start or one in self.beside]

    @property
    def is_rate(self) -> bool:
        """Whether it is so much per one of something."""
        return (
            _PER_BEFORE.search(self.before) is not None or _PER_AFTER.match(self.after) is not None
        )

    @property
    def around(self) -> str:
        """Where it may say that it reckons: its sentence, for counts the words next to it."""
        if self.wanted.dimension == Dimension.WON:
            return self.said
        return self.before[-_CLAUSE_CHARS:] + self.after[:_CLAUSE_CHARS]


def _is_share(step: _Step, said: str, shown: Sequence[Operand], told: Sequence[Operand]) -> bool:
    """Tell whether a figure is a share of an amount, or the amount less or more that share.

    Args:
        step: The figure.
        said: What says that something is a share of something.
        shown: The operands of the answer.
        told: Those of the sources; only a price that is said to be changed may rest on them.
    """
    wanted = step.wanted
    if wanted.dimension == Dimension.PERCENT or not _SAYS_SHARE.search(said):
        return False
    of_source = told if wanted.dimension == Dimension.WON and _SHARES.search(said) else ()
    shares = {one.value / 100 for one in (*shown, *of_source) if one.dimension == Dimension.PERCENT}
    shares |= {Fraction(int(part["part"]), int(part["whole"])) for part in _PART.finditer(said)}
    if _HALF.search(said):
        shares.add(Fraction(1, 2))
    amounts = step.alike([*shown, *step.asked, *of_source])
    return is_share(wanted.value, amounts, shares, more=_MORE.search(said) is not None)


def _nearest(wanted: Operand, shown: Sequence[Operand]) -> list[Operand]:
    """Return the operands closest to a figure, in order."""
    near = [one for one in shown if abs(one.start - wanted.start) <= _REACH_CHARS]
    near = sorted(near, key=lambda one: abs(one.start - wanted.start))[:_MOST_OPERANDS]
    return sorted(near, key=lambda one: one.start)


def _says_again(wanted: Operand, asked: Operand) -> bool:
    """Tell whether a count repeats one of the question with another counter (25만 번, 25만 건)."""
    return wanted.value == asked.value and any(
        {wanted.dimension, asked.dimension} <= alike for alike in _COUNTED_ALIKE
    )


def _is_beyond(wanted: Operand, asked: Sequence[Operand], given: Sequence[Operand]) -> bool:
    """Tell whether a count is by how much what was asked is beyond, or short of, what is given.

    Ages are apart by years: ``만 14세`` of the question and ``만 16세 이상`` by ``2년``.
    """
    if wanted.dimension in {Dimension.WON, Dimension.PERCENT}:
        return False
    is_years = wanted.dimension == Dimension.MONTHS
    return any(
        (one.dimension == other.dimension == wanted.dimension and apart == wanted.value)
        or (
            is_years
            and one.dimension == other.dimension == Dimension.AGE
            and apart * 12 == wanted.value
        )
        for one in asked
        for other in given
        for apart in (abs(one.value - other.value),)
    )
