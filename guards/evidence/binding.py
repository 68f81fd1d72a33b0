"""Figures of an answer held against those of the sources: held, moved, differing or absent.

A figure is bound to what it is said of. It is held where the sources have its value and nothing
shows that they say it of something else. It is moved in two cases: a list, table or sentence of the
sources gives each of several things its own value, and the answer names one and gives the value of
another; or the claim that the answer repeats has another value, and the answer's own value stands
only where the sources speak of something else.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from guards.claims.layout import Level
from guards.claims.reader import Claim, Reading, label_figures
from guards.core.lazy import lazy
from guards.core.reading import SourceSet
from guards.evidence.figures import Figure, figures_of, keys_of, same_value
from guards.evidence.index import Asking, SourceIndex
from guards.evidence.thresholds import BINDING
from guards.text.slots.units import Dimension, Measure

_AROUND = 3
_NEAR = 0.6
_LARGEST_SET = 40
# Dates are too alike for the words around them to tell which one is meant.
_POINTS = frozenset({"date", "month", "year"})


class Held(StrEnum):
    """How the sources stand to a figure of an answer."""

    HELD = "held"
    """They have its value, and nothing shows that it is another thing's."""
    MOVED = "moved"
    """They have its value, but of something else."""
    DIFFERS = "differs"
    """They have another value where they speak of the same."""
    ABSENT = "absent"
    """They have no such value, and none that it could be held against."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure of an answer, held against the sources.

    Attributes:
        held: How the sources stand to it.
        right: The figure that the sources have for what the answer speaks of; None if unknown.
        likeness: How much the answer's clause and the claim of `right` share, from 0 to 1.
        same: The figure of the same value that fits best; None if there is none.
    """

    held: Held
    right: Figure | None = None
    likeness: float = 0.0
    same: Figure | None = None


@dataclass(frozen=True, slots=True)
class _Member:
    """A figure of a set in which each has its own label.

    Attributes:
        figure: The figure.
        label: The features that only it has in the set.
    """

    figure: Figure
    label: frozenset[str]


