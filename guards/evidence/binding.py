"""Comparison of an answer's figures with those of the sources: held, moved, differing or absent.

A figure is bound to what it is about. It is held where the sources have its value and nothing shows
that they say it of something else. It is moved where a list, table or sentence of the sources gives
each of several things its own value, and the answer names one and gives the value of another. It
stands elsewhere where the claim that the answer repeats has another value, and its own value is
only about something else. It differs, too, where the words beside it make another set of it (이상,
이하) or another rate (월, 주).
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from guards.claims.layout import Level
from guards.claims.reader import Claim, Reading, label_figures
from guards.core.keeping import lazy
from guards.core.reading import SourceSet
from guards.evidence.figures import (
    Figure,
    figures_of,
    group_of,
    keys_of,
    same_value,
    unit_of,
    written_number,
)
from guards.evidence.index import Asking, Context, SourceIndex, key_of
from guards.evidence.sets import DISCRETE
from guards.evidence.sides import (
    Side,
    base_of,
    contradicts,
    counts_open_days,
    is_comparable,
    is_on_a_side,
    side_of,
    tells_open_days,
)
from guards.evidence.thresholds import BINDING
from guards.text.slots.dates import parts_of
from guards.text.slots.units import Dimension, Measure

_CURRENCIES = frozenset({"USD", "EUR", "JPY", "CNY", "GBP"})
_AROUND = 3
_NEAR = 0.6
_LED_TO = 0.2
_LARGEST_SET = 40
# Dates are too alike for the words around them to tell which one is meant.
_TOPIC = frozenset({"은", "는"})
_ROUNDED = 1e-9
_MOST_VALUES_KEPT = 512
_POINTS = frozenset({"date", "month", "year"})
# These mostly say which row or item is meant.
_LABELS = frozenset({"month", "year"})
_ALIKE_CHARS = 4
_ALIKE = re.compile(rf"[가-힣]{{{_ALIKE_CHARS}}}")
_TIE = re.compile(r"^(?:동안의?|간의?|의)?[ ]")
_AMOUNT_BEHIND = re.compile(r"[ ]?(?:당|마다|에)?[ ]?(?:최대|약|각)?[ ]?\d")
# 4일 18시까지, 15일 오전 10시, 20일(토), 내일(17일).
_DAY_BEHIND = re.compile(
    r"[ ]?(?:오전|오후|낮|밤|새벽|저녁|아침)?[ ]?(?:\d{1,2}(?:시(?!간)|:\d)|정오|자정)"
    r"|[ ]?\([월화수목금토일]\)|[ ][월화수목금토일]요일"
)
_DAY_BEFORE = re.compile(r"(?:오늘|내일|모레|글피|어제|그제)(?:은|인)?[ ]?\(?$")
_OF_A_TABLE = frozenset({Level.ROW, Level.COLUMN})


class Relation(StrEnum):
    """Relation of the sources to a figure of an answer."""

    HELD = "held"
    """They have its value, and nothing shows that it is another thing's."""
    MOVED = "moved"
    """They have its value beside others, each of its own thing; it is another one's."""
    ELSEWHERE = "elsewhere"
    """They have another value where they speak of the same, and its value only elsewhere."""
    OTHER_SIDE = "other_side"
    """They have its value, but say it of its other side: at least for at most."""
    OTHER_BASE = "other_base"
    """They have its value, but for another time or trip: 월 4만 원 for 주 4만 원."""
    DIFFERS = "differs"
    """They have another value where they speak of the same."""
    ABSENT = "absent"
    """They have no such value, and none to compare it with."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure of an answer, compared with the sources.

    Attributes:
        held: How the sources stand to it.
        right: The figure that the sources have for what the answer speaks of; None if unknown.
        likeness: How much the answer's clause and the claim of `right` share, from 0 to 1.
        same: The figure of the same value that fits best; None if there is none.
    """

    held: Relation
    right: Figure | None = None
    likeness: float = 0.0
    same: Figure | None = None


