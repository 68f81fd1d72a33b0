"""What each figure of a text is bound to: the words and figures of its piece of the sentence.

In a table the heading of the column and the name of the row are what a figure is bound to; in a
list line the name before the colon stands behind all of its pieces.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from guards.core.reading import Text
from guards.text.figure_values import as_value, can_move
from guards.text.labels import Label, label_of, labelled
from guards.text.passages import sentence_places
from guards.text.pieces import Piece, Standing, cut
from guards.text.sentences import Sentence
from guards.text.slots.quantity import Quantity
from guards.text.values import Value

_TABLE_LINE = re.compile(r"^[^\n]*\|[^\n]*\|[^\n]*$|^[^\n\t]+\t[^\n]*$", re.MULTILINE)
_MOST_FIGURES = 10_000
_RATE_ENDS = re.compile(r"당|마다|씩|에")


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


_OF_TEXT: WeakKeyDictionary[Text, tuple[Bond, ...]] = WeakKeyDictionary()
_BY_KEY: WeakKeyDictionary[Text, dict[Hashable, list[Bond]]] = WeakKeyDictionary()


def bonds_of(text: Text) -> tuple[Bond, ...]:
    """Return the bonds of the figures of a text, in order; made once for each text.

    A text of nothing but figures has none.
    """
    known = _OF_TEXT.get(text)
    if known is None and len(text.quantities) > _MOST_FIGURES:
        known = _OF_TEXT[text] = ()
    if known is None:
        found = sorted(_bonds(text), key=lambda bond: bond.value.start)
        known = _OF_TEXT[text] = tuple(found)
    return known


def bonds_by_key(text: Text) -> Mapping[Hashable, Sequence[Bond]]:
    """Return the bonds of a text by their values; collected once for each text."""
    known = _BY_KEY.get(text)
    if known is None:
        known = _BY_KEY[text] = defaultdict(list)
        for bond in bonds_of(text):
            for key in bond.value.keys:
                known[key].append(bond)
    return known


def _bonds(text: Text) -> Iterator[Bond]:
    figures = [one for one in text.quantities if can_move(one)]
    tables = [match.span() for match in _TABLE_LINE.finditer(text.raw)]
    begins = [start for start, _ in tables]
    in_prose: dict[int, list[Quantity]] = defaultdict(list)
    in_tables: dict[int, tuple[Quantity, int]] = {}
    heads: dict[int, list[Value]] = defaultdict(list)
    places = sentence_places(text, [one.start for one in figures])
    for figure, place in zip(figures, places, strict=True):
        line = bisect_right(begins, figure.start) - 1
        if line >= 0 and figure.start < tables[line][1]:
            in_tables[figure.start] = figure, place
            if _is_in_first_cell(text.raw, tables[line][0], figure.start):
                heads[place].append(as_value(figure))
        else:
            in_prose[place].append(figure)
    for label in labelled(text, [(one.start, one.end) for one in figures] if in_tables else []):
        if label.start in in_tables:
            figure, place = in_tables[label.start]
            value, words = as_value(figure), label.words
            beside = _of_other_kinds(value, heads[place])
            cell = label_of(text.raw[_cell_start(text.raw, figure.start) : figure.start])
            yield Bond(figure, value, words, words, beside, (), cell, place)
    raw = _without_rates(text)
    for place, group in in_prose.items():
        yield from _in_sentence(raw, text.sentences[place], place, group)


def _is_in_first_cell(raw: str, line: int, start: int) -> bool:
    before = raw[line:start].lstrip(" \t|")
    return "|" not in before and "\t" not in before


def _cell_start(raw: str, start: int) -> int:
    return max(raw.rfind(mark, 0, start) for mark in "|\t\n") + 1


def _of_other_kinds(figure: Value, others: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(other for other in others if other.kind != figure.kind)


def _without_rates(text: Text) -> str:
    """Return a text of the same length without figures that name nothing (1kWh당, 하루, 1인당)."""
    raw = text.raw
    kept: list[str] = []
    at = 0
    for one in text.quantities:
        if one.measure.everyday:
            rest = _RATE_ENDS.match(raw, one.end)
            end = rest.end() if rest else one.end
            kept += raw[at : one.start], " " * (end - one.start)
            at = end
    return "".join(kept) + raw[at:]


def _in_sentence(
    raw: str, sentence: Sentence, place: int, figures: Sequence[Quantity]
) -> Iterator[Bond]:
    pieces = cut(raw, sentence, figures)
    nouns = _nouns_behind(pieces)
    inherited: Label = ()
    for piece, noun in zip(pieces, nouns, strict=True):
        for standing in piece.figures:
            yield _bond(piece, standing, inherited, noun, place)
        inherited = tuple(piece.words) or inherited


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
    outer = piece.outer or Piece()
    far = (
        *((outer.words or inherited) if piece.outer else ()),
        *(() if own else inherited),
        *(() if of_noun else noun),
    )
    return Bond(
        figure,
        value,
        tuple(own or piece.words or piece.name),
        tuple(piece.words),
        _of_other_kinds(value, (*outer.all_figures, *piece.figures_before(value))),
        piece.name,
        far,
        place,
    )
