"""Figures that an answer frames otherwise than the sources: ``15일 이상`` where they say ``15일``.

Compared are only sentences that speak of the same: ``다녀온 뒤 3일 이내`` against ``3일 전까지``,
``시작일`` against ``…까지``. What says the same from the other side (``7일이 지나면 환불되지
않습니다`` for ``7일 이내에 환불``) has another polarity, and is left alone.
"""

import re
from collections.abc import Hashable, Sequence

from guards.core.lazy import lazy
from guards.core.reading import SourceSet, Text
from guards.text.bound_figures import KnownFigures
from guards.text.figure_frames import Frame, Lean, frame_of, is_negated, kept_frame_of
from guards.text.figure_values import Figure
from guards.text.likeness import kept_words_of, words_of
from guards.text.moved import Home
from guards.text.passages import Passages
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.tokens import subjects
from guards.text.values import Value

_SAME_SUBJECT, _SAME_PERIOD, _SAME_FIGURE = 0.5, 0.3, 0.15
_ABOUT_AS_LIKE = 0.2
_MOST_PLACES = 60
_AFTER_CHARS = 24
_NEAR_CHARS = 16
_CLAUSE_END = re.compile(r"[.,;()\n]")
_BOUND_WORDS = re.compile(
    r"이상|이하|초과|미만|이내|최소|최대|넘|까지|부터|경과|지나|한도|적어도|이후|이전"
)
# What only sets a condition (4시간 이상이면) is not what the answer says of the figure.
_CONDITION = re.compile(
    r"[*_]{0,2}[ ]?(?:이상|초과|미만)(?:이?면|인|일|의|[ ](?:시|[가-힣]{1,8}[면할한된]))"
)
# 전공 60학점, 교양 35학점 이상: the word closes both.
_SHARED_SIDE = re.compile(
    r"(?:[,·]|[와과]|[ ]및)[ ]?[가-힣 ]{1,12}\d[\d,.]*[ ]?[가-힣%]{1,4}[ ]?"
    r"(?:이상|이하|초과|미만|이내)"
)
_EXACT_SIDES = frozenset({"이상", "초과", "미만"})
_UPPER = frozenset({Comparator.AT_MOST, Comparator.LESS_THAN})


class _Framed:
    """A figure of a text, how it is framed, and what around it bears on that."""

    def __init__(self, quantity: Quantity, text: Text, frame: Frame) -> None:
        self.quantity = quantity
        self.frame = frame
        self._raw = text.raw

    @lazy
    def is_negated(self) -> bool:
        """Whether the clause that goes on behind it is negated."""
        return is_negated(self._raw, self.quantity)

    @lazy
    def words_behind(self) -> frozenset[str]:
        """The words that follow it in its line."""
        end = self.quantity.end
        behind = self._raw[end : end + _AFTER_CHARS].split("\n")[0]
        return frozenset(stem for _, stem in subjects(behind) if len(stem) > 1)

    @lazy
    def sets_condition(self) -> bool:
        """Whether it only sets a condition."""
        return _CONDITION.match(self._raw, self.quantity.end) is not None

    @lazy
    def may_have_side(self) -> bool:
        """Whether the words around it may say which side of it is meant."""
        start, end = self.quantity.start, self.quantity.end
        if _SHARED_SIDE.match(self._raw, end):
            return True
        before = _CLAUSE_END.split(self._raw[max(0, start - _NEAR_CHARS) : start])[-1]
        behind = _CLAUSE_END.split(self._raw[end : end + _NEAR_CHARS])[0]
        return _BOUND_WORDS.search(before + behind) is not None


class Misframed:
    """How the figures of the sources are framed."""

    def __init__(self, told: SourceSet) -> None:
        self._passages = told.once(Passages)
        self._known = told.once(KnownFigures)
        self._framed: dict[frozenset[Hashable], Sequence[_Framed]] = {}

    def right_home(self, figure: Figure, answer: Text) -> Home | None:
        """Return where the sources give a figure of the answer in another frame, if they all do."""
        quantity = figure.quantity
        frame = frame_of(quantity, answer)
        if frame == Frame():
            return None
        own = self._known.of(figure.value)
        if not own or len(own) > _MOST_PLACES:
            return None
        kept = self._kept(figure.value)
        if all(one.frame == frame for one in kept):
            return None
        said = _Framed(quantity, answer, frame)
        differing = [_differs(said, one) for one in kept]
        if not any(differing):
            return None
        words = words_of(answer.sentences[figure.at].text)
        alike = [words.share_in(kept_words_of(self._passages.sentence(one.place))) for one in own]
        best = max(alike)
        if best < _least_alike(quantity, frame, is_only=len(own) == 1):
            return None
        for likeness, differs in zip(alike, differing, strict=True):
            if likeness >= best - _ABOUT_AS_LIKE and not differs:
                return None
        right = own[alike.index(best)]
        return Home(right.place, (right.figure.value,))

    def _kept(self, value: Value) -> Sequence[_Framed]:
        """Return the figures of the sources that share a reading with a value, with their frames.

        Read once for each value that the sources have.
        """
        if value.keys not in self._framed:
            known = [
                (one.figure.quantity, self._passages.text(one.place))
                for one in self._known.of(value)
            ]
            self._framed[value.keys] = [
                _Framed(quantity, text, kept_frame_of(quantity, text)) for quantity, text in known
            ]
        return self._framed[value.keys]


def _least_alike(quantity: Quantity, frame: Frame, is_only: bool) -> float:
    """Return how much of the answer's sentence must stand about a figure of the sources.

    The words that name an end (시작일) stand nowhere in the source. Of the only such figure, what
    says that something is above it (9회를 넘게) or for one of something (1kg당) needs little else.
    """
    says_more = frame.side is Comparator.MORE_THAN and not quantity.comparing_word
    if is_only and (frame.per or says_more):
        return _SAME_FIGURE
    return _SAME_PERIOD if frame.edge else _SAME_SUBJECT


def _differs(said: _Framed, known: _Framed) -> bool:
    """Tell whether two frames of one figure exclude each other."""
    frame, other, comparing_word = said.frame, known.frame, said.quantity.comparing_word
    if other == frame or (other == Frame() and not comparing_word):
        return False
    if said.is_negated != known.is_negated:
        return False
    if frame.per and other.per:
        return frame.per != other.per
    if frame.edge and other.edge:
        return frame.edge != other.edge and comparing_word not in {"이후", "이전"}
    if frame.lean and other.lean:
        return _leans_elsewhere(frame.lean, other.lean) and not said.words_behind.isdisjoint(
            known.words_behind
        )
    return _covers_another_side(said, known)


def _leans_elsewhere(one: Lean, other: Lean) -> bool:
    return {one, other} in ({Lean.BEFORE, Lean.WITHIN_AFTER}, {Lean.PAST, Lean.WITHIN_AFTER})


def _covers_another_side(said: _Framed, known: _Framed) -> bool:
    side, other = said.frame.side, known.frame.side
    if {side, other} == {Comparator.MORE_THAN, Comparator.AT_LEAST}:
        return True
    comparing_word = said.quantity.comparing_word
    if side is None or not comparing_word:
        return False
    if other is None:
        is_exact = comparing_word in _EXACT_SIDES and not said.sets_condition
        return is_exact and not known.may_have_side
    return (side in _UPPER) != (other in _UPPER)
