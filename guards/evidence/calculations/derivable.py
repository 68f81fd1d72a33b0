"""Figures that some short calculation could give, whether or not the answer names its steps.

That some combination of figures gives a value proves nothing: it is no reason to call the value
right, only one not to call it invented. Such a value is left open.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from fractions import Fraction
from itertools import combinations, islice
from typing import TypeAlias

from guards.core.keeping import lazy
from guards.evidence.binding import Bound, Relation
from guards.evidence.calculations.expressions import written
from guards.evidence.calculations.points import CLOCKS, DATES, between, moved
from guards.evidence.calculations.reckoning import counts_of, says
from guards.evidence.figures import Figure, same_value, unit_of, written_number
from guards.evidence.sides import base_of
from guards.evidence.thresholds import BINDING
from guards.text.slots.dates import parts_of
from guards.text.slots.units import COUNTED, Dimension, Measure

_MOST_AMOUNTS, _MOST_FACTORS, _MOST_CLOCKS = 48, 64, 16
_LARGEST_FACTOR = 1000
_FEWEST_ADDED, _MOST_ADDED, _MOST_ADDED_FROM = 3, 5, 12
_BETWEEN = re.compile(r",(?!\d)|·|와 |과 |및 |이랑 |하고 ")
_DIGITS = 2
_BESIDE_SENTENCES = 1
_POINTS = frozenset(
    {
        Dimension.DATE,
        Dimension.MONTH_DAY,
        Dimension.YEAR_MONTH,
        Dimension.YEAR,
        Dimension.MONTH,
        Dimension.CLOCK,
        Dimension.CLOCK_12,
    }
)
# Points are paid with as won are.
_POINTS_OF_WON = frozenset({"점", "포인트"})
_CALCULATED = frozenset({Dimension.WON, Dimension.PERCENT})
# 3일 전 is no 3일 후, and 1명당 counts no persons.
_TURNS = frozenset({"@전", "@후", "@당", "@마다"})
_LENGTHS = frozenset({Dimension.DAYS, Dimension.MONTHS, Dimension.SECONDS})
_Made: TypeAlias = Callable[[tuple[float, ...], tuple[float, ...]], Set[float]]


class Derivable:
    """Values that could be calculated from the figures of one exchange.

    Args:
        answer: The figures of the answer.
        user: The figures of the user's turns.
        sources: The figures of the sources.
        has_month_ends: Whether the answer or the sources speak of the last day of a month.
    """

    def __init__(
        self,
        answer: Sequence[Figure],
        user: Sequence[Figure],
        sources: Sequence[Figure],
        *,
        has_month_ends: bool,
    ) -> None:
        self._has_month_ends = has_month_ends
        self._answer = answer
        self._user = user
        self._sources = sources
        self._known: dict[tuple[str, str], tuple[float, ...]] = {}
        self._made: dict[object, Set[float]] = {}

    def may_give(self, figure: Figure, bound: Bound) -> bool:
        """Tell whether a figure may be the result of a short calculation from the others.

        Args:
            figure: A figure of the answer.
            bound: How the sources stand to it.
        """
        if _is_one_of_time(figure) or self._is_in_proportion(figure, bound):
            return True
        if bound.right is not None and (
            self._is_built_on(figure, bound.right)
            or self._adds_up_what_it_names(figure, bound.right)
        ):
            return True
        if self._is_rate_of_rest(figure):
            return True
        stands_alone = _is_called_sum(figure) or not self._replaces(figure, bound)
        return stands_alone and self._is_in_reach(figure)

    def _replaces(self, figure: Figure, bound: Bound) -> bool:
        """Tell whether a figure stands in the place of the sources', which the answer never names.

        What is calculated from the sources' value has it beside it, and is an amount or a share.
        """
        right = bound.right
        if bound.held is not Relation.DIFFERS or right is None or _turn(figure) != _turn(right):
            return False
        own, source = figure.measure, right.measure
        # 30개월 for 30일 has the same number, 1개월 for 1년 the same dimension.
        is_other_unit = written_number(figure) == written_number(right) != ""
        if own.dimension != source.dimension and not is_other_unit:
            return False
        if any(
            same_value(one.measure, source)
            and abs(one.claim.sentence - figure.claim.sentence) <= _BESIDE_SENTENCES
            for one in self._answer
        ):
            return False
        if self._is_made_of_named(figure, source):
            return False
        if self._is_made_beside(figure, right):
            return False
        if _is_beyond_end(figure, right) or _is_multiple_of_rate(figure, right):
            return False
        if self._is_multiple_beside(figure, source) or self._is_counted_multiple(figure):
            return False
        if own.dimension in DATES and _is_day_beside(own, right):
            return False
        if is_other_unit and unit_of(figure) != unit_of(right):
            return True
        is_amount = own.dimension in _CALCULATED
        least = BINDING.replaces_amount if is_amount else BINDING.replaces
        return bound.likeness >= least

    def _is_made_of_named(self, figure: Figure, source: Measure) -> bool:
        """Tell whether a value is made of two that answer or user name, or of one and a source's.

        To an hourly rate of the sources nothing else is added.
        """
        own = figure.measure
        named = [
            one.measure
            for one in (*self._answer, *self._user)
            if one.start != figure.start and one.measure.dimension == own.dimension
        ][:_MOST_AMOUNTS]
        if any(_adds_up(own, *pair) for pair in combinations(named, 2)):
            return True
        return not base_of(figure) and any(_adds_up(own, one, source) for one in named)

    def _is_made_beside(self, figure: Figure, right: Figure) -> bool:
        """Tell whether a value follows from the sources' and another one of that source.

        To an hourly rate only another one is added.
        """
        own, base = figure.measure, base_of(figure)
        place = right.source, right.claim.sentence
        beside = [one.measure for one in self._sources if (one.source, one.claim.sentence) == place]
        rates = [one.measure for one in self._rates if one.source == right.source]
        if any(_is_share(own, right.measure, one) for one in (*beside, *rates)):
            return True
        return any(_adds_up(own, *pair) for pair in combinations(beside, 2)) or any(
            _adds_up(own, right.measure, one.measure)
            for one in self._sources
            if one.source == right.source and one.place != right.place
            if not base or base_of(one) == base
        )

    def _is_in_proportion(self, figure: Figure, bound: Bound) -> bool:
        """Tell whether a figure grows with another as the sources' do: 5L에 100mL, 2L에 40mL."""
        right = bound.right
        if right is None or right.measure.dimension != figure.measure.dimension:
            return False
        times = figure.measure.values[0], right.measure.values[0]
        return any(
            one.measure.dimension == other.measure.dimension
            and one.measure.values[0] * times[1] == other.measure.values[0] * times[0]
            for one in self._answer
            if one.claim.sentence == figure.claim.sentence and one.start != figure.start
            for other in self._sources
            if other.place != right.place
            and (other.source, other.claim.sentence) == (right.source, right.claim.sentence)
        )

    def _is_built_on(self, figure: Figure, right: Figure) -> bool:
        """Tell whether a value is the source's and two more that answer or user name.

        Or one of that source and so many of its steps: 10km까지 78,000원, 1km마다 2,600원.
        """
        own = figure.measure
        if right.measure.dimension != own.dimension:
            return False
        others = [one for one in self._answer if one.start != figure.start]
        named = [
            one.measure.values[0]
            for one in (*others, *self._user)
            if one.measure.dimension == own.dimension
        ][:_MOST_AMOUNTS]
        rest = own.values[0] - right.measure.values[0]
        if any(rest - one in named[at + 1 :] for at, one in enumerate(named)):
            return True
        source = [one for one in self._sources if one.source == right.source]
        rising = {one.claim.sentence for one in source if "마다" in one.claim.text}
        if not rising:
            return False
        same = [one for one in source if one.measure.dimension == own.dimension]
        steps = {
            one.measure.values[0]
            for one in same
            if one.claim.block.is_cell or one.claim.sentence in rising
        }
        # Where the first step has a value of its own, one less is counted.
        times = {
            number - less
            for one in others
            if abs(one.claim.sentence - figure.claim.sentence) <= _BESIDE_SENTENCES
            for number in counts_of(one)
            for less in (0, 1)
        }
        starts = {one.measure.values[0] for one in same}
        return any(own.values[0] - step * number in starts for step in steps for number in times)

    def _adds_up_what_it_names(self, figure: Figure, right: Figure) -> bool:
        """Tell whether a figure adds up so many of a source's as its sentence names before it.

        신체검사, 두 시험, 발급까지 34,000원.
        """
        before = " ".join(
            one.text for one in figure.sentence if one.position <= figure.claim.position
        )
        named = len(_BETWEEN.findall(before)) + 1
        same = [
            one.measure.values[0]
            for one in self._sources
            if one.source == right.source and one.measure.dimension == figure.measure.dimension
        ][:_MOST_ADDED_FROM]
        return named >= _FEWEST_ADDED and any(
            sum(some) == figure.measure.values[0]
            for count in range(named, _MOST_ADDED + 1)
            for some in combinations(same, count)
        )

    def _is_rate_of_rest(self, figure: Figure) -> bool:
        """Tell whether an amount is a rate of the sources for what lies beyond a limit of theirs.

        430kWh at 215원 for each above 300: 130 × 215 = 27,950.
        """
        own = figure.measure
        rates = [
            one.measure.values[0]
            for one in self._sources
            if one.measure.dimension == own.dimension == Dimension.WON and _is_rate(one)
        ]
        amounts: dict[str, set[Fraction]] = {}
        for one in (*self._user, *self._sources):
            if rates and one.measure.dimension not in _CALCULATED:
                amounts.setdefault(one.measure.dimension, set()).update(one.measure.values)
        steps = {
            rest
            for some in islice(amounts.values(), _MOST_FACTORS)
            for one in islice(some, _MOST_CLOCKS)
            for other in islice(some, _MOST_CLOCKS)
            for rest in (one, one - other, one - other + 1)
            if rest > 1
        }
        return any(rate * step == own.values[0] for rate in rates for step in steps)

    def _is_multiple_beside(self, figure: Figure, source: Measure) -> bool:
        """Tell whether a figure is as often the sources' as a count of its sentence says."""
        return any(
            source.values[0] * number == figure.measure.values[0]
            for one in self._answer
            if one.claim.sentence == figure.claim.sentence and one.start != figure.start
            for number in counts_of(one)
        )

    def _is_quotient_beside(self, figure: Figure) -> bool:
        """Tell whether an amount of its sentence has another one as often in it (3만 원, 20장)."""
        return any(
            one.measure.dimension == other.measure.dimension == Dimension.WON
            and one.measure.values[0] == other.measure.values[0] * figure.measure.values[0]
            for one in self._answer
            if one.claim.sentence == figure.claim.sentence
            for other in self._answer
        )

    def _is_counted_multiple(self, figure: Figure) -> bool:
        """Tell whether a figure is a source's as often as its sentence counts in words."""
        numbers = _counted_in_words(figure)
        if not numbers:
            return False
        dimension, values, *_ = figure.measure
        return any(
            one.measure.dimension == dimension and one.measure.values[0] * number == values[0]
            for one in self._sources
            for number in numbers
        )

    def _is_in_reach(self, figure: Figure) -> bool:
        """Tell whether a short calculation from the other figures could give a figure."""
        dimension = figure.measure.dimension
        if dimension in _POINTS:
            return self._may_be_moved(figure)
        if dimension == Dimension.SECONDS and self._is_between_clocks(figure):
            return True
        if dimension in COUNTED and self._is_quotient_beside(figure):
            return True
        wanted = [float(value) for value in figure.measure.values]
        amounts = self._amounts("all", dimension, wanted)
        near = self._amounts("near", dimension, wanted)
        factors = self._factors(figure)
        return all(self._is_given(value, amounts, near, factors) for value in wanted)

    def _amounts(self, pool: str, dimension: str, wanted: Sequence[float]) -> tuple[float, ...]:
        """Return the amounts that may be added up: those that are wanted are none of them."""
        if (pool, dimension) not in self._known:
            sources = self._sources if pool == "all" else ()
            some = (*self._answer, *self._user, *sources)
            self._known[pool, dimension] = _values(some, dimension)
        others = (one for one in self._known[pool, dimension] if one not in wanted)
        return tuple(islice(others, _MOST_AMOUNTS))

    def _factors(self, figure: Figure) -> tuple[float, ...]:
        """Return what amounts may be multiplied by or divided through, as others say it."""
        found = dict.fromkeys((2.0, 12.0))
        for start, factors in self._multiples:
            if len(found) >= _MOST_FACTORS:
                break
            if start != figure.start:
                found.update(dict.fromkeys(factors))
        found.update(dict.fromkeys(map(float, _counted_in_words(figure))))
        return tuple(found)[:_MOST_FACTORS]

    @lazy
    def _multiples(self) -> list[tuple[int | None, list[float]]]:
        """The factors that each figure gives, with its place in the answer if it stands there."""
        return [
            *((None, _factors_of(one)) for one in self._user),
            *((one.start, _factors_of(one)) for one in self._answer),
            *((None, _factors_of(one)) for one in self._rates),
        ]

    @lazy
    def _rates(self) -> list[Figure]:
        """The shares that the sources name."""
        return [one for one in self._sources if one.measure.dimension == Dimension.PERCENT]

    def _is_given(
        self,
        wanted: float,
        amounts: tuple[float, ...],
        near: tuple[float, ...],
        factors: tuple[float, ...],
    ) -> bool:
        """Tell whether one step from any amounts gives a value, or two from those named."""
        if wanted == 0:
            return True
        known = {round(one, _DIGITS) for one in amounts}
        products = self._once(_results, amounts, factors)
        if round(wanted, _DIGITS) in products or any(
            round(abs(wanted + sign * one), _DIGITS) in known for one in amounts for sign in (1, -1)
        ):
            return True
        if any(
            round(abs(wanted + sign * one), _DIGITS) in products for one in near for sign in (1, -1)
        ):
            return True
        divisors = self._once(_products, factors, factors)
        if any(round(wanted / one, _DIGITS) in known for one in divisors):
            return True
        rates = [float(one.measure.values[0]) / 100 for one in self._rates if one.measure.values[0]]
        if any(round(abs(wanted / rate - one), _DIGITS) in known for rate in rates for one in near):
            return True
        named = {round(one, _DIGITS) for one in near}
        return any(round(wanted - one - other, _DIGITS) in named for one in near for other in near)

    def _once(self, made: _Made, some: tuple[float, ...], others: tuple[float, ...]) -> Set[float]:
        """Return what is made of some numbers: mostly the same ones for each figure."""
        key = (made, some, others)
        if key not in self._made:
            self._made[key] = made(some, others)
        return self._made[key]

    def _may_be_moved(self, figure: Figure) -> bool:
        """Tell whether a date or time could be another one, moved by a period.

        A day may also be the one before or behind one of the sources, or the end of a month.
        """
        kind = figure.measure.dimension
        if kind in CLOCKS:
            return self._is_clock_of(figure)
        if kind == Dimension.YEAR_MONTH:
            return self._is_month_of(figure)
        others = [one for one in self._answer if one.start != figure.start]
        known = [*others, *self._user]
        if kind in DATES:
            points = [one.measure for one in known if one.measure.dimension in DATES]
            if self._is_written_as_number(figure) or self._is_day_of_month(figure):
                return True
            return any(
                same_value(figure.measure, one)
                or (self._has_month_ends and _is_month_end(figure.measure, one))
                for one in self._days(points)
            )
        has_point = any(one.measure.dimension in _POINTS for one in known)
        has_length = any(one.measure.dimension in _LENGTHS for one in (*known, *self._sources))
        return has_point and has_length

    def _is_between_clocks(self, figure: Figure) -> bool:
        """Tell whether a length is the time from one of a source's times of day to another."""
        some = (*self._answer, *self._user, *self._sources)
        times: dict[int, list[Measure]] = {}
        for one in some:
            if one.measure.dimension in CLOCKS:
                found = times.setdefault(one.source, [])
                found += (Measure(one.measure.dimension, (value,)) for value in one.measure.values)
        # Those of the user stand beside those of every source: 지금 6시 반, 마감 18시.
        own = times.pop(-1, [])[:_MOST_CLOCKS]
        return any(
            figure.measure in between(one, other, inclusive=False)
            for found in (*times.values(), [])
            for one, other in combinations([*own, *found[:_MOST_CLOCKS]], 2)
        )

    def _is_clock_of(self, figure: Figure) -> bool:
        """Tell whether a time of day is another one and a length of time later or earlier."""
        some = (*self._answer, *self._user, *self._sources)
        points = dict.fromkeys(
            Measure(one.measure.dimension, (value,))
            for one in some
            if one.measure.dimension in CLOCKS and one is not figure
            for value in one.measure.values
        )
        return any(
            same_value(figure.measure, option)
            for point in points
            for length in self._lengths
            for sign in (1, -1)
            for option in moved(point, length, sign)
        )

    def _is_month_of(self, figure: Figure) -> bool:
        """Tell whether a month of a year is another one and a length of time later or earlier."""
        months = dict.fromkeys(
            part
            for one in (*self._answer, *self._user, *self._sources)
            if one is not figure
            for part in (one.measure, *parts_of(one.measure))
            if part.dimension == Dimension.YEAR_MONTH
        )
        return any(
            figure.measure in moved(month, length, sign)
            for month in months
            for length in self._lengths
            for sign in (1, -1)
        )

    def _is_written_as_number(self, figure: Figure) -> bool:
        """Tell whether the sources have a day in a form that reads as a number: 8.4~8.6."""
        month, day = divmod(int(figure.measure.values[0]) % 10_000, 100)
        numbers = {Fraction(f"{month}.{day}"), Fraction(f"{month}.{day:02}")}
        return any(
            one.measure.dimension == Dimension.BARE and not numbers.isdisjoint(one.measure.values)
            for one in self._sources
        )

    def _is_day_of_month(self, figure: Figure) -> bool:
        """Tell whether the sources name a day of any month, and the month is near one named."""
        month, day = divmod(int(figure.measure.values[0]) % 10_000, 100)
        is_last = self._has_month_ends and day >= monthrange(2023, month)[1]
        if not is_last and not any(
            one.measure.dimension == Dimension.DAYS and day in one.measure.values
            for one in (*self._sources, *self._user)
        ):
            return False
        known = [*(one for one in self._answer if one.start != figure.start), *self._user]
        months = {
            int(part.values[0]) % 100
            for one in known
            for part in (one.measure, *parts_of(one.measure))
            if part.dimension in {Dimension.MONTH, Dimension.YEAR_MONTH}
        }
        return any((month - one) % 12 in {0, 1, 11} for one in months)

    def _days(self, points: Sequence[Measure]) -> Iterator[Measure]:
        """Yield the days that may be reckoned from some, and those beside the sources'.

        From a day of the sources is reckoned with the lengths of time that the answer names.
        """
        lengths = self._lengths
        for point in points:
            for length in lengths:
                for sign in (1, -1):
                    yield from moved(point, length, sign, inclusive=True)
        own = (one.measure for one in self._answer if one.measure.dimension == Dimension.DAYS)
        days = dict.fromkeys((Measure(Dimension.DAYS, (Fraction(1),)), *own))
        for one in self._sources:
            if one.measure.dimension in DATES:
                for length in islice(days, _MOST_FACTORS):
                    for sign in (1, -1):
                        yield from moved(one.measure, length, sign)

    @lazy
    def _lengths(self) -> list[Measure]:
        """The lengths of time that anybody names, and a day."""
        some = (*self._answer, *self._user, *self._sources)
        found = {Measure(Dimension.DAYS, (Fraction(1),)): None}
        for one in some:
            if one.measure.dimension not in _LENGTHS:
                continue
            for value in one.measure.values:
                found[Measure(one.measure.dimension, (value,))] = None
                # Working days take a weekend or two more.
                if _WORKING_DAYS.search(one.quantity.text) and value <= _MOST_WORKING_DAYS:
                    for more in range(1, 2 * (int(value) // 5 + 1) + 2):
                        found[Measure(Dimension.DAYS, (value + more,))] = None
        return list(found)[:_MOST_FACTORS]


_REFERENCE = re.compile(
    r"[ ]?(?:이?면|간|치|분(?!의)|기준|마다|당|동안|단위|로 (?:치|따지|계산|환산))"
    r"|[ ](?:[가-힣]{1,4}[ ])?[가-힣]{1,4}(?:액|료|비|금|량|한도|요금|횟수)"
    r"(?=[이은을의에로도과와,. ]|$)"
)


def _is_one_of_time(figure: Figure) -> bool:
    """Tell whether a figure only says for how long something is reckoned: 1년이면, 한 달 요금."""
    measure, claim = figure.measure, figure.claim
    return (
        measure.dimension in _LENGTHS
        and written(figure.quantity) == 1
        and not figure.quantity.comparing_word
        and _REFERENCE.match(claim.text, figure.end - claim.start) is not None
    )


_WORKING_DAYS = re.compile(r"영업일|근무일|평일")
_MOST_WORKING_DAYS = 15
_DAY_BESIDE = re.compile(r"전날|전일|하루 전|1일 전|다음 ?날|익일|이튿날")


def _is_day_beside(measure: Measure, figure: Figure) -> bool:
    """Tell whether a date is the day before or behind one, where its sentence speaks of that."""
    if not any(_DAY_BESIDE.search(one.text) for one in figure.sentence):
        return False
    day = Measure(Dimension.DAYS, (Fraction(1),))
    return any(measure in moved(figure.measure, day, sign) for sign in (1, -1))


def _is_called_sum(figure: Figure) -> bool:
    """Tell whether the row of a figure adds things up: 밸런스 + 라이트, 배송비를 더한 부담."""
    labels = [label.text for label in figure.claim.block.labels]
    return any("+" in text or says("sum", text) for text in labels)


def _is_share(measure: Measure, whole: Measure, share: Measure) -> bool:
    """Tell whether an amount is a share of another one, what that leaves, or both together."""
    if share.dimension != Dimension.PERCENT or measure.dimension != whole.dimension:
        return False
    part = share.values[0] / 100
    value, of = measure.values[0], whole.values[0]
    return part != 1 and value in {of * part, of * (1 - part), of * (1 + part)}


def _is_month_end(measure: Measure, day: Measure) -> bool:
    """Tell whether a date is the end of a day's month."""
    month, last = int(day.values[0]) // 100 % 100, int(measure.values[0]) % 10_000
    return last // 100 == month and last % 100 >= monthrange(2023, month)[1]


def _turn(figure: Figure) -> frozenset[str]:
    """Return what the word behind a figure makes of it, where that is another thing."""
    return frozenset(feature for feature in figure.context if feature in _TURNS)


_PER = re.compile(
    r"(?:당|마다|매월|매달|(?<![가-힣])월|하루|(?<![\d,.])1[ ]?(?:일|박|회|인|명|시간|개|월|건|장))"
    r"[ ]?(?:최대|약|각)?[ ]?$"
)
_PER_CHARS = 8


def _is_rate(figure: Figure) -> bool:
    """Tell whether an amount is for one of several, by the words before it or its column."""
    start = figure.start - figure.claim.start
    before = figure.claim.text[max(0, start - _PER_CHARS) : start]
    labels = (label.text for label in figure.claim.block.labels)
    return _PER.search(before) is not None or any(
        label.endswith(("당", "마다")) for label in labels
    )


def _is_multiple_of_rate(figure: Figure, rate: Figure) -> bool:
    """Tell whether an amount may be for several of what the sources give an amount for."""
    texts = []
    for one in (figure, rate):
        start = one.start - one.claim.start
        texts.append(one.claim.text[max(0, start - _PER_CHARS) : start])
    own, its = (_PER.search(text) is not None for text in texts)
    return its and not own and figure.measure.values[0] != rate.measure.values[0]


# 세 판이면, 두 통에: counted in units that are no figures by themselves.
_NATIVE_COUNTS = {
    word: Fraction(number)
    for number, word in enumerate("두 세 네 다섯 여섯 일곱 여덟 아홉 열".split(), start=2)
}
_COUNTED = re.compile(rf"(?<![가-힣])({'|'.join(_NATIVE_COUNTS)})[ ]?[가-힣]")


def _counted_in_words(figure: Figure) -> set[Fraction]:
    """Return the numbers by which a figure's sentence counts in words of its own."""
    texts = (claim.text for claim in figure.sentence or (figure.claim,))
    return {_NATIVE_COUNTS[found] for text in texts for found in _COUNTED.findall(text)}


_DENIED = re.compile(r"없|않|못하|못해|안[ ]?(?:되|돼|됩)|불가|제외|벗어|넘")


def _is_beyond_end(figure: Figure, limit: Figure) -> bool:
    """Tell whether a number is the next one that a limit leaves out, and is said to be out.

    만 18~30세: 31세가 되면 신청할 수 없습니다.
    """
    own, values = figure.measure, limit.measure.values
    return (
        own.dimension == limit.measure.dimension
        and own.values[0] in {values[0] - 1, values[-1] + 1}
        and any(_DENIED.search(claim.text) for claim in figure.sentence)
    )


def _adds_up(measure: Measure, one: Measure, other: Measure) -> bool:
    """Tell whether a value is the sum or the difference of two others of its dimension."""
    if not measure.dimension == one.dimension == other.dimension:
        return False
    pairs = tuple(zip(one.values, other.values, strict=False))
    return measure.values in {
        tuple(first + second for first, second in pairs),
        tuple(abs(first - second) for first, second in pairs),
    }


def _values(figures: Iterable[Figure], dimension: str) -> tuple[float, ...]:
    found: dict[float, None] = {}
    kinds = {dimension, Dimension.BARE, *(_POINTS_OF_WON if dimension == Dimension.WON else ())}
    for one in figures:
        if one.measure.dimension in kinds:
            found.update((float(value), None) for value in one.measure.values)
    return tuple(found)


def _factors_of(figure: Figure) -> list[float]:
    found: list[float] = []
    measure = figure.measure
    for number in map(float, measure.values):
        if measure.dimension == Dimension.PERCENT:
            found += (number / 100, 1 - number / 100, 1 + number / 100)
        elif measure.dimension in _LENGTHS:
            found += _in_units(number, measure.dimension)
        elif measure.dimension not in _POINTS and 0 < number <= _LARGEST_FACTOR:
            found.append(number)
    return [one for one in found if one > 0]


def _in_units(number: float, dimension: str) -> tuple[float, ...]:
    """Return a length of time in the units in which it may be counted."""
    if dimension == Dimension.SECONDS:
        return tuple(part for part in (number / 60, number / 3600) if part <= _LARGEST_FACTOR)
    if dimension == Dimension.MONTHS:
        return (number, number / 12)
    return (number, number - 1, number / 7) if number > 1 else (number,)


def _results(amounts: Iterable[float], factors: Sequence[float]) -> Set[float]:
    """Return what amounts come to that are multiplied by a factor or divided through one."""
    products = {round(one * factor, _DIGITS) for one in amounts for factor in factors}
    return products | {round(one / factor, _DIGITS) for one in amounts for factor in factors}


def _products(some: Iterable[float], others: Sequence[float]) -> Set[float]:
    return {one * other for one in some for other in others}
