"""Figures of a text with the words by which they are told from others, to look them up by those."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Set
from weakref import WeakKeyDictionary

from guards.core.lazy import lazy
from guards.core.reading import Text
from guards.text.bonds import Bond, bonds_of
from guards.text.labels import Form

_LONG_WORD_CHARS = 4
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
    def bound(self) -> set[str]:
        """The words that it is bound to, near and far."""
        return _forms((*self.bond.name, *self.bond.near, *self.bond.far))

    @lazy
    def narrowly(self) -> set[str]:
        """The same without the name of its line, which its neighbours share."""
        return _forms((*self.bond.near, *self.bond.far))

    @lazy
    def said(self) -> set[str]:
        """All words around it."""
        return self.bound | _forms(self.bond.around)

    @lazy
    def naming(self) -> list[Form]:
        """The words by which it is told from others."""
        near = [form for form in self.bond.near if _is_name(form)]
        return near or [form for form in self.bond.name if _is_name(form)]

    @lazy
    def names(self) -> set[str]:
        """Those that no other figure is likely to stand beside, in all their forms."""
        return _forms(form for form in self.naming if form.isdisjoint(ANCHORS))

    @lazy
    def _long(self) -> list[str]:
        return [word for word in self.said if len(word) > _LONG_WORD_CHARS]

    def says(self, form: Form) -> bool:
        """Tell whether a word is around it, or begins one that is (혈액검사 of 혈액검사비)."""
        return not form.isdisjoint(self.said) or any(
            other.startswith(word)
            for other in self._long
            for word in form
            if len(word) >= _LONG_WORD_CHARS
        )


class BoundFigures:
    """The figures of one text, by their values and by what they are bound to."""

    def __init__(self, text: Text) -> None:
        self.values: dict[Hashable, set[tuple[frozenset[Hashable], str | None]]] = defaultdict(set)
        self.by_key: dict[Hashable, list[BoundFigure]] = defaultdict(list)
        self.by_name: dict[Hashable, dict[Hashable, list[BoundFigure]]] = defaultdict(dict)
        self.by_word: dict[Hashable, dict[str, list[BoundFigure]]] = defaultdict(dict)
        for bond in bonds_of(text):
            self._add(BoundFigure(bond))

    def _add(self, known: BoundFigure) -> None:
        self.values[known.value.kind].add((known.value.keys, known.value.side))
        for key in known.value.keys:
            self.by_key[key].append(known)
        by_name = self.by_name[known.value.kind]
        for name in {*known.names, *(key for figure in known.figures for key in figure.keys)}:
            by_name.setdefault(name, []).append(known)
        by_word = self.by_word[known.value.kind]
        for word in known.bound:
            by_word.setdefault(word, []).append(known)

    def named(self, kind: Hashable, names: Set[Hashable]) -> Iterator[list[BoundFigure]]:
        """Yield the figures of a kind that are bound to each of some names."""
        known = self.by_name.get(kind, {})
        for name in known.keys() & names:
            yield known[name]


_OF_TEXT: WeakKeyDictionary[Text, BoundFigures] = WeakKeyDictionary()


def bound_figures_of(text: Text) -> BoundFigures:
    """Return the figures of a text; collected once for each text."""
    known = _OF_TEXT.get(text)
    if known is None:
        known = _OF_TEXT[text] = BoundFigures(text)
    return known


def _is_name(form: Form) -> bool:
    """Tell whether a word names something (not 월, 시, 당, 최대)."""
    if not form.isdisjoint(_NO_NAMES):
        return False
    return any(len(word) > 1 for word in form) or not form.isdisjoint(ANCHORS)


def _forms(label: Iterable[Form]) -> set[str]:
    return set().union(*label)
