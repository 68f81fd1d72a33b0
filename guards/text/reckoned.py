"""Figures that an answer reckons from other figures that it shows, or that it was asked with.

An equation (``2명 × 4,000원 = 8,000원``) and a row of a table (``2,000원 | 2 | 4,000원``) check
themselves. Elsewhere a figure follows if the operands, which the sources, the question or an
earlier step give, stand close by, and the sentence says that it reckons: a total, a difference, a
rate times a count, a share of an amount, an amount per head. What it is reckoned from may also
stand in the source passage that speaks of the same (``장작 2망은 24,000원``). A figure that an
example assumes (``예를 들어 … 20일 이용하셨다면``) is an operand too.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from guards.core.lazy import lazy
from guards.core.reading import Text
from guards.text.bonds import Bond
from guards.text.derived import Derivable
from guards.text.equations import equation_results
from guards.text.explaining import REACH_CHARS, first_places, is_near, is_told, supposed
from guards.text.figure_values import amounts_of
from guards.text.operands import NO_AMOUNTS, Operand, operand
from guards.text.reckoning_rules import (
    adds_up,
    is_average,
    is_part,
    is_worked_out,
    rounds,
    says_again,
)
from guards.text.reckoning_step import Step
from guards.text.reckoning_words import (
    ASSUMED,
    DAY_AFTER,
    EXAMPLE,
    IF,
    ONE_PERIOD,
    TOTALS,
)
from guards.text.sentences import Sentence
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import COUNTED, Dimension, Measure
from guards.text.totals import Totals, is_list_line

_MOST_OPERANDS = 14
_MOST_STEPS = 4
# An answer with more figures is a data table.
_MOST_FIGURES = 200
_BOUNDS = frozenset({"이상", "이하", "초과", "미만", "이내"})
_POINTS = frozenset({Dimension.DATE, Dimension.MONTH_DAY, Dimension.YEAR_MONTH})
_IN_TIME = frozenset({*NO_AMOUNTS, Dimension.DAYS, Dimension.SECONDS, Dimension.MONTHS})


class Told(Protocol):
    """What the sources tell that a figure of the answer may be reckoned from."""

    def told(self, quantity: Quantity) -> Sequence[tuple[Bond, Text]]:
        """Return the figures of the sources that are said of what a figure is said of."""

    def imply_share(self, quantity: Quantity) -> bool:
        """Tell whether a price is a share of one that they give about the same."""

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
        self._reckoned: frozenset[int] = frozenset()

    def has(self, quantity: Quantity) -> bool:
        """Tell whether a figure of the answer follows."""
        return quantity.start in self._followed

    def shows(self, quantity: Quantity) -> bool:
        """Tell whether the answer shows how it comes to a figure: an equation, a table row."""
        return quantity.start in self._shown

    def averages(self, quantity: Quantity) -> bool:
        """Tell whether a figure is a mean that the answer reckons."""
        return self.shows(quantity) or is_average(self._step_from_others(quantity))

    def works_out(self, quantity: Quantity) -> bool:
        """Tell whether the answer says, here or elsewhere, how it comes to a price."""
        return is_told(quantity, self._worked_out)

    @lazy
    def _worked_out(self) -> Mapping[Measure, int]:
        prices = [
            one
            for one in self._answer.quantities[:_MOST_FIGURES]
            if one.measure.dimension == Dimension.WON and len(one.measure.values) == 1
        ]
        return first_places(
            one for one in prices if self.shows(one) or is_worked_out(self._step_from_others(one))
        )

    def _step_from_others(self, quantity: Quantity) -> Step:
        """Return a step from what the sources or the question give and the answer repeats."""
        others = [one for measure, one in self._repeated if measure != quantity.measure]
        return self._step(quantity, operand(quantity, self._answer), others)

    @lazy
    def _repeated(self) -> Sequence[tuple[Measure, Operand]]:
        """What the answer repeats of the figures that the sources or the question give."""
        return [
            (one.measure, operand(one, self._answer))
            for one in self._answer.quantities[:_MOST_FIGURES]
            if len(one.measure.values) == 1 and self._is_known(one)
        ]

    @lazy
    def _followed(self) -> frozenset[int]:
        """Where the figures stand that follow, in up to a few steps."""
        quantities = [one for one in self._answer.quantities if len(one.measure.values) == 1]
        if len(quantities) > _MOST_FIGURES:
            return self._shown
        known = {one.start for one in quantities if self._is_known(one)}
        unknown = [one for one in quantities if one.start not in known]
        likely = {one.start for one in unknown if self._sources and self._sources.imply_share(one)}
        followed = set(self._shown) | {one.start for one in quantities if self._assumed(one)}
        for _ in range(_MOST_STEPS):
            self._reckoned = frozenset(followed)
            given = [one for one in quantities if one.start in known | likely | followed]
            shown = first_places(one for one in given if one.start in self._shown)
            new = {
                one.start
                for one in unknown
                if one.start not in followed
                if is_told(one, shown) or self._follows(one, given)
            }
            if not new:
                break
            followed |= new
        return frozenset(followed)

    @lazy
    def _shown(self) -> frozenset[int]:
        assumed = self._supposed
        results = equation_results(
            self._answer, lambda one: one.measure in assumed or self._is_known(one)
        )
        if not assumed:
            return results
        places = sorted(results)
        return results | {
            one.start
            for one in self._answer.quantities
            if one.measure in assumed and is_near(one.start, places)
        }

    @lazy
    def _supposed(self) -> frozenset[Measure]:
        """What no source gives and the answer supposes to reckon with it (``10일이 지났다면``)."""
        return frozenset(
            one.measure for one in self._answer.once(supposed) if not self._is_known(one)
        )

    @lazy
    def _starts(self) -> list[int]:
        return [sentence.start for sentence in self._answer.sentences]

    @lazy
    def _asked(self) -> list[Operand]:
        singles = [one for one in self._question.quantities if len(one.measure.values) == 1]
        return [operand(one, self._question) for one in singles[:_MOST_OPERANDS]]

    def _assumed(self, quantity: Quantity) -> bool:
        if ONE_PERIOD.match(quantity.text) and IF.match(self._answer.raw, quantity.end):
            return True
        start = self._sentences(quantity)[1].start
        return bool(
            EXAMPLE.search(self._answer.raw, start, quantity.start)
            and ASSUMED.match(self._answer.raw, quantity.end)
        )

    def _sentences(self, quantity: Quantity) -> tuple[Sentence, Sentence, Sentence]:
        """Return the sentence before a figure's, its own and the next; at an end its own again."""
        all_of = self._answer.sentences
        at = max(0, bisect_right(self._starts, quantity.start) - 1)
        return all_of[max(0, at - 1)], all_of[at], all_of[min(at + 1, len(all_of) - 1)]

    def _follows(self, quantity: Quantity, given: Sequence[Quantity]) -> bool:
        if quantity.measure.dimension in _IN_TIME and self._is_in_time(quantity, given):
            return True
        wanted = operand(quantity, self._answer)
        shown = [operand(one, self._answer) for one in given]
        if any(says_again(wanted, one) for one in self._asked):
            return True
        if any(rounds(wanted, one) for one in shown):
            return True
        if wanted.dimension in {*NO_AMOUNTS, Dimension.BARE} or quantity.comparing_word in _BOUNDS:
            return False
        step = self._step(quantity, wanted, shown)
        return adds_up(step) or self._is_total(step) or is_part(step)

    def _is_in_time(self, quantity: Quantity, given: Sequence[Quantity]) -> bool:
        """Tell whether a time follows from those of its sentence, a date from the one before."""
        before, own, _ = self._sentences(quantity)
        start = before.start if quantity.measure.dimension in _POINTS else own.start
        beside = [one for one in given if start <= one.start < own.end]
        says_next = DAY_AFTER.search(self._answer.raw, start, own.end) is not None
        known = [*beside, *self._question.quantities]
        return Derivable(known, day_after=says_next).has_in_time(quantity)

    def _is_total(self, step: Step) -> bool:
        may_be = step.says(TOTALS) or not is_list_line(step.said)
        return (may_be and self._totals.has(step.wanted, step.alike(step.near))) or (
            step.wanted.dimension in COUNTED and self._totals.counts(step.wanted)
        )

    def _step(self, quantity: Quantity, wanted: Operand, shown: Sequence[Operand]) -> Step:
        raw = self._answer.raw
        _, own, following = self._sentences(quantity)
        near = _nearest(wanted, shown)
        changes = self._sources.changes if self._sources else ()
        return Step(
            wanted=wanted,
            said=own.text,
            context=raw[max(0, own.start - REACH_CHARS) : own.end],
            before=raw[own.start : quantity.start],
            after=raw[quantity.end : own.end],
            beside=_within(own, shown),
            near=near,
            asked=self._asked,
            told=self._of_sources(quantity),
            changes={one.measure.values[0] for one in changes},
            reckoned=self._reckoned,
            following=(following.text, _within(following, near)),
        )

    def _of_sources(self, quantity: Quantity) -> list[Operand]:
        told = self._sources.told(quantity) if self._sources else ()
        return [
            replace(operand(one.quantity, text), per=_per(one))
            for one, text in told[:_MOST_OPERANDS]
            if len(one.quantity.measure.values) == 1
        ]


def _within(sentence: Sentence, operands: Sequence[Operand]) -> list[Operand]:
    return [one for one in operands if sentence.start <= one.start < sentence.end]


def _per(bond: Bond) -> tuple[tuple[str, Fraction], ...]:
    """Return for how much of something the sources give a figure."""
    return tuple((kind, value) for figure in bond.figures for kind, value in amounts_of(figure))


def _nearest(wanted: Operand, shown: Sequence[Operand]) -> list[Operand]:
    """Return the operands closest to a figure, in order."""
    near = [one for one in shown if abs(one.start - wanted.start) <= REACH_CHARS]
    near = sorted(near, key=lambda one: abs(one.start - wanted.start))[:_MOST_OPERANDS]
    return sorted(near, key=lambda one: one.start)
