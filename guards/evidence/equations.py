"""Equations that a text shows, recomputed.

``9,900원 × 3일 = 29,700원``, ``14,200원 (5,500×2 + 3,200)``, ``12만 원(600만 원의 2%)``, a cell with an
expression and the cell behind it. An equation is read only if nothing but short labels and units
stands between its numbers; what cannot be read is no equation.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from guards.evidence.points import LENGTHS, POINTS, moved
from guards.text.slots.numerals import MIXED_NUMBER, mixed_value
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension, Measure

PERCENTS = frozenset({Dimension.PERCENT, Dimension.PERCENT_POINT})
_ADD, _TAKE, _TIMES, _DIVIDED = "+＋", "−–-", "×✕✖*xX의", "÷/"
_TOKEN = re.compile(
    rf"(?P<number>{MIXED_NUMBER})|(?P<equal>[=＝≈≒→⇒|])|(?P<sign>[+＋×✕✖÷*−–-]|[xX](?=[ ]?\d)"
    r"|/(?=[ ]?\d)|의(?=[ ]))|(?P<open>[(])|(?P<close>[)])|(?P<word>[가-힣A-Za-z%℃°㎡㎥²³₩$]+)|(?P<space>[ \t]+)"
    r"|(?P<other>.)"
)
_EQUAL = "=＝≈≒"
_WORDS_BEFORE, _WORDS_BEHIND = 3, 2
_ABOUT = re.compile(r"[≈≒]|(?<![가-힣])약(?![가-힣])|대략|정도|반올림|절사|버림|미만은|이하는")
_LINE = re.compile(r"[^\n]+")
_ENOUGH = re.compile(r"[=＝≈≒→⇒|(]")
_OF_ANYTHING = frozenset(
    {Dimension.BARE, Dimension.SQUARE_METRES, Dimension.MONTHS, Dimension.TIMES}
)
_ROUGHLY = Fraction(1, 100)


class Term(NamedTuple):
    """A number of an equation.

    Attributes:
        start: Where it begins in the plain text.
        end: Where it ends, with its unit if that is known.
        written: The number as it stands, without its unit.
        measure: What it measures; a bare number where no unit is known.
        text: As it stands.
    """

    start: int
    end: int
    written: Fraction
    measure: Measure
    text: str


class Node(NamedTuple):
    """Two sides and the sign between them."""

    sign: str
    left: "Node | Term"
    right: "Node | Term"


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


class _Token(NamedTuple):
    kind: str
    start: int
    text: str
    term: Term | None = None


def equations(plain: str, figures: Mapping[int, Quantity]) -> Iterator[Equation]:
    """Yield the equations of a text.

    Args:
        plain: The text, without emphasis.
        figures: Its quantities, by where they begin.
    """
    for line in _LINE.finditer(plain):
        if _ENOUGH.search(line[0]) and any(char.isdigit() for char in line[0]):
            tokens = _tokens(plain, line.start(), line.end(), figures)
            yield from _with_sign(tokens, line[0])
            yield from _with_brackets(tokens, line[0])


def _tokens(plain: str, start: int, end: int, figures: Mapping[int, Quantity]) -> list[_Token]:
    found: list[_Token] = []
    while start < end:
        figure = figures.get(start)
        if figure is not None and len(figure.measure.values) == 1:
            stop = start + len(figure.text)
            found.append(_Token("number", start, figure.text, term_of(figure, start)))
            start = stop
            continue
        match = _TOKEN.match(plain, start, end)
        if match is None or not match.lastgroup:
            start += 1
            continue
        if match.lastgroup == "number":
            value = mixed_value(match[0])
            measure = Measure(Dimension.BARE, (value,))
            term = Term(start, match.end(), value, measure, match[0])
            found.append(_Token("number", start, match[0], term))
        elif match.lastgroup != "space":
            found.append(_Token(match.lastgroup, start, match[0]))
        start = match.end()
    return found


_NUMBER = re.compile(MIXED_NUMBER)


def term_of(figure: Quantity, start: int) -> Term:
    """Return a quantity as a number of an equation."""
    return Term(start, start + len(figure.text), written(figure), figure.measure, figure.text)


def written(figure: Quantity) -> Fraction:
    """Return the number of a quantity as it is written, without its unit."""
    numbers = _NUMBER.findall(figure.text)
    if len(numbers) == 1 and figure.measure.dimension not in POINTS:
        return mixed_value(numbers[0])
    return figure.measure.values[0]


class _Parser:
    """Reads an expression from a place on; times and divided by go first."""

    def __init__(self, tokens: Sequence[_Token], at: int, end: int) -> None:
        self._tokens, self.at, self._end = tokens, at, end

    def expression(self) -> "Node | Term | None":
        """Return what is read; None if it is none."""
        left = self._product()
        while left is not None and (sign := self._sign(_ADD + _TAKE)):
            right = self._product()
            left = None if right is None else Node("+" if sign in _ADD else "-", left, right)
        return left

    def _product(self) -> "Node | Term | None":
        left = self._atom(first=True)
        while left is not None and (sign := self._sign(_TIMES + _DIVIDED)):
            right = self._atom(first=False)
            left = None if right is None else Node("*" if sign in _TIMES else "/", left, right)
        return left

    def _atom(self, *, first: bool) -> "Node | Term | None":
        if self.at > 0 and (not first or self._kind(self.at - 1) == "sign"):
            self._skip_words(_WORDS_BEFORE)
        kind = self._kind(self.at)
        if kind == "open":
            self.at += 1
            inner = self.expression()
            if inner is None or self._kind(self.at) != "close":
                return None
            self.at += 1
            self._skip_words(_WORDS_BEHIND)
            return inner
        if kind != "number":
            return None
        term = self._tokens[self.at].term
        self.at += 1
        self._skip_words(_WORDS_BEHIND)
        self._skip_comment()
        return term

    def _kind(self, at: int) -> str:
        return self._tokens[at].kind if 0 <= at < self._end else ""

    def _skip_words(self, most: int) -> None:
        while most and self._kind(self.at) == "word":
            self.at, most = self.at + 1, most - 1

    def _skip_comment(self) -> None:
        """Pass words in brackets: ``20%(급여)``."""
        at = self.at
        if self._kind(at) != "open":
            return
        at += 1
        while self._kind(at) == "word":
            at += 1
        if at > self.at + 1 and self._kind(at) == "close":
            self.at = at + 1

    def _sign(self, wanted: str) -> str:
        if self._kind(self.at) == "sign" and self._tokens[self.at].text in wanted:
            self.at += 1
            return self._tokens[self.at - 1].text
        return ""


def _with_sign(tokens: Sequence[_Token], line: str) -> Iterator[Equation]:
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
        result = _result(tokens, at + 1, words=0 if token.text in "|→⇒" else _WORDS_BEFORE)
        if result is not None:
            equation = _equation(left, result, is_about=_ABOUT.search(line) is not None)
            if equation is not None:
                yield equation


def _expression_before(
    tokens: Sequence[_Token], since: int, end: int, *, whole: bool
) -> "Node | None":
    for start in range(since, end):
        if tokens[start].kind in {"number", "open"}:
            parser = _Parser(tokens, start, end)
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


def _result(tokens: Sequence[_Token], at: int, *, words: int) -> Term | None:
    """Return the number that stands behind a sign of equality, unless it begins an expression."""
    while words and at < len(tokens) and tokens[at].kind == "word":
        at, words = at + 1, words - 1
    is_less = at < len(tokens) and tokens[at].kind == "sign" and tokens[at].text in _TAKE
    at += is_less
    if at >= len(tokens) or tokens[at].kind != "number":
        return None
    term = tokens[at].term
    behind = at + 1
    while behind < len(tokens) and behind - at <= _WORDS_BEHIND and tokens[behind].kind == "word":
        behind += 1
    if behind < len(tokens) and (tokens[behind].kind == "sign" or tokens[behind].text == "~"):
        return None
    return term


def _with_brackets(tokens: Sequence[_Token], line: str) -> Iterator[Equation]:
    """Yield what stands in brackets behind its result: ``2,800원(700원 × 4)``."""
    for at, token in enumerate(tokens):
        if token.kind != "open":
            continue
        back = at - 1
        while back >= 0 and at - back <= _WORDS_BEHIND and tokens[back].kind == "word":
            back -= 1
        if back < 0 or tokens[back].kind != "number":
            continue
        # Behind the end of an equation, or within one, brackets only explain.
        if back and (tokens[back - 1].kind == "sign" or tokens[back - 1].text in _EQUAL):
            continue
        close = next((n for n in range(at, len(tokens)) if tokens[n].kind == "close"), 0)
        parser = _Parser(tokens, at + 1, close)
        while parser.at < close and tokens[parser.at].kind == "word":
            parser.at += 1
        found = parser.expression()
        term = tokens[back].term
        if close and parser.at == close and isinstance(found, Node) and term is not None:
            equation = _equation(found, term, is_about=_ABOUT.search(line) is not None)
            if equation is not None:
                yield equation


def leaves(node: "Node | Term") -> tuple[Term, ...]:
    """Return the numbers of an expression, in order."""
    if isinstance(node, Term):
        return (node,)
    return leaves(node.left) + leaves(node.right)


def _equation(left: Node, result: Term, *, is_about: bool) -> Equation | None:
    operands = leaves(left)
    if any(one.measure.dimension in POINTS for one in operands):
        return _of_points(left, result, operands)
    if not _is_sane(left, operands, result):
        return None
    first: Fraction | None = None
    for in_base in (False, True):
        value = _evaluate(left, in_base=in_base)
        if value is None:
            return None
        scale = _value(result, in_base=in_base)
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
    if _is_sum(left):
        return len((kinds | {kind}) - {Dimension.BARE}) <= 1
    return not kinds or kind in kinds or kind in _OF_ANYTHING or _has(left, "/")


def _is_sum(node: "Node | Term") -> bool:
    return isinstance(node, Term) or (
        node.sign in "+-" and _is_sum(node.left) and _is_sum(node.right)
    )


def _has(node: "Node | Term", sign: str) -> bool:
    if isinstance(node, Term):
        return False
    return node.sign == sign or _has(node.left, sign) or _has(node.right, sign)


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


def _value(term: Term, *, in_base: bool) -> Fraction:
    if term.measure.dimension in PERCENTS:
        return term.measure.values[0] / 100
    return term.measure.values[0] if in_base else term.written


def _evaluate(node: "Node | Term", *, in_base: bool) -> Fraction | None:
    if isinstance(node, Term):
        return _value(node, in_base=in_base)
    left = _evaluate(node.left, in_base=in_base)
    right = _evaluate(node.right, in_base=in_base)
    if left is None or right is None:
        return None
    if node.sign in "+-":
        if _is_percent(node.right) and not _is_percent(node.left):
            right *= left
        return left + right if node.sign == "+" else left - right
    if node.sign == "*":
        return left * right
    return left / right if right else None


def _is_percent(node: "Node | Term") -> bool:
    if isinstance(node, Term):
        return node.measure.dimension in PERCENTS
    return _is_percent(node.left) and _is_percent(node.right)


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
    return exact.denominator > 1 and gap < place and (is_about or not _is_short(value / unit))


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
        return place / 10 ** len(match["decimals"])
    if not keeps_zeros:
        digits = match["digits"].replace(",", "")
        place *= 10 ** (len(digits) - len(digits.rstrip("0")))
    return place
