"""Figures that the sources do not hold.

Finds: amounts, periods, rates, counts, dates, times of day and telephone numbers of the answer
    whose value the sources have nowhere in that dimension, after exact conversion (2주 = 14일,
    5만원 = 50,000원, 오후 7시 = 19:00), and those that the sources have only with another
    comparator (이상 for 미만).
Misses: a figure that stands in the sources about something else; sums and differences, which are
    not worked out; counts in everyday wording (두 가지, 하루). Hedged figures are left to
    `estimates`.
Score: 1.0 where the closest source sentence gives another value; 0.9 where no source has a value
    of that kind; 0.6 for a bare number without a unit.
Source: own rules for Korean quantities. Numbers of the question and of instructions may be
    repeated.
"""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Evidence, Finding, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.reading import Reading, Text
from guards.text.claimed_quantities import claimed_quantities
from guards.text.closest_figures import (
    ClosestFigures,
    closest_figures,
    sentence_around,
    source_texts,
)
from guards.text.hedging import is_estimate
from guards.text.known_quantities import KnownQuantities
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension


class NumbersSettings(GuardSettings):
    """Options of the guard."""

    allow_from_question: bool = Field(
        True, description="Let the answer repeat figures of the question and the instructions."
    )


class Numbers(Guard[NumbersSettings]):
    """Report every figure of the answer that no source holds."""

    id = "numbers"
    stages = frozenset({Stage.OUTPUT})
    scope = Scope.SEGMENT
    settings_type = NumbersSettings
    codes: ClassVar[Mapping[str, Code]] = {
        "numbers.value_differs": Code(
            "The closest sentence of the sources gives another value of that kind.",
            '"{observed}"은(는) 자료와 다릅니다. 자료의 값 {expected}만 쓰세요.',
        ),
        "numbers.not_in_sources": Code(
            "No source holds a value of that kind.",
            '"{observed}"은(는) 제공된 자료에 없는 수치입니다. 자료에 있는 수치만 쓰세요.',
        ),
        "numbers.comparator_differs": Code(
            "The sources hold the value with another comparator (이상, 이하, 초과, 미만).",
            '"{observed}"의 범위 표현이 자료와 다릅니다. 자료의 표현({expected})을 그대로 쓰세요.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def check(self, reading: Reading) -> list[Finding]:
        """Compare each figure of the answer with those of the sources."""
        if reading.answer is None:
            return []
        text = reading.answer.text
        claimed = [
            quantity for quantity in claimed_quantities(text) if not is_estimate(quantity, text.raw)
        ]
        if not claimed:
            return []
        known = KnownQuantities(source_texts(reading))
        unknown = [quantity for quantity in claimed if not known.has(quantity)]
        if not unknown:
            return []
        licensed = KnownQuantities(self._echoed_texts(reading))
        return [
            self._finding(quantity, text, known, reading)
            for quantity in unknown
            if not licensed.has(quantity)
        ]

    def _echoed_texts(self, reading: Reading) -> list[Text]:
        if not self.settings.allow_from_question:
            return []
        return [reading.question.text, Text(reading.exchange.echo)]

    def _finding(
        self, quantity: Quantity, text: Text, known: KnownQuantities, reading: Reading
    ) -> Finding:
        closest = closest_figures(quantity, sentence_around(text, quantity), reading)
        return Finding(
            guard=self.id,
            code=f"numbers.{_kind(quantity, known, closest)}",
            part="answer",
            span=Span(quantity.start, quantity.end),
            observed=quantity.text,
            strength=Strength.C2 if closest else Strength.E0,
            expected=closest.figures if closest else (),
            evidence=(Evidence(closest.source_id, closest.sentence),) if closest else (),
            score=_score(quantity, closest),
        )


def _kind(quantity: Quantity, known: KnownQuantities, closest: ClosestFigures | None) -> str:
    if known.has_value(quantity):
        return "comparator_differs"
    return "value_differs" if closest else "not_in_sources"


def _score(quantity: Quantity, closest: ClosestFigures | None) -> float:
    if quantity.measure.dimension == Dimension.BARE:
        return 0.6
    return 1.0 if closest else 0.9
