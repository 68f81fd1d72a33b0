"""Expressions in a line of text: numbers with units, the signs between them, and their value."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from guards.evidence.calculations.points import POINTS
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import MIXED_NUMBER, Dimension, Measure, mixed_value

PERCENTS = frozenset({Dimension.PERCENT, Dimension.PERCENT_POINT})
ADD, TAKE, _TIMES, _DIVIDED = "+＋", "−–-", "×✕✖*xX의", "÷/"
_TOKEN = re.compile(
    rf"(?P<number>{MIXED_NUMBER})|(?P<equal>[=＝≈≒→⇒|])|(?P<sign>[+＋×✕✖÷*−–-]|[xX](?=[ ]?\d)"
    r"|/(?=[ ]?\d)|의(?=[ ]))|(?P<open>[(])|(?P<close>[)])|(?P<word>[가-힣A-Za-z%℃°㎡㎥²³₩$]+)"
    r"|(?P<space>[ \t]+)|(?P<other>.)"
)
WORDS_BEFORE, WORDS_BEHIND = 3, 2
"""Most words before a number, for its name, and behind it, for its unit."""


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


class Token(NamedTuple):
    """A piece of a line: a number, a sign, a bracket, a word; its kind is a group's name."""

    kind: str
    start: int
    text: str
    term: Term | None = None


def tokens_of(plain: str, start: int, end: int, figures: Mapping[int, Quantity]) -> list[Token]:
    """Return the pieces of a line of a text, with its quantities as numbers."""
    found: list[Token] = []
    while start < end:
        figure = figures.get(start)
        if figure is not None and len(figure.measure.values) == 1:
            stop = start + len(figure.text)
            found.append(Token("number", start, figure.text, term_of(figure, start)))
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
            found.append(Token("number", start, match[0], term))
        elif match.lastgroup != "space":
            found.append(Token(match.lastgroup, start, match[0]))
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


class Parser:
    """Reads an expression from a place on; times and divided by go first."""

    def __init__(self, tokens: Sequence[Token], at: int, end: int) -> None:
        self._tokens, self.at, self._end = tokens, at, end

    def expression(self) -> "Node | Term | None":
        """Return what is read; None if it is none."""
        left = self._product()
        while left is not None and (sign := self._sign(ADD + TAKE)):
            right = self._product()
            left = None if right is None else Node("+" if sign in ADD else "-", left, right)
        return left

    def _product(self) -> "Node | Term | None":
        left = self._atom(first=True)
        while left is not None and (sign := self._sign(_TIMES + _DIVIDED)):
            right = self._atom(first=False)
            left = None if right is None else Node("*" if sign in _TIMES else "/", left, right)
        return left

    def _atom(self, *, first: bool) -> "Node | Term | None":
        if self.at > 0 and (not first or self._kind(self.at - 1) == "sign"):
            self._skip_words(WORDS_BEFORE)
        kind = self._kind(self.at)
        if kind == "open":
            self.at += 1
            inner = self.expression()
            if inner is None or self._kind(self.at) != "close":
                return None
            self.at += 1
            self._skip_words(WORDS_BEHIND)
            return inner
        if kind != "number":
            return None
        term = self._tokens[self.at].term
        self.at += 1
        self._skip_words(WORDS_BEHIND)
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


def leaves(node: "Node | Term") -> tuple[Term, ...]:
    """Return the numbers of an expression, in order."""
    if isinstance(node, Term):
        return (node,)
    return leaves(node.left) + leaves(node.right)


def is_sum(node: "Node | Term") -> bool:
    """Tell whether an expression only adds and takes off."""
    return isinstance(node, Term) or (
        node.sign in "+-" and is_sum(node.left) and is_sum(node.right)
    )


def has_sign(node: "Node | Term", sign: str) -> bool:
    """Tell whether an expression has a sign."""
    if isinstance(node, Term):
        return False
    return node.sign == sign or has_sign(node.left, sign) or has_sign(node.right, sign)


def value_of(term: Term, *, in_base: bool) -> Fraction:
    """Return the value of a number: as it is written, or in the base unit of what it measures."""
    if term.measure.dimension in PERCENTS:
        return term.measure.values[0] / 100
    return term.measure.values[0] if in_base else term.written


def evaluate(node: "Node | Term", *, in_base: bool) -> Fraction | None:
    """Return the value of an expression; None if it divides by nothing."""
    if isinstance(node, Term):
        return value_of(node, in_base=in_base)
    left = evaluate(node.left, in_base=in_base)
    right = evaluate(node.right, in_base=in_base)
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