class _Member(NamedTuple):
    """A figure of a set in which each has its own label.

    Attributes:
        figure: The figure.
        label: The features that only it has in the set.
        words: How rare each word of the label is, for each of the names that it gives
            (`경남·부산 7원`); each figure, in a label without words.
    """

    figure: Figure
    label: frozenset[str]
    words: Sequence[Mapping[str, float]]

    def share(self, near: frozenset[str]) -> float:
        """Return the share of its label that an answer names; one of several names will do."""
        return max((self._share(one, near) for one in self.words), default=0.0)

    @staticmethod
    def _share(words: Mapping[str, float], near: frozenset[str]) -> float:
        whole = sum(words.values())
        named = sum([rare for word, rare in words.items() if word in near])
        return named / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class Talk:
    """What an exchange names, as features.

    Attributes:
        asked: What the question is about.
        said: All that the answer says.
    """

    asked: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()


class SourceFigures:
    """The figures of all sources, and the sets in which they stand beside one another.

    Attributes:
        figures: All of them, in order.
        index: The claims of the sources.
        values: Each value that they give, with its dimension.
    """

    def __init__(self, sources: SourceSet) -> None:
        self.index = sources.once(SourceIndex)
        self.figures: list[Figure] = []
        self._in_headings: list[Measure] = []
        for number, reading in enumerate(self.index.readings):
            source = sources.parts[number].source
            self.figures += figures_in(reading, source.title if source else "", number)
            if source is not None:
                heading = f"{source.title} {source.file}"
                self._in_headings += [one.measure for one in label_figures(heading)]
        self.values = frozenset(
            (one.measure.dimension, value) for one in self.figures for value in one.measure.values
        )
        self._weights: dict[tuple[int, int], float] = {}
        self._sides: dict[tuple[int, int], Side] = {}
        self._with_value: dict[Measure, Sequence[Figure]] = {}
        self._labelled: dict[int, tuple[_Member, ...]] = {}

    @lazy
    def _tells_open_days(self) -> bool:
        return any(tells_open_days(one.page.plain) for one in self.index.readings)

    @lazy
    def _sets(self) -> Sequence[Sequence[Figure]]:
        """The sets of figures of which each has its own label, in order."""
        return [*self._sibling_sets()]

    @lazy
    def _sets_of(self) -> Mapping[tuple[int, int], Sequence[int]]:
        """The numbers of the sets that each figure is in."""
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for number, members in enumerate(self._sets):
            for one in members:
                found[one.place].append(number)
        return found

    def _members_beside(self, place: tuple[int, int]) -> list[Sequence[_Member]]:
        """Return the sets that a figure is in, each with what tells its members apart."""
        numbers = self._sets_of.get(place, ())
        for number in numbers:
            if number not in self._labelled:
                self._labelled[number] = self._with_labels(self._sets[number])
        return [self._labelled[number] for number in numbers]

    def _sibling_sets(self) -> Iterable[list[Figure]]:
        found: dict[tuple[str, ...], list[Figure]] = defaultdict(list)
        for figure in self.figures:
            if figure.measure.dimension == Dimension.BARE:
                continue
            claim, block, group = figure.claim, figure.claim.block, figure.group
            source = str(figure.source)
            found["sentence", source, str(claim.sentence), group].append(figure)
            if block.table > 0:
                found["column", source, f"{block.table}:{block.column}", group].append(figure)
                found["row", source, f"{block.table}:{block.line}", group].append(figure)
            above = (
                label.text for label in block.labels if label.level in {Level.HEADING, Level.PARENT}
            )
            found["list", source, *above, group].append(figure)
        return (
            members
            for members in found.values()
            if len(members) <= _LARGEST_SET and len({one.measure for one in members}) > 1
        )

    def _with_labels(self, members: Sequence[Figure]) -> tuple[_Member, ...]:
        """Return the figures of a set with what tells each from those of other values."""
        near = [
            frozenset(
                feature
                for feature, weight in one.context.items()
                if weight >= _NEAR and feature[0] != "@"
            )
            for one in members
        ]
        # Each value by its number, as fractions take long to compare.
        numbers: dict[Measure, int] = {}
        values = [numbers.setdefault(one.measure, len(numbers)) for one in members]
        found = []
        for at, one in enumerate(members):
            others = [
                near[number]
                for number, other in enumerate(members)
                if values[number] != values[at]
                and not (one.sentence is other.sentence and _are_ends(one, other))
            ]
            label = near[at].difference(_topic(one), *others)
            words = frozenset(feature for feature in label if feature[0] != "=") or label
            names = [
                {word: self.index.rarity(word) for word in name} for name in _names_of(one, words)
            ]
            found.append(_Member(one, label, names))
        return tuple(found)

    def beside(self, figure: Figure) -> Iterable[Figure]:
        """Yield the figures that stand in one column, list or sentence with a figure."""
        for number in self._sets_of.get(figure.place, ()):
            for one in self._sets[number]:
                if one is not figure and _is_of_other_row(one, figure):
                    yield one

    def with_value(self, measure: Measure) -> Sequence[Figure]:
        """Return the figures of a value, in whatever notation."""
        found = self._with_value.get(measure)
        if found is None:
            if len(self._with_value) >= _MOST_VALUES_KEPT:
                self._with_value.clear()
            near = {place for key in keys_of(measure) for place in self._by_key.get(key, ())}
            figures = [self.figures[place] for place in sorted(near)]
            found = [one for one in figures if same_value(measure, one.measure)]
            self._with_value[measure] = found
        return found

    @lazy
    def _by_key(self) -> dict[int | Fraction, list[int]]:
        found: dict[int | Fraction, list[int]] = defaultdict(list)
        for place, figure in enumerate(self.figures):
            for key in keys_of(figure.measure):
                found[key].append(place)
        return found

    @lazy
    def _by_group(self) -> dict[str, list[Figure]]:
        found: dict[str, list[Figure]] = defaultdict(list)
        for figure in self.figures:
            if figure.measure.dimension != Dimension.BARE:
                found[figure.group].append(figure)
        return found

    def bind(self, figure: Figure, talk: Talk | None = None) -> Bound:
        """Hold a figure of an answer against those of the sources.

        Args:
            figure: The figure.
            talk: What question and answer name besides; None if that is not to tell anything.
        """
        same, others = self._candidates(figure)
        asking = self.index.asking(figure.context)
        best = self._closest(asking, same)
        if not same and (
            self._has_ends(figure)
            or self._has_same_side(figure)
            or self._is_in_heading(figure)
            or self._is_in_other_words(figure)
        ):
            return Bound(Relation.HELD)
        if not same:
            return self._without_value(figure, asking, others)
        here = best[1] if best else same[0]
        if figure.measure.dimension == Dimension.BARE:
            return Bound(Relation.HELD, same=here)
        likeness = best[0] if best else 0.0
        moved = None
        if not self._is_label(figure):
            moved = self._by_label(figure, asking, same, likeness) or self._by_question(
                figure, same, talk or Talk()
            )
        if moved is not None:
            fits = self._likeness(asking, moved)
            held = Relation.MOVED if _is_surely(moved, likeness, fits) else Relation.HELD
            return Bound(held, moved, fits, here)
        if best is not None and figure.group not in _POINTS:
            meant = self._by_context(figure, asking, best, others)
            if meant is not None:
                return Bound(Relation.ELSEWHERE, meant, self._likeness(asking, meant), here)
        return self._aside(figure, asking, same, (likeness, here))

    def _without_value(self, figure: Figure, asking: Asking, others: Sequence[Figure]) -> Bound:
        """Hold a figure whose value no source has against what they say of the same."""
        # 1일 10만 원 says for how long an amount is, and nothing of 12일.
        if not _has_amount_behind(figure):
            others = [one for one in others if not _is_unit_of_rate(one)]
        other = self._closest(asking, self._in_other_units(figure))
        if other is None or other[0] < BINDING.speaks_of_the_same:
            other = self._closest(asking, others)
        if other is not None and other[0] >= BINDING.speaks_of_the_same:
            return Bound(Relation.DIFFERS, other[1], other[0])
        return Bound(Relation.ABSENT, other[1] if other else None, other[0] if other else 0.0)

    def _aside(
        self, figure: Figure, asking: Asking, same: Sequence[Figure], best: tuple[float, Figure]
    ) -> Bound:
        """Hold the words beside a figure that the sources have against theirs."""
        likeness, here = best
        sources = [one for one in same if one.group == figure.group]
        other_base = self._for_other_base(figure, asking, sources)
        if other_base is not None:
            return Bound(Relation.OTHER_BASE, other_base[1], other_base[0], here)
        other_side = self._on_other_side(figure, asking, sources)
        if other_side is not None:
            return Bound(Relation.OTHER_SIDE, other_side[1], other_side[0], here)
        return Bound(Relation.HELD, same=here, likeness=likeness)

    def _is_label(self, figure: Figure) -> bool:
        """Tell whether a row or column is labelled by a figure: it says which value is meant."""
        return any(same_value(figure.measure, one) for one in self._in_labels)

    @lazy
    def _in_labels(self) -> frozenset[Measure]:
        texts = {
            label.text
            for one in self.figures
            for label in one.claim.block.labels
            if label.level in _OF_A_TABLE
        }
        return frozenset(one.measure for text in texts for one in label_figures(text))

    def _is_in_heading(self, figure: Figure) -> bool:
        # A heading that names a year says nothing of a day in it.
        return any(
            same_value(figure.measure, one) and one not in parts_of(figure.measure)
            for one in self._in_headings
        )

    def _is_in_other_words(self, figure: Figure) -> bool:
        """Tell whether a figure says politely what a source has: 전문의 4분, 4명; 132번, 132."""
        number, text = written_number(figure), figure.quantity.text
        if text.endswith("번"):
            alone = re.compile(rf"(?<![\d.,-]){re.escape(number)}(?![\d.,-])")
            return any(alone.search(one.page.plain) for one in self.index.readings)
        return text.endswith("분") and any(
            one.measure.dimension == Dimension.PEOPLE and written_number(one) == number
            for one in self.figures
        )

    def _has_ends(self, figure: Figure) -> bool:
        """Tell whether the sources have both ends of a range by themselves (13:00~17:00)."""
        dimension, values, *_ = figure.measure
        return len(values) > 1 and all(
            self.with_value(Measure(dimension, (value,))) for value in values
        )

    def _has_same_side(self, figure: Figure) -> bool:
        """Tell whether the sources say the same side of another count: 6개 이상, 5개를 넘으면."""
        if figure.measure.dimension not in DISCRETE or not is_on_a_side(figure):
            return False
        own = side_of(figure)
        return own.is_low is not None and any(
            is_on_a_side(one) and self._side_of(one).values == own.values
            for one in self._by_group.get(figure.group, ())
        )

    def _candidates(self, figure: Figure) -> tuple[list[Figure], list[Figure]]:
        """Return the source figures of the same value, and the comparable ones of another."""
        bare = Dimension.BARE
        same = list(self.with_value(figure.measure))
        typed = [one for one in same if one.measure.dimension != bare]
        if not typed and figure.measure.dimension != bare:
            same = same[:1]
        places = {one.place for one in same}
        others = self._by_group.get(figure.group, ())
        if _is_day_of_month(figure):
            others = [one for one in others if _is_day_of_month(one)]
        return (typed or same), [one for one in others if one.place not in places]

    def _in_other_units(self, figure: Figure) -> list[Figure]:
        """Return the figures of the same number in another unit: 50만 달러 for 50만 원."""
        # 2인 and 2석 may count the same.
        is_amount = _is_measured(figure) and not _is_day_of_month(figure)
        number = written_number(figure) if is_amount else ""
        unit = unit_of(figure)
        return [
            one
            for one in self.figures
            if number
            and _is_measured(one)
            and unit_of(one) != unit
            and written_number(one) == number
        ]

    def _closest(self, asking: Asking, among: Iterable[Figure]) -> tuple[float, Figure] | None:
        best: tuple[float, Figure] | None = None
        for one in among:
            likeness = self._likeness(asking, one)
            if best is None or likeness > best[0]:
                best = (likeness, one)
        return best

    def likeness_to(self, context: Context) -> list[tuple[float, Figure]]:
        """Return all figures, each with how much of a context it shares, from 0 to 1."""
        asking = self.index.asking(context)
        return [(self._likeness(asking, one), one) for one in self.figures]

    def _likeness(self, asking: Asking, figure: Figure) -> float:
        return asking.likeness(figure.context, self._weight(figure))

    def _weight(self, figure: Figure) -> float:
        """Return the weight of a source's figure among all that the sources say."""
        weight = self._weights.get(figure.place)
        if weight is None:
            weight = self._weights[figure.place] = self.index.weight(figure.context)
        return weight

    def _for_other_base(
        self, figure: Figure, asking: Asking, sources: Sequence[Figure]
    ) -> tuple[float, Figure] | None:
        """Return the figure of the same value that the sources give for another time or trip.

        Days on which an office is open are another base than days.
        """
        if counts_open_days(figure):
            is_other = not self._tells_open_days
        elif sources and all(map(counts_open_days, sources)):
            is_other = not any(tells_open_days(one.text) for one in figure.sentence)
        else:
            base = base_of(figure)
            bases = {other for one in sources if is_comparable(base, other := base_of(one))}
            is_other = bool(bases) and base not in bases
        best = self._closest(asking, sources if is_other else ())
        return best if best and best[0] >= BINDING.speaks_of_the_same else None

    def _on_other_side(
        self, figure: Figure, asking: Asking, told_so: Sequence[Figure]
    ) -> tuple[float, Figure] | None:
        """Return the figure of the same value that the sources say on another side of it.

        Nothing is told by a value that they have on the answer's side, whatever they say of it.
        """
        if figure.claim.clause.is_concession or not is_on_a_side(figure):
            return None
        own = side_of(figure)
        sources = [(one, self._side_of(one)) for one in told_so]
        if any(own.is_as(side) for _, side in sources):
            return None
        # 1년 이상이면 30%, 1년이 안 되면 20만 원: the answer has the sources' side, too.
        beside = [
            side_of(replace(figure, quantity=one, claim=claim))
            for claim in figure.sentence
            for one in claim.clause.figures
            if one.measure == figure.measure
        ]
        if any(one.is_as(side) and side.is_one for one in beside for _, side in sources):
            return None
        near = [
            (likeness, one, side)
            for one, side in sources
            if (likeness := self._likeness(asking, one)) >= BINDING.other_side
            # The label of a row names a case: what is said about it stands behind.
            and one.claim.block.is_heading <= figure.claim.block.is_heading
        ]
        if not near or not all(contradicts(own, side) for *_, side in near):
            return None
        likeness, right, _ = max(near, key=lambda one: one[0])
        return likeness, right

    def _side_of(self, figure: Figure) -> Side:
        """Return the side of a figure of the sources."""
        if figure.place not in self._sides:
            self._sides[figure.place] = side_of(figure)
        return self._sides[figure.place]

    def _by_context(
        self,
        figure: Figure,
        asking: Asking,
        best: tuple[float, Figure],
        others: Iterable[Figure],
    ) -> Figure | None:
        """Return the figure of the claim that the answer repeats, if its own value is far from it.

        Figures of one sentence are distinguished by their labels alone.
        """
        here = best[1]
        if here.claim.block.is_cell or _is_one(here):
            # A cell says too little to be distinguished from others; one of a thing stands
            # everywhere.
            return None
        least = max(BINDING.speaks_of_the_same, best[0] + BINDING.closer_by - _ROUNDED)
        if least > 1:
            return None
        elsewhere = (
            one
            for one in others
            if asking.most(self._weight(one)) >= least
            and one.measure.dimension == figure.measure.dimension
            and not _is_one(one)
            and _is_about_near(figure, one)
            and (one.source, one.claim.sentence) != (here.source, here.claim.sentence)
        )
        near = [(self._likeness(asking, one), one) for one in elsewhere]
        nearest = sorted(
            (
                (likeness, one)
                for likeness, one in near
                if likeness >= BINDING.speaks_of_the_same
                and likeness - best[0] >= BINDING.closer_by
            ),
            key=lambda one: -one[0],
        )
        return next((one for _, one in nearest if not self._is_named(figure, here, one)), None)

    @staticmethod
    def _is_named(figure: Figure, here: Figure, other: Figure) -> bool:
        """Tell whether the answer names something that only its own value is about."""
        return _goes_on_alike(figure, here) or any(
            feature[0] != "@"
            and (
                (
                    weight >= BINDING.beside
                    and here.context.get(feature, 0.0) >= _NEAR
                    and other.context.get(feature, 0.0) < BINDING.beside
                )
                # 12개월분을 사면 무료: what a condition leads to.
                or (
                    weight >= _LED_TO
                    and here.context.get(feature, 0.0) >= _LED_TO
                    and feature not in other.context
                )
            )
            for feature, weight in figure.context.items()
        )

    def _by_label(
        self, figure: Figure, asking: Asking, same: Sequence[Figure], likeness: float
    ) -> Figure | None:
        """Return the figure whose label the answer names, where it gives the value of another."""
        if figure.group in _LABELS:
            return None
        near = frozenset(
            feature
            for feature, weight in figure.context.items()
            if weight >= _NEAR and feature[0] != "@"
        )
        found: tuple[float, Figure] | None = None
        places = {one.place for one in same if one.group == figure.group}
        for place in sorted(places):
            sets = self._members_beside(place)
            own = [one for members in sets for one in members if one.figure.place == place]
            named = [self._named_instead(figure, members, places, near) for members in sets]
            others = [one for one in named if one is not None]
            if not others and any(one.share(near) >= BINDING.label_named for one in own):
                return None
            for one in others:
                fits = self._likeness(asking, one)
                if fits > likeness and (found is None or fits > found[0]):
                    found = (fits, one)
        return found[1] if found else None

    def _by_question(self, figure: Figure, same: Sequence[Figure], talk: Talk) -> Figure | None:
        """Return the figure of what the question names, where the answer names nothing."""
        if figure.group in _LABELS:
            return None
        places = {one.place for one in same if one.group == figure.group}
        found: Figure | None = None
        for place in sorted(places):
            own_sets = self._members_beside(place)
            named = [self._asked_instead(members, places, talk) for members in own_sets]
            others = [one for one in named if one is not None]
            if not others:
                return None
            found = found or others[0]
        return found

    @staticmethod
    def _asked_instead(
        members: Sequence[_Member], places: Collection[tuple[int, int]], talk: Talk
    ) -> Figure | None:
        own = [one for one in members if one.figure.place in places]
        rest = [one for one in members if one.figure.place not in places]
        words = [feature for one in own for feature in one.label if feature[0] != "="]
        if not words or any(feature in talk.asked or feature in talk.said for feature in words):
            return None
        named = [one for one in rest if one.share(talk.asked | talk.said) > 0]
        if (
            len({one.figure.measure for one in named}) != 1
            or named[0].share(talk.asked) < BINDING.label_named
        ):
            return None
        near = talk.asked | talk.said
        if len(named[0].words) == 1 and _is_told_apart_by_another(named[0], own, near):
            return None
        if not any(feature[0] != "=" for feature in named[0].label & talk.asked):
            return None
        if any(_is_remark_on(named[0].figure, one.figure) for one in own):
            return None
        return named[0].figure

    @staticmethod
    def _named_instead(
        figure: Figure,
        members: Sequence[_Member],
        places: Collection[tuple[int, int]],
        near: frozenset[str],
    ) -> Figure | None:
        """Return the figure of a set that an answer names without giving its value."""
        own = [one for one in members if one.figure.place in places]
        if any(not one.label.isdisjoint(figure.context) for one in own):
            return None
        value = key_of(figure.measure)
        rest = [
            one
            for one in members
            if one.figure.place not in places and value not in one.figure.context
        ]
        if not rest:
            return None
        named = max(rest, key=lambda one: one.share(near))
        # A value without a label of its own is the general one: only what is named whole takes
        # its place.
        least = BINDING.label_named if all(one.label for one in own) else 1.0
        is_named = named.share(near) >= least and _says_which(named, own, near)
        is_of_one_label = any(
            _is_remark_on(named.figure, one.figure) or _are_ends(named.figure, one.figure)
            for one in own
        )
        return named.figure if is_named and not is_of_one_label else None


