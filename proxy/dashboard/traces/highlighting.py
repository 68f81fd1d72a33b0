"""Cuts a text where something is said about it, so that a page can mark the places.

Places may overlap, so that a piece can belong to several of them, and one of them can consist of
several pieces. All places are in code points.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from guards.core.finding import Span
from proxy.traces.trace import Change


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text, and the number of what is said about it."""

    span: Span
    number: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text.

    Attributes:
        text: The piece; empty for a place that has no length.
        numbers: Of all that is said about it, in the order in which their places begin.
        begins: Those of them whose place begins with it.
    """

    text: str
    numbers: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of an answer that left, with what stands in it now and before.

    Attributes:
        same: What left as it came.
        gone: What was taken out behind it.
        put_in: What left instead of that.
    """

    same: str
    gone: str = ""
    put_in: str = ""


def cut(text: str, marks: Iterable[Mark]) -> list[Piece]:
    """Return the pieces of a text; together they are the text, and every mark begins in one.

    What lies outside of the text is moved to its nearest end.
    """
    placed = sorted((_within(mark, len(text)) for mark in marks), key=_by_place)
    borders = {0, len(text), *(place for mark in placed for place in _ends(mark))}
    pieces: list[Piece] = []
    waiting = placed[::-1]
    open_marks: list[Mark] = []
    for start, end in pairwise((*sorted(borders), len(text))):
        open_marks = [mark for mark in open_marks if mark.span.end > start]
        begins: list[int] = []
        while waiting and waiting[-1].span.start == start:
            mark = waiting.pop()
            if mark.span.end == start:
                pieces.append(Piece("", (mark.number,), (mark.number,)))
            else:
                open_marks.append(mark)
                begins.append(mark.number)
        if start < end:
            numbers = tuple(mark.number for mark in open_marks)
            pieces.append(Piece(text[start:end], numbers, tuple(begins)))
    return pieces


def changed(came: str, changes: Sequence[Change]) -> list[Stretch]:
    """Return an answer as it came and left, from one change to the next."""
    pieces: list[Stretch] = []
    position = 0
    for change in changes:
        start, end = change.span.start, change.span.end
        pieces.append(Stretch(came[position:start], came[start:end], change.text))
        position = max(position, end)
    rest = came[position:]
    return [*pieces, Stretch(rest)] if rest else pieces


def _within(mark: Mark, length: int) -> Mark:
    start = min(max(mark.span.start, 0), length)
    end = min(max(mark.span.end, start), length)
    return Mark(Span(start, end), mark.number)


def _by_place(mark: Mark) -> tuple[int, int, int]:
    """Order by where a place begins, the longer first."""
    return mark.span.start, -mark.span.end, mark.number


def _ends(mark: Mark) -> tuple[int, int]:
    return mark.span.start, mark.span.end
