"""Figures that the sources do not hold, or hold about something else.

Finds: amounts, periods, rates, counts, dates and times of day of the answer whose value the sources
    have nowhere in that dimension, after exact conversion (2주 = 14일, 5만원 = 50,000원, 오후 7시 =
    19:00); those that they have only with another side (이상 for 미만, or for the plain value),
    before an event for after it, or as the end of a period for its beginning; those that they have
    about something else, where the source sentence that the answer repeats, or the row, list line,
    noun or other figure (10회권, 60분 이상) that it names, has another value; a limit that only the
    question draws and the answer agrees to (네, 10권까지), where the sources draw another.
Misses: a figure moved under a name that the sources do not use, or that stands under the same name
    in another place too; the wrong one of two conditions that only reckoning tells apart (72세 for
    70~74세); a wrong value that happens to be a sum, share or multiple of figures beside it; the
    last day of a month in words (그믐); counts in everyday wording (두 가지, 하루); a wrong price
    or count of the question that is no limit and that the answer agrees to. Hedged figures are
    left to `estimates`, telephone numbers to `contact`, lines and exits to `transport`.
Score: 1.0 where the closest source sentence gives another value; 0.9 where no source has a value
    of that kind or the value was moved; 0.6 for a bare number without a unit; 0.3 for one that
    follows by a short reckoning from figures of the answer, the question or the sources (weak).
    What an equation of the answer shows and comes to is no finding.
Source: own rules for Korean quantities. Numbers of the question and of instructions may be
    repeated; a sentence that stands in a source word for word is right.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from guards.core.finding import Evidence, Finding, Severity, Span, Strength
from guards.core.guard import Code, Guard, GuardSettings, Scope, Stage
from guards.core.lazy import lazy
from guards.core.reading import Asked, Reading, Text
from guards.text.agreed_limits import AgreedLimits
from guards.text.asked_dates import AskedDates
from guards.text.claimed_quantities import claimed_quantities
from guards.text.closest_figures import ClosestFigures
from guards.text.counters import counted_alike
from guards.text.found_before import FoundBefore
from guards.text.hedging import hedged_starts
from guards.text.known_quantities import KnownQuantities, known_in
from guards.text.other_side import OtherSides
from guards.text.reckonable import Reckonable
from guards.text.reckoned import Reckoning
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import COUNTED, Dimension
from guards.text.source_figures import SourceFigures, read_ahead


class NumbersSettings(GuardSettings):
    """Options of the guard."""

    allow_from_question: bool = Field(
        True, description="Let the answer repeat figures of the question and the instructions."
    )


class Numbers(Guard[NumbersSettings]):
    """Report every figure of the answer that no source holds, or holds about something else."""

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
        "numbers.moved": Code(
            "The sources hold the value, but about something else.",
            '"{observed}"은(는) 자료에서 다른 항목의 값입니다. 이 항목의 값 {expected}만 쓰세요.',
        ),
        "numbers.derived": Code(
            "No source holds the value; it follows from figures of the sources or the question.",
            '"{observed}"은(는) 자료에 없는 계산 값입니다. 자료에 있는 수치를 그대로 쓰세요.',
        ),
    }

    def not_checkable(self, reading: Reading) -> str | None:
        """Nothing to compare with, or nothing to compare."""
        if reading.answer is None:
            return "no_answer"
        return None if reading.sources else "no_sources"

    def read_ahead(self, asked: Asked) -> Iterator[None]:
        """Read what the sources say in figures."""
        asked.told.once(known_in)
        yield
        yield from read_ahead(asked.told)

    def check(self, reading: Reading) -> list[Finding]:
        """Compare each figure of the answer with those of the sources."""
        if reading.answer is None:
            return []
        text = reading.answer.text
        hedged = frozenset(hedged_starts(text))
        claimed = [
            figure
            for figure in claimed_quantities(text)
            if figure.end > reading.judged_from and figure.start not in hedged
        ]
        if not claimed:
            return []
        beside = _Beside(reading, text, self._echoed_texts(reading))
        found = (self._of_figure(quantity, beside, reading) for quantity in claimed)
        return [finding for finding in found if finding is not None]

    def _of_figure(self, quantity: Quantity, beside: "_Beside", reading: Reading) -> Finding | None:
        if beside.sources.repeat(quantity) or beside.reckoning.shows(quantity):
            return None
        again = beside.found_before.of(quantity)
        if again and not beside.reckoning.has(quantity):
            return _provisional(again) if beside.reckonable.may_come(quantity) else again
        is_known = beside.known.has(quantity)
        if beside.licensed.has(quantity):
            limit = None if is_known else beside.limits.passed(quantity)
            return _finding("value_differs", quantity, limit, score=0.9) if limit else None
        if is_known:
            return self._known(quantity, beside)
        if beside.let_follow(quantity):
            return self._derived(quantity)
        unknown = self._unknown(quantity, beside.known, beside.sources, reading)
        beside.found_before.keep(quantity, unknown)
        return _provisional(unknown) if beside.reckonable.may_come(quantity) else unknown

    def _echoed_texts(self, reading: Reading) -> list[Text]:
        if not self.settings.allow_from_question:
            return []
        return [reading.question.text, reading.asked.echo]

    def _known(self, quantity: Quantity, beside: "_Beside") -> Finding | None:
        moved = self._moved(quantity, beside.sources)
        if moved is None:
            return None
        if beside.reckoning.works_out(quantity):
            return self._derived(quantity)
        is_price = quantity.measure.dimension == Dimension.WON
        may_come = is_price and beside.reckonable.may_come(quantity)
        return _provisional(moved) if may_come else moved

    def _moved(self, quantity: Quantity, sources: SourceFigures) -> Finding | None:
        if sources.stands_right(quantity):
            return None
        if other := sources.other_frame(quantity):
            return _finding("comparator_differs", quantity, other, score=0.9)
        right = sources.right_value(quantity)
        if right is None:
            return None
        if right.only == quantity.text:
            return _finding("comparator_differs", quantity, right.closest, score=0.9)
        # Never mended in place: were the guard wrong, a true answer would leave as a false one.
        return _finding("moved", quantity, right.closest, score=0.9)

    def _derived(self, quantity: Quantity) -> Finding:
        return Finding(
            guard=self.id,
            code="numbers.derived",
            part="answer",
            span=Span(quantity.start, quantity.end),
            observed=quantity.text,
            severity=Severity.WEAK,
            strength=Strength.E1,
            score=0.3,
        )

    def _unknown(
        self,
        quantity: Quantity,
        known: KnownQuantities,
        sources: SourceFigures,
        reading: Reading,
    ) -> Finding:
        if sources.imply(quantity):
            return self._derived(quantity)
        if counted_alike(quantity, sources.sentence(quantity).text, reading):
            return self._derived(quantity)
        closest = sources.closest(quantity)
        if closest is None and _is_article(quantity):
            return self._derived(quantity)
        return _finding(
            _kind(quantity, known, closest), quantity, closest, score=_score(quantity, closest)
        )


class _Beside:
    """What the figures of an answer are held against.

    Args:
        reading: The exchange.
        answer: Its answer.
        echoed: The texts whose figures may be repeated.
    """

    def __init__(self, reading: Reading, answer: Text, echoed: list[Text]) -> None:
        self._reading = reading
        self._echoed = echoed
        self.known = known = reading.told.once(known_in)
        self.licensed = licensed = KnownQuantities(echoed)
        self.sources = SourceFigures(reading)
        self.found_before = FoundBefore(self.sources)
        self.reckoning = Reckoning(
            answer,
            reading.question.text,
            lambda one: known.has(one) or licensed.has(one),
            self.sources,
        )

    @lazy
    def limits(self) -> AgreedLimits:
        """The limits to which the answer may agree."""
        return AgreedLimits(self._reading)

    @lazy
    def reckonable(self) -> Reckonable:
        """What may yet be explained."""
        return Reckonable(self._reading, self.known.has)

    @lazy
    def _ways(self) -> tuple[Callable[[Quantity], bool], ...]:
        return (
            self.reckoning.has,
            OtherSides(self._reading).tell,
            self._reading.asked.once(AskedDates).has,
            KnownQuantities(self._echoed, self._reading.told).has_ends,
        )

    def let_follow(self, quantity: Quantity) -> bool:
        """Tell whether a figure that no text holds follows from others."""
        for way in self._ways:  # noqa: SIM110 - asked of each figure: `any` takes twice as long
            if way(quantity):
                return True
        return False


def _finding(
    kind: str,
    quantity: Quantity,
    closest: ClosestFigures | None,
    score: float,
) -> Finding:
    return Finding(
        guard=Numbers.id,
        code=f"numbers.{kind}",
        part="answer",
        span=Span(quantity.start, quantity.end),
        observed=quantity.text,
        strength=Strength.C2 if closest else Strength.E0,
        expected=closest.figures if closest else (),
        evidence=(Evidence(closest.source_id, closest.sentence),) if closest else (),
        score=score,
    )


def _provisional(found: Finding) -> Finding:
    return replace(found, provisional=True)


def _is_article(quantity: Quantity) -> bool:
    """Tell whether a count only says that one thing is spoken of (파일 1개의 크기)."""
    return quantity.measure.dimension in COUNTED and quantity.measure.values[0] == 1


def _kind(quantity: Quantity, known: KnownQuantities, closest: ClosestFigures | None) -> str:
    if known.has_value(quantity):
        return "comparator_differs"
    return "value_differs" if closest else "not_in_sources"


def _score(quantity: Quantity, closest: ClosestFigures | None) -> float:
    if quantity.measure.dimension == Dimension.BARE:
        return 0.6
    return 1.0 if closest else 0.9
