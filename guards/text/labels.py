"""What a value belongs to: the row and column of a table, the name before a colon, the noun before.

Values that stand side by side (``성인은 30,000원, 어린이는 15,000원``, the rows of a table, the
lines of a list) form a group; their labels tell them apart.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from guards.core.reading import Text
from guards.text.figure_values import Figure, figures_in
from guards.text.sentences import Sentence
from guards.text.tokens import subjects

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_RULE = re.compile(r"[ \t|:+-]+")
_ITEM = re.compile(
    r"[ \t]*(?:[-*•·○●▪■◦>]{1,8}[ \t]*|(?:\d{1,3}|[가-하])[.)][ \t]*)?[*_]{0,3}"
    r"(?P<item>[^\d:|\n]{1,30}?)[*_]{0,3}[ ]?:(?!//)"
)
# Each alternative begins with a character of its own: only where one stands, more is looked at.
_SEGMENT_END = re.compile(
    r",|\.|;|:|!|\?|\(|\)|\[|\]|\||/| (?:(?<=[고며나서][ ])|(?<=지만[ ]))|또는[ ]|혹은[ ]|및[ ]"
)
_OPENING = re.compile(r"[ ]?[(:][ ]?$")
_CONTINUED = re.compile(r"[ ]?(?:~|-|부터|에서)[ ]?")
_BRACKET_AFTER = re.compile(r"[ ]?\((?P<label>[^()\d\n]{1,20})\)")
_NOUN_AFTER = re.compile(
    r"(?:[ ]?(?:이내|이상|이하|미만|초과|간|동안))?의[ ](?P<label>[가-힣]{2,10})"
)
_LONGEST_LABEL_CHARS = 60
_WORDS_KEPT = 16_384
_end_of = attrgetter("end")


Span = tuple[int, int]
Form = frozenset[str]
"""A word's surface and stem: two words are one if they share either."""
Label = tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    """The place of a value and what it belongs to.

    Attributes:
        start: Where the value begins.
        group: Number of the table, list or sentence; values of one group can be told apart.
        words: The words of its label, the nearest to the value last; each in its forms.
        alone: Whether the sentence or line holds no other of these values.
    """

    start: int
    group: int
    words: Label
    alone: bool


class Labels:
    """The labels of the figures of a text, each line read when it is first asked for."""

    def __init__(self, text: Text) -> None:
        self._raw = text.raw
        self._sentences = text.sentences
        self._lines = list(_lines(text.raw, [one.value[:2] for one in figures_in(text)]))
        self._starts = [line.start for line in self._lines]
        self._read: dict[int, dict[int, Labelled]] = {}

    def group(self, figure: Figure) -> int:
        """Return the number of the table, list or sentence in which a figure stands."""
        line = self._lines[bisect_right(self._starts, figure.quantity.start) - 1]
        return -1 - figure.at if line.kind == "prose" else line.group

    def at(self, start: int) -> Labelled:
        """Return the label of the figure that begins at a place."""
        number = bisect_right(self._starts, start) - 1
        if number not in self._read:
            found = self._in_line(self._lines[number])
            self._read[number] = {one.start: one for one in found}
        return self._read[number][start]

    def _in_line(self, line: "_Line") -> Iterator[Labelled]:
        if line.kind == "table":
            return _in_row(self._raw, line)
        if line.kind == "item":
            return _in_item(self._raw, line)
        return _in_prose(self._raw, self._sentences, line.spans)


class _Line(NamedTuple):
    """A line with values.

    Attributes:
        kind: What it is: a row of a table, a line with a name before a colon, or prose.
        group: Number of the table or list.
        header: In a table, the cells of its first row.
        start: Where it begins.
        end: Where it ends.
        spans: The places of its values.
    """

    kind: str
    group: int
    header: Sequence[str]
    start: int
    end: int
    spans: Sequence[Span]


