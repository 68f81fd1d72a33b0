"""Figures of an unfinished answer that the words to come may yet explain.

They can do so where the answer goes on to show how it reckoned. A figure that is said to be
reckoned is heard out; any other only if it follows from figures that are there already, in the
sources, the question or the answer: as a sum, a multiple, a share, a rest.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice

from guards.core.lazy import lazy
from guards.core.reading import Reading, Text
from guards.text.arithmetic import (
    counts_of,
    is_product,
    is_quotient,
    is_rest,
    is_rest_of_product,
    is_share,
    is_sum,
)
from guards.text.closest_figures import source_texts
from guards.text.explaining import REACH_CHARS, supposed
from guards.text.operands import NO_AMOUNTS, Operand, dimension_of, operand
from guards.text.reckoning_words import SHARES, TOTALS
from guards.text.sentences import Sentence
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import COUNTED, Dimension
from guards.text.totals import Totals, is_list_line

_NEXT_LINE = re.compile(r"\n(?P<indent>[ \t]*)(?=\S)")
# With more figures of a kind, any value follows from some of them.
_MOST_AMOUNTS = 60
_MOST_FIGURES = 500
_BOUNDS = frozenset({"이상", "이하", "초과", "미만", "이내"})
_TIMES = "배"
_RECKONS = re.compile(rf"{TOTALS.pattern}|합산|더[하해]|계산|적용[하해]면|[=→]")
_TAKES_OFF = re.compile(
    rf"{SHARES.pattern}|차[이액]|저렴|절감|절약|아끼|아낄|남[는은습]|나머지|초과|[뺀빼]"
)
_ROUND_TRIP = "왕복"
_SMALL_COUNTS = frozenset(Fraction(count) for count in range(2, 10))


class Reckonable:
    """What may yet be explained of the figures of an answer.

    Args:
        reading: The exchange, with the answer as far as it has come.
        is_in_sources: Tells whether the sources hold a figure.
    """

    def __init__(self, reading: Reading, is_in_sources: Callable[[Quantity], bool]) -> None:
        if reading.answer is None:
            raise ValueError("there is no answer that could go on")
        self._reading = reading
        self._answer = reading.answer.text
        self._question = reading.question.text
        self._is_in_sources = is_in_sources
        self._known: dict[str, dict[Fraction, Operand]] = {}

    def may_come(self, quantity: Quantity) -> bool:
        """Tell whether an answer that goes on may yet show how it comes to a figure."""
        if len(quantity.measure.values) != 1 or quantity.measure.dimension in NO_AMOUNTS:
            return False
        if quantity.comparing_word in _BOUNDS:
            return False
        return self._may_be_counted(quantity) or (
            self._is_near(quantity) and self._may_follow(quantity)
        )

    def _may_be_counted(self, quantity: Quantity) -> bool:
        """Tell whether a figure may be the number of items of a list that is not over."""
        return (
            quantity.measure.dimension in COUNTED
            and quantity.measure.values[0] > 1
            and not quantity.comparing_word
            and Totals(self._answer).may_count(quantity.start)
        )

    def _is_near(self, quantity: Quantity) -> bool:
        """Tell whether what explains a figure could still stand close to it."""
        return len(self._answer.raw) - quantity.end <= REACH_CHARS

    def _may_follow(self, quantity: Quantity) -> bool:
        if any(one.measure == quantity.measure for one in self._answer.once(supposed)):
            return True
        own = self._sentence(quantity)
        if self._has_many and not self._is_item_over(own):
            return True
        before = self._answer.raw[own.start : quantity.start]
        if TOTALS.search(before) or quantity.measure.dimension == _TIMES:
            return True
        is_price = quantity.measure.dimension == Dimension.WON
        if self._is_item_over(own):
            return is_price and bool(self._asked_amounts) and self._follows(quantity, own)
        if is_price and (self._asks_to_reckon or _RECKONS.search(before)):
            return True
        return self._follows(quantity, own)

    def _sentence(self, quantity: Quantity) -> Sentence:
        return self._answer.sentences[max(0, bisect_right(self._starts, quantity.start) - 1)]

    @lazy
    def _starts(self) -> list[int]:
        return [sentence.start for sentence in self._answer.sentences]

    def _is_item_over(self, own: Sentence) -> bool:
        """Tell whether a line of a list or table is followed by another that is no part of it."""
        if not is_list_line(own.text):
            return False
        raw = self._answer.raw
        indent = own.start - raw.rfind("\n", 0, own.start) - 1
        return any(len(line["indent"]) <= indent for line in _NEXT_LINE.finditer(raw, own.end))

    @lazy
    def _asked_amounts(self) -> list[Operand]:
        return [one for one in _operands(self._question) if one.dimension not in NO_AMOUNTS]

    @lazy
    def _asks_to_reckon(self) -> bool:
        """Whether the question asks for a total, or gives an amount that no source has."""
        return _RECKONS.search(self._question.raw) is not None or any(
            one.measure.dimension not in NO_AMOUNTS and not self._is_in_sources(one)
            for one in self._question.quantities
        )

    @lazy
    def _sources(self) -> list[Text]:
        return source_texts(self._reading)

    @lazy
    def _has_many(self) -> bool:
        """Whether the answer has more figures than are tried with one another."""
        return len(list(islice(_singles(self._answer), _MOST_FIGURES + 1))) > _MOST_FIGURES

    @lazy
    def _shown(self) -> list[Operand]:
        return _operands(self._answer)

    def _there(self, kind: str) -> dict[Fraction, Operand]:
        """Return what is there of a kind to reckon with: one figure of each value."""
        if kind not in self._known:
            there = self._known[kind] = {}
            for text in (*self._sources, self._question, self._answer):
                for one in _singles(text):
                    value = one.measure.values[0]
                    if dimension_of(one, text) == kind and value not in there:
                        there[value] = operand(one, text)
        return self._known[kind]

    def _counts(self, wanted: Operand, own: Sentence) -> set[Fraction]:
        beside = [
            one
            for one in self._shown
            if own.start <= one.start < own.end and one.start != wanted.start
        ]
        counts = counts_of([*beside, *self._asked_amounts], wanted.dimension)
        if self._asked_amounts:
            counts |= _SMALL_COUNTS
        if any(_ROUND_TRIP in text.raw for text in self._sources):
            counts.add(Fraction(2))
        return counts

    def _shares(self, wanted: Operand) -> set[Fraction]:
        if wanted.dimension == Dimension.PERCENT:
            return set()
        return {value / 100 for value in self._there(Dimension.PERCENT)}

    def _follows(self, quantity: Quantity, own: Sentence) -> bool:
        """Tell whether a figure follows from those that are there, in a step or two."""
        if self._has_many:
            return True
        wanted = operand(quantity, self._answer)
        value = wanted.value
        same = [one for one in self._there(wanted.dimension).values() if one.value != value]
        if len(same) > _MOST_AMOUNTS:
            return True
        counts = self._counts(wanted, own)
        takes_off = _TAKES_OFF.search(f"{own.text} {self._question.raw}") is not None
        return (
            is_sum(value, same)
            or is_product(value, same, counts, same)
            or is_quotient(value, same, counts)
            or is_share(value, same, self._shares(wanted), more=True)
            or (takes_off and is_rest(value, same))
            or (takes_off and is_rest_of_product(value, same, counts, same))
        )


def _singles(text: Text) -> Iterator[Quantity]:
    return (one for one in text.quantities if len(one.measure.values) == 1)


def _operands(text: Text) -> list[Operand]:
    return [operand(one, text) for one in _singles(text)]
