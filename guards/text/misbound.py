"""Figures that the sources bind to another word: ``어린이 6,000원`` for ``어른 6,000원``.

A figure is misbound if the sources bind another value of its kind to what the answer binds it to,
and bind its own value, wherever they give it, to something that the answer does not name there.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import NamedTuple
from weakref import WeakKeyDictionary

from guards.core.lazy import lazy
from guards.core.reading import Text
from guards.text.bonds import Bond, bonds_of
from guards.text.labels import Form
from guards.text.moved import Home
from guards.text.passages import Passages, Place
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import Dimension
from guards.text.values import Value

# A value that stands in so many places belongs to none of them.
_MOST_PLACES = 60
_MOST_RIVALS = 200
_LEAST_COVERED = 0.6
_MOST_VALUES = 4
_LONG_WORD_CHARS = 4
_ANCHORS = frozenset({"전", "후"})
# Any figure may stand beside one of these.
_NO_NAMES = frozenset(
    {"최대", "최소", "최장", "최고", "최저", "적어도", "이상", "이하", "각각", "기준", "경우"}
)


class _Bound:
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
        return _forms(form for form in self.naming if form.isdisjoint(_ANCHORS))

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


class _Index:
    """The figures of one text, by their values and by what they are bound to."""

    def __init__(self, text: Text) -> None:
        self.values: dict[Hashable, set[tuple[Hashable, str | None]]] = defaultdict(set)
        self.by_key: dict[Hashable, list[_Bound]] = defaultdict(list)
        self.by_name: dict[Hashable, dict[Hashable, list[_Bound]]] = defaultdict(dict)
        for bond in bonds_of(text):
            self._add(_Bound(bond))

    def _add(self, known: _Bound) -> None:
        self.values[known.value.kind].add((known.value.keys, known.value.side))
        for key in known.value.keys:
            self.by_key[key].append(known)
        by_name = self.by_name[known.value.kind]
        for name in {*known.names, *(key for figure in known.figures for key in figure.keys)}:
            by_name.setdefault(name, []).append(known)

    def named(self, kind: Hashable, names: Set[Hashable]) -> Iterator[list[_Bound]]:
        """Yield the figures of a kind that are bound to each of some names."""
        known = self.by_name.get(kind, {})
        for name in known.keys() & names:
            yield known[name]


_OF_TEXT: WeakKeyDictionary[Text, _Index] = WeakKeyDictionary()


def _index_of(text: Text) -> _Index:
    """Return the figures of a text; collected once for each text."""
    known = _OF_TEXT.get(text)
    if known is None:
        known = _OF_TEXT[text] = _Index(text)
    return known


class _Known(NamedTuple):
    """A figure of the sources and its place."""

    bound: _Bound
    place: Place


class Misbound:
    """The figures of the sources by what they are bound to."""

    def __init__(self, passages: Passages) -> None:
        self._passages = passages
        self._indexes = [_index_of(text) for _, text in passages.texts()]

    def has_others(self, bond: Bond) -> bool:
        """Tell whether the sources have another value, or side of it, than a figure's."""
        own = (bond.value.keys, bond.value.side)
        return any(
            other != own
            for index in self._indexes
            for other in index.values.get(bond.value.kind, ())
        )

    def right_home(self, bond: Bond, beside: Sequence[Bond]) -> Home | None:
        """Return where the values stand that the sources bind to what a figure is bound to.

        Args:
            bond: The figure of the answer.
            beside: The figures of its sentence, itself included; one of them that stands where
                the sources have it is not what is missing.
        """
        own = self._own(bond)
        # A number of times may be known from an ordinal (제12회), which is no place of its own.
        if len(own) > _MOST_PLACES or not (own or bond.value.kind == Dimension.TIMES):
            return None
        told = _Bound(bond)
        if any(self._is_named_alike(told, one.bound) for one in own):
            return None
        others = [_Bound(other) for other in beside]
        shares = [
            (share, rival)
            for rival in self._rivals(told)
            if (share := _covered(told, rival, own)) >= _LEAST_COVERED
            and all(self._tells_apart(told, rival, one) for one in own)
            and not any(_is_at_home(other, rival) for other in others)
        ]
        best = max((share for share, _ in shares), default=0)
        right = [rival for share, rival in shares if share == best]
        if not right or len({rival.bound.value.keys for rival in right}) > _MOST_VALUES:
            return None
        return Home(right[0].place, tuple(rival.bound.value for rival in right))

    @staticmethod
    def _is_named_alike(told: _Bound, own: _Bound) -> bool:
        """Tell whether the sources say a value of all that the answer says it of."""
        label = (*told.bond.name, *told.bond.near, *told.bond.far)
        return bool(told.naming) and all(not form.isdisjoint(own.said) for form in label)

    def namesakes(self, bond: Bond, words: Set[str]) -> list[tuple[Quantity, Text]]:
        """Return the figures of its kind, and the shares, that a figure's words are said of too.

        Args:
            bond: The figure of the answer.
            words: More words that it is said of: those of the question.
        """
        told = _Bound(bond)
        found = {
            (number, id(known)): (known.bond.quantity, text)
            for number, text in self._passages.texts()
            for kind in (told.value.kind, Dimension.PERCENT)
            for namesakes in self._indexes[number].named(kind, told.said | words)
            for known in namesakes
        }
        return list(found.values())

    def names(self, bond: Bond, home: Home) -> bool:
        """Tell whether all that tells the values of a home from others stands next to a figure."""
        starts = {value.start for value in home.values}
        rivals = [
            _Known(_Bound(one), home.place)
            for one in bonds_of(self._passages.text(home.place))
            if one.value.start in starts
        ]
        told, own = _Bound(bond), self._own(bond)
        return bool(rivals) and all(_covered(told, rival, own) == 1 for rival in rivals)

    def _own(self, bond: Bond) -> list[_Known]:
        return [
            _Known(one, Place(number, one.bond.sentence))
            for number, index in enumerate(self._indexes)
            for key in bond.value.keys
            for one in index.by_key.get(key, ())
        ]

    def _rivals(self, told: _Bound) -> Iterator[_Known]:
        """Yield the figures of other values that share a word or a figure with the answer's."""
        names = {*told.said, *(key for figure in told.figures for key in figure.keys)}
        for number, index in enumerate(self._indexes):
            found: dict[int, _Bound] = {}
            for rivals in index.named(told.value.kind, names):
                if len(rivals) <= _MOST_RIVALS:
                    found |= {id(rival): rival for rival in rivals}
            for one in found.values():
                if one.value.keys.isdisjoint(told.value.keys):
                    yield _Known(one, Place(number, one.bond.sentence))

    def _tells_apart(self, told: _Bound, rival: _Known, known: _Known) -> bool:
        """Tell whether the answer names the right one and not where its own value stands."""
        right, own = rival.bound, known.bound
        if not (own.narrowly or own.figures) or (own.narrowly - right.bound) & told.said:
            return False
        unexplained = [one for one in told.figures if not _holds(right.figures, one)]
        if any(_holds(unexplained, one) for one in own.figures):
            return False
        telling = [one for one in right.figures if not _holds(own.figures, one)]
        if any(_holds(told.figures, one) for one in telling):
            return True
        named = [
            form
            for form in right.naming
            if form.isdisjoint(_ANCHORS)
            and not form.isdisjoint(told.said)
            and not _is_akin(form, own.bound)
        ]
        if named and known.place != rival.place:
            around = self._passages.words_at(known.place, besides=rival.place).forms
            named = [form for form in named if form.isdisjoint(around)]
        return bool(named)