def _lines(raw: str, spans: Sequence[Span]) -> Iterator[_Line]:
    """Yield the lines of a text in which some places are, given in order."""
    at, group, kind = 0, 0, ""
    header: Sequence[str] = ()
    for line in _LINE.finditer(raw):
        start, end = line.span()
        begun = at
        while at < len(spans) and spans[at][0] < end:
            at += 1
        last, kind = kind, _kind(line[0])
        if kind != last or kind == "prose":
            group, header = group + 1, ()
        if kind == "table" and not header and not _RULE.fullmatch(line[0].strip()):
            header = line[0].split(_cell_mark(line[0]))
        if at > begun:
            yield _Line(kind, group, header, start, end, spans[begun:at])


def _kind(line: str) -> str:
    if line.count("|") > 1 or ("\t" in line and "\t" in line.strip()):
        return "table"
    return "item" if ":" in line and _ITEM.match(line) else "prose"


def is_prose(line: str) -> bool:
    """Tell whether a line is no row of a table and has no name before a colon."""
    return _kind(line) == "prose"


def _cell_mark(row: str) -> str:
    return "|" if "|" in row else "\t"


def _in_row(raw: str, line: _Line) -> Iterator[Labelled]:
    row = raw[line.start : line.end]
    mark = _cell_mark(row)
    columns = [raw.count(mark, line.start, span[0]) for span in line.spans]
    names = label_of(" ".join(_without(row.split(mark), set(columns))))
    for span, column in zip(line.spans, columns, strict=True):
        above = line.header[column] if column < len(line.header) else ""
        yield Labelled(span[0], line.group, (*label_of(above), *names), len(line.spans) == 1)


def _without(cells: Sequence[str], numbers: Set[int]) -> list[str]:
    return [cell for number, cell in enumerate(cells) if number not in numbers]


def _in_item(raw: str, line: _Line) -> Iterator[Labelled]:
    item = _ITEM.match(raw, line.start, line.end)
    name = label_of(item["item"]) if item else ()
    previous = item.end() if item else line.start
    last: Label = ()
    for span in line.spans:
        own = _before(raw, previous, span[0], last)
        yield Labelled(span[0], line.group, (*name, *own), len(line.spans) == 1)
        previous, last = span[1], own


def _in_prose(raw: str, sentences: Sequence[Sentence], spans: Sequence[Span]) -> Iterator[Labelled]:
    at = bisect_right(sentences, spans[0][0], hi=len(sentences) - 1, key=_end_of)
    previous, begun = 0, -1
    last: Label = ()
    owners: list[int] = []
    for span in spans:
        while at + 1 < len(sentences) and sentences[at].end <= span[0]:
            at += 1
        owners.append(at)
    sizes = Counter(owners)
    for span, owner in zip(spans, owners, strict=True):
        if owner != begun:
            previous, last, begun = sentences[owner].start, (), owner
        words = _after(raw, span[1]) or _before(raw, previous, span[0], last)
        yield Labelled(span[0], -1 - owner, words, sizes[owner] == 1)
        previous, last = span[1], words


def _before(raw: str, previous: int, start: int, last: Label) -> Label:
    """Return the label between the value before and this one; a range goes on with its label."""
    between = raw[max(previous, start - _LONGEST_LABEL_CHARS) : start]
    if last and _CONTINUED.fullmatch(between):
        return last
    return label_of(_SEGMENT_END.split(_OPENING.sub("", between))[-1])


def _after(raw: str, end: int) -> Label:
    match = _BRACKET_AFTER.match(raw, end) or _NOUN_AFTER.match(raw, end)
    return label_of(match["label"]) if match else ()


def label_of(text: str) -> Label:
    """Return the content words of a text, each in its forms."""
    return tuple([_form(word) for word in subjects(text)])


@lru_cache(maxsize=_WORDS_KEPT)
def _form(word: tuple[str, str]) -> Form:
    return frozenset(word)
