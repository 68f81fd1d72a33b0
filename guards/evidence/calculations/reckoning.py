"""One step of arithmetic from named operands to a figure: sums, rests, products, shares, periods.

The rules say which kinds of figures may be reckoned with each other: amounts of one kind add up, an
amount times a count is an amount, a share of an amount is one, a date and a period give a date.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, pairwise
from math import ceil, floor
from typing import NamedTuple, TypeAlias

from guards.evidence.calculations.equations import agrees
from guards.evidence.calculations.expressions import PERCENTS, written
from guards.evidence.calculations.points import LENGTHS, POINTS, between, moved
from guards.evidence.figures import Figure, same_value
from guards.korean.morphemes import morphemes
from guards.lexicons.loading import sections
from guards.text.slots.units import Dimension, Measure

_RATIOS = PERCENTS | {"배", Dimension.TIMES, Dimension.BARE, "개", "건", "대"}
# Ranks are no counts, and amounts of money or data are what is multiplied.
_NO_COUNTS = frozenset(
    {
        Dimension.WON,
        Dimension.PERCENT,
        Dimension.AGE,
        "bytes",
        "USD",
        "EUR",
        "JPY",
        "CNY",
        "degrees",
    }
    | {"학년", "학기", "등급", "급", "층", "촌", "제회", "호", "시간대"}
)
# How far a value may be from the one that is rounded to it, at most.
_ROUNDED, _ROUNDED_SMALL, _SMALL = 0.06, 0.2, 10
_FLOAT = 1e-8
"""More than what floats are off from the fractions that they stand for."""
_VERB = re.compile(r"[가-힣]+다")


class Step(NamedTuple):
    """A step and the figures that it starts from."""

    name: str
    operands: tuple[Figure, ...]


class Target(NamedTuple):
    """A figure that is to be explained.

    Attributes:
        figure: The figure.
        value: Its value.
        rounded: The same as a float.
        reach: How far a value may be off that is rounded to it, at most.
        low: Below it no value is rounded to it; with it most are distinguished without fractions.
        high: Above it none is.
        kind: What it adds up with.
        is_about: It is said to be approximate.
        text: The sentence with its labels.
    """

    figure: Figure
    value: Fraction
    rounded: float
    reach: float
    low: float
    high: float
    kind: str
    is_about: bool
    text: str

    def is_(self, value: Fraction) -> bool:
        """Tell whether it is a value, as far as it is written out."""
        if value == self.value:
            return True
        if abs(float(value) - self.rounded) > self.reach:
            return False
        text = self.figure.quantity.text
        unit = written(self.figure.quantity)
        scale = self.value / unit if unit else Fraction(1)
        return agrees(value, self.value, text, is_about=self.is_about, unit=scale)


def target(figure: Figure, value: Fraction, text: str) -> Target:
    """Return a figure as what is to be explained.

    Args:
        figure: The figure.
        value: Its value; one of the two ends of a range.
        text: The sentence with its labels.
    """
    about = figure.quantity.approximate or says("about", text)
    rounded = float(value)
    reach = (_ROUNDED if value >= _SMALL else _ROUNDED_SMALL) * rounded
    off = max(reach, 0.0) + _FLOAT * abs(rounded)
    low, high = rounded - off, rounded + off
    return Target(figure, value, rounded, reach, low, high, kind_of(figure.measure), about, text)


@cache
def _table(section: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """Return the words of a section and the stems of its verbs."""
    entries = sections("reckoning")[section]
    stems = frozenset(one[:-1] for one in entries if _VERB.fullmatch(one))
    words = [one for one in entries if not _VERB.fullmatch(one)]
    return re.compile("|".join(words) or r"(?!)"), stems


def says(section: str, text: str) -> bool:
    """Tell whether a text has a word of a section of the table of reckoning."""
    words, stems = _table(section)
    if words.search(text):
        return True
    return bool(stems) and not stems.isdisjoint(_stems(text))


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    """Return the stems of the verbs of a text; those of nouns with 하다 joined."""
    found = morphemes(text)
    stems = {one.form for one in found if one.tag in {"VV", "VA", "VX"}}
    pairs = pairwise(found)
    stems |= {one.form + other.form for one, other in pairs if other.tag in {"XSV", "XSA"}}
    return frozenset(stems)


def kind_of(measure: Measure) -> str:
    """Return what a measure adds up with."""
    return Dimension.PERCENT if measure.dimension in PERCENTS else measure.dimension


def is_count(figure: Figure, kind: str) -> bool:
    """Tell whether an amount of a kind may be multiplied by a figure."""
    own = kind_of(figure.measure)
    if not _may_count(own) or (own == Dimension.BARE and figure.source >= 0):
        return False
    if own == kind:
        return own in {Dimension.BARE, "배", Dimension.TIMES}
    return not (own in LENGTHS and kind in LENGTHS) or own == Dimension.TIMES


def counts_of(figure: Figure) -> set[Fraction]:
    """Return by how much a figure may multiply: 2년 by two and by twenty-four."""
    values = {written(figure.quantity), *figure.measure.values}
    return {value for value in values if 0 < value < 10_000}


# Days, weeks, months, hours and minutes of one another.
_CONSTANTS = frozenset(map(Fraction, (7, 12, 24, 30, 52, 60, 365, 366)))


def is_constant(figure: Figure) -> bool:
    """Tell whether a length of time only converts another one: 365일, 12개월."""
    return figure.measure.dimension in LENGTHS and written(figure.quantity) in _CONSTANTS


def of_two(wanted: Target, one: Figure, other: Figure) -> Step | None:
    """Return the step from two figures to one that is to be explained, if there is one."""
    for name, rule, is_turned in _rules(wanted.kind, kind_of(one.measure), kind_of(other.measure)):
        first, second = (other, one) if is_turned else (one, other)
        if rule(wanted, first, second):
            return Step(name, (first, second))
    return None


def _ends(figure: Figure, wanted: Target) -> Sequence[tuple[Fraction, float]]:
    """Return the values to reckon with; the ends of a range only give those of another one."""
    is_range = len(figure.measure.values) > 1
    return () if is_range and len(wanted.figure.measure.values) == 1 else figure.ends


def _adds(wanted: Target, one: Figure, other: Figure) -> bool:
    others = _ends(other, wanted)
    for a, near_a in _ends(one, wanted):
        for b, near_b in others:
            if wanted.low <= near_a + near_b <= wanted.high and wanted.is_(a + b):
                return True
    return False


def _is_rest(wanted: Target, one: Figure, other: Figure) -> bool:
    others = _ends(other, wanted)
    for a, near_a in _ends(one, wanted):
        for b, near_b in others:
            if wanted.low <= near_a - near_b <= wanted.high and a >= b and wanted.is_(a - b):
                return True
    return False


def _is_product(wanted: Target, rate: Figure, count: Figure) -> bool:
    if wanted.kind in POINTS or not is_count(count, wanted.kind) or wanted.value == 0:
        return False
    return any(
        wanted.is_(value * times)
        for value, _ in _ends(rate, wanted)
        for times in counts_of(count)
        if times != 1
    )


def _is_quotient(wanted: Target, amount: Figure, count: Figure) -> bool:
    if wanted.kind in POINTS or not is_count(count, wanted.kind) or wanted.value == 0:
        return False
    return any(
        wanted.is_(value / times)
        for value in amount.measure.values
        for times in counts_of(count)
        if times > 1
    )


def _is_share(wanted: Target, amount: Figure, share: Figure) -> bool:
    if wanted.kind in POINTS:
        return False
    return any(
        wanted.is_(value * option)
        for value in amount.measure.values
        for percent in share.measure.values
        for option in _shares(percent / 100, wanted.text)
        if 0 < option != 1
    )


def _shares(share: Fraction, text: str) -> Iterator[Fraction]:
    """Yield by what an amount is multiplied: the share, what it leaves, or both together."""
    yield share
    if says("off", text):
        yield 1 - share
    if says("on", text):
        yield 1 + share


def _is_ratio(wanted: Target, one: Figure, other: Figure) -> bool:
    if kind_of(one.measure) in POINTS or not other.measure.values[0]:
        return False
    ratio = one.measure.values[0] / other.measure.values[0]
    if wanted.kind == Dimension.PERCENT:
        return wanted.is_(ratio * 100) or wanted.is_(abs(1 - ratio) * 100)
    if kind_of(one.measure) == wanted.kind and wanted.kind != Dimension.BARE:
        return False
    return ratio > 1 and (wanted.is_(ratio) or wanted.value == ceil(ratio))


def _is_moved(wanted: Target, point: Figure, length: Figure) -> bool:
    if wanted.kind not in POINTS or length.measure.dimension not in LENGTHS:
        return False
    if point.measure.dimension not in POINTS:
        return False
    shown = wanted.figure.measure
    return any(
        same_value(shown, option)
        for sign in (1, -1)
        for value in length.measure.values
        for option in moved(
            point.measure,
            length.measure._replace(values=(value,)),
            sign,
            inclusive=says("inclusive", wanted.text),
        )
    )


def _is_between(wanted: Target, one: Figure, other: Figure) -> bool:
    # 금요일 11시부터 토요일 14시까지 27시간: the days between two times are not told by these.
    days = int(wanted.value // _SECONDS_A_DAY) if wanted.kind == Dimension.SECONDS else 0
    inclusive = says("inclusive", wanted.text)
    lengths = between(one.measure, other.measure, inclusive=inclusive, days=days)
    if wanted.kind == Dimension.BARE:
        return any(length.values[0] == wanted.value for length in lengths)
    if wanted.is_about:
        return any(
            length.dimension == wanted.kind
            and abs(length.values[0] - wanted.value) <= wanted.value / 10
            for length in lengths
        )
    return any(
        length.dimension == wanted.kind and length.values[0] == wanted.value for length in lengths
    )


# What may be reckoned from figures of other kinds: a ratio, a length between points, a date.
_OF_OTHERS = _RATIOS | POINTS | LENGTHS | {Dimension.AGE}
_BETWEEN = LENGTHS | {Dimension.AGE, Dimension.BARE}
_Rule: TypeAlias = Callable[[Target, Figure, Figure], bool]
_RULES: tuple[tuple[str, _Rule, Callable[[str, str, str], bool]], ...] = (
    ("sum", _adds, lambda kind, one, other: kind not in POINTS and one == other == kind),
    ("rest", _is_rest, lambda kind, one, other: kind not in POINTS and one == other == kind),
    ("product", _is_product, lambda kind, one, other: one == kind and _may_count(other)),
    ("share", _is_share, lambda kind, one, other: one == kind and other == Dimension.PERCENT),
    ("quotient", _is_quotient, lambda kind, one, other: one == kind and _may_count(other)),
    ("ratio", _is_ratio, lambda kind, one, other: kind in _RATIOS and one == other),
    ("moved", _is_moved, lambda kind, one, other: one in POINTS and other in LENGTHS),
    ("between", _is_between, lambda kind, one, other: kind in _BETWEEN),
)
"""Each with the kinds of figures that it may hold for: the wanted one and those of two others."""


@lru_cache(maxsize=4096)
def _rules(kind: str, one: str, other: str) -> tuple[tuple[str, _Rule, bool], ...]:
    """Return the rules that may hold for two figures, each told whether they change places."""
    if kind not in {one, other} and kind not in _OF_OTHERS:
        return ()
    return tuple(
        (name, rule, is_turned)
        for name, rule, may_hold in _RULES
        for is_turned in (False, True)
        if may_hold(kind, *((other, one) if is_turned else (one, other)))
    )


def _may_count(kind: str) -> bool:
    return kind not in POINTS and kind not in _NO_COUNTS


def of_three(wanted: Target, figures: Sequence[Figure]) -> Step | None:
    """Return the step from three figures: a rate by two counts, or a product and a rest."""
    same = [one for one in figures if kind_of(one.measure) == wanted.kind]
    if wanted.kind in POINTS or wanted.value == 0:
        return None
    for rate in same:
        counts = [one for one in figures if one is not rate and is_count(one, wanted.kind)]
        for one, other in combinations(counts, 2):
            if _by_two(wanted, rate, one, other):
                return Step("product", (rate, one, other))
        for count in counts:
            for third in same:
                if third is not rate and _with_rest(wanted, rate, count, third):
                    return Step("product and rest", (rate, count, third))
    return None


def _by_two(wanted: Target, rate: Figure, one: Figure, other: Figure) -> bool:
    value = rate.measure.values[0]
    if any(
        wanted.is_(value * a * b)
        for a in counts_of(one)
        for b in counts_of(other)
        if a != 1 and b != 1
    ):
        return True
    if kind_of(one.measure) != kind_of(other.measure):
        return False
    a, b = one.measure.values[0], other.measure.values[0]
    return any(
        low
        and low < high
        and (wanted.is_(value * high / low) or wanted.is_(value * ceil(high / low)))
        for low, high in ((a, b), (b, a))
    )


def _with_rest(wanted: Target, rate: Figure, count: Figure, third: Figure) -> bool:
    value, rest = rate.measure.values[0], third.measure.values[0]
    return any(
        wanted.is_(option)
        for times in counts_of(count)
        if times > 1
        for option in (value * times + rest, value * times - rest, rest - value * times)
        if option > 0
    )


def is_whole_beside(wanted: Target, figure: Figure) -> bool:
    """Tell whether a count is the next whole one to a figure: 8회 to 7.5회."""
    value = figure.measure.values[0]
    return (
        kind_of(figure.measure) == wanted.kind
        and value.denominator > 1
        and wanted.value in {floor(value), ceil(value)}
    )


_SECONDS_A_DAY, _DAYS_A_MONTH = 86_400, 30


def is_converted(wanted: Target, figure: Figure) -> bool:
    """Tell whether a length of time is another one in a larger or smaller unit: 48시간, 2일."""
    own, kind = figure.measure.dimension, wanted.kind
    factor = _CONVERTED.get((own, kind))
    return factor is not None and any(wanted.is_(one * factor) for one in figure.measure.values)


_CONVERTED: dict[tuple[str, str], Fraction] = {
    (Dimension.SECONDS, Dimension.DAYS): Fraction(1, _SECONDS_A_DAY),
    (Dimension.DAYS, Dimension.SECONDS): Fraction(_SECONDS_A_DAY),
    (Dimension.DAYS, Dimension.MONTHS): Fraction(1, _DAYS_A_MONTH),
    (Dimension.MONTHS, Dimension.DAYS): Fraction(_DAYS_A_MONTH),
}


@cache
def _factors() -> tuple[tuple[Fraction, re.Pattern[str]], ...]:
    pairs = (line.split(" ", 1) for line in sections("reckoning")["factor"])
    return tuple((Fraction(factor), re.compile(words)) for factor, words in pairs)


def is_multiple_in_words(wanted: Target, figure: Figure) -> bool:
    """Tell whether a figure is as much of another one as a word says: 왕복, 연간, 절반."""
    if wanted.kind in POINTS or kind_of(figure.measure) != wanted.kind:
        return False
    return any(
        figure.measure.values[0] * factor == wanted.value and words.search(wanted.text)
        for factor, words in _factors()
    )


def runs(values: Sequence[Figure], most: int) -> Iterator[tuple[Figure, ...]]:
    """Yield the runs of three figures or more that stand in a row."""
    for count in range(3, min(len(values), most) + 1):
        for at in range(len(values) - count + 1):
            yield tuple(values[at : at + count])
