"""The items of lists in an answer, and the numbers that count them.

Items are counted by ``1.`` or ``1)``, ``(1)``, ``①``, ``가.`` or ``가)``, and ``(가)``; so may be
headings and bold items. Each kind of number, and each indentation, counts for itself.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from guards.core.finding import Span
from policies.edits import Edit

Level = tuple[str, str, str]
"""Indentation, brackets and kind of a list number."""
_LETTERS = "가나다라마바사아자차카타파하"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
ITEM = re.compile(
    r"[ \t]*(?:[-*+•·●○▪■◦▶►✔✅☑✓]\ufe0f?\s"
    rf"|[*_]{{0,2}}(?:(?:\d{{1,3}}|[{_LETTERS}])[.)][*_]{{0,2}}\s"
    rf"|\((?:\d{{1,2}}|[{_LETTERS}])\)|[{_CIRCLED}]|\d\ufe0f?\u20e3))[ \t]*"
)
"""Beginning of a list item."""
_MARKER = re.compile(
    r"^(?P<lead>[ \t]*(?:#{1,6}[ \t]+)?)[*_]{0,2}(?:"
    rf"(?P<plain>\d{{1,3}}|[{_LETTERS}])(?=[.)][*_]{{0,2}}\s)"
    rf"|\((?P<round>\d{{1,2}}|[{_LETTERS}])(?=\))"
    rf"|(?P<line>[{_CIRCLED}]))"
    # Items that follow one another on a line.
    rf"|(?<=[.!?])[ \t]+(?P<inline>[{_CIRCLED}])",
    re.MULTILINE,
)
_STYLES = ("plain", "round", "line", "inline")
_LONGEST_LABEL_CHARS = 40
_TELLS = re.compile(r"[\d.:：!?|]|[다요죠까음함됨임]$")


@dataclass(frozen=True, slots=True)
class Marker:
    """The number of an item.

    Attributes:
        level: Items of the same list share it.
        span: Where the number stands.
        written: How it stands there.
    """

    level: Level
    span: Span
    written: str

    @property
    def number(self) -> int:
        """The number reached."""
        for signs in (_LETTERS, _CIRCLED):
            if self.written in signs:
                return signs.index(self.written) + 1
        return int(self.written)

    def edit(self, number: int) -> Edit:
        """Return what makes it another, lower number."""
        for signs in (_LETTERS, _CIRCLED):
            if self.written in signs:
                return Edit(self.span, signs[number - 1])
        return Edit(self.span, str(number))


@dataclass(frozen=True, slots=True)
class Count:
    """Position in a numbered list.

    Attributes:
        last: The number that it gave last.
        gone: How many of its items were taken out.
    """

    last: int = 0
    gone: int = 0

    def at(self, number: int) -> "Count":
        """Return how far it has counted with the next number, which may begin another list."""
        return Count(number, self.gone if number == self.last + 1 else 0)


def markers(text: str, start: int = 0, end: int | None = None) -> Iterator[Marker]:
    """Yield the numbers of items in a piece of a text, in order."""
    for match in _MARKER.finditer(text, start, len(text) if end is None else end):
        style = next(name for name in _STYLES if match[name] is not None)
        written = match[style]
        kind = "letter" if written in _LETTERS else "sign" if written in _CIRCLED else "digit"
        level = (match["lead"] or "", "round" if style == "round" else "", kind)
        yield Marker(level, Span(*match.span(style)), written)


def is_taken_out(place: int, edits: Iterable[Edit]) -> bool:
    """Tell whether a number goes, told by where it ends: what only changes it leaves that place."""
    return any(edit.span.start <= place < edit.span.end for edit in edits)


def renumbered(answer: str, removals: Iterable[Edit]) -> list[Edit]:
    """Return the edits that close the gaps in numbered lists, in order."""
    taken = [edit for edit in removals if not edit.text]
    counts: dict[Level, Count] = {}
    edits = []
    for marker in markers(answer) if taken else ():
        count = counts.get(marker.level, Count()).at(marker.number)
        if is_taken_out(marker.span.end, taken):
            count = Count(count.last, count.gone + 1)
        elif count.gone:
            edits.append(marker.edit(count.last - count.gone))
        counts[marker.level] = count
    return edits


def is_label(item: str) -> bool:
    """Tell whether an item only names what the items below it are about: ``- **수수료**:``."""
    marker = ITEM.match(item)
    if marker is None:
        return False
    name = item[marker.end() :].strip("*_:： \t")
    return len(name) <= _LONGEST_LABEL_CHARS and _TELLS.search(name) is None


def indent_of(text: str, start: int) -> int | None:
    """Return how far a sentence is indented by its start; None if it begins no line."""
    line_start = text.rfind("\n", 0, start) + 1
    return None if text[line_start:start].strip() else start - line_start
