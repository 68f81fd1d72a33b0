"""Arithmetic of an answer: for each figure, whether it is reckoned, from what, and rightly.

An equation shown is recomputed, and so is the total of a list or of a column. Any other figure
follows if the figures that it is reckoned from are named beside it, in its table, by the user, or
in the source claims about the same; a figure that the answer only supposes needs no source.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import combinations, product
from weakref import WeakMethod

from guards.claims.reader import Claim, Reading
from guards.evidence.calculations.equations import equations
from guards.evidence.calculations.implied import Implied
from guards.evidence.calculations.nearby import LikenessTo, Nearby, Pool
from guards.evidence.calculations.points import LENGTHS, POINTS
from guards.evidence.calculations.reckoning import (
    Step,
    Target,
    counts_of,
    is_constant,
    is_converted,
    is_count,
    is_multiple_in_words,
    is_whole_beside,
    kind_of,
    of_three,
    of_two,
    runs,
    says,
    target,
)
from guards.evidence.calculations.tables import Tables
from guards.evidence.calculations.totals import Suppositions, Total, counted_items, totals
from guards.evidence.figures import Figure, same_value
from guards.evidence.sets import Values, joined_values
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure

_MOST_OF_THREE, _MOST_IN_A_ROW = 14, 8
_TOTAL_BEFORE = re.compile(
    r"(?:합계|(?<![가-힣])총|합[쳐해]서?|합[하치]면|더하면)[ ]?(?:금액은?|은|는)?[ ]?$"
)
_INTRODUCED = re.compile(r"(?:합쳐|합계|(?<![가-힣])총|총액|총 비용|모두)[은는]?[ ]?:?[ ]?$")
_TOTAL_CHARS, _FEWEST = 10, 2
_TIMES = "배"


class Outcome(StrEnum):
    """Way in which an answer arrives at a figure."""

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
    """Way in which an answer arrives at a figure.

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


