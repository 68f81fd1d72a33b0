"""The rules by which a figure follows from others in one step: sums, rests, products, shares."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from guards.text.arithmetic import (
    begun_times,
    counts_of,
    is_mean,
    is_product,
    is_quotient,
    is_ratio,
    is_rest,
    is_rest_of_product,
    is_share,
    is_sum,
)
from guards.text.counters import COUNTERS
from guards.text.operands import Operand
from guards.text.rates import may_be_combined
from guards.text.reckoning_step import Step
from guards.text.reckoning_words import (
    ADDS,
    AVERAGES,
    BEYOND,
    CONCLUDES,
    HALF,
    JOINS,
    MORE,
    PART,
    PER_UNIT,
    SAYS_SHARE,
    SHARES,
    TAKES_OFF,
    TOTALS,
)
from guards.text.slots.units import COUNTED, Dimension

_ROUND_TRIP = "왕복"
# 이틀 of a stay are 2박.
_COUNTED_ALIKE = (
    frozenset({Dimension.PERCENT, "점"}),
    COUNTERS,
    frozenset({Dimension.DAYS, "박"}),
)


def says_again(wanted: Operand, asked: Operand) -> bool:
    """Tell whether a count repeats one of the question with another counter (25만 번, 25만 건)."""
    return wanted.value == asked.value and any(
        {wanted.dimension, asked.dimension} <= alike for alike in _COUNTED_ALIKE
    )


def rounds(wanted: Operand, shown: Operand) -> bool:
    """Tell whether a number repeats one that is shown, or rounds it to a whole one."""
    if wanted.written == shown.written:
        return wanted.is_bare
    is_result = shown.value.denominator > 1 and wanted.dimension == shown.dimension
    return is_result and wanted.value in {floor(shown.value), ceil(shown.value)}


def adds_up(step: Step) -> bool:
    """Tell whether a figure is a sum or a rest of others."""
    wanted = step.wanted.value
    if _is_rest_beside(step) or _is_changed(step):
        return True
    if step.is_per_one:
        return step.says(JOINS) and is_sum(wanted, step.alike(step.before_and_beside))
    same = step.alike(step.shown_and_asked)
    return (
        (ADDS.search(step.around) is not None and is_sum(wanted, same))
        or (TAKES_OFF.search(step.around) is not None and is_rest(wanted, same))
        or _is_on_top(step)
        or _is_all_that_was_asked(step)
        or _is_beyond_asked(step)
    )


def is_average(step: Step) -> bool:
    """Tell whether a figure is the mean of those of the question, or of those before it."""
    return step.says(AVERAGES) and any(
        is_mean(step.wanted.value, step.alike(some))
        for some in (step.asked, step.before_and_beside)
    )


def is_worked_out(step: Step) -> bool:
    """Tell whether a sentence says how it comes to a figure, which the sources may hold too."""
    beside = step.alike(step.beside)
    return (
        _is_rest_beside(step)
        or _is_changed(step)
        or (step.says(JOINS) and is_sum(step.wanted.value, beside))
    )


def _is_rest_beside(step: Step) -> bool:
    """Tell whether a sentence says a difference of figures of its own."""
    return (
        step.says(TAKES_OFF)
        and may_be_combined(step.before, step.after)
        and is_rest(step.wanted.value, step.alike(step.beside))
    )


def _is_on_top(step: Step) -> bool:
    """Tell whether a price is one of the sentence and one of the sources together."""
    if not (step.is_price and step.says(JOINS)):
        return False
    told = {one.value for one in step.alike(step.told)}
    return any(step.wanted.value - one.value in told for one in step.alike(step.beside))


def _is_changed(step: Step) -> bool:
    """Tell whether a price is one beside it with a surcharge or discount of the sources.

    Where the surcharge or discount itself stands beside it, the price may be one of the sources.
    """
    if not step.is_price:
        return False
    beside = {one.value for one in step.alike(step.beside)}
    told = {one.value for one in step.alike(step.told)}
    return any(
        {step.wanted.value - change, step.wanted.value + change}
        & (beside | told if change in beside else beside)
        for change in step.changes
    )


def _is_all_that_was_asked(step: Step) -> bool:
    asked = step.alike(step.asked)
    return len(asked) > 1 and sum(one.value for one in asked) == step.wanted.value


def _is_beyond_asked(step: Step) -> bool:
    if step.is_price and not BEYOND.match(step.after):
        return False
    told = step.told if step.wanted.dimension in COUNTED else ()
    return _is_beyond(step.wanted, step.asked, [*step.beside, *told])


def _is_beyond(wanted: Operand, asked: Sequence[Operand], given: Sequence[Operand]) -> bool:
    """Tell whether a count is by how much what was asked is beyond, or short of, what is given.

    Ages are apart by years: ``만 14세`` of the question and ``만 16세 이상`` by ``2년``.
    """
    if wanted.dimension == Dimension.PERCENT:
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


def is_part(step: Step) -> bool:
    """Tell whether a figure is a product, a share, a quotient or a ratio of others."""
    if step.wanted.dimension == "배":
        return is_ratio(step.wanted.value, step.shown_and_asked)
    following, there = step.following
    return (
        _is_product(step)
        or is_average(step)
        or _is_quotient(step)
        or _is_share(step, step.said, step.beside, step.told)
        or _is_share(step, step.context, step.before_and_beside, ())
        or _is_share(step, following, there, ())
    )


def _is_product(step: Step) -> bool:
    wanted = step.wanted
    same = step.alike(step.shown_and_asked)
    rates = [one for one in same if one.is_rate]
    every = counts_of(step.shown_and_asked, wanted.dimension)
    if step.says(CONCLUDES) and is_product(wanted.value, rates, every, same):
        return True
    if _is_for_more(step) or _is_begun(step):
        return True
    has_total = step.says(TOTALS)
    if step.is_per_one or not (has_total or step.is_price):
        return False
    beside = counts_of([*step.beside, *step.asked], wanted.dimension)
    if step.says(CONCLUDES) and is_product(wanted.value, same, beside, ()):
        return True
    counts = every if has_total else beside
    if _ROUND_TRIP in step.said:
        counts = counts | {Fraction(2)}
    firm = [one for one in same if one.is_rate or one.start not in step.reckoned]
    if wanted.dimension in {Dimension.WON, Dimension.SECONDS}:
        firm += step.alike(step.told)
    return is_product(wanted.value, firm, counts, ()) or (
        step.says(TAKES_OFF)
        and is_rest_of_product(wanted.value, firm, counts, step.alike(step.beside))
    )


def _is_for_more(step: Step) -> bool:
    """Tell whether a price is what the sources ask for less of the same (쌀 5kg, 쌀 10kg)."""
    return step.is_price and any(
        price.value * ceil(one.value / size) == step.wanted.value
        for price in step.alike(step.told)
        for dimension, size in price.per
        for one in (*step.beside, *step.asked)
        if one.dimension == dimension and one.value > size > 0
    )


def _is_begun(step: Step) -> bool:
    """Tell whether a figure is what begun units cost (30분당 1,000원), or their number."""
    if not step.says(PER_UNIT):
        return False
    times = begun_times([*step.beside, *step.asked])
    if step.is_price:
        return is_product(step.wanted.value, step.alike(step.beside), times, ())
    return step.wanted.written in times and step.wanted.dimension != Dimension.PERCENT


def _is_quotient(step: Step) -> bool:
    """Tell whether a rate is an amount before it divided by a count."""
    if not step.is_rate:
        return False
    firm = [
        one
        for one in step.alike(step.shown_and_asked)
        if one.start < step.wanted.start and one.start not in step.reckoned
    ]
    counts = counts_of(step.shown_and_asked, step.wanted.dimension)
    return is_quotient(step.wanted.value, firm, counts)


def _is_share(step: Step, said: str, shown: Sequence[Operand], told: Sequence[Operand]) -> bool:
    """Tell whether a figure is a share of an amount, or the amount less or more that share.

    Args:
        step: The figure.
        said: What says that something is a share of something.
        shown: The operands of the answer.
        told: Those of the sources; only a price that is said to be changed may rest on them.
    """
    wanted = step.wanted
    if not SAYS_SHARE.search(said):
        return False
    if wanted.dimension == Dimension.PERCENT:
        return 100 - wanted.value in {one.value for one in step.alike(step.beside)}
    of_source = told if step.is_price else ()
    percents = [*shown, *of_source] if SHARES.search(said) else shown
    shares = {one.value / 100 for one in percents if one.dimension == Dimension.PERCENT}
    shares |= {Fraction(int(part["part"]), int(part["whole"])) for part in PART.finditer(said)}
    if HALF.search(said):
        shares.add(Fraction(1, 2))
    amounts = step.alike([*shown, *step.asked, *of_source])
    return is_share(wanted.value, amounts, shares, more=MORE.search(said) is not None)
