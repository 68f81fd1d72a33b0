"""Totals of the lines of a list or a table, above it, below it or in its last row.

The number of its lines is one, too, where the line right above a list gives it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from fractions import Fraction

from guards.core.reading import Text
from guards.text.operands import Operand

_LINE = re.compile(r"[ \t]*(?:\||[-*•·][ \t]|\d{1,2}[.)][ ])")
_RULE = re.compile(r"[ \t|:+-]+")
_TAKEN_OFF = re.compile(r"할인|감면|공제|차감|[|:][ ]*[-−]")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*•·][ \t]|\d{1,2}[.)][ ])")
_FEWEST, _MOST = 2, 20


def is_list_line(sentence: str) -> bool:
    """Tell whether a sentence is a line of a list or a row of a table."""
    return _LINE.match(sentence) is not None


class Totals:
    """The lists and tables of an answer."""

    def __init__(self, answer: Text) -> None:
        self._raw = answer.raw
        self._sentences = answer.sentences
        self._starts = [sentence.start for sentence in answer.sentences]

    def has(self, wanted: Operand, same: Sequence[Operand]) -> bool:
        """Tell whether a figure is the total of the lines before it, or of those behind it.

        Args:
            wanted: The figure.
            same: The figures of its dimension that may be operands, in order.
        """
        at = max(0, bisect_right(self._starts, wanted.start) - 1)
        above = self._lines(range(at - 1, -1, -1))
        below = self._lines(range(at + 1, len(self._sentences)))
        return any(
            total == wanted.value
            for lines in (above, below)
            for pick in (0, -1)
            for sign in (1, -1)
            for total in _totals(self._sentences_at(lines), same, pick, sign)
        )

    def counts(self, wanted: Operand) -> bool:
        """Tell whether a figure is the number of items of the list right below its line."""
        items, _ = self._items_below(wanted.start)
        return len(items) >= _FEWEST and items.count(items[0]) == wanted.value

    def may_count(self, start: int) -> bool:
        """Tell whether the list right below a place may go on behind the text."""
        _, is_last = self._items_below(start)
        return is_last

    def _items_below(self, start: int) -> tuple[list[str], bool]:
        """Return the indents of the items right below a place, and whether nothing follows."""
        _, *below = self._raw[start:].split("\n", 4 * _MOST)
        items: list[str] = []
        for line in filter(str.strip, below):
            item = _ITEM.match(line)
            if item:
                items.append(item["indent"])
            elif not items or not line[0].isspace():
                return items, False
        return items, True

    def _lines(self, places: Sequence[int]) -> list[int]:
        """Return the places of the list lines next to a sentence; one sentence may lie between."""
        lines: list[int] = []
        for number, at in enumerate(places):
            if is_list_line(self._sentences[at].text):
                lines.append(at)
            elif lines or number > 1:
                break
        return lines[:_MOST]

    def _sentences_at(self, lines: Sequence[int]) -> list[tuple[int, int, str]]:
        found = (self._sentences[at] for at in lines)
        return [(one.start, one.end, one.text) for one in found if not _RULE.fullmatch(one.text)]


def _totals(
    lines: Sequence[tuple[int, int, str]], same: Sequence[Operand], pick: int, sign: int
) -> Iterator[Fraction]:
    """Yield the sums of the first two lines, three lines, …; of one figure each.

    Args:
        lines: The lines: start, end and text.
        same: The figures that may be operands.
        pick: Which figure of a line: 0 for the first, -1 for the last.
        sign: What a line counts for that says it takes something off.
    """
    total, count = Fraction(0), 0
    for start, end, text in lines:
        held = [one.value for one in same if start <= one.start < end]
        if not held:
            continue
        total += held[pick] * (sign if _TAKEN_OFF.search(text) else 1)
        count += 1
        if count >= _FEWEST:
            yield abs(total)