class Arithmetic:
    """Ways in which an answer arrives at its figures.

    Attributes:
        figures: The figures of the answer, in order.

    Args:
        answer: The answer.
        figures: Its figures, in order.
        user: The figures of the user's turns.
        sources: The figures of the sources.
        likeness_to: Returns the figures of the sources with their likeness to a context.
    """

    def __init__(
        self,
        answer: Reading,
        figures: Sequence[Figure],
        user: Sequence[Figure],
        sources: Sequence[Figure],
        likeness_to: LikenessTo,
    ) -> None:
        self._answer = answer
        self.figures = figures
        self._user = user
        self._sources = sources
        places = {one.start: one.quantity for one in figures}
        self.equations = tuple(equations(answer.page.plain, places))
        self._results = {one.result.start: one for one in self.equations}
        found = totals(answer, figures, frozenset(self._results))
        self._totals = {one.figure.start: one for one in found}
        self._items = frozenset(it.start for one in self._totals.values() for it in one.items)
        self._used = {
            term.start: one.result.start for one in self.equations for term in one.operands
        }
        shown = frozenset((*self._results, *self._totals))
        # A method held for good would tie both into a ring that only the collector frees.
        comes_to = WeakMethod(self._comes_to)
        self._nearby = Nearby(
            answer,
            figures,
            user,
            sources,
            likeness_to,
            shown,
            lambda figure: (bound := comes_to()) is not None and bound(figure),
        )
        self._suppositions = Suppositions(answer)
        self._implied = Implied(answer, figures, user, sources)
        self._tables = Tables(answer, figures, self._totals)
        self._kept: dict[int, Explanation] = {}

    def of(self, figure: Figure) -> Explanation:
        """Return how the answer derives a figure."""
        if figure.start not in self._kept:
            # While it is being explained it explains nothing else.
            self._kept[figure.start] = _UNEXPLAINED
            self._kept[figure.start] = self._explain(figure)
        return self._kept[figure.start]

    def may_be_wrong(self, figure: Figure) -> bool:
        """Tell whether the answer may show a figure to be wrong; quicker than explaining it."""
        is_shown = figure.start in self._results or figure.start in self._totals
        return is_shown or self._is_called_total(figure)

    def _explain(self, figure: Figure) -> Explanation:
        shown = self._shown(figure)
        if shown is not None:
            return shown
        if any(same_value(figure.measure, one.measure) for one in self._user):
            return Explanation(Outcome.GIVEN_BY_USER)
        if self._is_supposed(figure):
            return Explanation(Outcome.HYPOTHESIS)
        if self._only_multiplies(figure):
            return Explanation(Outcome.SHOWN_RIGHT, is_operand=True)
        if len(figure.measure.values) > 1 and (
            self._is_range_in_sources(figure) or self._has_given_ends(figure)
        ):
            return Explanation(Outcome.FOLLOWS, step="range")
        in_row = self._of_table(figure, self._tables.of_row(figure))
        if in_row is not None:
            return in_row
        pool = self._nearby.of(figure)
        steps = [self._step(figure, value, pool) for value in figure.measure.values]
        found = [step for step in steps if step is not None]
        if found and len(found) == len(steps):
            operands = tuple(one for step in found for one in step.operands)
            named = self._by_words(figure) if found[0].name.startswith("product") else None
            return named or Explanation(Outcome.FOLLOWS, None, operands, found[0].name)
        if self._is_shown_elsewhere(figure):
            return Explanation(Outcome.FOLLOWS, step="shown elsewhere")
        return (
            self._total_in_words(figure, pool)
            or self._by_words(figure)
            or self._introducing(figure)
            or _UNEXPLAINED
        )

    # What the answer shows

    def _shown(self, figure: Figure) -> Explanation | None:
        equation = self._results.get(figure.start)
        if equation is not None:
            places = {term.start for term in equation.operands}
            operands = tuple(one for one in self.figures if one.start in places)
            outcome = Outcome.SHOWN_RIGHT if equation.is_right else Outcome.SHOWN_WRONG
            return Explanation(outcome, equation.right, operands, "equation")
        total = self._totals.get(figure.start)
        if total is None or (not total.is_right and not total.is_certain):
            return None
        outcome = Outcome.SHOWN_RIGHT if total.is_right else Outcome.SHOWN_WRONG
        return Explanation(outcome, total.right, total.items, "total")

    def _is_supposed(self, figure: Figure) -> bool:
        """Tell whether a figure is supposed, here or before an equation with it."""
        if self._suppositions.has(figure):
            return True
        if figure.start not in self._used and figure.measure.dimension not in POINTS:
            return False
        return any(
            one.start < figure.start
            and same_value(figure.measure, one.measure)
            and self._suppositions.has(one)
            for one in self.figures
        )

    def _total_in_words(self, figure: Figure, pool: Pool) -> Explanation | None:
        """Return what is wrong with a total of the amounts that its sentence names before it."""
        if not self._is_called_total(figure):
            return None
        kind = kind_of(figure.measure)
        amounts = [one for one in pool.own if kind_of(one.measure) == kind]
        counts = [
            one
            for one in pool.own
            if max(counts_of(one), default=Fraction(1)) > 1 and not self._is_in_brackets(one)
        ]
        counts = [one for one in counts if counts_of(one) != {Fraction(len(amounts))}]
        if len(amounts) < _FEWEST or any(is_count(one, kind) for one in counts):
            return None
        if not all(one.start < figure.start and self._is_given(one) for one in amounts):
            return None
        if any(same_value(figure.measure, one.measure) for one in pool.sources):
            return None
        plain = self._answer.page.plain
        if any(plain.startswith("씩", one.end) for one in amounts):
            return None
        values = {one.measure.values[0] for one in (*amounts, *self._user)}
        if any(one + other == figure.measure.values[0] for one, other in combinations(values, 2)):
            return None
        right = sum((one.measure.values[0] for one in amounts), Fraction(0))
        return Explanation(Outcome.SHOWN_WRONG, right, tuple(amounts), "total in words")

    def _of_table(self, figure: Figure, total: Total | None) -> Explanation | None:
        """Return what a table says of a figure."""
        if total is None or not (total.is_right or total.is_certain):
            return None
        if not total.is_right and self._is_given(figure):
            return None
        outcome = Outcome.FOLLOWS if total.is_right else Outcome.SHOWN_WRONG
        return Explanation(outcome, total.right, total.items, "table")

    def _introducing(self, figure: Figure) -> Explanation | None:
        """Return what the next table says of a figure that is called its total."""
        before = self._answer.page.plain[max(0, figure.start - _TOTAL_CHARS) : figure.start]
        total = None if figure.claim.block.is_cell else self._tables.introduced(figure)
        if total is None or not (total.is_right or _INTRODUCED.search(before)):
            return None
        return self._of_table(figure, total)

    def _by_words(self, figure: Figure) -> Explanation | None:
        """Return what the operation says of a figure that the words beside it name."""
        judged = self._implied.judged(figure)
        # 한 시간을 더 머무르면: what a condition names is no result.
        if judged is None or (
            not judged.is_right and (self._is_given(figure) or figure.claim.clause.is_condition)
        ):
            return None
        outcome = Outcome.FOLLOWS if judged.is_right else Outcome.SHOWN_WRONG
        return Explanation(outcome, judged.right, judged.operands, "words")

    def _is_in_brackets(self, figure: Figure) -> bool:
        """Tell whether a figure only describes what stands before it: 와인(750ml)."""
        plain = self._answer.page.plain
        return plain[figure.start - 1 : figure.start] == "(" and plain[figure.end :][:1] == ")"

    def _is_called_total(self, figure: Figure) -> bool:
        before = self._answer.page.plain[max(0, figure.start - _TOTAL_CHARS) : figure.start]
        return _TOTAL_BEFORE.search(before) is not None and not figure.quantity.approximate

    def _only_multiplies(self, figure: Figure) -> bool:
        """Tell whether a figure without a unit is an operand of an equation that is right."""
        result = self._used.get(figure.start)
        return (
            result is not None
            and self._results[result].is_right
            and (figure.measure.dimension == Dimension.BARE or is_constant(figure))
        )

    def _is_shown_elsewhere(self, figure: Figure) -> bool:
        """Tell whether the answer derives the same value in another place."""
        return any(
            one.start != figure.start
            and same_value(figure.measure, one.measure)
            and self._comes_to(one)
            for one in self.figures
        )

    def _comes_to(self, figure: Figure) -> bool:
        explanation = self.of(figure)
        return not explanation.is_operand and explanation.outcome in {
            Outcome.SHOWN_RIGHT,
            Outcome.FOLLOWS,
        }

    # What follows

    def _step(self, figure: Figure, value: Fraction, pool: Pool) -> Step | None:
        if counted_items(self._answer, figure):
            return Step("count", ())
        if not value and (says("free", pool.text) or self._is_free(pool)):
            return Step("free", ())
        wanted = target(figure, value, pool.text)
        rules = (self._of_one, self._of_pairs, self._of_many)
        return next((step for rule in rules if (step := rule(wanted, pool))), None)

    def _is_free(self, pool: Pool) -> bool:
        """Tell whether the sources say of the same that nothing is paid, or paid back."""
        return any(says("free", one.claim.text) for one in pool.sources)

    def _is_range_in_sources(self, figure: Figure) -> bool:
        """Tell whether a source gives both ends of a range in other words: 65 이상 75 미만."""
        values = Values(min(figure.measure.values), max(figure.measure.values))
        kinds = {kind_of(figure.measure), Dimension.BARE}
        claims = {
            id(one.claim): one.claim for one in self._sources if kind_of(one.measure) in kinds
        }
        return any(
            values == found
            for claim in claims.values()
            for _, found in joined_values(_placed(claim), claim.text)
        )

    def _has_given_ends(self, figure: Figure) -> bool:
        """Tell whether user or sources name both ends of a range of times: 18~21시."""
        dimension, values, *_ = figure.measure
        if dimension not in POINTS:
            return False
        named = [
            Measure(one.measure.dimension, (value,))
            for one in (*self._user, *self._sources)
            for value in one.measure.values
        ]
        return all(
            any(same_value(Measure(dimension, (value,)), one) for one in named) for value in values
        )

    def _of_one(self, wanted: Target, pool: Pool) -> Step | None:
        for one in (*pool.own, *pool.near):
            if is_whole_beside(wanted, one):
                return Step("whole", (one,))
            if is_converted(wanted, one):
                return Step("converted", (one,))
        for one in (*pool.own, *pool.near, *pool.user, *pool.sources):
            if is_multiple_in_words(wanted, one):
                return Step("word", (one,))
        return None

    def _of_pairs(self, wanted: Target, pool: Pool) -> Step | None:
        for route, some in _routes(pool):
            for one, other in some:
                step = of_two(wanted, one, other)
                if step is not None and self._is_named(step, route, wanted, pool):
                    return Step(f"{step.name} ({route})", step.operands)
        return None

    def _is_used(self, figure: Figure, wanted: Target) -> bool:
        """Tell whether an amount goes into an equation that has come to another one."""
        return (
            figure.source < 0
            and figure.start in self._used
            and kind_of(figure.measure) == wanted.kind
            and wanted.kind != Dimension.BARE
        )

    def _is_named(self, step: Step, route: str, wanted: Target, pool: Pool) -> bool:
        """Tell whether the sentence says so, and names no other operands."""
        name = step.name
        if route == "near sources" and name in {"sum", "rest"}:
            return False
        if route == "near near" and name == "ratio" and wanted.kind != _TIMES:
            return False
        if route in {"near near", "near sources"} and any(map(self._is_bare, step.operands)):
            return False
        if not self._has_word(name, route, wanted, pool):
            return False
        if name in {"sum", "rest"} and any(
            self._is_used(one, wanted) or self._goes_into_share(one) for one in step.operands
        ):
            return False
        if name in {"share", "product"} and any(self._is_item(one) for one in step.operands):
            return False
        return not any(self._is_instead(one, step, pool) for one in step.operands)

    def _has_word(self, name: str, route: str, wanted: Target, pool: Pool) -> bool:
        """Tell whether the sentence says what is reckoned, where that must be said."""
        if name == "sum":
            return says("sum", wanted.text) or says("added", wanted.text + pool.before)
        if name in {"rest", "quotient"}:
            return says(name, wanted.text)
        if route in {"sources sources", "near sources", "near near"} and name not in {
            "moved",
            "between",
        }:
            return says("rest", wanted.text) or says("sum", wanted.text)
        return True

    def _is_instead(self, figure: Figure, step: Step, pool: Pool) -> bool:
        """Tell whether a figure from elsewhere replaces one of its kind in the sentence."""
        if any(figure is one for one in pool.own):
            return False
        kind = kind_of(figure.measure)
        return any(
            kind_of(one.measure) == kind
            and not one.measure.everyday
            and all(one is not it for it in step.operands)
            and one.start not in self._used
            and self._is_given(one)
            for one in pool.own
        )

    def _is_given(self, figure: Figure) -> bool:
        """Tell whether a figure is told or asked, or the answer shows or supposes it."""
        return (
            figure.start in self._results
            or figure.start in self._totals
            or self._suppositions.has(figure)
            or any(same_value(figure.measure, one.measure) for one in (*self._user, *self._sources))
        )

    def _goes_into_share(self, figure: Figure) -> bool:
        """Tell whether a figure is only what a share or a multiple is taken of (6개월의 2배)."""
        plain = self._answer.page.plain
        if figure.source >= 0 or not plain.startswith("의 ", figure.end):
            return False
        return any(
            figure.end < one.start <= figure.end + 4
            and kind_of(one.measure) in {Dimension.PERCENT, "배"}
            for one in self.figures
        )

    def _is_bare(self, figure: Figure) -> bool:
        """Tell whether a figure is a number without a unit that no equation multiplies by."""
        return figure.measure.dimension == Dimension.BARE and figure.start not in self._used

    def _is_item(self, figure: Figure) -> bool:
        """Tell whether a figure went into a total."""
        return figure.source < 0 and figure.start in self._items

    def _of_many(self, wanted: Target, pool: Pool) -> Step | None:
        beside = (*pool.own, *pool.near)
        given = (*pool.own, *pool.user, *pool.sources[:4])
        for name, some in (("own", pool.own), ("near", beside), ("user", given)):
            if len(some) > _MOST_OF_THREE:
                continue
            step = of_three(wanted, some)
            if step is not None and self._are_named(step, name, wanted, pool):
                return Step(f"{step.name} (three {name})", step.operands)
        if not says("sum", wanted.text):
            return None
        same = [one for one in beside if kind_of(one.measure) == wanted.kind]
        same = [one for one in same if not self._is_used(one, wanted)]
        for run in runs(sorted(same, key=lambda one: one.start), _MOST_IN_A_ROW):
            if len({one.claim.block.table for one in run}) > 1:
                continue
            if wanted.is_(sum((one.measure.values[-1] for one in run), Fraction(0))):
                return Step("sum (run)", run)
        return self._of_source_sentence(wanted, pool)

    def _of_source_sentence(self, wanted: Target, pool: Pool) -> Step | None:
        """Return the sum of amounts that stand in one sentence of a source."""
        places = {(one.source, one.claim.sentence) for one in pool.sources}
        for place in sorted(places):
            same = [
                one
                for one in self._sources
                if (one.source, one.claim.sentence) == place and kind_of(one.measure) == wanted.kind
            ]
            for run in runs(sorted(same, key=lambda one: one.start), _MOST_IN_A_ROW):
                if wanted.is_(sum((one.measure.values[-1] for one in run), Fraction(0))):
                    return Step("sum (sources)", run)
        return None

    def _are_named(self, step: Step, name: str, wanted: Target, pool: Pool) -> bool:
        own = [one for one in step.operands if any(one is it for it in pool.own)]
        if any(self._is_instead(one, step, pool) for one in step.operands):
            return False
        if any(self._goes_into_share(one) for one in step.operands):
            return False
        if step.name != "product":
            if wanted.kind in LENGTHS and name != "own":
                return False
            if len(own) < len(step.operands) - (name == "near"):
                return False
            return says("rest", wanted.text) or says("sum", wanted.text)
        return name == "user" or len(own) > 1


def _routes(pool: Pool) -> Iterator[tuple[str, Iterable[tuple[Figure, Figure]]]]:
    """Yield the pairs of figures that may be reckoned with, the nearest first."""
    tiers = {"own": pool.own, "near": pool.near, "user": pool.user, "sources": pool.sources}
    for one, other in _ORDER:
        if one == other:
            yield f"{one} {other}", combinations(tiers[one], 2)
        else:
            yield f"{one} {other}", product(tiers[one], tiers[other])


_ORDER = (
    ("own", "own"),
    ("own", "near"),
    ("near", "near"),
    ("own", "user"),
    ("near", "user"),
    ("user", "user"),
    ("own", "sources"),
    ("user", "sources"),
    ("near", "sources"),
    ("sources", "sources"),
)


def _placed(claim: Claim) -> list[Quantity]:
    """Return the quantities of a claim with their places in its own text."""
    back = claim.start - claim.offset
    return [
        one._replace(start=one.start - back, end=one.end - back) for one in claim.clause.figures
    ]