_TILL = re.compile(
    r"\s*(?:부터|에서|및|와|과|또는)?\s*[/,·]?\s*"
    r"|[^,/;()]{0,10}[~∼～–-]\s*(?:당일|다음 날|익일)?\s*"
)
_AND = re.compile(r"\s*(?:[·/,]|및|또는|혹은)\s*")


def _are_ends(one: Figure, other: Figure) -> bool:
    """Tell whether two figures stand side by side under one label: 09:00~18:00, 9시/11시."""
    first, second = sorted((one, other), key=lambda figure: figure.start)
    if one.claim is not other.claim:
        return one.sentence is other.sentence and _is_without_words(second)
    begin = one.claim.clause.start
    between = one.claim.text[first.quantity.end - begin : second.quantity.start - begin]
    return _TILL.fullmatch(between) is not None


def _says_which(named: _Member, own: Sequence[_Member], near: frozenset[str]) -> bool:
    """Tell whether an answer names a label by a word, or by its number among numbers (3단지)."""
    said = named.label & near
    if any(feature[0] != "=" for feature in said):
        return len(named.words) > 1 or not _is_told_apart_by_another(named, own, near)
    return bool(said) and all(one.label and all(map(_is_bare, one.label)) for one in (*own, named))


def _is_told_apart_by_another(named: _Member, own: Sequence[_Member], near: frozenset[str]) -> bool:
    """Tell whether the word right before a figure tells it from its neighbour, and is not named.

    스키 세트 22,000원 names neither 대인 nor 소인 of 스키 세트 대인 30,000원 / 소인 22,000원.
    """
    word = _nearest(named)
    others = [_nearest(one) for one in own]
    return bool(
        word and near.isdisjoint(word) and all(one and one.isdisjoint(word) for one in others)
    )


