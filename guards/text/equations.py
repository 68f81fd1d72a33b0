"""Equations that a text shows, and rows of tables that reckon: their right results.

``9,900원 × 3일 = 29,700원``, ``2,800원(700원 × 4)``, ``3.2% + 0.7%p + 0.5%p = 4.4%``,
``| 의자 | 2,000원 | 2 | 4,000원 |``. An operand that is a figure must be known, or the result of an
equation before it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from guards.core.reading import Text
from guards.text.slots.numerals import MIXED_NUMBER, mixed_value
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import COUNTED, Dimension

_UNIT = r"(?:[ ]?(?:[가-힣]{1,4}|[A-Za-z%㎡㎥]{1,4}[23²³]?))?"
_MARKS = r"[*_]{0,2}"
_LABEL = r"(?:[가-힣]{1,8}[ ]){0,2}"
_FREE = r"(?<![\d.,])"
_SIGNS = "×xX*·+÷/−–-"
_TERM = rf"{_MARKS}\(?{_LABEL}{MIXED_NUMBER}{_UNIT}\)?{_MARKS}"
_LEFT = rf"\(?{_FREE}{_TERM}(?:[ ]?(?:[{_SIGNS}]|의(?=[ ]))[ ]?{_TERM}){{1,7}}"
_SHOWN = re.compile(
    rf"(?P<left>{_LEFT})[ ]?[=→|][ ]?[-−]?{_MARKS}(?P<result>{MIXED_NUMBER})(?P<unit>[ ]?%)?"
)
_IN_BRACKETS = re.compile(
    rf"{_FREE}(?P<result>{MIXED_NUMBER})(?P<unit>[ ]?%)?{_UNIT}{_MARKS}[ ]?"
    rf"\({_LABEL}(?P<left>{_LEFT})\)"
)
_TOKEN = re.compile(
    rf"(?P<number>{MIXED_NUMBER})(?P<percent>[ ]?%)?|(?P<sign>[(){_SIGNS}]|의(?=[ ]))"
)
_CELL = re.compile(rf"[*_ ]*(?P<number>{MIXED_NUMBER}){_UNIT}[*_ ]*")
_LINE = re.compile(r"[^\n]+")
_SHOWS = re.compile(rf"[=→|]|\([^()\n]*[{_SIGNS}]")
_TWO_DIGITS = 10
_ADD, _TAKE, _TIMES = "+", "−–-", "×xX*·의"
_FEW = COUNTED | {Dimension.TIMES, Dimension.DAYS, Dimension.MONTHS, Dimension.SECONDS, "박"}


class _Term(NamedTuple):
    start: int
    value: Fraction


def equation_results(text: Text, is_known: Callable[[Quantity], bool]) -> frozenset[int]:
    """Return where the results stand of what a text reckons rightly.

    Args:
        text: The text.
        is_known: Tells whether a figure may be an operand.
    """
    if not _SHOWS.search(text.raw):
        return frozenset()
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
        term.value < _TWO_DIGITS and figure.measure.dimension in _FEW
    )


def _equations(raw: str) -> Iterator[tuple[int, list[_Term]]]:
    for pattern in (_SHOWN, _IN_BRACKETS):
        at = 0
        while match := pattern.search(raw, at):
            # The result of one equation may be the first operand of the next.
            at = match.start("result") if pattern is _SHOWN else match.end()
            tokens = list(_TOKEN.finditer(raw, match.start("left"), match.end("left")))
            shown = mixed_value(match["result"])
            value = _Reckoner(tokens, in_percent=bool(match["unit"])).value()
            if value is not None and abs(value - shown) < _last_place(match["result"], value):
                terms = [one for one in tokens if one["number"]]
                yield (
                    match.start("result"),
                    [_Term(one.start("number"), mixed_value(one["number"])) for one in terms],
                )


def _last_place(written: str, value: Fraction) -> Fraction:
    """Return how far a result may be from its value: not at all, unless that had to be rounded."""
    _, _, decimals = written.partition(".")
    exact = value * 10 ** len(decimals)
    return Fraction(1, 10 ** len(decimals)) if exact.denominator > 1 else Fraction(1, 10**9)


class _Reckoner:
    """Reckons what one side of an equation comes to; times and divided by go first."""

    def __init__(self, tokens: Sequence[re.Match[str]], in_percent: bool) -> None:
        self._tokens = tokens
        self._in_percent = in_percent
        self._at = 0

    def value(self) -> Fraction | None:
        """Return the value, or None if this is no equation."""
        value = self._sum()
        return value if self._at == len(self._tokens) else None

    def _sum(self) -> Fraction | None:
        total = self._product()
        while total is not None and (sign := self._sign(_ADD + _TAKE)):
            other = self._product()
            if other is None:
                return None
            total = total + other if sign == _ADD else total - other
        return total

    def _product(self) -> Fraction | None:
        value = self._atom()
        while value is not None and (sign := self._sign(_TIMES + "÷/")):
            other = self._atom()
            if other is None or (sign not in _TIMES and not other):
                return None
            value = value * other if sign in _TIMES else value / other
        return value

    def _atom(self) -> Fraction | None:
        if self._sign("("):
            value = self._sum()
            return value if self._sign(")") else None
        if self._at == len(self._tokens) or not self._tokens[self._at]["number"]:
            return None
        token = self._tokens[self._at]
        self._at += 1
        whole = 100 if token["percent"] and not self._in_percent else 1
        return mixed_value(token["number"]) / whole

    def _sign(self, wanted: str) -> str | None:
        """Take the next token if it is one of some signs."""
        if self._at == len(self._tokens):
            return None
        sign = self._tokens[self._at]["sign"]
        if not sign or sign not in wanted:
            return None
        self._at += 1
        return str(sign)


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
