"""What each figure of a text is bound to: the words and figures of its piece of the sentence.

In a table the heading of the column and the name of the row are what a figure is bound to; in a
list line the name before the colon stands behind all of its pieces.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple

from guards.core.lazy import lazy
from guards.core.reading import Text
from guards.text.figure_values import Figure, figures_in
from guards.text.labels import Label, Labels, label_of
from guards.text.pieces import Piece, Standing, cut
from guards.text.slots.quantity import Quantity
from guards.text.values import Value

_TABLE_LINE = re.compile(r"^[^\n]*\|[^\n]*\|[^\n]*$|^[^\n\t]+\t[^\n]*$", re.MULTILINE)
_MOST_FIGURES = 10_000
_RATE_ENDS = re.compile(r"당|마다|씩|에")

_start_of = attrgetter("value.start")


class Bond(NamedTuple):
    """A figure of a text and what it is bound to.

    Attributes:
        quantity: The figure.
        value: The same as a value that can be looked up.
        near: The words of its own piece: those before it and the noun that it is of (``10일의
            휴가``), else those behind it, else the name of its line.
        around: All words of its piece.
        figures: The figures of other kinds that stand before it and are its condition (``10회
            5만 원``): in its piece, where its bracket stands, or in the first cell of its row.
        name: The words before the colon of its line, or the topic of its sentence.
        far: The words that its bracket stands behind; those of the piece before where its own has
            none before it (``한 달 9,000원, 두 달 16,000원``); the noun that figures behind it
            are of.
        sentence: Number of the sentence in its text.
    """

    quantity: Quantity
    value: Value
    near: Label
    around: Label
    figures: tuple[Value, ...]
    name: Label
    far: Label
    sentence: int


class Bonds:
    """The figures of a text with what each is bound to, read a sentence at a time.

    Attributes:
        figures: The figures, in order; none in a text of nothing but figures.
    """

    def __init__(self, text: Text) -> None:
        self._raw, self._sentences, self._quantities = text.raw, text.sentences, text.quantities
        self._in_prose: dict[int, list[Figure]] = defaultdict(list)
        self._in_tables: dict[int, list[Figure]] = defaultdict(list)
        self._heads: dict[int, list[Value]] = defaultdict(list)
        self._read: dict[int, list[Bond]] = {}
        self.figures = figures_in(text) if len(text.quantities) <= _MOST_FIGURES else ()
        self._place()
        self._labels = {
            one.quantity.start: text.once(Labels).at(one.quantity.start).words
            for figures in self._in_tables.values()
            for one in figures
        }

    def _place(self) -> None:
        """Part the figures in tables from the others."""
        tables = _tables(self._raw)
        if not tables:
            for one in self.figures:
                self._in_prose[one.at].append(one)
            return
        begins = [start for start, _ in tables]
        for one in self.figures:
            start = one.quantity.start
            line = bisect_right(begins, start) - 1
            if line < 0 or start >= tables[line][1]:
                self._in_prose[one.at].append(one)
                continue
            self._in_tables[one.at].append(one)
            if _is_in_first_cell(self._raw, begins[line], start):
                self._heads[one.at].append(one.value)

    def at(self, place: int) -> Sequence[Bond]:
        """Return the bonds of the figures of a sentence, in order.

        Args:
            place: Number of the sentence in the text.
        """
        if place not in self._read:
            found = [*self._of_table(place), *self._of_prose(place)]
            self._read[place] = sorted(found, key=_start_of)
        return self._read[place]

    def of(self, figure: Figure) -> Bond:
        """Return the bond of a figure."""
        bonds = self.at(figure.at)
        return bonds[bisect_left(bonds, figure.value.start, key=_start_of)]

    def _of_table(self, place: int) -> Iterator[Bond]:
        for figure, value, _ in self._in_tables.get(place, ()):
            words = self._labels[figure.start]
            beside = _of_other_kinds(value, self._heads.get(place, ()))
            cell = label_of(self._raw[_cell_start(self._raw, figure.start) : figure.start])
            yield Bond(figure, value, words, words, beside, (), cell, place)

    def _of_prose(self, place: int) -> Iterator[Bond]:
        figures = self._in_prose.get(place)
        pieces = cut(self._without_rates, self._sentences[place], figures) if figures else []
        inherited: Label = ()
        for piece, noun in zip(pieces, _nouns_behind(pieces), strict=True):
            for standing in piece.figures:
                yield _bond(piece, standing, inherited, noun, place)
            inherited = tuple(piece.words) or inherited

    @lazy
    def _without_rates(self) -> str:
        """The text, as long as it is, without figures that name nothing (1kWh당, 하루, 1인당)."""
        raw = self._raw
        kept: list[str] = []
        at = 0
        for one in self._quantities:
            if one.measure.everyday:
                rest = _RATE_ENDS.match(raw, one.end)
                end = rest.end() if rest else one.end
                kept += raw[at : one.start], " " * (end - one.start)
                at = end
        return "".join(kept) + raw[at:]


def _tables(raw: str) -> list[tuple[int, int]]:
    """Return the places of the rows of tables."""
    if "|" not in raw and "\t" not in raw:
        return []
    return [match.span() for match in _TABLE_LINE.finditer(raw)]


def _is_in_first_cell(raw: str, line: int, start: int) -> bool:
    before = raw[line:start].lstrip(" \t|")
    return "|" not in before and "\t" not in before


def _cell_start(raw: str, start: int) -> int:
    return max(raw.rfind(mark, 0, start) for mark in "|\t\n") + 1


def _of_other_kinds(figure: Value, others: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(other for other in others if other.kind != figure.kind)


def _nouns_behind(pieces: Sequence[Piece]) -> list[Label]:
    """Return for each piece the noun that the next figure behind it is of, if there is one."""
    nouns: list[Label] = []
    noun: Label = ()
    for piece in reversed(pieces):
        nouns.append(noun)
        for one in piece.figures:
            if one.of_noun:
                noun = tuple(piece.words[one.words_before :][:1])
    return nouns[::-1]


def _bond(piece: Piece, standing: Standing, inherited: Label, noun: Label, place: int) -> Bond:
    figure, value, words_before, of_noun = standing
    before, behind = piece.words[:words_before], piece.words[words_before:]
    own = [*before, *behind[:1]] if of_noun else before
    outer = piece.outer
    far = (
        *((outer.words or inherited) if outer else ()),
        *(() if own else inherited),
        *(() if of_noun else noun),
    )
    return Bond(
        figure,
        value,
        tuple(own or piece.words or piece.name),
        tuple(piece.words),
        _of_other_kinds(
            value, (*(outer.all_figures if outer else ()), *piece.figures_before(value))
        ),
        piece.name,
        far,
        place,
    )