def _nearest(member: _Member) -> frozenset[str]:
    """Return the word right before a figure, as features; empty if its label stands behind it."""
    words = [
        word
        for word in member.figure.claim.clause.words
        if word.end <= member.figure.quantity.start and not word.is_light
    ]
    if member.label and all(member.label.isdisjoint(word.features) for word in words):
        return frozenset()
    return frozenset(words[-1].features) if words else frozenset()


def _is_bare(feature: str) -> bool:
    return feature.startswith("=bare:")


def _is_without_words(figure: Figure) -> bool:
    """Tell whether a figure is all that its clause says: the second of `출발 9시 / 11시`."""
    start, end = figure.quantity.start, figure.quantity.end
    return all(start <= word.start < end for word in figure.claim.clause.words)


def _is_about_near(figure: Figure, other: Figure) -> bool:
    """Tell whether a figure of the sources is about anything that stands right at another."""
    return any(
        weight >= _NEAR and feature[0] != "@" and other.context.get(feature, 0.0) >= BINDING.beside
        for feature, weight in figure.context.items()
    )


def _goes_on_alike(figure: Figure, other: Figure) -> bool:
    """Tell whether the same words stand right behind both: 8년의 의무 운행, 8년간 의무 운행."""
    behind = []
    for one in (figure, other):
        text = one.claim.text[one.end - one.claim.start :]
        behind.append(_TIE.sub("", text, count=1).replace(" ", "")[:_ALIKE_CHARS])
    return behind[0] == behind[1] and _ALIKE.fullmatch(behind[0]) is not None


