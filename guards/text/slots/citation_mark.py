"""Reads the marks by which an answer names its sources: ``[†2]``, ``[1, 3]``, ``[출처: 인사규정]``.

Read outside code only. A number in plain brackets or raised is only a candidate, because footnotes
and list numbers look the same; links, check boxes, exponents and years (``[2024]``) are not read at
all. Of ``[Data: Sources (1, 2); Entities (5)]`` only the sources' numbers count. Numbers that head
the lines of a list of references are read like others (see `guards.text.citing.references`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from guards.text.slots.citation_numbers import (
    SUPERSCRIPTS,
    joined,
    raised,
    read_numbers,
    read_raised,
)
from guards.text.slots.citation_pattern import IS_WORD, PLACE, RESTS_ON, marks_in


class MarkKind(StrEnum):
    """How a mark names its source."""

    NAMED = "named"
    """By title or file: ``[출처: …]``, ``(출처: …)``, ``[참조: …]``."""
    NUMBERED = "numbered"
    """By number, in a form that is nothing else: ``[†2]``, ``【2】``, ``[^2]``, ``[출처 2]``."""
    PLAIN = "plain"
    """By number in plain brackets or raised: ``[2]``, ``²``."""


class MarkStyle(StrEnum):
    """How a mark is written; what may be written in its place follows from it."""

    NAMED = "named"
    LIST = "list"
    """Numbers between two brackets: ``[1, 2]``, ``[†1]``, ``【1】``, ``[출처 1]``."""
    NOTE = "note"
    """``[^1]``."""
    RAISED = "raised"
    """``¹²``."""
    TAG = "tag"
    """``<cite id="1">…</cite>``, ``<source>1</source>``, ``<sup>1</sup>``."""
    GRAPH = "graph"
    """``[Data: Sources (1, 2); Entities (5)]``."""


@dataclass(frozen=True, slots=True)
class CitationMark:
    """One mark.

    Attributes:
        kind: How it names its source.
        start: Where it begins in the raw text, in code points.
        end: Where it ends.
        target: What it names, for a named mark.
        numbers: The numbers it names, for the others.
        well_placed: It stands where citations stand: right before or behind a full stop, or
            before ``에 따르면``.
        style: How it is written.
        numbers_at: Where its numbers stand in the raw text, half-open.
        place: The page or article behind its numbers as written (``, p.3``); empty if it gives
            none.
        wrapped: The words that it stands around; empty if it stands around none.
        is_word: A particle hangs on it, so that it is a word of the sentence that goes on behind
            it: ``[2]에 따르면``, ``【2】는``, ``[2]번 문서``.
    """

    kind: MarkKind
    start: int
    end: int
    target: str = ""
    numbers: tuple[int, ...] = ()
    well_placed: bool = False
    style: MarkStyle = MarkStyle.NAMED
    numbers_at: tuple[int, int] = (0, 0)
    place: str = ""
    wrapped: str = ""
    is_word: bool = False

    def written(self, raw: str, numbers: Sequence[int]) -> str:
        """Return the mark with other numbers, in its own way of writing.

        Args:
            raw: The whole text that the mark was read from.
            numbers: The numbers, in the order in which they are to stand. A named mark has none
                and can only be taken out.

        Returns:
            The mark; without numbers what is left when it is taken out: nothing, the words that it
            stands around, or what else it cites.
        """
        if tuple(numbers) == self.numbers and self.numbers:
            return raw[self.start : self.end]
        if not numbers:
            is_graph = self.style is MarkStyle.GRAPH
            return _without_sources(raw[self.start : self.end]) if is_graph else self.wrapped
        begin, stop = self.numbers_at
        before, old, after = raw[self.start : begin], raw[begin:stop], raw[stop : self.end]
        if self.style is MarkStyle.NOTE:
            return "".join(f"{before}{number}{after}" for number in numbers)
        written = raised if self.style is MarkStyle.RAISED else joined
        return f"{before}{written(numbers, old)}{after}"


_CODE = re.compile(r"(?P<fence>```|~~~).*?(?:(?P=fence)|\Z)|`[^`\n]*`", re.DOTALL)
_STYLES = {
    **dict.fromkeys(
        ("labelled", "round_labelled", "document", "dagger", "thick", "double", "ident", "plain"),
        MarkStyle.LIST,
    ),
    **dict.fromkeys(("tag_ids", "tagged", "sup"), MarkStyle.TAG),
    "note": MarkStyle.NOTE,
    "raised": MarkStyle.RAISED,
}
_NAMES = frozenset({"square", "lens", "round", "filed"})
_ONLY_CANDIDATES = frozenset({"document", "sup", "raised", "ident", "plain"})
# "(참고: 주말에는 문을 닫습니다)" and "(참고: 주말 10% 할증)" tell something.
_MAY_TELL = re.compile(r"[(\[【]\s?(?:※\s?)?참고")
_TELLS = re.compile(
    r"(?:니다|[어아여해예에]요|[이한된있없]다)[.!]?\s?$|\d\s?(?:%|원|일|시|분|명|세|개|회|배|만|천)"
)
_PLACE_BEHIND = re.compile(PLACE)
_GRAPH_SOURCES = re.compile(
    r"\bSources?\s?\(\s?(?P<numbers>\d{1,3}(?:,\s?\d{1,3}){0,30})[^()]{0,20}\)"
)
_GRAPH_SEPARATOR = re.compile(r"\s?[;,]\s?")
# "- [3] 첫 번째 항목" numbers a list, unless nothing but marks stands on the line.
_LINE_BEGINS = re.compile(r"\n[ \t]*(?:[-*>•]\s?)?\Z")
_LINE_ENDS = re.compile(r"(?:[ \t]?\[[\d,~ -]{1,12}\]){0,5}[ \t]*(?:\n|$)")
# "표 [3]" and "식 [3]" name a figure of the text, "배열[3]" a place in the program.
_NO_SOURCE_BEFORE = re.compile(
    r"(?:표|그림|식|부록|버전|항목|배열|인덱스|원소|행렬|벡터|리스트)\s?\Z"
)
# "3.²" and "(a+b)²" are figures.
_FIGURE_BEFORE = re.compile(r"[\dA-Za-z+*/^-]\s?[.)\"'”’\]]{1,2}\Z")
_SENTENCE_END_BEFORE = re.compile(r"[.!?。다요죠음함임됨][\"'”’)]?\s?\Z")
_SENTENCE_END_AFTER = re.compile(r"(?:\s?\[[\d,~ p.-]{1,12}\]){0,5}\s?(?:[.!?。]|\n|$)")
_PAST_NINE = re.compile(rf"(?<![{SUPERSCRIPTS}])¹[⁰¹](?![{SUPERSCRIPTS}])")
_STOPS = frozenset(".!?。")
_LOOK_BACK_CHARS = 12
_TEXTS_KEPT = 64


# Most readings of an answer ask for its marks, those of each of its sentences in between.
@lru_cache(maxsize=_TEXTS_KEPT)
def read_marks(text: str) -> tuple[CitationMark, ...]:
    """Return the citation marks of a text, in order."""
    may_be_code = "`" in text or "~~~" in text
    read = _CODE.sub(lambda code: " " * len(code[0]), text) if may_be_code else text
    return tuple(_marks(read))


def _marks(text: str) -> Iterator[CitationMark]:
    past_nine = _PAST_NINE.search(text) is not None
    behind, is_placed = -1, False
    for match in marks_in(text):
        start, end = match.span()
        before = text[max(0, start - _LOOK_BACK_CHARS) : start]
        # Of several marks in a row, each stands where the first one does.
        if text[behind:start].strip() or start - behind > 1:
            is_placed = _SENTENCE_END_BEFORE.search(before) is not None
        behind = end
        # A text begins as a line does.
        before = before if start > _LOOK_BACK_CHARS else f"\n{before}"
        mark = _mark(text, match, before, past_nine=past_nine, is_placed=is_placed)
        if mark is not None:
            yield mark


def _mark(
    text: str, match: re.Match[str], before: str, *, past_nine: bool, is_placed: bool
) -> CitationMark | None:
    start, end = match.span()
    group = match.lastgroup or ""
    hangs = IS_WORD.match(text, end) is not None and not _begins_anew(text, start, end)
    if group in _NAMES:
        target = match[group].strip()
        if _MAY_TELL.match(text, start) and _TELLS.search(target):
            return None
        return CitationMark(MarkKind.NAMED, start, end, target=target, is_word=hangs)
    if group == "graph":
        return _graph_mark(text, start, end)
    name = "tag_ids" if group == "wrapped" else group
    if name in _ONLY_CANDIDATES and not _may_cite(name, before, text, end, is_word=hangs):
        return None
    place = _PLACE_BEHIND.match(text, match.end(name), end)
    placed = is_placed or _SENTENCE_END_AFTER.match(text, end) or RESTS_ON.match(text, end)
    return CitationMark(
        kind=MarkKind.PLAIN if name in _ONLY_CANDIDATES else MarkKind.NUMBERED,
        start=start,
        end=end,
        numbers=_numbers(name, match[name], past_nine=past_nine),
        well_placed=bool(placed),
        style=_STYLES[name],
        numbers_at=match.span(name),
        place=place[0] if place else "",
        wrapped=match["wrapped"] or "",
        is_word=hangs,
    )


def _numbers(name: str, written: str, *, past_nine: bool) -> tuple[int, ...]:
    return read_raised(written, past_nine=past_nine) if name == "raised" else read_numbers(written)


def _begins_anew(text: str, start: int, end: int) -> bool:
    """Tell whether a sentence begins right behind a mark: ``…다.[1]이 경우``."""
    return text[start - 1 : start] in _STOPS and text[end : end + 1] == "이"


def _may_cite(name: str, before: str, text: str, end: int, *, is_word: bool) -> bool:
    """Tell whether a candidate may be a citation, by what stands around it."""
    if name in {"raised", "sup"}:
        return _FIGURE_BEFORE.search(before) is None
    if not is_word and _LINE_BEGINS.search(before) and not _LINE_ENDS.match(text, end):
        return False
    return _NO_SOURCE_BEFORE.search(before) is None


def _graph_mark(text: str, start: int, end: int) -> CitationMark | None:
    sources = _GRAPH_SOURCES.search(text, start, end)
    if sources is None:
        return None
    return CitationMark(
        MarkKind.NUMBERED,
        start,
        end,
        numbers=read_numbers(sources["numbers"]),
        well_placed=True,
        is_word=IS_WORD.match(text, end) is not None,
        style=MarkStyle.GRAPH,
        numbers_at=sources.span("numbers"),
    )


def _without_sources(written: str) -> str:
    """Return a mark of graph data without its sources; empty if it cites nothing else."""
    sources = _GRAPH_SOURCES.search(written)
    if sources is None:
        return written
    begin, end = sources.span()
    if behind := _GRAPH_SEPARATOR.match(written, end):
        end = behind.end()
    elif before := re.search(r"\s?[;,]\s?$", written[:begin]):
        begin = before.start()
    left = written[:begin] + written[end:]
    return left if "(" in left else ""
