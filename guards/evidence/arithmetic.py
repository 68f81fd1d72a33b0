"""Arithmetic of an answer: for each figure, whether it is reckoned, from what, and rightly.

An equation shown is recomputed, and so is the total of a list or of a column. Any other figure follows
if the figures that it is reckoned from are named beside it, in its table, by the user, or in the
source claims about the same; a figure that the answer only supposes needs no source.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations, product

from guards.claims.reader import Reading
from guards.core.lazy import lazy
from guards.evidence.equations import Equation, equations
from guards.evidence.figures import Figure, same_value
from guards.evidence.index import Context
from guards.evidence.items import counted_items
from guards.evidence.reckoning import (
    Step,
    Target,
    is_half_or_double,
    is_whole_beside,
    kind_of,
    of_three,
    of_two,
    runs,
    target,
)
from guards.evidence.suppositions import Suppositions
from guards.evidence.totals import Total, totals

_SENTENCES_BEFORE = 3
_MOST_TOLD, _MOST_NEAR, _MOST_IN_A_ROW = 8, 14, 8
_LEAST_LIKENESS = 0.12
_ABOUT = re.compile(r"약|대략|정도|쯤|가량|남짓|반올림|절사|버림|≈|꼴")
_HALF = re.compile(r"절반|반값|반액|반으로|왕복|편도|두 배|2배|(?<![가-힣])반(?:이|을|만)")
_SUMS = re.compile(
    r"합계|합산|합[쳐하한해친치]|총|모두|전체|더[하한해][면여]?|더하|누적|까지(?: 포함)|다 해서|전부|최대|최소|소계"
)
_RESTS = re.compile(
    r"차이|차액|차가|더 |빼|뺀|제[외하]|남[은는습아]|잔여|나머지|모자라|부족|초과|넘[는은어겨]|절약|절감|아끼|아낄|줄|공제|할인|"
    r"여유|일찍|먼저|앞당|늦|지났|지나|감면|환불|돌려|저렴|비싸|싸|낮|높|적[은게습]|많|길|짧|늘|증가|감소|인상|인하|추가|차감|이득|유리"
)


class Outcome(StrEnum):
    """How an answer comes to a figure."""

    SHOWN_RIGHT = "shown_right"
    """An equation, a list or a table shows how, and that is right; or it is an operand of one."""
    SHOWN_WRONG = "shown_wrong"
    FOLLOWS = "follows"
    HYPOTHESIS = "hypothesis"
    """The answer only supposes it."""
    GIVEN_BY_USER = "given_by_user"
    UNEXPLAINED = "unexplained"


@dataclass(frozen=True, slots=True)
class Explanation:
    """How an answer comes to a figure.

    Attributes:
        outcome: Whether it is right, and why.
        right: The value that the operands give, if that is another one; in the figure's unit.
        operands: The figures that it follows from, where they are known.
        step: The kind of step; empty if nothing was reckoned.
        is_operand: Whether it is an operand of an equation shown, and not its result.
    """

    outcome: Outcome
    right: Fraction | None = None
    operands: tuple[Figure, ...] = ()
    step: str = ""
    is_operand: bool = False


_UNEXPLAINED = Explanation(Outcome.UNEXPLAINED)
Likeness = Callable[[Context, Context], float]


class Arithmetic:
    """How an answer comes to its figures.

    Args:
        answer: The answer.
        figures: Its figures, in order.
        asked: The figures of the user's turns.
        told: The figures of the sources.
        likeness: How alike two contexts are (`SourceIndex.likeness`).
    """

    def __init__(
        self,
        answer: Reading,
        figures: Sequence[Figure],
        asked: Sequence[Figure],
        told: Sequence[Figure],
        likeness: Likeness,
    ) -> None:
        self._answer = answer
        self._figures = figures
        self._asked = asked
        self._told = told
        self._likeness = likeness
        self._suppositions = Suppositions(answer)
        self._kept: dict[int, Explanation] = {}

    def of(self, figure: Figure) -> Explanation:
        """Return how the answer comes to a figure."""
        if figure.start not in self._kept:
            # While it is being explained it explains nothing else.
            self._kept[figure.start] = _UNEXPLAINED
            self._kept[figure.start] = self._explain(figure)
        return self._kept[figure.start]

    def _explain(self, figure: Figure) -> Explanation:
        shown = self._shown(figure)
        if shown is not None:
            return shown
        if any(same_value(figure.measure, one.measure) for one in self._asked):
            return Explanation(Outcome.GIVEN_BY_USER)
        if self._suppositions.has(figure):
            return Explanation(Outcome.HYPOTHESIS)
        if self._is_operand(figure):
            return Explanation(Outcome.SHOWN_RIGHT, is_operand=True)
        steps = [self._step(figure, value) for value in figure.measure.values]
        found = [step for step in steps if step is not None]
        if found and len(found) == len(steps):
            operands = tuple(one for step in found for one in step.operands)
            return Explanation(Outcome.FOLLOWS, None, operands, found[0].name)
        if self._is_shown_elsewhere(figure):
            return Explanation(Outcome.FOLLOWS, step="shown elsewhere")
        return _UNEXPLAINED

    # What the answer shows

    @lazy
    def _equations(self) -> dict[int, Equation]:
        places = {one.start: one.quantity for one in self._figures}
        return {one.result.start: one for one in equations(self._answer.page.plain, places)}

    @lazy
    def _operands(self) -> frozenset[int]:
        return frozenset(
            term.start for one in self._equations.values() for term in one.operands if one.is_right
        )

    @lazy
    def _totals(self) -> dict[int, Total]:
        results = frozenset(self._equations)
        return {one.figure.start: one for one in totals(self._answer, self._figures, results)}

    def _shown(self, figure: Figure) -> Explanation | None:
        equation = self._equations.get(figure.start)
        if equation is not None:
            places = {term.start for term in equation.operands}
            operands = tuple(one for one in self._figures if one.start in places)
            outcome = Outcome.SHOWN_RIGHT if equation.is_right else Outcome.SHOWN_WRONG
            return Explanation(outcome, equation.right, operands, "equation")
        total = self._totals.get(figure.start)
        if total is None or (not total.is_right and not total.is_certain):
            return None
        outcome = Outcome.SHOWN_RIGHT if total.is_right else Outcome.SHOWN_WRONG
        return Explanation(outcome, total.right, total.items, "total")

    def _is_operand(self, figure: Figure) -> bool:
        """Tell whether a bare number only multiplies in an equation that is right."""
        return figure.start in self._operands

    def _is_shown_elsewhere(self, figure: Figure) -> bool:
        """Tell whether the answer comes to the same value in another place."""
        return any(
            one.start != figure.start
            and same_value(figure.measure, one.measure)
            and self._comes_to(one)
            for one in self._figures
        )

    def _comes_to(self, figure: Figure) -> bool:
        explanation = self.of(figure)
        return not explanation.is_operand and explanation.outcome in {
            Outcome.SHOWN_RIGHT,
            Outcome.FOLLOWS,
        }

    # What follows

    def _step(self, figure: Figure, value: Fraction) -> Step | None:
        about = self._sentence_text(figure)
        wanted = target(figure, value, is_about=_ABOUT.search(about) is not None)
        own, near = self._own(figure), self._near(figure)
        counted = counted_items(self._answer, figure)
        if counted:
            return Step("count", ())
        return (
            self._of_few(wanted, own, near, about)
            or self._of_pairs(wanted, own, near, about)
            or self._of_many(wanted, own, near, about)
        )

    def _of_few(
        self, wanted: Target, own: Sequence[Figure], near: Sequence[Figure], text: str
    ) -> Step | None:
        for one in (*own, *near):
            if is_whole_beside(wanted, one):
                return Step("whole", (one,))
        if _HALF.search(text):
            told = self._told_about(wanted.figure)
            for one in (*own, *near, *self._asked, *told):
                if is_half_or_double(wanted, one):
                    return Step("half", (one,))
        return None

    def _of_pairs(
        self, wanted: Target, own: Sequence[Figure], near: Sequence[Figure], text: str
    ) -> Step | None:
        told, asked = self._told_about(wanted.figure), self._asked
        pairs: Iterable[tuple[str, Iterable[tuple[Figure, Figure]]]] = (
            ("own own", combinations(own, 2)),
            ("own near", product(own, near)),
            ("near near", combinations(near, 2)),
            ("own asked", product(own, asked)),
            ("near asked", product(near, asked)),
            ("asked asked", combinations(asked, 2)),
            ("own told", product(own, told)),
            ("asked told", product(asked, told)),
            ("near told", product(near, told)),
            ("told told", combinations(told, 2)),
        )
        for route, some in pairs:
            for one, other in some:
                if one.start == other.start and one.source == other.source:
                    continue
                step = of_two(wanted, one, other)
                if step is not None and _is_said(step.name, route, text):
                    return Step(f"{step.name} ({route})", step.operands)
        return None

    def _of_many(
        self, wanted: Target, own: Sequence[Figure], near: Sequence[Figure], text: str
    ) -> Step | None:
        told = self._told_about(wanted.figure)
        for name, some in (
            ("own", [*own]),
            ("near", [*own, *near]),
            ("asked", [*own, *self._asked, *told[:3]]),
        ):
            if len(some) <= _MOST_NEAR:
                step = of_three(wanted, some)
                if step is not None and (name == "own" or step.name == "product" or _says(text)):
                    return Step(f"{step.name} (three {name})", step.operands)
        if _SUMS.search(text):
            same = [one for one in (*near, *own) if kind_of(one.measure) == wanted.kind]
            same.sort(key=lambda one: one.start)
            for run in runs(same, _MOST_IN_A_ROW):
                if wanted.is_(sum((one.measure.values[-1] for one in run), Fraction(0))):
                    return Step("sum (run)", run)
        return None

    # What a figure may be reckoned from

    def _sentence_text(self, figure: Figure) -> str:
        block = figure.claim.block
        if block.is_cell:
            labels = " ".join(label.text for label in block.labels)
            return f"{labels} {self._answer.page.plain[block.start : block.end]}"
        claims = self._answer.sentences[figure.claim.sentence]
        labels = " ".join(label.text for label in block.labels)
        return f"{labels} {self._answer.page.plain[claims[0].start : claims[-1].end]}"

    def _own(self, figure: Figure) -> list[Figure]:
        """Return the other figures of its sentence, or of its row and the head of its column."""
        block = figure.claim.block
        if not block.is_cell:
            return [
                one
                for one in self._figures
                if one.start != figure.start and one.claim.sentence == figure.claim.sentence
            ]
        return [
            one
            for one in self._figures
            if one.start != figure.start
            and one.claim.block.table == block.table
            and (
                one.claim.block.line == block.line
                or (one.claim.block.column == block.column and one.claim.block.is_heading)
            )
        ]

    def _near(self, figure: Figure) -> list[Figure]:
        """Return the figures right before its sentence, its list or its table."""
        block = figure.claim.block
        first = figure.claim.sentence
        if block.is_cell:
            inside = [
                one.claim.sentence for one in self._figures if one.claim.block.table == block.table
            ]
            first = min((*inside, first))
        labels = {label.text for label in block.labels}
        found = [
            one
            for one in self._figures
            if one.claim.sentence < first
            and (
                first - one.claim.sentence <= _SENTENCES_BEFORE
                or self._answer.page.plain[one.claim.block.start : one.claim.block.end].strip(" :")
                in labels
            )
        ]
        return found[-_MOST_NEAR:]

    def _told_about(self, figure: Figure) -> list[Figure]:
        """Return the figures of the sources that are most probably said of the same."""
        scored = [(self._likeness(figure.context, one.context), one) for one in self._told]
        scored = [pair for pair in scored if pair[0] >= _LEAST_LIKENESS]
        scored.sort(key=lambda pair: -pair[0])
        return [one for _, one in scored[:_MOST_TOLD]]


def _says(text: str) -> bool:
    return _SUMS.search(text) is not None or _RESTS.search(text) is not None


def _is_said(name: str, route: str, text: str) -> bool:
    """Tell whether a step needs no word for it, or the sentence has one."""
    if route in {"own own"}:
        return True
    if name == "sum":
        return _SUMS.search(text) is not None
    if name == "rest":
        return _RESTS.search(text) is not None
    if route in {"told told", "near told"}:
        return name in {"moved", "between"} or _says(text)
    return True
