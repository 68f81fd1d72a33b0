"""Values that stand beside the right one: in the same row, list or sentence, under another label.

An answer has taken the wrong one if its own label names the neighbour and not the value it gives:
``어린이는 30,000원`` where the source has ``성인은 30,000원, 어린이는 15,000원``.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from guards.core.lazy import lazy
from guards.core.reading import SourceSet, Text
from guards.text.figure_values import figures_in
from guards.text.labels import Form, Label, Labelled, Labels, label_of
from guards.text.moved import Home
from guards.text.passages import Passages, Place
from guards.text.postings import Postings, packed
from guards.text.values import Value

_MOST_IN_GROUP = 200
# A value that stands in so many places belongs to none of them.
_MOST_PLACES = 60
# They close a label without naming anything: 연간 결제 시.
_CONDITIONS = frozenset({"시", "때", "경우", "경우에는"})


class _Side(NamedTuple):
    value: Value
    labels: Labels
    place: Place

    @property
    def label(self) -> Label:
        return self.labels.at(self.value.start).words


class Sides:
    """The values of the sources with their labels, by the group in which they stand."""

    def __init__(self, told: SourceSet) -> None:
        self._passages = told.once(Passages)
        self._groups: dict[tuple[int, int, Hashable], list[_Side]] = defaultdict(list)
        places: dict[Hashable, list[Place]] = defaultdict(list)
        for number, text in self._passages.texts():
            self._add(number, text, places)
        self._places: Postings[Hashable, Place] = packed(places)

    def _add(self, number: int, text: Text, places: dict[Hashable, list[Place]]) -> None:
        labels = text.once(Labels)
        for figure in figures_in(text):
            value, place = figure.value, Place(number, figure.at)
            group = self._groups[number, labels.group(figure), value.kind]
            group.append(_Side(value, labels, place))
            for key in value.keys:
                places[key].append(place)

    @lazy
    def _holding(self) -> Mapping[Hashable, Sequence[list[_Side]]]:
        """The groups of several values, by their values."""
        holding: dict[Hashable, list[list[_Side]]] = defaultdict(list)
        for sides in self._groups.values():
            if 1 < len(sides) <= _MOST_IN_GROUP:
                for key in {key for side in sides for key in side.value.keys}:
                    holding[key].append(sides)
        return holding

    def groups(self, value: Value) -> list[list[_Side]]:
        """Return the groups in which a value stands beside others; none if it is everywhere."""
        if any(len(self._places.get(key, ())) > _MOST_PLACES for key in value.keys):
            return []
        found = [sides for key in value.keys for sides in self._holding.get(key, ())]
        return sorted(found, key=_place_of_first) if len(value.keys) > 1 else found

    def right_side(
        self, value: Value, groups: Sequence[list[_Side]], label: Labelled, sentence: str
    ) -> Home | None:
        """Return where the value stands that the answer's label names, if it is another one.

        Args:
            value: The value of the answer.
            groups: The groups in which it stands in the sources.
            label: Its label in the answer.
            sentence: Its sentence.
        """
        said = _forms(label.words)
        if label.alone:
            said |= _forms(label_of(sentence))
        for sides in groups if said else ():
            right = _right(value, said, sides)
            if right and not self._named_elsewhere(value, right, sides):
                return Home(right[0].place, tuple(side.value for side in right))
        return None

    def _named_elsewhere(self, value: Value, right: list[_Side], sides: list[_Side]) -> bool:
        """Tell whether the value stands in another place together with the label."""
        inside = {side.place for side in sides}
        wrong = _forms(
            tuple(form for side in sides if side.value.keys & value.keys for form in side.label)
        )
        named = _forms(tuple(form for form in right[0].label if not _has(wrong, form)))
        return any(
            named & _forms(label_of(self._passages.sentence(place)))
            for key in value.keys
            for place in self._places.get(key, ())
            if place not in inside
        )


def _right(value: Value, said: set[str], sides: list[_Side]) -> list[_Side]:
    """Return the sides that the words name, if none of them has the value and they agree."""
    wrong = [side for side in sides if side.value.keys & value.keys]
    if any(not side.label for side in wrong):
        return []
    right = [
        side
        for side in sides
        if not side.value.keys & value.keys and all(_names(said, side, other) for other in wrong)
    ]
    return right if len({side.value.keys for side in right}) == 1 else []


def _names(said: set[str], side: _Side, other: _Side) -> bool:
    """Tell whether words name one side and not the other."""
    own = [form for form in side.label if not _has(_forms(other.label), form)]
    others = [
        form
        for form in other.label
        if not _has(_forms(side.label), form) and form.isdisjoint(_CONDITIONS)
    ]
    return (
        bool(own and others)
        and all(_has(said, form) for form in own)
        and not _has(said, others[-1])
    )


def _has(words: set[str], form: Form) -> bool:
    return not words.isdisjoint(form)


def _place_of_first(sides: Sequence[_Side]) -> tuple[Place, int]:
    return sides[0].place, sides[0].value.start


def _forms(label: Label) -> set[str]:
    return set().union(*label)
