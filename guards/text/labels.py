"""What a value belongs to: the row and column of a table, the name before a colon, the noun before.

Values that stand side by side (``성인은 30,000원, 어린이는 15,000원``, the rows of a table, the
lines of a list) form a group; their labels tell them apart.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from guards.core.reading import Text
from guards.text.tokens import content_words

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_RULE = re.compile(r"[ \t|:+-]+")
_ITEM = re.compile(
    r"[ \t]*(?:[-*•·○●▪■◦>]{1,8}[ \t]*|(?:\d{1,3}|[가-하])[.)][ \t]*)?[*_]{0,3}"
    r"(?P<item>[^\d:|\n]{1,30}?)[*_]{0,3}[ ]?:(?!//)"
)
_SEGMENT_END = re.compile(r"[,.;:!?()\[\]|/]|(?<=[고며나서])[ ]|(?<=지만)[ ]|(?:또는|혹은|및)[ ]")
_OPENING = re.compile(r"[ ]?[(:][ ]?$")
_CONTINUED = re.compile(r"[ ]?(?:~|-|부터|에서)[ ]?")
_BRACKET_AFTER = re.compile(r"[ ]?\((?P<label>[^()\d\n]{1,20})\)")
_NOUN_AFTER = re.compile(
    r"(?:[ ]?(?:이내|이상|이하|미만|초과|간|동안))?의[ ](?P<label>[가-힣]{2,10})"
)
_LONGEST_LABEL_CHARS = 60


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


def labelled(text: Text, spans: Sequence[Span]) -> list[Labelled]:
    """Return the labels of the places of some values, given in order."""
    found: list[Labelled] = []
    at, group, header = 0, 0, _Header()
    for line in _LINE.finditer(text.raw):
        start, end = line.span()
        begun = at
        while at < len(spans) and spans[at][0] < end:
            at += 1
        here = spans[begun:at]
        kind = _kind(line[0])
        if kind != header.kind or kind == "prose":
            group, header = group + 1, _Header(kind)
        if kind == "table":
            found += _in_row(text.raw, start, end, here, header, group)
        elif kind == "item":
            found += _in_item(text.raw, start, end, here, group)
        else:
            for span, words, sentence, alone in _in_prose(text, here):
                found.append(Labelled(span[0], -1 - sentence, words, alone))
    return found


@dataclass
class _Header:
    """The kind of the lines that are being read and, in a table, its first row."""

    kind: str = ""
    cells: tuple[str, ...] = ()


def _kind(line: str) -> str:
    if line.count("|") > 1 or "\t" in line.strip():
        return "table"
    return "item" if _ITEM.match(line) else "prose"


def _in_row(
    raw: str, start: int, end: int, spans: Sequence[Span], header: _Header, group: int
) -> Iterator[Labelled]:
    row = raw[start:end]
    if _RULE.fullmatch(row.strip()):
        return
    mark = "|" if "|" in row else "\t"
    cells = row.split(mark)
    if not header.cells:
        header.cells = tuple(cells)
        if not spans:
            return
    names = " ".join(_without(cells, {raw.count(mark, start, span[0]) for span in spans}))
    for span in spans:
        column = raw.count(mark, start, span[0])
        above = header.cells[column] if column < len(header.cells) else ""
        words = (*label_of(above), *label_of(names))
        yield Labelled(span[0], group, words, len(spans) == 1)


def _without(cells: Sequence[str], numbers: Set[int]) -> list[str]:
    return [cell for number, cell in enumerate(cells) if number not in numbers]


def _in_item(
    raw: str, start: int, end: int, spans: Sequence[Span], group: int
) -> Iterator[Labelled]:
    item = _ITEM.match(raw, start, end)
    name = label_of(item["item"]) if item else ()
    previous = item.end() if item else start
    last: Label = ()
    for span in spans:
        own = _before(raw, previous, span[0], last)
        yield Labelled(span[0], group, (*name, *own), len(spans) == 1)
        previous, last = span[1], own


def _in_prose(text: Text, spans: Sequence[Span]) -> Iterator[tuple[Span, Label, int, bool]]:
    sentences = text.sentences
    at = _first_at(text, spans[0][0]) if spans else 0
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
        words = _after(text.raw, span[1]) or _before(text.raw, previous, span[0], last)
        yield span, words, owner, sizes[owner] == 1
        previous, last = span[1], words


def _first_at(text: Text, start: int) -> int:
    low, high = 0, len(text.sentences) - 1
    while low < high:
        middle = (low + high) // 2
        if text.sentences[middle].end <= start:
            low = middle + 1
        else:
            high = middle
    return low


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
    return tuple(frozenset({word.text, word.stem}) for word in content_words(text))
