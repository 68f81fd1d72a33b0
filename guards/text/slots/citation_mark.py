"""Reads the marks by which an answer names its sources: ``[†2]``, ``[1, 3]``, ``[출처: 인사규정]``.

Read outside code only. A number in plain brackets or raised is only a candidate, because footnotes
and list numbers look the same; links, check boxes, exponents and years (``[2024]``) are not read at
all. Of ``[Data: Sources (1, 2); Entities (5)]`` only the sources' numbers count. Numbers that head
the lines of a list of references are read like others (see `guards.text.citing.references`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from guards.text.slots.citation_numbers import (
    LABEL,
    NUMBERS,
    RAISED,
    SUPERSCRIPTS,
    joined,
    raised,
    read_numbers,
    read_raised,
)


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
        ends_sentence: It stands where citations stand: right before or behind a full stop.
        style: How it is written.
        numbers_at: Where its numbers stand in the raw text, half-open.
        page: The page behind its numbers as written (``, p.3``); empty if it gives none.
        wrapped: The words that it stands around; empty if it stands around none.
    """

    kind: MarkKind
    start: int
    end: int
    target: str = ""
    numbers: tuple[int, ...] = ()
    ends_sentence: bool = False
    style: MarkStyle = MarkStyle.NAMED
    numbers_at: tuple[int, int] = (0, 0)
    page: str = ""
    wrapped: str = ""

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
_NAMING = r"\s?(?:출처|참조|참고|근거|인용)"
_PAGE = (
    r"\s?[,:]\s?(?:pp?\.\s?\d{1,4}(?:\s?[-~]\s?\d{1,4})?"
    r"|\d{1,4}(?:\s?[-~]\s?\d{1,4})?\s?(?:쪽|페이지))"
)
_TAG = r"(?:cite|citation|source|ref)"
_AFTER_WORDS = r"(?<=[가-힣.!?。)\"'”’」』\]])"
_MARK = re.compile(
    rf"\[\s?{LABEL}\s?[#:：]?\s?†?(?P<labelled>{NUMBERS})(?:{_PAGE})?\s?\]"
    rf"|\(\s?(?:출처|근거|인용|[Ss]ources?)\s?[#:：]?\s?(?P<round_labelled>{NUMBERS})(?:{_PAGE})?\s?\)"
    rf"|\((?:문서|자료)\s?(?P<document>{NUMBERS})\)"
    rf"|\[{_NAMING}\s?[:：](?P<square>[^\[\]\n]{{1,200}})\]"
    rf"|【{_NAMING}\s?[:：](?P<lens>[^【】\n]{{1,200}})】"
    rf"|\({_NAMING}\s?[:：](?P<round>[^()\n]{{1,200}}(?:\([^()\n]{{0,80}}\)[^()\n]{{0,80}}){{0,3}})\)"
    rf"|[\[【]\s?†\s?(?P<dagger>{NUMBERS})(?:{_PAGE})?\s?[\]】]"
    rf"|【\s?(?P<thick>{NUMBERS})(?:[:†][^【】\n]{{0,40}})?\s?】"
    r"|\[\^(?P<note>\d{1,3})\](?!:)"
    rf"|\[\[\s?(?P<double>{NUMBERS})\s?\]\](?!\()"
    r"|\[\s?Data:\s?(?P<graph>[^\[\]\n]{1,300})\]"
    rf"|<(?P<tag>{_TAG})\s(?:ids?|ref|source|doc|n)\s?=\s?[\"']?(?P<tag_ids>{NUMBERS})[\"']?"
    r"[^<>\n]{0,60}>(?:(?P<wrapped>[^<>\n]{0,600})</(?P=tag)>)?"
    rf"|<(?P<around>{_TAG})>\s?\[?(?P<tagged>{NUMBERS})\]?\s?</(?P=around)>"
    rf"|{_AFTER_WORDS}<sup>\s?\[?(?P<sup>{NUMBERS})\]?\s?</sup>"
    rf"|{_AFTER_WORDS}(?P<raised>{RAISED})(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9_!)])\[\s?(?P<plain>\d{1,2}(?:\s?[,、~–-]\s?\d{1,2}){0,9})"
    rf"(?:{_PAGE})?\s?\](?!\]?[(:])"
)
_STYLES = {
    **dict.fromkeys(
        ("labelled", "round_labelled", "document", "dagger", "thick", "double", "plain"),
        MarkStyle.LIST,
    ),
    **dict.fromkeys(("tag_ids", "tagged", "sup"), MarkStyle.TAG),
    "note": MarkStyle.NOTE,
    "raised": MarkStyle.RAISED,
}
_ONLY_CANDIDATES = frozenset({"document", "sup", "raised", "plain"})
_PAGE_BEHIND = re.compile(_PAGE)
_GRAPH_SOURCES = re.compile(
    r"\bSources?\s?\(\s?(?P<numbers>\d{1,3}(?:,\s?\d{1,3}){0,30})[^()]{0,20}\)"
)
_GRAPH_SEPARATOR = re.compile(r"\s?[;,]\s?")
# "- [3] 첫 번째 항목" numbers a list, unless nothing but marks stands on the line.
_LINE_BEGINS = re.compile(r"(?:^|\n)[ \t]*(?:[-*>•]\s?)?$")
_LINE_ENDS = re.compile(r"(?:[ \t]?\[[\d,~ -]{1,12}\]){0,5}[ \t]*(?:\n|$)")
# "표 [3]" and "식 [3]" name a figure of the text, "배열[3]" a place in the program.
_NO_SOURCE_BEFORE = re.compile(
    r"(?:표|그림|식|부록|버전|항목|배열|인덱스|원소|행렬|벡터|리스트)\s?$"
)
# "3.²" and "(a+b)²" are figures.
_FIGURE_BEFORE = re.compile(r"[\dA-Za-z+*/^-]\s?[.)\"'”’\]]{1,2}$")
_SENTENCE_END_BEFORE = re.compile(
    r"[.!?。다요죠음함임됨][\"'”’)]?\s?(?:\[[\d,~ -]{1,12}\]\s?){0,5}$"
)
_SENTENCE_END_AFTER = re.compile(r"(?:\s?\[[\d,~ -]{1,12}\]){0,5}\s?(?:[.!?。]|\n|$)")
_PAST_NINE = re.compile(rf"(?<![{SUPERSCRIPTS}])¹[⁰¹](?![{SUPERSCRIPTS}])")
_LOOK_BACK_CHARS = 80


