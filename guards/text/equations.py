"""Equations that a text shows, and rows of tables that reckon: their right results.

``9,900원 × 3일 = 29,700원``, ``2,800원(700원 × 4)``, ``| 의자 | 2,000원 | 2 | 4,000원 |``. An
operand that is a figure must be known, or the result of an equation before it.
"""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from guards.core.reading import Text
from guards.text.slots.numerals import MIXED_NUMBER, mixed_value
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import COUNTED, Dimension

_UNIT = r"(?:[ ]?(?:[가-힣]{1,4}|[A-Za-z%㎡㎥]{1,4}[23²³]?))?"
_MARKS = r"[*_]{0,2}"
_LABEL = r"(?:[가-힣]{1,8}[ ]?)?"
_FREE = r"(?<![\d.,])"


def _operand(name: str) -> str:
    return rf"{_MARKS}(?P<{name}>{MIXED_NUMBER}){_UNIT}{_MARKS}"


def _further(sign: str, name: str) -> str:
    return rf"[ ]?(?P<{sign}>[×xX*·+÷/−-])[ ]?{_LABEL}{_operand(name)}"


_LEFT = rf"{_operand('first')}{_further('sign', 'second')}(?:{_further('second_sign', 'third')})?"
_SHOWN = re.compile(rf"{_FREE}{_LEFT}[ ]?=[ ]?{_MARKS}(?P<result>{MIXED_NUMBER})")
_IN_BRACKETS = re.compile(
    rf"{_FREE}(?P<result>{MIXED_NUMBER}){_UNIT}{_MARKS}[ ]?\({_LABEL}{_LEFT}\)"
)
_CELL = re.compile(rf"[*_ ]*(?P<number>{MIXED_NUMBER}){_UNIT}[*_ ]*")
_LINE = re.compile(r"[^\n]+")
_TWO_DIGITS = 10
_ADD, _TAKE, _TIMES, _SPLIT = "+", "−-", "×xX*·", "÷/"


class _Term(NamedTuple):
    start: int
    value: Fraction


def equation_results(text: Text, is_known: Callable[[Quantity], bool]) -> frozenset[int]:
    """Return where the results stand of what a text reckons rightly.

    Args:
        text: The text.
        is_known: Tells whether a figure may be an operand.
    """
    figures = {one.start: one for one in text.quantities}
    results: set[int] = set()
    for result, operands in (*_equations(text.raw), *_rows(text.raw)):
        unknown = (
            one.start
            for one in operands
            if one.start in figures
            and one.start not in results
            and not _is_small(one, figures[one.start])
            and not is_known(figures[one.start])
        )
        if next(unknown, None) is None:
            results.add(result)
    return frozenset(results)


def _is_small(term: _Term, figure: Quantity) -> bool:
    """Tell whether an operand is a count that needs no source: 2명, the 4 of 700원 × 4."""
    return figure.measure.dimension == Dimension.BARE or (
        term.value < _TWO_DIGITS and figure.measure.dimension in COUNTED
    )


def _equations(raw: str) -> Iterator[tuple[int, list[_Term]]]:
    for pattern in (_SHOWN, _IN_BRACKETS):
        for match in pattern.finditer(raw):
            names = [name for name in ("first", "second", "third") if match[name]]
            terms = [_Term(match.start(name), mixed_value(match[name])) for name in names]
            value = _reckoned(terms[0].value, match["sign"], terms[1].value)
            if len(terms) > 2 and value is not None:
                value = _reckoned(value, match["second_sign"], terms[2].value)
            if value == mixed_value(match["result"]):
                yield match.start("result"), terms


def _reckoned(one: Fraction, sign: str, other: Fraction) -> Fraction | None:
    if sign == _ADD:
        return one + other
    if sign in _TAKE:
        return one - other
    if sign in _TIMES:
        return one * other
    return one / other if other else None


def _rows(raw: str) -> Iterator[tuple[int, list[_Term]]]:
    for line in _LINE.finditer(raw):
        if line[0].count("|") < 3:
            continue
        terms = list(_cells(line[0], line.start()))
        for one, other, result in zip(terms, terms[1:], terms[2:], strict=False):
            if result.value == one.value * other.value:
                yield result.start, [one, other]


def _cells(line: str, at: int) -> Iterator[_Term]:
    for cell in line.split("|"):
        if match := _CELL.fullmatch(cell):
            yield _Term(at + match.start("number"), mixed_value(match["number"]))
        at += len(cell) + 1
