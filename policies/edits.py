"""Changes to an answer's text, and places in it as three kinds of programs count them.

Python counts code points; Go, Rust and C bytes of UTF-8; JavaScript, Java and C# units of UTF-16.
A Hangul syllable is one, three and one; a pictograph one, four and two.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pydantic import BaseModel, ConfigDict, Field

from guards.core.finding import Finding, Span


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A place in the answer and what stands there afterwards; empty to take it out."""

    span: Span
    text: str = ""


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with every edit made. The edits' places must not overlap."""
    pieces = []
    position = 0
    for edit in sorted(edits):
        pieces += [text[position : edit.span.start], edit.text]
        position = edit.span.end
    return "".join([*pieces, text[position:]])


def without_overlaps(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits in order; of those whose places overlap, the first one that is longest."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.span.start, -each.span.end)):
        if not kept or edit.span.start >= kept[-1].span.end:
            kept.append(edit)
    return tuple(kept)


def fixes(findings: Sequence[Finding]) -> tuple[Edit, ...]:
    """Return the edits that mend the findings which can be mended in place."""
    return without_overlaps(
        Edit(finding.span, finding.fix)
        for finding in findings
        if finding.fix is not None and finding.part == "answer"
    )


def then(first: Iterable[Edit], second: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits of a text that do what two rounds of edits do.

    Args:
        first: Edits of the text.
        second: Edits of what the first ones make of it.
    """
    rounds = [_Placed(edit, left) for edit, left in left_by(first)]
    rounds += [_Placed(edit, edit, is_second=True) for edit in second]
    joined: list[Edit] = []
    grown = 0
    for group in _touching(rounds):
        start, end = group[0].seen.span.start, max(one.seen.span.end for one in group)
        # Whatever stands between the group's first edits is replaced by its second ones.
        text = " " * (end - start)
        for second_round in (False, True):
            made = [one.seen for one in group if one.is_second is second_round]
            text = apply(text, (Edit(_moved(edit.span, -start), edit.text) for edit in made))
        before, grown = grown, grown + sum(one.growth for one in group)
        joined.append(Edit(Span(start - before, end - grown), text))
    return tuple(joined)


def left_by(edits: Iterable[Edit]) -> list[tuple[Edit, Edit]]:
    """Return each edit with itself as it is seen afterwards, on what it left in its place."""
    pairs = []
    grown = 0
    for edit in sorted(edits):
        start = edit.span.start + grown
        pairs.append((edit, Edit(Span(start, start + len(edit.text)), edit.text)))
        grown += len(edit.text) - (edit.span.end - edit.span.start)
    return pairs


@dataclass(frozen=True, slots=True)
class _Placed:
    """An edit of either round.

    Attributes:
        edit: The edit.
        seen: The same in places of the text between the two rounds.
        is_second: It is of the second round.
    """

    edit: Edit
    seen: Edit
    is_second: bool = False

    @property
    def growth(self) -> int:
        """By how much it made the text between longer than the original."""
        span = self.edit.span
        return 0 if self.is_second else len(self.edit.text) - (span.end - span.start)


def _touching(placed: Iterable[_Placed]) -> list[list[_Placed]]:
    """Return the edits in order, those together that overlap or stand side by side."""
    groups: list[list[_Placed]] = []
    end = -1
    for one in sorted(placed, key=lambda each: each.seen.span):
        if one.seen.span.start > end:
            groups.append([])
        groups[-1].append(one)
        end = max(end, one.seen.span.end)
    return groups


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)


_Pair = tuple[int, int]


class Place(BaseModel):
    """A half-open place in a text, counted in three ways."""

    model_config = ConfigDict(frozen=True)

    cp: _Pair = Field(description="Start and end in Unicode code points.")
    utf8: _Pair = Field(description="Start and end in bytes of UTF-8.")
    utf16: _Pair = Field(description="Start and end in units of UTF-16.")


class Offsets:
    """The places of one text; the text is gone through once, however many places are asked for.

    Half of a surrogate pair, which UTF-8 cannot hold, counts as three bytes and one unit.
    """

    def __init__(self, text: str) -> None:
        self._utf8 = tuple(accumulate(map(_utf8_bytes, text), initial=0))
        self._utf16 = tuple(accumulate((1 + (char > "\uffff") for char in text), initial=0))

    def place(self, span: Span) -> Place:
        """Return a span of the text in all three counts."""
        start, end = span.start, span.end
        return Place(
            cp=(start, end),
            utf8=(self._utf8[start], self._utf8[end]),
            utf16=(self._utf16[start], self._utf16[end]),
        )


def _utf8_bytes(char: str) -> int:
    if char < "\x80":
        return 1
    if char < "\u0800":
        return 2
    return 4 if char > "\uffff" else 3
