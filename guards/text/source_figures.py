"""The figures of an answer held against the passages of the sources."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby, pairwise
from operator import attrgetter, itemgetter
from typing import NamedTuple
from weakref import WeakKeyDictionary

from guards.core.reading import Reading, Text
from guards.text.bonds import Bond, bonds_of
from guards.text.claims import bare_claim
from guards.text.closest_figures import ClosestFigures, FigureFinder
from guards.text.derived import Derivable
from guards.text.figure_values import as_value, can_move, values_of_sources
from guards.text.known_quantities import may_agree
from guards.text.labels import Labelled, labelled
from guards.text.likeness import words_of
from guards.text.misbound import Misbound
from guards.text.misframed import Misframed
from guards.text.misranged import Misranged
from guards.text.moved import Home, Homes
from guards.text.passages import Passages, clause_around, sentence_places
from guards.text.sentences import Sentence
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.slots.units import Dimension
from guards.text.swapped import Sides
from guards.text.tokens import content_words
from guards.text.values import Value

_BEFORE_CHARS, _AFTER_CHARS = 60, 16
_MOST_FIGURES = 4
# A sentence with more figures is a table without its lines.
_MOST_IN_SENTENCE = 40

_IS_ADDED = re.compile(r"(?:[이가을를]|씩)?[ ]?(?:추가|가산|할증|더[ ]|별도)")

_IS_CHANGE = re.compile(r"(?:[이가을를]|씩)?[ ]?(?:추가|가산|할증|더[ ]|할인|감면|공제)")
# They name nothing: 6일 전 and 3일 전 are told apart by something else.
_ANCHORS = frozenset({"전", "후", "뒤", "이내", "이전", "이후"})

_start = attrgetter("start")

_Pair = tuple[Hashable, ...]
_Bounds = tuple[Comparator | None, Comparator | None]


class RightValue(NamedTuple):
    """What belongs where the answer gives a value of something else.

    Attributes:
        closest: The source sentence and its figures of that kind.
        only: The figure that belongs there, if there is just one.
    """

    closest: ClosestFigures
    only: str | None


class SourceFigures:
    """What the sources say in figures where they say what the answer says."""

    def __init__(self, reading: Reading) -> None:
        if reading.answer is None:
            raise ValueError("there is no answer to hold against the sources")
        self._answer = reading.answer.text
        self._question = reading.question.text
        self._passages = Passages(reading)
        starts = [quantity.start for quantity in self._answer.quantities]
        self._sentence_of = dict(zip(starts, sentence_places(self._answer, starts), strict=True))
        self._in_sentence: dict[int, list[Quantity]] = defaultdict(list)
        for quantity in self._answer.quantities:
            self._in_sentence[self._sentence_of[quantity.start]].append(quantity)
        self._repeated: dict[int, bool] = {}
        self._headers: dict[int, int] = {}
        self._near: dict[str, list[Derivable]] = {}
        self._derivable: dict[tuple[int, int], Derivable] = {}
        self._closest: dict[tuple[str, str], ClosestFigures | None] = {}
        self._finder = FigureFinder(reading)

    def sentence(self, quantity: Quantity) -> Sentence:
        """Return the sentence of the answer in which a quantity stands."""
        return self._answer.sentences[self._sentence_of[quantity.start]]

    def repeat(self, quantity: Quantity) -> bool:
        """Tell whether the sentence of a quantity stands in a source word for word.

        A row of a table says so only under a header of the sources.
        """
        at = self._sentence_of[quantity.start]
        if at not in self._repeated:
            said = self._answer.sentences
            rows = {self._header(at), at}
            self._repeated[at] = all(self._passages.holds(said[row].text) for row in rows)
        return self._repeated[at]

    def _header(self, at: int) -> int:
        """Return the place of the first row of the table that a sentence is a row of, or its own.

        What was walked through is remembered: each row of a long table asks.
        """
        said = self._answer.sentences
        header = at
        while header and said[header].text.startswith("|") and said[header - 1].text[0] == "|":
            header = self._headers.get(header - 1, header - 1)
        self._headers[at] = header
        return header

    def right_value(self, quantity: Quantity) -> RightValue | None:
        """Return what the sources give where the answer gives a value of something else."""
        beside = self._in_sentence[self._sentence_of[quantity.start]]
        if not can_move(quantity) or len(beside) > _MOST_IN_SENTENCE:
            return None
        bond = self._bonds.get(quantity.start)
        if bond is None or not self._misbound.has_others(bond):
            return None
        has_company = self._keeps_company(quantity, beside)
        if has_company and quantity.comparator is not None:
            return None
        home = self._misranged.right_home(bond, self._answer) or self._misbound.right_home(
            bond, self._bonds_in[bond.sentence]
        )
        if home is None and not has_company:
            home = self._other_home(quantity, beside)
        if home is None or self._misbound.is_asked(bond, home, self._asked_words):
            return None
        return RightValue(self._closest_at(home), self._only(bond, home))

    def _other_home(self, quantity: Quantity, beside: Sequence[Quantity]) -> Home | None:
        value, sentence = as_value(quantity), self.sentence(quantity)
        clause = clause_around(sentence, quantity.start, quantity.end)
        claim = bare_claim(sentence.text)
        home = self._homes.other_home(value, _of_kind(value, beside), claim, bare_claim(clause))
        if home is None and (label := self._labels.get(quantity.start)):
            named = tuple(form for form in label.words if form.isdisjoint(_ANCHORS))
            home = self._sides.right_side(value, replace(label, words=named), claim)
        return home

    def _only(self, bond: Bond, home: Home) -> str | None:
        """Return the one figure to write instead, if the words next to it name it in full."""
        raw = self._passages.text(home.place).raw
        written = {raw[value.start : value.end] for value in home.values}
        if written == {bond.quantity.text}:
            return bond.quantity.text
        is_range = any(len(value.keys) != len(bond.value.keys) for value in home.values)
        if len(written) > 1 or is_range or not self._misbound.names(bond, home):
            return None
        return written.pop()

    def other_frame(self, quantity: Quantity) -> ClosestFigures | None:
        """Return where the sources give a figure with another side, anchor or end of a period."""
        bond = self._bonds.get(quantity.start)
        home = self._misframed.right_home(bond, self._answer) if bond else None
        return self._closest_at(home) if home else None

    def _keeps_company(self, quantity: Quantity, beside: Sequence[Quantity]) -> bool:
        """Tell whether a figure stands next to the one that it stands next to in a source."""
        at = beside.index(quantity)
        company = beside[max(0, at - 1) : at + 2]
        return any(
            may_agree(first, known_first) and may_agree(second, known_second)
            for pair, (first, second) in _tied(company)
            for _, text in self._passages.texts()
            for known_first, known_second in _neighbours(text).get(pair, ())
        )

    def told(self, quantity: Quantity) -> Sequence[tuple[Bond, Text]]:
        """Return the figures that the sources bind to a word that a quantity is bound to."""
        bond = self._bonds.get(quantity.start)
        return self._misbound.namesakes(bond, self._asked_words) if bond else ()

    @cached_property
    def changes(self) -> list[Quantity]:
        """The amounts of which the sources say that they come on top or are taken off."""
        return [
            one
            for _, text in self._passages.texts()
            for one in text.quantities
            if one.measure.dimension == Dimension.WON and _IS_CHANGE.match(text.raw, one.end)
        ]

    @cached_property
    def _asked_words(self) -> frozenset[str]:
        words = content_words(self._question.raw)
        return frozenset(form for word in words for form in (word.text, word.stem))

    def imply(self, quantity: Quantity) -> bool:
        """Tell whether a quantity follows from those of one passage on the same subject."""
        sentence = self.sentence(quantity)
        before = self._answer.raw[sentence.start : quantity.start][-_BEFORE_CHARS:]
        after = self._answer.raw[quantity.end : quantity.end + _AFTER_CHARS]
        return any(
            one.has(quantity, sentence.text, before, after) for one in self._derivables(quantity)
        )

    def imply_share(self, quantity: Quantity) -> bool:
        """Tell whether a price is a share of one of such a passage, or what is left without it."""
        return quantity.measure.dimension == Dimension.WON and any(
            one.has_share(quantity) for one in self._derivables(quantity)
        )

    def _derivables(self, quantity: Quantity) -> list[Derivable]:
        sentence = self.sentence(quantity).text
        if sentence not in self._near:
            near = self._passages.near(words_of(sentence))
            self._near[sentence] = [self._derivable_from(*place) for place in near]
        return self._near[sentence]

    def closest(self, quantity: Quantity) -> ClosestFigures | None:
        """Return the figures of that kind where the sources speak of what the answer does."""
        sentence = self.sentence(quantity).text
        name = (sentence, quantity.measure.dimension)
        if name not in self._closest:
            self._closest[name] = self._finder.closest(quantity, sentence)
        return self._closest[name]

    def _derivable_from(self, source: int, text: Text, start: int, end: int) -> Derivable:
        name = (source, start)
        if name not in self._derivable:
            first = bisect_left(text.quantities, start, key=_start)
            known = text.quantities[first : bisect_left(text.quantities, end, key=_start)]
            added = [one for one in known if _IS_ADDED.match(text.raw, one.end)]
            operands = [*known, *self._question.quantities] if known else ()
            self._derivable[name] = Derivable(operands, added)
        return self._derivable[name]

    def _closest_at(self, home: Home) -> ClosestFigures:
        shown = tuple(dict.fromkeys(value.shown for value in home.values))
        return ClosestFigures(
            self._passages.source_id(home.place),
            self._passages.sentence(home.place),
            shown[:_MOST_FIGURES],
        )

    @cached_property
    def _homes(self) -> Homes:
        return Homes(self._passages, self._values)

    @cached_property
    def _values(self) -> list[tuple[Text, Sequence[Value]]]:
        return values_of_sources(self._passages)

    @cached_property
    def _misbound(self) -> Misbound:
        return Misbound(self._passages)

    @cached_property
    def _misranged(self) -> Misranged:
        return Misranged(self._passages)

    @cached_property
    def _misframed(self) -> Misframed:
        return Misframed(self._passages)

    @cached_property
    def _bonds(self) -> dict[int, Bond]:
        return {bond.value.start: bond for bond in bonds_of(self._answer)}

    @cached_property
    def _bonds_in(self) -> dict[int, list[Bond]]:
        by_sentence: dict[int, list[Bond]] = defaultdict(list)
        for bond in bonds_of(self._answer):
            by_sentence[bond.sentence].append(bond)
        return by_sentence

    @cached_property
    def _sides(self) -> Sides:
        return Sides(self._passages, self._values)

    @cached_property
    def _labels(self) -> dict[int, Labelled]:
        spans = [(one.start, one.end) for one in self._answer.quantities if can_move(one)]
        return {one.start: one for one in labelled(self._answer, spans)}


_NEIGHBOURS: WeakKeyDictionary[Text, dict[_Pair, set[_Bounds]]] = WeakKeyDictionary()


def _neighbours(text: Text) -> Mapping[_Pair, set[_Bounds]]:
    """Return the figures that stand next to each other in a text; collected once for each text."""
    known = _NEIGHBOURS.get(text)
    if known is None:
        known = _NEIGHBOURS[text] = defaultdict(set)
        places = sentence_places(text, [one.start for one in text.quantities])
        for _, group in groupby(zip(places, text.quantities, strict=True), key=itemgetter(0)):
            for pair, bounds in _tied([quantity for _, quantity in group]):
                known[pair].add(bounds)
    return known


def _tied(quantities: Sequence[Quantity]) -> Iterator[tuple[_Pair, _Bounds]]:
    """Yield the neighbours of which one can be the condition of the other (7일 전이면 50%)."""
    for one, other in pairwise(quantities):
        kinds = {one.measure.dimension, other.measure.dimension}
        if one.measure.everyday or other.measure.everyday or Dimension.BARE in kinds:
            continue
        if len(kinds) > 1 or kinds == {Dimension.SECONDS}:
            yield (*_name(one), *_name(other)), (one.comparator, other.comparator)


def _name(quantity: Quantity) -> tuple[Hashable, ...]:
    """Return what tells a figure from others, without fractions, which are slow to compare."""
    numbers = (part for one in quantity.measure.values for part in (one.numerator, one.denominator))
    return quantity.measure.dimension, *numbers


def _of_kind(value: Value, quantities: Sequence[Quantity]) -> list[Value]:
    values = (as_value(quantity) for quantity in quantities if can_move(quantity))
    return [other for other in values if other.kind == value.kind]
