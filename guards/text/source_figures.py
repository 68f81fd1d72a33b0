"""The figures of an answer held against the passages of the sources."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from guards.core.lazy import lazy
from guards.core.reading import Reading, SourceSet, Text
from guards.text.asked_figures import AskedFigures
from guards.text.bonds import Bond, Bonds
from guards.text.bound_figures import KnownFigures
from guards.text.claims import bare_claim
from guards.text.closest_figures import ClosestFigures, FigureFinder
from guards.text.figure_values import Figure, can_move
from guards.text.labels import Labels
from guards.text.misbound import Misbound
from guards.text.misframed import Misframed
from guards.text.misranged import Misranged
from guards.text.moved import Home
from guards.text.passages import Passages, clause_around, sentence_places
from guards.text.right_figures import RightFigures, surroundings_of
from guards.text.sentences import Sentence
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension
from guards.text.swapped import Sides
from guards.text.told_figures import Neighbours, changes, homes

_BEFORE_CHARS, _AFTER_CHARS = 60, 16
_MOST_FIGURES = 4
# A sentence with more figures is a table without its lines.
_MOST_IN_SENTENCE = 40

# They name nothing: 6일 전 and 3일 전 are told apart by something else.
_ANCHORS = frozenset({"전", "후", "뒤", "이내", "이전", "이후"})

_start = attrgetter("start")
_value_start = attrgetter("value.start")


class RightValue(NamedTuple):
    """What belongs where the answer gives a value of something else.

    Attributes:
        closest: The source sentence and its figures of that kind.
        only: The figure that belongs there, if there is just one.
    """

    closest: ClosestFigures
    only: str | None


def read_ahead(told: SourceSet) -> Iterator[None]:
    """Read what figures are held against, with a pause after each piece."""
    for read in (homes, Neighbours, Misframed, Sides):
        told.once(read)
        yield


class SourceFigures:
    """What the sources say in figures where they say what the answer says."""

    def __init__(self, reading: Reading) -> None:
        if reading.answer is None:
            raise ValueError("there is no answer to hold against the sources")
        self._answer = reading.answer.text
        self._told = reading.told
        self._passages = reading.told.once(Passages)
        self._asked = reading.asked.once(AskedFigures)
        starts = [quantity.start for quantity in self._answer.quantities]
        self._sentence_of = dict(zip(starts, sentence_places(self._answer, starts), strict=True))
        self._in_sentence: dict[int, list[Quantity]] = defaultdict(list)
        for quantity in self._answer.quantities:
            self._in_sentence[self._sentence_of[quantity.start]].append(quantity)
        self._repeated: dict[int, bool] = {}
        self._headers: dict[int, int] = {}
        self._closest: dict[tuple[str, str], ClosestFigures | None] = {}
        self._right: dict[int, set[int]] = {}
        self._homes: dict[int, Home | None] = {}

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

    def stands_right(self, quantity: Quantity) -> bool:
        """Tell whether neither `right_value` nor `other_frame` has anything, whatever is asked."""
        at = self._sentence_of[quantity.start]
        if at not in self._right:
            surroundings = surroundings_of(self._answer, at)
            known = self._told.once(RightFigures)
            self._right[at] = set() if surroundings is None else known.in_sentence(surroundings)
        place = quantity.start - self._answer.sentences[at].start
        is_right = place in self._right[at]
        if not is_right and self._frame_home(quantity) is None and self._home(quantity) is None:
            self._right[at].add(place)
            is_right = True
        return is_right

    def right_value(self, quantity: Quantity) -> RightValue | None:
        """Return what the sources give where the answer gives a value of something else."""
        bond, home = self._bond(quantity), self._home(quantity)
        if bond is None or home is None:
            return None
        if self._told.once(Misbound).is_asked(bond, home, self._asked.words):
            return None
        return RightValue(self._closest_at(home), self._only(bond, home))

    def _home(self, quantity: Quantity) -> Home | None:
        """Return where the sources have the value that belongs where a figure stands."""
        if quantity.start not in self._homes:
            self._homes[quantity.start] = self._home_of(quantity)
        return self._homes[quantity.start]

    def _home_of(self, quantity: Quantity) -> Home | None:
        beside = self._in_sentence[self._sentence_of[quantity.start]]
        if not can_move(quantity) or len(beside) > _MOST_IN_SENTENCE:
            return None
        figure = self._figures.get(quantity.start)
        if figure is None or not self._told.once(KnownFigures).has_others(figure.value):
            return None
        has_company = self._keeps_company(quantity, beside)
        if has_company and quantity.comparator is not None:
            return None
        bond = self._bonds.of(figure)
        home = self._told.once(Misranged).right_home(bond, self._answer) or self._told.once(
            Misbound
        ).right_home(bond, self._bonds.at(bond.sentence))
        return self._other_home(bond) if home is None and not has_company else home

    def _other_home(self, bond: Bond) -> Home | None:
        value, sentence = bond.value, self._answer.sentences[bond.sentence]
        beside = self._bonds.at(bond.sentence)
        clause = clause_around(sentence, value.start, value.end)
        home = self._told.once(homes).other_home(
            value,
            [other.value for other in beside if other.value.kind == value.kind],
            self._asked.told(sentence.text),
            self._asked.told(clause),
        )
        if home is None and (groups := self._told.once(Sides).groups(value)):
            label = self._answer.once(Labels).at(value.start)
            named = tuple(form for form in label.words if form.isdisjoint(_ANCHORS))
            own = replace(label, words=named)
            home = self._told.once(Sides).right_side(value, groups, own, bare_claim(sentence.text))
        return home

    def _only(self, bond: Bond, home: Home) -> str | None:
        """Return the one figure to write instead, if the words next to it name it in full."""
        raw = self._passages.text(home.place).raw
        written = {raw[value.start : value.end] for value in home.values}
        if written == {bond.quantity.text}:
            return bond.quantity.text
        is_range = any(len(value.keys) != len(bond.value.keys) for value in home.values)
        if len(written) > 1 or is_range or not self._told.once(Misbound).names(bond, home):
            return None
        return written.pop()

    def other_frame(self, quantity: Quantity) -> ClosestFigures | None:
        """Return where the sources give a figure with another side, anchor or end of a period."""
        home = self._frame_home(quantity)
        return self._closest_at(home) if home else None

    def _frame_home(self, quantity: Quantity) -> Home | None:
        figure = self._figures.get(quantity.start)
        return self._told.once(Misframed).right_home(figure, self._answer) if figure else None

    @lazy
    def _figures(self) -> dict[int, Figure]:
        """The figures of the answer that can move, by where they begin."""
        return {figure.value.start: figure for figure in self._bonds.figures}

    def _keeps_company(self, quantity: Quantity, beside: Sequence[Quantity]) -> bool:
        """Tell whether a figure stands next to the one that it stands next to in a source."""
        at = bisect_left(beside, quantity.start, key=_start)
        return self._told.once(Neighbours).keep_company(beside[max(0, at - 1) : at + 2])

    def told(self, quantity: Quantity) -> Sequence[tuple[Bond, Text]]:
        """Return the figures that the sources bind to a word that a quantity is bound to."""
        bond = self._bond(quantity)
        return self._told.once(Misbound).namesakes(bond, self._asked.words) if bond else ()

    @property
    def changes(self) -> Sequence[Quantity]:
        """The amounts of which the sources say that they come on top or are taken off."""
        return self._told.once(changes)

    def may_imply(self, quantity: Quantity) -> bool:
        """Tell whether a passage speaks of what the sentence of a quantity does."""
        return bool(self._asked.derivables(self.sentence(quantity).text))

    def imply(self, quantity: Quantity) -> bool:
        """Tell whether a quantity follows from those of one passage on the same subject."""
        if not self.may_imply(quantity):
            return False
        sentence = self.sentence(quantity)
        before = self._answer.raw[sentence.start : quantity.start][-_BEFORE_CHARS:]
        after = self._answer.raw[quantity.end : quantity.end + _AFTER_CHARS]
        return any(
            one.has(quantity, sentence.text, before, after)
            for one in self._asked.derivables(sentence.text)
        )

    def imply_share(self, quantity: Quantity) -> bool:
        """Tell whether a price is a share of one of such a passage, or what is left without it."""
        return quantity.measure.dimension == Dimension.WON and any(
            one.has_share(quantity) for one in self._asked.derivables(self.sentence(quantity).text)
        )

    def closest(self, quantity: Quantity) -> ClosestFigures | None:
        """Return the figures of that kind where the sources speak of what the answer does."""
        sentence = self.sentence(quantity).text
        name = (sentence, quantity.measure.dimension)
        if name not in self._closest:
            self._closest[name] = self._told.once(FigureFinder).closest(quantity, sentence)
        return self._closest[name]

    def _closest_at(self, home: Home) -> ClosestFigures:
        shown = tuple(dict.fromkeys(value.shown for value in home.values))
        return ClosestFigures(
            self._passages.source_id(home.place),
            self._passages.sentence(home.place),
            shown[:_MOST_FIGURES],
        )

    def _bond(self, quantity: Quantity) -> Bond | None:
        """Return what a figure of the answer is bound to."""
        bonds = self._bonds.at(self._sentence_of[quantity.start])
        at = bisect_left(bonds, quantity.start, key=_value_start)
        return bonds[at] if at < len(bonds) and bonds[at].value.start == quantity.start else None

    @lazy
    def _bonds(self) -> Bonds:
        return Bonds(self._answer)