class SourceFigures:
    """The figures of all sources, and the sets in which they stand beside one another.

    Attributes:
        figures: All of them, in order.
        index: The claims of the sources.
        values: Each value that they give, with its dimension.
    """

    def __init__(self, told: SourceSet) -> None:
        self.index = told.once(SourceIndex)
        self.figures: list[Figure] = []
        self._in_headings: list[Measure] = []
        for number, reading in enumerate(self.index.readings):
            source = told.parts[number].source
            self.figures += figures_in(reading, source.title if source else "", number)
            if source is not None:
                heading = f"{source.title} {source.file}"
                self._in_headings += [one.measure for one in label_figures(heading)]
        self.values = frozenset(
            (one.measure.dimension, value) for one in self.figures for value in one.measure.values
        )
        self._weights = {
            (one.source, one.start): self.index.weight(one.context) for one in self.figures
        }
        self._sets: dict[str, list[tuple[_Member, ...]]] = defaultdict(list)
        for key, members in self._sibling_sets().items():
            self._sets[key[-1]].append(_labelled(members))

    def _sibling_sets(self) -> dict[tuple[str, ...], list[Figure]]:
        found: dict[tuple[str, ...], list[Figure]] = defaultdict(list)
        for figure in self.figures:
            if figure.measure.dimension == Dimension.BARE:
                continue
            claim, block, group = figure.claim, figure.claim.block, figure.group
            source = str(figure.source)
            found["sentence", source, str(claim.sentence), group].append(figure)
            if block.table > 0:
                column = f"{block.table}:{block.column}"
                found["column", source, column, group].append(figure)
            above = (
                label.text for label in block.labels if label.level in {Level.HEADING, Level.PARENT}
            )
            found["list", source, *above, group].append(figure)
        return {
            key: members
            for key, members in found.items()
            if len(members) <= _LARGEST_SET and len({one.measure for one in members}) > 1
        }

    def with_value(self, measure: Measure) -> Iterable[Figure]:
        """Yield the figures of a value, in whatever notation."""
        near = {place for key in keys_of(measure) for place in self._by_key.get(key, ())}
        found = (self.figures[place] for place in sorted(near))
        return (one for one in found if same_value(measure, one.measure))

    @lazy
    def _by_key(self) -> dict[Fraction, list[int]]:
        found: dict[Fraction, list[int]] = defaultdict(list)
        for place, figure in enumerate(self.figures):
            for key in keys_of(figure.measure):
                found[key].append(place)
        return found

    def bind(self, figure: Figure) -> Bound:
        """Hold a figure of an answer against those of the sources."""
        same, others = self._candidates(figure)
        asking = self.index.asking(figure.context)
        best = self._closest(asking, same)
        if not same and self._has_ends(figure):
            return Bound(Held.HELD)
        if not same and any(same_value(figure.measure, one) for one in self._in_headings):
            return Bound(Held.HELD)
        if not same:
            other = self._closest(asking, others)
            if other is not None and other[0] >= BINDING.speaks_of_the_same:
                return Bound(Held.DIFFERS, other[1], other[0])
            return Bound(Held.ABSENT, other[1] if other else None, other[0] if other else 0.0)
        here = best[1] if best else same[0]
        if figure.measure.dimension == Dimension.BARE:
            return Bound(Held.HELD, same=here)
        likeness = best[0] if best else 0.0
        moved = self._by_label(figure, asking, likeness)
        if moved is None and best is not None and figure.group not in _POINTS:
            moved = self._by_context(figure, asking, best, others)
        if moved is None:
            return Bound(Held.HELD, same=here, likeness=likeness)
        return Bound(Held.MOVED, moved, self._likeness(asking, moved), here)

    def _has_ends(self, figure: Figure) -> bool:
        """Tell whether the sources have both ends of a range by themselves (13:00~17:00)."""
        dimension, values, *_ = figure.measure
        return len(values) > 1 and all(
            any(same_value(Measure(dimension, (value,)), one.measure) for one in self.figures)
            for value in values
        )

    def _candidates(self, figure: Figure) -> tuple[list[Figure], list[Figure]]:
        """Return the source figures of the same value, and the comparable ones of another."""
        same: list[Figure] = []
        others: list[Figure] = []
        is_bare = figure.measure.dimension == Dimension.BARE
        for one in self.figures:
            if same_value(figure.measure, one.measure):
                if is_bare or one.measure.dimension != Dimension.BARE or not same:
                    same.append(one)
            elif one.group == figure.group and one.measure.dimension != Dimension.BARE:
                others.append(one)
        typed = [one for one in same if one.measure.dimension != Dimension.BARE]
        return (typed or same), others

    def _closest(self, asking: Asking, among: Iterable[Figure]) -> tuple[float, Figure] | None:
        best: tuple[float, Figure] | None = None
        for one in among:
            likeness = self._likeness(asking, one)
            if best is None or likeness > best[0]:
                best = (likeness, one)
        return best

    def _likeness(self, asking: Asking, figure: Figure) -> float:
        return asking.likeness(figure.context, self._weights[figure.source, figure.start])

    def _by_context(
        self,
        figure: Figure,
        asking: Asking,
        best: tuple[float, Figure],
        others: Iterable[Figure],
    ) -> Figure | None:
        """Return the figure of the claim that the answer repeats, if its own value is far from it.

        Figures of one sentence are told apart by their labels alone.
        """
        here = best[1]
        if here.claim.block.is_cell or here.measure.values[0] == 1:
            # A cell says too little to be told from others; one of a thing stands everywhere.
            return None
        elsewhere = [
            one
            for one in others
            if one.measure.dimension == figure.measure.dimension
            and (one.source, one.claim.sentence) != (here.source, here.claim.sentence)
        ]
        other = self._closest(asking, elsewhere)
        if other is None or other[0] < BINDING.speaks_of_the_same:
            return None
        if self._is_named(figure, here, other[1]):
            return None
        return other[1] if other[0] - best[0] >= BINDING.closer_by else None

    @staticmethod
    def _is_named(figure: Figure, here: Figure, other: Figure) -> bool:
        """Tell whether the answer names something that only its own value is said of."""
        return any(
            weight >= BINDING.beside
            and feature[0] != "@"
            and here.context.get(feature, 0.0) >= _NEAR
            and other.context.get(feature, 0.0) < BINDING.beside
            for feature, weight in figure.context.items()
        )

    def _by_label(self, figure: Figure, asking: Asking, likeness: float) -> Figure | None:
        """Return the figure whose label the answer names, where it gives the value of another."""
        near = frozenset(
            feature
            for feature, weight in figure.context.items()
            if weight >= _NEAR and feature[0] != "@"
        )
        found: tuple[float, Figure] | None = None
        for members in self._sets.get(figure.group, ()):
            own = [one for one in members if same_value(figure.measure, one.figure.measure)]
            rest = [one for one in members if not same_value(figure.measure, one.figure.measure)]
            if not own or not rest:
                continue
            if any(feature in figure.context for one in own for feature in one.label):
                return None
            named = max(rest, key=lambda one: self._share(one, near))
            # A value without a label of its own is the general one: only what is named whole
            # takes its place.
            least = BINDING.label_named if all(one.label for one in own) else 1.0
            if self._share(named, near) < least:
                continue
            if not any(feature[0] != "=" for feature in named.label & near):
                continue
            fits = self._likeness(asking, named.figure)
            if fits > likeness and (found is None or fits > found[0]):
                found = (fits, named.figure)
        return found[1] if found else None

    def _share(self, member: _Member, near: frozenset[str]) -> float:
        """Return the share of a member's label that an answer names."""
        words = [feature for feature in member.label if feature[0] != "="] or member.label
        whole = sum(self.index.rarity(feature) for feature in words)
        named = sum(self.index.rarity(feature) for feature in words if feature in near)
        return named / whole if whole else 0.0


def figures_in(reading: Reading, title: str, source: int) -> Iterable[Figure]:
    """Yield the figures of a text with what each is said of.

    Args:
        reading: The text, read.
        title: The heading of the source; empty for answers.
        source: Number of the source; -1 for answers.
    """
    sentences = reading.sentences
    for at, sentence in enumerate(sentences):
        if not any(claim.clause.figures for claim in sentence):
            continue
        block = sentence[0].block
        before: Sequence[Claim] = sentences[at - 1] if at else ()
        if before and before[0].block is not block:
            before = ()
        beside: list[Claim] = []
        if source >= 0:
            for other in sentences[max(0, at - _AROUND) : at + _AROUND + 1]:
                if other is not sentence and other[0].block is block:
                    beside += other
        yield from figures_of(sentence, before, title, source, beside)


def _labelled(members: Sequence[Figure]) -> tuple[_Member, ...]:
    """Return the figures of a set with the features that tell each from those of other values."""
    near = [
        frozenset(
            feature
            for feature, weight in one.context.items()
            if weight >= _NEAR and feature[0] != "@"
        )
        for one in members
    ]
    found = []
    for at, one in enumerate(members):
        others = [
            near[other] for other in range(len(members)) if members[other].measure != one.measure
        ]
        found.append(_Member(one, near[at].difference(*others)))
    return tuple(found)
