"""The layout of a text: headings, list items, table cells and lines of prose, each with its labels.

A label says what a piece is about without being said in it: the headings above it, the words before
a colon, the row and the column of a table. Markdown, plain pipes, bullets, circled numbers and the
bracketed headings of Korean notices are read; emphasis is taken off first.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

_MARKS = "*`"
_WITHOUT_MARKS = str.maketrans("", "", _MARKS)


def without_emphasis(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without marks of emphasis, and where each of its characters stands."""
    if "*" not in text and "`" not in text:
        return text, range(len(text))
    places = [at for at, char in enumerate(text) if char not in _MARKS]
    return text.translate(_WITHOUT_MARKS), places


class Level(StrEnum):
    """Position of a label."""

    HEADING = "heading"
    PARENT = "parent"
    """The list item above a deeper one."""
    LABEL = "label"
    """Before a colon or a dash, on the same line."""
    ROW = "row"
    COLUMN = "column"


@dataclass(frozen=True, slots=True)
class Label:
    """Words that say what a piece of text is about."""

    text: str
    level: Level


class Block(NamedTuple):
    """A piece of a text that is read by itself, with its half-open place in the plain text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        labels: What it is about, the outermost first.
        line: Number of its line, from 0.
        is_heading: Whether it only names what follows.
        is_cell: Whether it is a cell of a table; the first cells of a row are its labels.
        table: Number of the table it belongs to; -1 outside of one.
        column: Number of its column, from 0; -1 outside of a table.
    """

    start: int
    end: int
    labels: tuple[Label, ...] = ()
    line: int = 0
    is_heading: bool = False
    is_cell: bool = False
    table: int = -1
    column: int = -1


