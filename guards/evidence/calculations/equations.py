"""Equations that a text shows, recomputed.

``9,900원 × 3일 = 29,700원``, ``14,200원 (5,500×2 + 3,200)``, ``12만 원(600만 원의 2%)``, or a cell
with an expression and the cell behind it. An equation is read only if nothing but short labels and
units stands between its numbers; what cannot be read is no equation.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from guards.evidence.calculations.expressions import (
    PERCENTS,
    TAKE,
    WORDS_BEFORE,
    WORDS_BEHIND,
    Node,
    Parser,
    Term,
    Token,
    evaluate,
    has_sign,
    is_sum,
    leaves,
    tokens_of,
    value_of,
)
from guards.evidence.calculations.points import LENGTHS, POINTS, moved
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, mixed_value

_EQUAL = "=＝≈≒"
_ABOUT = re.compile(r"[≈≒]|(?<![가-힣])약(?![가-힣])|대략|정도|반올림|절사|버림|미만은|이하는")
_LINE = re.compile(r"[^\n]+")
_ENOUGH = re.compile(r"[=＝≈≒→⇒|(]")
_OF_ANYTHING = frozenset(
    {"Wh", "kWh", Dimension.BARE, Dimension.SQUARE_METRES, Dimension.MONTHS, Dimension.TIMES}
)
_ROUGHLY = Fraction(1, 100)


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation that a text shows.

    Attributes:
        result: What it says it comes to.
        operands: The numbers that it is reckoned from.
        right: What it comes to, in the unit of the result.
    """

    result: Term
    operands: tuple[Term, ...]
    right: Fraction
    is_right: bool


def equations(plain: str, figures: Mapping[int, Quantity]) -> Iterator[Equation]:
    """Yield the equations of a text.

    Args:
        plain: The text, without emphasis.
        figures: Its quantities, by where they begin.
    """
    for line in _LINE.finditer(plain):
        if _ENOUGH.search(line[0]) and any(char.isdigit() for char in line[0]):
            tokens = tokens_of(plain, line.start(), line.end(), figures)
            yield from _with_sign(tokens, line[0])
            yield from _with_brackets(tokens, line[0])


def _with_sign(tokens: Sequence[Token], line: str) -> Iterator[Equation]:
    """Yield what stands around a sign of equality, or in two cells of a row."""
    since = 0
    for at, token in enumerate(tokens):
        if token.kind == "other":
            since = at + 1
        if token.kind != "equal":
            continue
        left = _expression_before(tokens, since, at, whole=token.text == "|")
        since = at + 1
        if left is None or (token.text in "→⇒" and _is_only_divided(left)):
            continue
        result = _result(tokens, at + 1, words=0 if token.text in "|→⇒" else WORDS_BEFORE)
        if result is not None:
            equation = _equation(left, result, is_about=_ABOUT.search(line) is not None)
            if equation is not None:
                yield equation


def _expression_before(
    tokens: Sequence[Token], since: int, end: int, *, whole: bool
) -> "Node | None":
    for start in range(since, end):
        if tokens[start].kind in {"number", "open"}:
            parser = Parser(tokens, start, end)
            found = parser.expression()
            if parser.at == end and isinstance(found, Node):
                return found
            if whole:
                return None
    return None


def _is_only_divided(node: "Node | Term") -> bool:
    return isinstance(node, Term) or (
        node.sign == "/" and _is_only_divided(node.left) and _is_only_divided(node.right)
    )


def _result(tokens: Sequence[Token], at: int, *, words: int) -> Term | None:
    """Return the number that stands behind a sign of equality, unless it begins an expression."""
    while words and at < len(tokens) and tokens[at].kind == "word":
        at, words = at + 1, words - 1
    is_less = at < len(tokens) and tokens[at].kind == "sign" and tokens[at].text in TAKE
    at += is_less
    if at >= len(tokens) or tokens[at].kind != "number":
        return None
    term = tokens[at].term
    behind = at + 1
    while behind < len(tokens) and behind - at <= WORDS_BEHIND and tokens[behind].kind == "word":
        behind += 1
    if behind < len(tokens) and (tokens[behind].kind == "sign" or tokens[behind].text == "~"):
        return None
    return term


def _with_brackets(tokens: Sequence[Token], line: str) -> Iterator[Equation]:
    """Yield what stands in brackets behind its result: ``2,800원(700원 × 4)``."""
    for at, token in enumerate(tokens):
        if token.kind != "open":
            continue
        back = at - 1
        while back >= 0 and at - back <= WORDS_BEHIND and tokens[back].kind == "word":
            back -= 1
        if back < 0 or tokens[back].kind != "number":
            continue
        # Behind the end of an equation, or within one, brackets only explain.
        if back and (tokens[back - 1].kind == "sign" or tokens[back - 1].text in _EQUAL):
            continue
        close = next((n for n in range(at, len(tokens)) if tokens[n].kind == "close"), 0)
        if _NUMBERED.fullmatch("".join(one.text for one in tokens[at + 1 : close])):
            continue
        parser = Parser(tokens, at + 1, close)
        while parser.at < close and tokens[parser.at].kind == "word":
            parser.at += 1
        found = parser.expression()
        term = tokens[back].term
        if close and parser.at == close and isinstance(found, Node) and term is not None:
            equation = _explained(found, term, [one.term for one in tokens[:back]], line)
            if equation is not None:
                yield equation


