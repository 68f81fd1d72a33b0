"""One step of arithmetic from named operands to a figure: sums, rests, products, shares, periods.

The rules say which kinds of figures may be reckoned with each other: amounts of one kind add up, an
amount times a count is an amount, a share of an amount is one, a date and a period give a date.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, pairwise
from math import ceil, floor
from typing import NamedTuple

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
_VERB = re.compile(r"[가-힣]+다")


class Step(NamedTuple):
    """A step and the figures that it starts from."""

    name: str
    operands: tuple[Figure, ...]


class Target(NamedTuple):
    """A figure that is to be explained."""

    figure: Figure
    value: Fraction
    kind: str
    is_about: bool
    text: str

    def is_(self, value: Fraction) -> bool:
        """Tell whether it is a value, as far as it is written out."""
        if value == self.value:
            return True
        reach = _ROUNDED if self.value >= _SMALL else _ROUNDED_SMALL
        if abs(float(value) - float(self.value)) > reach * float(self.value):
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
    return Target(figure, value, kind_of(figure.measure), about, text)


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
    if own in POINTS or own in _NO_COUNTS or (own == Dimension.BARE and figure.source >= 0):
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
    kinds = {kind_of(one.measure), kind_of(other.measure)}
    if wanted.kind not in kinds and wanted.kind not in _OF_OTHERS:
        return None
    for name, rule in _RULES:
        for first, second in ((one, other), (other, one)):
            if rule(wanted, first, second):
                return Step(name, (first, second))
    return None


def _ends(figure: Figure, wanted: Target) -> tuple[Fraction, ...]:
    """Return the values to reckon with; the ends of a range only give those of another one."""
    values = figure.measure.values
    return values if len(values) == 1 or len(wanted.figure.measure.values) > 1 else ()


def _adds(wanted: Target, one: Figure, other: Figure) -> bool:
    return (
        wanted.kind not in POINTS
        and kind_of(one.measure) == kind_of(other.measure) == wanted.kind
        and any(wanted.is_(a + b) for a in _ends(one, wanted) for b in _ends(other, wanted))
    )


def _is_rest(wanted: Target, one: Figure, other: Figure) -> bool:
    return (
        wanted.kind not in POINTS
        and kind_of(one.measure) == kind_of(other.measure) == wanted.kind
        and any(
            a >= b and wanted.is_(a - b) for a in _ends(one, wanted) for b in _ends(other, wanted)
        )
    )


def _is_product(wanted: Target, rate: Figure, count: Figure) -> bool:
    if kind_of(rate.measure) != wanted.kind or wanted.kind in POINTS:
        return False
    if not is_count(count, wanted.kind) or wanted.value == 0:
        return False
    return any(
        wanted.is_(value * times)
        for value in _ends(rate, wanted)
        for times in counts_of(count)
        if times != 1
    )


def _is_quotient(wanted: Target, amount: Figure, count: Figure) -> bool:
    if kind_of(amount.measure) != wanted.kind or wanted.kind in POINTS:
        return False
    if not is_count(count, wanted.kind) or wanted.value == 0:
        return False
    return any(
        wanted.is_(value / times)
        for value in amount.measure.values
        for times in counts_of(count)
        if times > 1
    )


def _is_share(wanted: Target, amount: Figure, share: Figure) -> bool:
    if kind_of(share.measure) != Dimension.PERCENT or kind_of(amount.measure) != wanted.kind:
        return False
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
    if wanted.kind not in _RATIOS or kind_of(one.measure) != kind_of(other.measure):
        return False
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
    if wanted.kind not in LENGTHS | {Dimension.AGE, Dimension.BARE}:
        return False
    lengths = between(one.measure, other.measure, inclusive=says("inclusive", wanted.text))
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
_RULES = (
    ("sum", _adds),
    ("rest", _is_rest),
    ("product", _is_product),
    ("share", _is_share),
    ("quotient", _is_quotient),
    ("ratio", _is_ratio),
    ("moved", _is_moved),
    ("between", _is_between),
)


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