class Page(NamedTuple):
    """A text without emphasis, its blocks, and the way back.

    Attributes:
        plain: The text without marks of emphasis.
        places: Where each character of it stands in the raw text.
        blocks: Its blocks, in order.
    """

    plain: str
    places: Sequence[int]
    blocks: tuple[Block, ...]

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the raw text of a place in the plain one."""
        if start >= end:
            at = self.places[start] if start < len(self.places) else len(self.plain)
            return at, at
        return self.places[start], self.places[end - 1] + 1


_BULLET = re.compile(
    r"[ \t>]*(?:[-*+•·∙▪▫◦○●◎□■◆◇▶▷►→✓✔✅☑※❖ㅇㆍ][ \t]*"
    r"|\(?\d{1,2}(?:-\d{1,2})?[.)][ \t]+|[①-⑳❶-❿⓵-⓾][ \t]*"
    r"|[가나다라마바사아자차카타파하][.)][ \t]+|(?:\d️?⃣)[ \t]*|[^\w\s\"'“‘(\[{<|~₩$#]{1,3}[ \t]+)"
)
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+")
_BRACKETED = re.compile(r"[ \t]*[\[【<〈《]([^\]】>〉》\n]{1,40})[\]】>〉》][ \t]*")
_LABEL = re.compile(
    r"(?P<label>[^:：|\n.?!\[]{1,34}?)"
    r"(?:[ \t]*[:：](?!\d|//)[ \t]*|[ \t]+[–—→-][ \t]+|[ \t]*→[ \t]*)(?=\S)"
)
_QUESTION = re.compile(r"[ \t]*(?:Q|질문|문)\d{0,2}[.):][ \t]*(?P<question>[^\n?]{2,80}\?)")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}[-:| \t]*$")
_DASHES = re.compile(r"-+")
_CLOSED = re.compile(r"(?:[.!?。…]|다|요|까|음|함|됨|임|죠|세요|니다)[\"'”’)\]]*\s*$")
_BOLD_LINE = re.compile(r"[^\w*]{0,4}\*\*[^*\n]{1,40}\*\*:?")
_AMOUNT = re.compile(r"\d[\d,.]*[ ]?(?:[십백천만억]*원|[만억%]|시간?|일|:)")
_LONGEST_HEADING_CHARS = 40
_CELL = re.compile(r"[^|]+")


def read_layout(raw: str) -> Page:
    """Return the blocks of a text."""
    plain, places = without_emphasis(raw)
    bold = frozenset(
        number for number, line in enumerate(raw.split("\n")) if _BOLD_LINE.fullmatch(line.strip())
    )
    return Page(plain, places, tuple(_Layout(plain, bold).blocks()))


@dataclass(slots=True)
class _Open:
    """A heading or list item that deeper lines belong to."""

    depth: int
    label: Label


class _Layout:
    """Reads a text line by line, keeping the headings and list items that are open."""

    def __init__(self, plain: str, bold: frozenset[int]) -> None:
        self._lines = plain.split("\n")
        self._bold = bold
        self._open: list[_Open] = []
        self._header: list[str] = []
        self._tables = 0
        self._in_table = False

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks, in order."""
        position = 0
        for number, line in enumerate(self._lines):
            if line.strip():
                yield from self._line(number, line, position)
            else:
                self._blank()
            position += len(line) + 1

    def _blank(self) -> None:
        self._in_table = False
        # A paragraph of its own belongs to a heading, not to the list above it.
        self._open = [one for one in self._open if one.label.level is Level.HEADING]

    def _line(self, number: int, line: str, offset: int) -> Iterator[Block]:
        if line.count("|") > 1 or (self._in_table and "|" in line):
            yield from self._row(number, line, offset)
            return
        self._in_table = False
        begin, depth, is_item = self._opening(line)
        content = line[begin:]
        if self._is_heading(number, line, begin, is_item=is_item):
            text = content.strip().strip("[]【】<>〈〉《》:： ")
            is_question = _QUESTION.fullmatch(content.strip()) is not None
            self._push(depth, text, Level.PARENT if is_item or is_question else Level.HEADING)
            yield self._block(offset + begin, offset + len(line), number, is_heading=True)
            return
        self._close(depth)
        first = begin
        begin, own = self._own_labels(line, begin)
        above = tuple(one.label for one in self._open)
        if own:
            # What a label says is read too: its figures and names stand nowhere else.
            yield self._block(offset + first, offset + begin, number, above, is_heading=True)
        yield self._block(offset + begin, offset + len(line.rstrip()), number, (*above, *own))
        if is_item:
            short = own[0].text if own else line[begin:].strip()[:_LONGEST_HEADING_CHARS]
            self._open.append(_Open(depth, Label(short, Level.PARENT)))

    def _opening(self, line: str) -> tuple[int, int, bool]:
        """Return where the words of a line begin, its depth, and whether it is a list item."""
        heading = _HEADING.match(line)
        if heading:
            return heading.end(), line.count("#", 0, heading.end()) - 10, False
        indent = len(line) - len(line.lstrip(" \t"))
        bullet = _BULLET.match(line)
        if bullet and bullet.end() > indent and bullet.end() < len(line.rstrip()):
            kind = 0 if line[indent : indent + 1].isdigit() else 1
            return bullet.end(), 2 * indent + kind, True
        return indent, 2 * indent, False

    def _is_heading(self, number: int, line: str, begin: int, *, is_item: bool) -> bool:
        text = line[begin:].strip()
        if _HEADING.match(line):
            return True
        if len(text) > _LONGEST_HEADING_CHARS or not text:
            return False
        if text.endswith((":", "：")):
            return True
        bracketed = _BRACKETED.fullmatch(line[begin:])
        if bracketed:
            return True
        if _QUESTION.fullmatch(text):
            return True
        if _CLOSED.search(text) or _LABEL.match(text):
            return False
        if number in self._bold and not is_item:
            return True
        return self._has_items_below(number, is_item=is_item)

    def _has_items_below(self, number: int, *, is_item: bool) -> bool:
        """Tell whether deeper lines, items or a table follow."""
        this = self._opening(self._lines[number])
        for line in self._lines[number + 1 :]:
            if not line.strip():
                if is_item:
                    return False
                continue
            if line.count("|") > 1:
                return True
            _, depth, item = self._opening(line)
            return depth > this[1] + 1 if is_item else item
        return False

    def _push(self, depth: int, text: str, level: Level) -> None:
        if level is Level.HEADING:
            self._open = [
                one for one in self._open if one.label.level is Level.HEADING and one.depth < depth
            ]
        else:
            self._close(depth, keeps_question=False)
        self._open.append(_Open(depth, Label(text, level)))

    def _close(self, depth: int, *, keeps_question: bool = True) -> None:
        """Close the items that a line at some depth does not belong to."""
        self._open = [
            one
            for one in self._open
            if one.label.level is Level.HEADING
            or one.depth < depth
            or (keeps_question and one.label.text.endswith("?"))
        ]

    def _own_labels(self, line: str, begin: int) -> tuple[int, list[Label]]:
        """Return where the words behind the labels of a line begin, and those labels."""
        found: list[Label] = []
        bracketed = _BRACKETED.match(line, begin)
        if bracketed and bracketed.end() < len(line.rstrip()) and not bracketed[1].isdigit():
            found.append(Label(bracketed[1], Level.LABEL))
            begin = bracketed.end()
        question = _QUESTION.match(line, begin)
        if question:
            found.append(Label(question["question"], Level.LABEL))
            begin = question.end()
        label = _LABEL.match(line, begin)
        if label and not _CLOSED.search(label["label"]) and label["label"].strip():
            found.append(Label(label["label"].strip(), Level.LABEL))
            begin = label.end()
        return begin, found

    def _row(self, number: int, line: str, offset: int) -> Iterator[Block]:
        if _RULE.match(line):
            if len(_DASHES.findall(line)) != len(self._header):
                # A header that lost a cell does not say which column is which.
                self._header = []
            return
        cells = [(m.start(), m.end()) for m in _CELL.finditer(line) if m[0].strip()]
        if line.strip().startswith("|"):
            # An empty cell keeps its column.
            cells = [
                (m.start(), m.end()) for m in re.finditer(r"(?<=\|)[^|]*(?=\||$)", line.rstrip())
            ]
            if (
                line.rstrip().endswith("|")
                and cells
                and not line[cells[-1][0] : cells[-1][1]].strip()
            ):
                cells.pop()
        texts = [line[start:end].strip() for start, end in cells]
        is_header = not self._in_table
        if is_header:
            self._in_table, self._header = True, texts
            self._tables += 1
        above = [one.label for one in self._open]
        for column, (start, end) in enumerate(cells):
            if not texts[column]:
                continue
            labels = above if is_header else [*above, *self._cell_labels(texts, column)]
            lead = len(line[start:end]) - len(line[start:end].lstrip())
            begin = offset + start + lead
            for piece_start, piece_end, piece_labels in _paired(texts[column], labels):
                yield Block(
                    begin + piece_start,
                    begin + piece_end,
                    piece_labels,
                    number,
                    is_heading=is_header or column == 0,
                    is_cell=True,
                    table=self._tables,
                    column=column,
                )

    def _cell_labels(self, texts: Sequence[str], column: int) -> Iterator[Label]:
        for other in range(column):
            if texts[other] and (other == 0 or not _AMOUNT.search(texts[other])):
                yield Label(texts[other], Level.ROW)
        if len(texts) <= len(self._header) and self._header[column]:
            yield Label(self._header[column], Level.COLUMN)

    def _block(
        self,
        start: int,
        end: int,
        line: int,
        labels: tuple[Label, ...] | None = None,
        *,
        is_heading: bool = False,
    ) -> Block:
        if labels is None:
            labels = tuple(one.label for one in self._open[:-1])
        return Block(start, end, labels, line, is_heading)


_PAIR = " / "


def _paired(text: str, labels: Sequence[Label]) -> Iterator[tuple[int, int, tuple[Label, ...]]]:
    """Yield the pieces of a cell, each with its part of a label that has as many (1면 / 2면)."""
    pieces = text.split(_PAIR)
    matching = [label for label in labels if len(label.text.split(_PAIR)) == len(pieces)]
    if len(pieces) == 1 or not matching:
        yield 0, len(text), tuple(labels)
        return
    position = 0
    for number, piece in enumerate(pieces):
        own = tuple(
            Label(label.text.split(_PAIR)[number], label.level) if label in matching else label
            for label in labels
        )
        yield position, position + len(piece), own
        position += len(piece) + len(_PAIR)