def _explained(
    expression: Node, nearest: Term, before: Sequence[Term | None], line: str
) -> Equation | None:
    """Return the equation of an expression in brackets with the number that it explains.

    That is the nearest one, or one before it: 75,000원 줄어 105,000원이 돼요(1,500만 × 6% ÷ 12).
    """
    is_about = _ABOUT.search(line) is not None
    found = _equation(expression, nearest, is_about=is_about)
    if found is None or found.is_right:
        return found
    others = (_equation(expression, one, is_about=is_about) for one in before if one is not None)
    return next((one for one in others if one is not None and one.is_right), found)


# 내선 119-2, 101동 1203-4: a number of something, nothing to take away.
_NUMBERED = re.compile(r"[^\d]*\d+(?:-\d+)+")
_FARTHEST = 20


def _is_near(left: Node, result: Term) -> bool:
    """Tell whether what was read can be meant to give a result: a slip is not off by twenty times.

    A date, a share or a telephone number beside an amount is no equation
    (``1/2 경과 전 | 120,000원``).
    """
    values = [
        (evaluate(left, in_base=in_base), value_of(result, in_base=in_base))
        for in_base in (False, True)
    ]
    return (
        any(
            value is not None and shown and Fraction(1, _FARTHEST) <= value / shown <= _FARTHEST
            for value, shown in values
        )
        or result.measure.dimension in PERCENTS
    )


def _equation(left: Node, result: Term, *, is_about: bool) -> Equation | None:
    operands = leaves(left)
    if any(one.measure.dimension in POINTS for one in operands):
        return _of_points(left, result, operands)
    if not _is_sane(left, operands, result) or not _is_near(left, result):
        return None
    first: Fraction | None = None
    for in_base in (False, True):
        value = evaluate(left, in_base=in_base)
        if value is None:
            return None
        scale = value_of(result, in_base=in_base)
        options = [value]
        if result.measure.dimension in PERCENTS:
            options.append(value / 100)
        for option in options:
            if agrees(
                option,
                scale,
                result.text,
                is_about=is_about,
                unit=scale / result.written if result.written else Fraction(1),
            ):
                return Equation(result, operands, result.written, True)
        first = value if first is None else first
    if result.measure.dimension in PERCENTS and first is not None:
        first *= 100
    return Equation(result, operands, first or Fraction(0), False)


def _is_sane(left: Node, operands: Sequence[Term], result: Term) -> bool:
    """Tell whether the units fit; others show that it was misread, or is a size (55×40×20cm)."""
    kind = result.measure.dimension
    if all(one.measure.dimension in PERCENTS for one in operands):
        return kind in PERCENTS or kind == Dimension.BARE
    kinds = {one.measure.dimension for one in operands} - {Dimension.BARE} - PERCENTS
    if is_sum(left):
        return len((kinds | {kind}) - {Dimension.BARE}) <= 1
    return not kinds or kind in kinds or kind in _OF_ANYTHING or has_sign(left, "/")


def _of_points(left: Node, result: Term, operands: tuple[Term, ...]) -> Equation | None:
    if not isinstance(left.left, Term) or not isinstance(left.right, Term) or left.sign not in "+-":
        return None
    point, length = left.left.measure, left.right.measure
    if length.dimension not in LENGTHS or result.measure.dimension not in POINTS:
        return None
    options = moved(point, length, 1 if left.sign == "+" else -1)
    right = result.measure in options
    value = result.measure.values[0] if right or not options else options[0].values[0]
    return Equation(result, operands, value, right)


_TAIL = re.compile(
    r"(?P<digits>\d[\d,]*)(?:\.(?P<decimals>\d+))?[ ]?(?P<scale>[십백천만억조]*)[^\d]*$"
)


def agrees(
    value: Fraction, shown: Fraction, text: str, *, is_about: bool, unit: Fraction = Fraction(1)
) -> bool:
    """Tell whether a value shown is a value, or that value rounded.

    Args:
        value: What it should be.
        shown: What is shown, in the same unit.
        text: How it is written.
        is_about: Whether the text says that it is rounded.
        unit: What one of the unit written is worth.
    """
    gap = abs(value - shown)
    if not gap:
        return True
    place = last_place(text, keeps_zeros=not is_about) * unit
    if is_about and gap <= abs(value) * _ROUGHLY:
        return True
    exact = value / place
    if exact.denominator == 1 or (not is_about and _is_short(value / unit)):
        return False
    return gap < place or shown == value // _CUT * _CUT


# Dues and taxes are cut below ten won.
_CUT = 10


def _is_short(value: Fraction) -> bool:
    """Tell whether a value could be written out: whole, or with one digit behind the point."""
    return (value * 10).denominator == 1


def last_place(text: str, *, keeps_zeros: bool) -> Fraction:
    """Return what one of the last digit written is worth: 1,000 in 93만 3천."""
    match = _TAIL.search(text)
    if match is None:
        return Fraction(1)
    place = mixed_value(match["scale"]) if match["scale"] else Fraction(1)
    if match["decimals"]:
        return place / Fraction(10) ** len(match["decimals"])
    if not keeps_zeros:
        digits = match["digits"].replace(",", "")
        place *= Fraction(10) ** (len(digits) - len(digits.rstrip("0")))
    return place
