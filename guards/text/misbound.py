"""Figures that the sources bind to another word: ``어린이 6,000원`` for ``어른 6,000원``.

A figure is misbound if the sources bind another value of its kind to what the answer binds it to,
and bind its own value, wherever they give it, to something that the answer does not name there.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set

from guards.core.reading import SourceSet, Text
from guards.text.bonds import Bond
from guards.text.bound_figures import ANCHORS, BoundFigure, BoundFigures, Known, KnownFigures
from guards.text.figure_values import Figure
from guards.text.labels import Form
from guards.text.moved import Home
from guards.text.passages import Passages, Place
from guards.text.slots.quantity import Quantity
from guards.text.slots.units import COUNTED, Dimension
from guards.text.values import Value

# A value that stands in so many places belongs to none of them.
_MOST_PLACES = 60
_MOST_RIVALS = 200
_LEAST_COVERED = 0.6
_MOST_VALUES = 4


class Misbound:
    """The figures of the sources by what they are bound to."""

    def __init__(self, told: SourceSet) -> None:
        self._passages = told.once(Passages)
        self._known = told.once(KnownFigures)

    def right_home(self, bond: Bond, beside: Sequence[Bond]) -> Home | None:
        """Return where the values stand that the sources bind to what a figure is bound to.

        Args:
            bond: The figure of the answer.
            beside: The figures of its sentence, itself included; one of them that stands where
                the sources have it is not what is missing.
        """
        own = self._known.of(bond.value)
        # A number of times may be known from an ordinal (제12회), which is no place of its own.
        if len(own) > _MOST_PLACES or not (own or bond.value.kind == Dimension.TIMES):
            return None
        told = BoundFigure(bond)
        if _is_named_by_one(told, own):
            return None
        shares = [
            (share, rival)
            for rival in self._rivals(told)
            if (share := _covered(told, rival, own)) >= _LEAST_COVERED
            and all(self._tells_apart(told, rival, one) for one in own)
            and not any(_is_at_home(BoundFigure(other), rival) for other in beside)
        ]
        best = max((share for share, _ in shares), default=0)
        right = [rival for share, rival in shares if share == best]
        if not right or len({rival.bound.value.keys for rival in right}) > _MOST_VALUES:
            return None
        return Home(right[0].place, tuple(rival.bound.value for rival in right))

    def namesakes(self, bond: Bond, words: Set[str]) -> list[tuple[Bond, Text]]:
        """Return the figures of its kind, and the shares, that a figure's words are said of too.

        Args:
            bond: The figure of the answer.
            words: More words that it is said of: those of the question.
        """
        told = BoundFigure(bond).said | words
        found = {
            (number, known.value.start): (known.bond, text)
            for number, text in self._passages.texts()
            for kind in (bond.value.kind, Dimension.PERCENT)
            for known in _namesakes(self._known.texts[number], kind, told)
        }
        return [found[place] for place in sorted(found)] or self._only_of(bond.value.kind)

    def _only_of(self, kind: Hashable) -> list[tuple[Bond, Text]]:
        """Return a figure of a kind if the sources have no other value of it: it needs no name."""
        only = self._known.only_of(kind)
        return [(only.bound.bond, self._passages.text(only.place))] if only else []

    def is_asked(self, bond: Bond, home: Home, asked: Set[str]) -> bool:
        """Tell whether the question, not the answer's sentence, says what a figure is bound to.

        Args:
            bond: The figure of the answer.
            home: Where another figure of its kind stands that may belong in its place.
            asked: The words of the question.
        """
        told = BoundFigure(bond)
        return any(
            _is_asked(told, own.bound, rival.bound, asked)
            for own in self._known.of(bond.value)
            for rival in self._at(home)
        )

    def names(self, bond: Bond, home: Home) -> bool:
        """Tell whether all that tells the values of a home from others stands next to a figure."""
        rivals, told, own = self._at(home), BoundFigure(bond), self._known.of(bond.value)
        return bool(rivals) and all(_covered(told, rival, own) == 1 for rival in rivals)

    def _at(self, home: Home) -> list[Known]:
        starts = {value.start for value in home.values}
        text = self._known.texts[home.place.source]
        return [Known(one, home.place, text) for one in text.figures if one.value.start in starts]

    def _rivals(self, told: BoundFigure) -> Iterator[Known]:
        """Yield the figures of other values that share a word or a figure with the answer's."""
        names = {*told.said, *(key for figure in told.figures for key in figure.keys)}
        for number, text in enumerate(self._known.texts):
            known = text.by_name(told.value.kind)
            found: dict[int, Figure] = {}
            for name in known.keys() & names:
                if len(known[name]) <= _MOST_RIVALS:
                    found |= {rival.value.start: rival for rival in known[name]}
            for _, one in sorted(found.items()):
                if one.value.keys.isdisjoint(told.value.keys) and not _is_one(one.quantity):
                    yield Known(one, Place(number, one.at), text)

    def _tells_apart(self, told: BoundFigure, rival: Known, known: Known) -> bool:
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
            if form.isdisjoint(ANCHORS)
            and not form.isdisjoint(told.said)
            and not _is_akin(form, own.bound)
        ]
        if named and known.place != rival.place and self._goes_on(known.place, rival.place):
            return False
        if named and known.place != rival.place:
            around = self._passages.words_at(known.place, besides=rival.place)
            named = [
                form for form in named if all(form.isdisjoint(words.forms) for words in around)
            ]
        return bool(named)

    def _goes_on(self, place: Place, before: Place) -> bool:
        """Tell whether a sentence in brackets goes on with the sentence before it."""
        follows = place.source == before.source and place.at == before.at + 1
        return follows and self._passages.sentence(place).startswith("(")


def _namesakes(text: BoundFigures, kind: Hashable, words: Set[str]) -> Iterator[BoundFigure]:
    """Yield the figures of a kind in a source that are bound to one of some words."""
    by_word = text.by_word(kind)
    for word in by_word.keys() & words:
        yield from map(text.bound, by_word[word])


def _is_one(quantity: Quantity) -> bool:
    """Tell whether a figure only says for how many something is meant (1인 10,000원)."""
    return quantity.measure.dimension in COUNTED and quantity.measure.values[0] == 1


def _is_named_by_one(told: BoundFigure, own: Sequence[Known]) -> bool:
    """Tell whether the sources say a value of all that the answer says it of."""
    if not told.naming:
        return False
    label = {*told.bond.name, *told.bond.near, *told.bond.far}
    return any(
        one.bound.says_all(label)
        and all(_holds(one.bound.figures, figure) for figure in told.figures)
        for one in own
    )


def _is_asked(told: BoundFigure, own: BoundFigure, rival: BoundFigure, asked: Set[str]) -> bool:
    """Tell whether a question names what one figure is bound to, and nothing names another's."""
    telling = [form for form in own.bond.near if form.isdisjoint(rival.bound)]
    name = {word for form in rival.bond.name for word in form} - own.bound
    return (
        bool(telling)
        and not any(form.isdisjoint(asked) for form in telling)
        and not (rival.bound - own.bound) & asked
        and not name & told.said
    )


def _is_at_home(other: BoundFigure, rival: Known) -> bool:
    """Tell whether the answer gives a value of the sources with what they bind it to."""
    return other.value.keys == rival.bound.value.keys and _covered(other, rival, ()) == 1


def _covered(told: BoundFigure, rival: Known, own: Sequence[Known]) -> float:
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