def read_marks(text: str) -> tuple[CitationMark, ...]:
    """Return the citation marks of a text, in order."""
    visible = _CODE.sub(lambda code: " " * len(code[0]), text)
    past_nine = _PAST_NINE.search(visible) is not None
    marks = (_mark(visible, match, past_nine) for match in _MARK.finditer(visible))
    return tuple(mark for mark in marks if mark is not None)


def _mark(text: str, match: re.Match[str], past_nine: bool) -> CitationMark | None:
    start, end = match.span()
    target = match["square"] or match["lens"] or match["round"]
    if target is not None:
        return CitationMark(MarkKind.NAMED, start, end, target=target.strip())
    if match["graph"] is not None:
        return _graph_mark(text, start, end)
    name = next(name for name in _STYLES if match[name] is not None)
    before = text[max(0, start - _LOOK_BACK_CHARS) : start]
    if name in _ONLY_CANDIDATES and not _may_cite(name, before, text, end):
        return None
    written = match[name]
    is_raised = name == "raised"
    page = _PAGE_BEHIND.match(text, match.end(name), end)
    ends = _SENTENCE_END_BEFORE.search(before) or _SENTENCE_END_AFTER.match(text, end)
    return CitationMark(
        kind=MarkKind.PLAIN if name in _ONLY_CANDIDATES else MarkKind.NUMBERED,
        start=start,
        end=end,
        numbers=read_raised(written, past_nine=past_nine) if is_raised else read_numbers(written),
        ends_sentence=bool(ends),
        style=_STYLES[name],
        numbers_at=match.span(name),
        page=page[0] if page else "",
        wrapped=match["wrapped"] or "",
    )


def _may_cite(name: str, before: str, text: str, end: int) -> bool:
    """Tell whether a candidate may be a citation, by what stands around it."""
    if name in {"raised", "sup"}:
        return _FIGURE_BEFORE.search(before) is None
    if _LINE_BEGINS.search(before) and not _LINE_ENDS.match(text, end):
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
        ends_sentence=True,
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