def _is_day_of_month(figure: Figure) -> bool:
    """Tell whether a number of days is a day of the month: its hour or weekday stands beside it."""
    if figure.measure.dimension != Dimension.DAYS:
        return False
    start, end = figure.start - figure.claim.start, figure.end - figure.claim.start
    return (
        _DAY_BEHIND.match(figure.claim.text, end) is not None
        or _DAY_BEFORE.search(figure.claim.text[:start]) is not None
    )


def _is_unit_of_rate(figure: Figure) -> bool:
    """Tell whether a figure is the one for which an amount is given: 1일 10만 원, 1인당 3잔."""
    return written_number(figure) == "1" and _has_amount_behind(figure)


def _has_amount_behind(figure: Figure) -> bool:
    behind = figure.claim.text[figure.end - figure.claim.start :]
    return _AMOUNT_BEHIND.match(behind) is not None


def _is_of_other_row(one: Figure, other: Figure) -> bool:
    """Tell whether two figures stand in different rows of one column, or outside of tables."""
    first, second = one.claim.block, other.claim.block
    return first.table != second.table or (
        first.table < 0 or (first.column == second.column and first.line != second.line)
    )


def _is_remark_on(figure: Figure, other: Figure) -> bool:
    """Tell whether a figure stands in a bracket behind another one: 09:00~18:00(점심 12시 제외)."""
    if figure.claim is not other.claim or figure.start < other.start:
        return False
    begin = figure.claim.clause.start
    between = figure.claim.text[other.quantity.end - begin : figure.quantity.start - begin]
    return between.count("(") > between.count(")")


