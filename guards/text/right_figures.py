"""Figures that stand right where they stand, whatever is asked and whatever else is said.

Whether the sources have a figure in another frame, or about something else, depends on its sentence
and a little of what stands around it. What was found right once is right in every look at an
answer that grows, and in every answer that says the same of the same sources.
"""

from bisect import bisect_left
from collections.abc import Hashable
from operator import attrgetter

from guards.core.reading import SourceSet, Text
from guards.text.labels import is_prose
from guards.text.sentences import Sentence
from guards.text.slots.quantity import Quantity

_MOST_SENTENCES = 128
# What is read of a figure's frame reaches so far, and of the clause behind it so far.
_BEFORE_CHARS, _BEHIND_CHARS, _CLAUSE_CHARS = 24, 40, 64
_CLAUSE_ENDS = frozenset(".,;()")
# Figures nearer than this may be the ends of one range.
_APART_CHARS = 16
_LONGEST_LINE_CHARS = 2000
_TABLE_MARKS = ("|", "\t")
_start = attrgetter("start")


class RightFigures:
    """The figures that were found right; made once for some sources.

    Args:
        told: The sources; what was found lies with them.
    """

    def __init__(self, told: SourceSet) -> None:
        del told
        self._known: dict[Hashable, set[int]] = {}

    def in_sentence(self, surroundings: Hashable) -> set[int]:
        """Return which figures of a sentence were found right, by where they begin in it."""
        known = self._known.get(surroundings)
        if known is None:
            if len(self._known) >= _MOST_SENTENCES:
                self._known.clear()
            known = self._known[surroundings] = set()
        return known


def surroundings_of(answer: Text, at: int) -> Hashable | None:
    """Return all of an answer on which it depends what is said of a sentence's figures.

    None if that may be anything: in a table, in a line without end, or of a range that another
    sentence closes.

    Args:
        answer: The answer.
        at: The number of the sentence, which has a figure.
    """
    raw, sentence, figures = answer.raw, answer.sentences[at], answer.quantities
    line = _line_of(raw, sentence)
    if line is None or answer.once(_may_have_tables):
        return None
    begin, end = line
    is_alone = "\n" not in sentence.text and is_prose(raw[begin:end])
    inside = (sentence.start, sentence.end) if is_alone else (begin, end)
    first, last = (bisect_left(figures, place, key=_start) for place in inside)
    own = figures[first:last]
    if not own or (first and own[0].start - figures[first - 1].end < _APART_CHARS):
        return None
    if last < len(figures) and figures[last].start - own[-1].end < _APART_CHARS:
        return None
    if is_alone:
        begin = max(begin, own[0].start - _BEFORE_CHARS)
        end = min(end, own[-1].end + _reach(raw[own[-1].end : sentence.end]))
    return (
        raw[begin : sentence.start],
        sentence.text,
        raw[sentence.end : end],
        tuple(_named(one, sentence.start) for one in own),
    )


def _may_have_tables(answer: Text) -> bool:
    return any(mark in answer.raw for mark in _TABLE_MARKS)


def _line_of(raw: str, sentence: Sentence) -> tuple[int, int] | None:
    """Return where the line of a sentence begins and ends, from its first line to its last one."""
    first = max(0, sentence.end - _LONGEST_LINE_CHARS)
    begin = raw.rfind("\n", first, sentence.start) + 1 or first
    last = min(len(raw), begin + _LONGEST_LINE_CHARS)
    end = raw.find("\n", sentence.end, last)
    is_whole = (not begin or raw[begin - 1] == "\n") and (end >= 0 or last == len(raw))
    return (begin, end if end >= 0 else last) if is_whole else None


def _reach(rest: str) -> int:
    """Return how far behind the last figure of a sentence something may bear on it."""
    return _BEHIND_CHARS if any(char in _CLAUSE_ENDS for char in rest) else _CLAUSE_CHARS


def _named(figure: Quantity, start: int) -> Hashable:
    """Return a figure as it stands in its sentence, without fractions: those are slow to hash."""
    measure = figure.measure
    numbers = [part for value in measure.values for part in value.as_integer_ratio()]
    place = (figure.start - start, figure.end - start)
    return (*place, measure.dimension, measure.everyday, figure.comparing_word, *numbers)
