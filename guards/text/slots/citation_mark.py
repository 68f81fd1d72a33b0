"""Reads the marks by which an answer names its sources: ``[†2]``, ``[1, 3]``, ``[출처: 인사규정]``.

Read outside code only. A number in plain brackets is only a candidate, because footnotes and list
numbers look the same; links, check boxes and years (``[2024]``) are not read at all.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class MarkKind(StrEnum):
    """How a mark names its source."""

    NAMED = "named"
    """By title or file: ``[출처: …]``, ``(출처: …)``, ``[참조: …]``."""
    NUMBERED = "numbered"
    """By number, in a form that is nothing else: ``[†2]``, ``【2】``, ``[^2]``, ``[출처 2]``."""
    PLAIN = "plain"
    """By number in plain brackets: ``[2]``."""


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
    """

    kind: MarkKind
    start: int
    end: int
    target: str = ""
    numbers: tuple[int, ...] = ()
    ends_sentence: bool = False


_CODE = re.compile(r"(?P<fence>```|~~~).*?(?:(?P=fence)|\Z)|`[^`\n]*`", re.DOTALL)
_LABEL = r"\s?(?:출처|참조|참고|근거|인용)"
_NUMBERS = r"\d{1,3}(?:\s?[,~-]\s?†?\d{1,3}){0,9}"
_MARK = re.compile(
    rf"\[{_LABEL}\s?[:：](?P<square>[^\[\]\n]{{1,200}})\]"
    rf"|【{_LABEL}\s?[:：](?P<lens>[^【】\n]{{1,200}})】"
    rf"|\({_LABEL}\s?[:：](?P<round>[^()\n]{{1,200}}(?:\([^()\n]{{0,80}}\)[^()\n]{{0,80}}){{0,3}})\)"
    rf"|\[(?:{_LABEL}|\s?문서|\s?자료|\s?[Ss]ource)\s?[#:]?\s?(?P<labelled>{_NUMBERS})\s?\]"
    rf"|[\[【]\s?†\s?(?P<dagger>{_NUMBERS})\s?[\]】]"
    rf"|【\s?(?P<thick>{_NUMBERS})(?:[:†][^【】\n]{{0,40}})?\s?】"
    r"|\[\^(?P<note>\d{1,3})\](?!:)"
    r"|(?<![A-Za-z0-9_!)])\[\s?(?P<plain>\d{1,2}(?:\s?[,~-]\s?\d{1,2}){0,9})\s?\](?![(:])"
)
_NOTE_DEFINITION = re.compile(r"^\[\^(\d{1,3})\]:", re.MULTILINE)
# "- [3] 첫 번째 항목" numbers a list; "표 [3]" and "식 [3]" name a figure of the text.
_NO_CITATION_BEFORE = re.compile(r"(?:^|\n)[ \t]*(?:[-*>•]\s?)?$|(?:표|그림|식|부록|버전|항목)\s?$")
# 배열[3]과
_INSIDE_A_WORD = re.compile(r"[가-힣]\[[^\[\]]*\][가-힣]")
_SENTENCE_END_BEFORE = re.compile(
    r"[.!?。다요죠음함임됨][\"'”’)]?\s?(?:\[[\d,~ -]{1,12}\]\s?){0,5}$"
)
_SENTENCE_END_AFTER = re.compile(r"(?:\s?\[[\d,~ -]{1,12}\]){0,5}\s?(?:[.!?。]|\n|$)")
_MOST_IN_RANGE = 50
_LOOK_BACK_CHARS = 80


def read_marks(text: str) -> tuple[CitationMark, ...]:
    """Return the citation marks of a text, in order."""
    visible = _CODE.sub(lambda code: " " * len(code[0]), text)
    defined = set(_NOTE_DEFINITION.findall(visible))
    marks = (_mark(visible, match, defined) for match in _MARK.finditer(visible))
    return tuple(mark for mark in marks if mark is not None)


def _mark(text: str, match: re.Match[str], defined: set[str]) -> CitationMark | None:
    start, end = match.span()
    target = match["square"] or match["lens"] or match["round"]
    if target is not None:
        return CitationMark(MarkKind.NAMED, start, end, target=target.strip())
    if match["note"] in defined:
        return None
    if match["plain"] is None:
        written = match["labelled"] or match["dagger"] or match["thick"] or match["note"]
        return CitationMark(MarkKind.NUMBERED, start, end, numbers=_numbers(written))
    before = text[max(0, start - _LOOK_BACK_CHARS) : start]
    if _NO_CITATION_BEFORE.search(before) or _INSIDE_A_WORD.match(text, max(0, start - 1), end + 1):
        return None
    ends = _SENTENCE_END_BEFORE.search(before) or _SENTENCE_END_AFTER.match(text, end)
    return CitationMark(
        MarkKind.PLAIN, start, end, numbers=_numbers(match["plain"]), ends_sentence=bool(ends)
    )


def _numbers(written: str) -> tuple[int, ...]:
    """Return the numbers of ``1, 3-5``."""
    numbers: list[int] = []
    for piece in written.replace("†", "").split(","):
        first, *rest = (int(number) for number in re.findall(r"\d+", piece))
        last = rest[-1] if rest else first
        numbers.extend(range(first, min(last, first + _MOST_IN_RANGE) + 1) or (first, last))
    return tuple(dict.fromkeys(numbers))