def _names_of(figure: Figure, label: frozenset[str]) -> Sequence[frozenset[str]]:
    """Return the words of a label by the names that it gives: two in `경북·대구 650,000원`."""
    clause, begin = figure.claim.clause, figure.claim.clause.start
    names: list[frozenset[str]] = []
    end = None
    for word in clause.words:
        own = label.intersection(word.features)
        if word.start >= figure.quantity.start:
            break
        if (
            end is not None
            and names
            and not _AND.fullmatch(figure.claim.text, end, word.start - begin)
        ):
            names[-1] |= own
        else:
            names.append(own)
        end = word.end - begin
    found = [name for name in names if name]
    return found if len(found) > 1 and label == frozenset().union(*found) else [label]


def _is_measured(figure: Figure) -> bool:
    """Tell whether a figure measures, and does not count things: 3개월, 50만 원, 2kg."""
    dimension = figure.measure.dimension
    if not isinstance(dimension, Dimension):
        return dimension in _CURRENCIES
    return dimension not in {Dimension.BARE, Dimension.PEOPLE}


def _is_one(figure: Figure) -> bool:
    return figure.quantity.text.startswith("1") and not figure.quantity.text[1:2].isdigit()


def figures_in(reading: Reading, title: str, source: int) -> Iterable[Figure]:
    """Yield the figures of a text with what each is about.

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


def _topic(figure: Figure) -> frozenset[str]:
    """Return the features of what a sentence is about: 이용료는 in 이용료는 성인 9원, 소인 7원.

    A sentence that names several topics tells them apart by them.
    """
    words = [word for claim in figure.sentence for word in claim.clause.words]
    marked = [at for at, word in enumerate(words) if word.particle in _TOPIC]
    same = [
        one
        for claim in figure.sentence
        for one in claim.clause.figures
        if group_of(one.measure) == figure.group
    ]
    if len(marked) != 1 or len(same) < 2 or words[marked[0]].end > same[0].start:
        return frozenset()
    return frozenset(feature for word in words[: marked[0] + 1] for feature in word.features)


def _is_surely(moved: Figure, own: float, fits: float) -> bool:
    """Tell whether a figure is surely given in the place of another one.

    The row of a table says which it is; elsewhere the words must speak of the other one, and much
    more so than of what has the value itself.

    Args:
        moved: The other one.
        own: How like the answer is to what has the value.
        fits: How like it is to the other one.
    """
    if moved.claim.block.is_cell:
        return True
    if fits < BINDING.speaks_of_the_same:
        return False
    return own < BINDING.speaks_of_the_same or fits - own >= BINDING.moved_by
