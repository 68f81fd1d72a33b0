"""Figures that an answer frames otherwise than the sources: ``15일 이상`` where they say ``15일``.

Compared are only sentences that speak of the same: ``다녀온 뒤 3일 이내`` against ``3일 전까지``,
``시작일`` against ``…까지``. What says the same from the other side (``7일이 지나면 환불되지
않습니다`` for ``7일 이내에 환불``) has another polarity, and is left alone.
"""

import re

from guards.core.reading import Text
from guards.text.bonds import Bond, bonds_by_key
from guards.text.figure_frames import Frame, Lean, frame_of, is_negated, kept_frame_of
from guards.text.likeness import kept_words_of, words_of
from guards.text.moved import Home
from guards.text.passages import Passages, Place
from guards.text.slots.quantity import Comparator, Quantity
from guards.text.tokens import content_words

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


class Misframed:
    """How the figures of the sources are framed."""

    def __init__(self, passages: Passages) -> None:
        self._passages = passages
        self._by_key = [bonds_by_key(text) for _, text in passages.texts()]

    def right_home(self, bond: Bond, answer: Text) -> Home | None:
        """Return where the sources give a figure of the answer in another frame, if they all do."""
        quantity = bond.quantity
        frame = frame_of(quantity, answer)
        if frame == Frame():
            return None
        own = self._places_of(bond)
        if not own or len(own) > _MOST_PLACES:
            return None
        if all(kept_frame_of(one.quantity, self._passages.text(at)) == frame for at, one in own):
            return None
        if not any(
            _differs(quantity, answer, frame, one.quantity, self._passages.text(place))
            for place, one in own
        ):
            return None
        words = words_of(answer.sentences[bond.sentence].text)
        alike = [
            (words.share_in(kept_words_of(self._passages.sentence(place))), place, one)
            for place, one in own
        ]
        best = max(likeness for likeness, *_ in alike)
        if best < _least_alike(quantity, frame, is_only=len(own) == 1):
            return None
        for likeness, place, one in alike:
            if likeness >= best - _ABOUT_AS_LIKE and not _differs(
                quantity, answer, frame, one.quantity, self._passages.text(place)
            ):
                return None
        _, place, one = max(alike, key=lambda each: each[0])
        return Home(place, (one.value,))

    def _places_of(self, bond: Bond) -> list[tuple[Place, Bond]]:
        return [
            (Place(number, one.sentence), one)
            for number, known in enumerate(self._by_key)
            for key in bond.value.keys
            for one in known.get(key, ())
        ]


def _least_alike(quantity: Quantity, frame: Frame, is_only: bool) -> float:
    """Return how much of the answer's sentence must stand about a figure of the sources.

    The words that name an end (시작일) stand nowhere in the source. Of the only such figure, what
    says that something is above it (9회를 넘게) or for one of something (1kg당) needs little else.
    """
    says_more = frame.side is Comparator.MORE_THAN and not quantity.comparing_word
    if is_only and (frame.per or says_more):
        return _SAME_FIGURE
    return _SAME_PERIOD if frame.edge else _SAME_SUBJECT


def _differs(said: Quantity, answer: Text, frame: Frame, known: Quantity, source: Text) -> bool:
    """Tell whether two frames of one figure exclude each other."""
    other = kept_frame_of(known, source)
    if other == frame or (other == Frame() and not said.comparing_word):
        return False
    if is_negated(answer, said) != is_negated(source, known):
        return False
    if frame.per and other.per:
        return frame.per != other.per
    if frame.edge and other.edge:
        return frame.edge != other.edge and said.comparing_word not in {"이후", "이전"}
    if frame.lean and other.lean:
        return _leans_elsewhere(frame.lean, other.lean) and _goes_on_alike(
            answer, said, source, known
        )
    return _covers_another_side(said, answer, frame, known, source, other)


def _leans_elsewhere(one: Lean, other: Lean) -> bool:
    return {one, other} in ({Lean.BEFORE, Lean.WITHIN_AFTER}, {Lean.PAST, Lean.WITHIN_AFTER})


def _goes_on_alike(answer: Text, said: Quantity, source: Text, known: Quantity) -> bool:
    """Tell whether what follows two figures has a word in common."""
    return bool(_words_behind(answer, said) & _words_behind(source, known))


def _words_behind(text: Text, quantity: Quantity) -> set[str]:
    behind = text.raw[quantity.end : quantity.end + _AFTER_CHARS].split("\n")[0]
    return {word.stem for word in content_words(behind) if len(word.stem) > 1}


def _covers_another_side(
    said: Quantity, answer: Text, frame: Frame, known: Quantity, source: Text, other: Frame
) -> bool:
    if {frame.side, other.side} == {Comparator.MORE_THAN, Comparator.AT_LEAST}:
        return True
    if frame.side is None or not said.comparing_word:
        return False
    if other.side is None and _SHARED_SIDE.match(source.raw, known.end):
        return False
    if other.side is None:
        before = source.raw[max(0, known.start - _NEAR_CHARS) : known.start]
        around = (
            _CLAUSE_END.split(before)[-1]
            + _CLAUSE_END.split(source.raw[known.end : known.end + _NEAR_CHARS])[0]
        )
        return (
            said.comparing_word in _EXACT_SIDES
            and not _CONDITION.match(answer.raw, said.end)
            and not _BOUND_WORDS.search(around)
        )
    return (frame.side in _UPPER) != (other.side in _UPPER)
