"""Closes the text around citation marks that were taken out.

Nothing of a mark stays behind: no doubled blank, no blank before a full stop, no empty brackets,
no joining comma, no ``출처:`` without a source and no ``에 따르면,`` without a document. A sentence
that is about the mark itself (``[7]은 연차를 정한다``) has no meaning without it and cannot be
healed.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

from guards.core.finding import Span
from guards.text.particles import agreeing, particle_at, stem
from guards.text.slots.citation_mark import CitationMark
from policies.citing import phrases
from policies.citing.around import (
    BLANKS,
    Around,
    Closing,
    is_free_standing,
    is_noun,
    is_open,
    listed,
    pointing,
    spaced,
    taken_over,
    whole_line,
)
from policies.edits import Edit

_LOOK_CHARS = 160
_CLOSER_OF = dict(zip("([（【「『", ")]）】」』", strict=True)) | {
    "**": "**",
    "__": "__",
    "<sup>": "</sup>",
    "<small>": "</small>",
}
_SUBJECT_ENDINGS = ("이", "가")
_start_of = attrgetter("start")


@dataclass(frozen=True, slots=True)
class Healing:
    """Edits that close the gaps in a text after removals.

    Attributes:
        edits: What closes it up.
        lost: Places of marks without which their sentences have no meaning.
    """

    edits: tuple[Edit, ...]
    lost: tuple[int, ...]


def heal(text: str, places: Iterable[int], marks: Sequence[CitationMark]) -> Healing:
    """Return how a text closes up.

    Args:
        text: The text without the marks.
        places: Where in it marks were taken out.
        marks: The marks that it still has, in order.
    """
    edits: list[Edit] = []
    lost: list[int] = []
    floor = 0
    for start, end, ceiling in _regions(text, places):
        closing = _closing(_around(text, start, end, marks))
        if closing is None:
            lost.append(start)
            continue
        span = Span(max(floor, start - closing.left), min(ceiling, end + closing.right))
        floor = span.end
        if closing.text or span.start < span.end:
            edits.append(Edit(span, closing.text))
    return Healing(tuple(edits), tuple(lost))


def _around(text: str, start: int, end: int, marks: Sequence[CitationMark]) -> Around:
    begin = max(0, start - _LOOK_CHARS)
    at = bisect_left(marks, start, key=_start_of)
    before = marks[at - 1].end - begin if at else -1
    behind = marks[at].start - end if at < len(marks) else _LOOK_CHARS
    return Around(
        text[begin:start],
        text[end : end + _LOOK_CHARS],
        before if before >= 0 else None,
        behind if 0 <= behind < _LOOK_CHARS else None,
    )


def _regions(text: str, places: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the stretches in which nothing but marks stood, each with where the next one begins."""
    stretches: list[list[int]] = []
    for place in sorted(set(places)):
        if stretches and phrases.ONLY_JOINS.fullmatch(text, stretches[-1][1], place):
            stretches[-1][1] = place
        else:
            stretches.append([place, place])
    for (start, end), (following, _) in pairwise([*stretches, [len(text), len(text)]]):
        yield start, end, following


def _closing(around: Around) -> Closing | None:
    for rule in (_in_brackets, listed, _joined, whole_line, pointing, _framed):
        closing = rule(around)
        if closing is not None:
            return closing
    if _is_held(around.right) and is_free_standing(around.left):
        return _held_by_the_word_before(around)
    return spaced(around)


def _in_brackets(around: Around) -> Closing | None:
    """Brackets, or signs of emphasis, that hold nothing any more."""
    opened, closed = phrases.OPENED.search(around.left), phrases.CLOSED.match(around.right)
    if opened is None or closed is None or _CLOSER_OF[opened["open"]] != closed["close"]:
        return None
    if opened["open"] == closed["close"] and not is_open(opened["open"], around.left):
        return None
    outside = around.outside(opened.start(), closed.end())
    more = _joined(outside) or whole_line(outside) or _rejoined(outside)
    gone = len(around.left) - opened.start()
    return Closing(gone + more.left, closed.end() + more.right, more.text)


def _rejoined(around: Around) -> Closing:
    """A particle behind brackets belongs to the word before them, or else all is as usual."""
    before = around.left.rstrip(BLANKS)
    if before and _is_held(around.right):
        return taken_over(around, before, len(around.left) - len(before))
    return spaced(around)


def _joined(around: Around) -> Closing | None:
    """A comma or an ``and`` that joined the mark to one that stays."""
    at = around.mark_behind
    behind = None if at is None else phrases.JOINER_BEFORE.fullmatch(around.right, 0, at)
    if behind:
        return Closing(right=behind.end("joiner"))
    at = around.mark_before
    before = None if at is None else phrases.JOINER_BEHIND.fullmatch(around.left, at)
    if before is None:
        return None
    particle = particle_at(around.right, 0)
    word = around.left[: before.start("joiner")]
    return Closing(len(before["joiner"]), len(particle), agreeing(particle, word))


def _framed(around: Around) -> Closing | None:
    """``[7]에 따르면,`` and the like, where the mark is all that it names."""
    frame = phrases.FRAME.match(around.right)
    if frame is None:
        return None
    if label := phrases.LABEL_BEFORE.search(around.left):
        return Closing(len(label[0]), frame.end())
    words = around.left.split()
    names_itself = words and is_noun(words[-1])
    if not is_free_standing(around.left) or names_itself or _is_doubtful(around.left):
        return None
    return Closing(right=frame.end())


def _held_by_the_word_before(around: Around) -> Closing | None:
    """Return how a particle that has lost its mark finds its word; None if it was the mark's own.

    ``규정 [7]은`` has a word of its own; ``근거는 [7]입니다`` has none, nor has ``출처 [7]은``.
    """
    before = around.left
    if label := phrases.LABEL_BEFORE.search(before):
        before = before[: label.start()]
    words = before.split()
    blanks = len(around.left) - len(around.left.rstrip(BLANKS))
    if not words or not blanks or not is_noun(words[-1]):
        return None
    return taken_over(around, around.left.split()[-1], blanks)


def _is_held(right: str) -> bool:
    """Tell whether a text begins with what needs a word before it: a particle, ``입니다``, ``번``.

    ``에서는`` is a particle of two; what follows a number and is no particle is a word of its own.
    """
    word = phrases.HANGUL.match(right)
    if word is None:
        return False
    return phrases.COPULA.match(right) is not None or stem(f"0{word[0]}") == "0"


def _is_doubtful(left: str) -> bool:
    """Tell whether the word before may be a noun (휴가) as well as the subject of a clause."""
    return left.rstrip(BLANKS).endswith(_SUBJECT_ENDINGS)