def _is_at_home(other: _Bound, rival: _Known) -> bool:
    """Tell whether the answer gives a value of the sources with what they bind it to."""
    return other.value.keys == rival.bound.value.keys and _covered(other, rival, ()) == 1


def _covered(told: _Bound, rival: _Known, own: Sequence[_Known]) -> float:
    """Return the share that an answer says of what tells a figure from those beside it."""
    beside = [one.bound.bound for one in own if one.place == rival.place]
    naming = rival.bound.naming
    if beside:
        naming = [form for form in naming if all(map(form.isdisjoint, beside))]
    if naming and not told.says(naming[-1]):
        return 0
    kinds = {figure.kind for figure in told.figures}
    figures = [one for one in rival.bound.figures if one.kind in kinds]
    if not all(_holds(told.figures, one) for one in figures):
        return 0
    parts = len(naming) + len(figures)
    return (sum(map(told.says, naming)) + len(figures)) / parts if parts else 0


def _is_name(form: Form) -> bool:
    """Tell whether a word names something (not 월, 시, 당, 최대)."""
    if not form.isdisjoint(_NO_NAMES):
        return False
    return any(len(word) > 1 for word in form) or not form.isdisjoint(_ANCHORS)


def _is_akin(form: Form, words: Iterable[str]) -> bool:
    """Tell whether a word is one of some words, or a part of one (연차 of 연차유급휴가, 토요일)."""
    return not form.isdisjoint(words) or any(
        word in other or (len(other) > 1 and other in word) or word == f"{other}요일"
        for word in form
        if len(word) > 1
        for other in words
    )


def _holds(figures: Sequence[Value], wanted: Value) -> bool:
    """Tell whether one of some figures may say the same as another."""
    return any(
        one.keys == wanted.keys and (one.side is None or wanted.side in {None, one.side})
        for one in figures
    )


def _forms(label: Iterable[Form]) -> set[str]:
    return set().union(*label)
