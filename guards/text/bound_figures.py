"""Figures of a text with the words by which they are told from others, to look them up by those."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from guards.core.lazy import lazy
from guards.core.reading import SourceSet, Text
from guards.text.bonds import Bond, Bonds
from guards.text.figure_values import Figure
from guards.text.labels import Form
from guards.text.passages import Passages, Place
from guards.text.postings import Postings, packed
from guards.text.values import Value

_LONG_WORD_CHARS = 4
_NO_WORDS: frozenset[str] = frozenset()
ANCHORS = frozenset({"전", "후"})
"""They say on which side of something a period lies."""
# Any figure may stand beside one of these.
_NO_NAMES = frozenset(
    {"최대", "최소", "최장", "최고", "최저", "적어도", "이상", "이하", "각각", "기준", "경우"}
)


class BoundFigure:
    """A figure of the sources, or of the answer, and the words by which it is told from others."""

    def __init__(self, bond: Bond) -> None:
        self.bond = bond
        self.value = bond.value
        self.figures = bond.figures

    @lazy
    def bound(self) -> frozenset[str]:
        """The words that it is bound to, near and far."""
        return _and(self.narrowly, self.bond.name)

    @lazy
    def narrowly(self) -> frozenset[str]:
        """The same without the name of its line, which its neighbours share."""
        return _forms((*self.bond.near, *self.bond.far))

    @lazy
    def said(self) -> frozenset[str]:
        """All words around it."""
        return _and(self.bound, self.bond.around)

    @lazy
    def naming(self) -> list[Form]:
        """The words by which it is told from others."""
        near = [form for form in self.bond.near if _is_name(form)]
        return near or [form for form in self.bond.name if _is_name(form)]

    @property
    def names(self) -> frozenset[str]:
        """Those that no other figure is likely to stand beside, in all their forms."""
        return _forms(form for form in self.naming if form.isdisjoint(ANCHORS))

    @lazy
    def _long(self) -> list[str]:
        return [word for word in self.said if len(word) > _LONG_WORD_CHARS]

    def says_all(self, label: Iterable[Form]) -> bool:
        """Tell whether all words of a label are around it."""
        said = self.said
        return not any(form.isdisjoint(said) for form in label)

    def says(self, form: Form) -> bool:
        """Tell whether a word is around it, or begins one that is (혈액검사 of 혈액검사비)."""
        return not form.isdisjoint(self.said) or any(
            other.startswith(word)
            for other in self._long
            for word in form
            if len(word) >= _LONG_WORD_CHARS
        )


class BoundFigures:
    """The figures of one text, by what they are bound to; each is read when it is asked for."""

    def __init__(self, text: Text) -> None:
        self._bonds = text.once(Bonds)
        self._bound: dict[int, BoundFigure] = {}
        by_kind: dict[Hashable, list[Figure]] = defaultdict(list)
        for figure in self._bonds.figures:
            by_kind[figure.value.kind].append(figure)
        self._by_kind: Postings[Hashable, Figure] = packed(by_kind)
        self._by_name: dict[Hashable, Postings[Hashable, Figure]] = {}
        self._by_word: dict[Hashable, Postings[str, Figure]] = {}

    @property
    def figures(self) -> Sequence[Figure]:
        """The figures, in order."""
        return self._bonds.figures

    def bound(self, figure: Figure) -> BoundFigure:
        """Return a figure of the text with its words."""
        start = figure.value.start
        if start not in self._bound:
            self._bound[start] = BoundFigure(self._bonds.of(figure))
        return self._bound[start]

    def _read(self, figure: Figure) -> BoundFigure:
        """Return the same without keeping it: an index needs each but once."""
        known = self._bound.get(figure.value.start)
        return known or BoundFigure(self._bonds.of(figure))

    def by_name(self, kind: Hashable) -> Postings[Hashable, Figure]:
        """Return the figures of a kind by the names and figures that tell them from others."""
        if kind not in self._by_name:
            by_name: dict[Hashable, list[Figure]] = defaultdict(list)
            for figure in self._by_kind.get(kind, ()):
                known = self._read(figure)
                for name in known.names.union(*[one.keys for one in known.figures]):
                    by_name[name].append(figure)
            self._by_name[kind] = packed(by_name)
        return self._by_name[kind]

    def by_word(self, kind: Hashable) -> Postings[str, Figure]:
        """Return the figures of a kind by the words that they are bound to."""
        if kind not in self._by_word:
            by_word: dict[str, list[Figure]] = defaultdict(list)
            for figure in self._by_kind.get(kind, ()):
                for word in self._read(figure).bound:
                    by_word[word].append(figure)
            self._by_word[kind] = packed(by_word)
        return self._by_word[kind]


class Known(NamedTuple):
    """A figure of the sources.

    Attributes:
        figure: The figure.
        place: Its sentence.
        text: The figures of its text.
    """

    figure: Figure
    place: Place
    text: BoundFigures

    @property
    def bound(self) -> BoundFigure:
        """The figure with its words."""
        return self.text.bound(self.figure)


class KnownFigures:
    """The figures of some sources by their values; made once for them."""

    def __init__(self, told: SourceSet) -> None:
        self.texts = [text.once(BoundFigures) for _, text in told.once(Passages).texts()]
        self._values: dict[Hashable, set[tuple[frozenset[Hashable], str | None]]]
        self._values = defaultdict(set)
        by_key: dict[Hashable, list[Known]] = defaultdict(list)
        for number, text in enumerate(self.texts):
            for figure in text.figures:
                value = figure.value
                self._values[value.kind].add((value.keys, value.side))
                known = Known(figure, Place(number, figure.at), text)
                for key in value.keys:
                    by_key[key].append(known)
        self._by_key: Postings[Hashable, Known] = packed(by_key)

    def of(self, value: Value) -> Sequence[Known]:
        """Return the figures that share a reading with a value, by their sources."""
        if len(value.keys) == 1:
            [key] = value.keys
            return self._by_key.get(key, ())
        found = [one for key in value.keys for one in self._by_key.get(key, ())]
        return sorted(found, key=lambda one: (one.place, one.figure.value.start))

    def has_others(self, value: Value) -> bool:
        """Tell whether the sources have another value of a kind, or another side of it."""
        known = self._values.get(value.kind, ())
        return len(known) > ((value.keys, value.side) in known)

    def only_of(self, kind: Hashable) -> Known | None:
        """Return the first figure of a kind in its last source, if it has one value everywhere."""
        values = {keys for keys, _ in self._values.get(kind, ())}
        keys = [key for one in values for key in one]
        if len(keys) != 1:
            return None
        known = self._by_key[keys[0]]
        return next(one for one in known if one.place.source == known[-1].place.source)


def _is_name(form: Form) -> bool:
    """Tell whether a word names something (not 월, 시, 당, 최대)."""
    if not form.isdisjoint(_NO_NAMES):
        return False
    return any(len(word) > 1 for word in form) or not form.isdisjoint(ANCHORS)


def _forms(label: Iterable[Form]) -> frozenset[str]:
    return _NO_WORDS.union(*label)


def _and(words: frozenset[str], label: Iterable[Form]) -> frozenset[str]:
    """Return words and those of a label; the same set if it has no others."""
    return words if all(form <= words for form in label) else words.union(*label)
