"""The marks ``[Source: file]`` and ``[Page N]`` that a citing system writes above its passages.

Relevance is 40 % position (earlier is better), 40 % length of the passage and 20 % how often its
file is marked. A passage of two sentences has the full length, a file marked three times the full
count. The Korean mark ``[출처: …]`` is a plain heading of many apps and has no relevance.
"""

import re
from collections import Counter
from dataclasses import replace

from proxy.openai_api.sources.found import Passage

_MARK = re.compile(
    r"^[ \t>*#-]{0,8}\[(Source|출처|소스)\s?[:：]\s*([^\]\n]{1,300})\]",
    re.MULTILINE | re.IGNORECASE,
)
_PAGE = re.compile(r"\[(?:Page|페이지|쪽)\s?[:：]?\s*(\d{1,5})\]", re.IGNORECASE)
_INLINE_PAGE = re.compile(
    r"\s*[,|;]\s*(?:p\.?|page|페이지)\s*[:：]?\s*(\d{1,5})\s*$", re.IGNORECASE
)
_OPENER = re.compile(r"\[source", re.IGNORECASE)
_POSITION, _LENGTH, _COUNT = 0.4, 0.4, 0.2
_FULL_LENGTH_CHARS = 80
_FULL_COUNT = 3


def has_marks(text: str) -> bool:
    """Tell whether a block is written with source marks: its first line is one."""
    return _MARK.match(text.lstrip()) is not None


def speaks_of_source(text: str) -> bool:
    """Tell whether a mark of the citing system may stand anywhere in a text."""
    return _OPENER.search(text) is not None


def opens_passage(line: str) -> bool:
    """Tell whether a line is a mark of the citing system, and nothing else."""
    found = _MARK.fullmatch(line.rstrip())
    return found is not None and found[1].lower() == "source"


def marked_passages(text: str) -> tuple[Passage, ...]:
    """Return the passages below the marks, each with its relevance."""
    marks = list(_MARK.finditer(text))
    counts = Counter(_file(mark)[0] for mark in marks)
    passages: list[Passage] = []
    for at, mark in enumerate(marks):
        end = marks[at + 1].start() if at + 1 < len(marks) else len(text)
        file, page = _file(mark)
        for number, begin, excerpt in _by_page(text, mark.end(), end, page):
            passage = Passage(excerpt, file=file, page=number)
            if mark[1].lower() == "source":
                weight = _relevance(begin / len(text), len(excerpt), counts[file])
                passage = replace(passage, relevance=weight)
            passages.append(passage)
    return tuple(passages)


def _file(mark: re.Match[str]) -> tuple[str, int | None]:
    name = mark[2].strip()
    paged = _INLINE_PAGE.search(name)
    return (name[: paged.start()], int(paged[1])) if paged else (name, None)


def _by_page(
    text: str, begin: int, end: int, page: int | None
) -> list[tuple[int | None, int, str]]:
    """Return page, place and words of each page's part below one source mark."""
    parts: list[tuple[int | None, int, str]] = []
    for match in [*_PAGE.finditer(text, begin, end), None]:
        excerpt = text[begin : match.start() if match else end].strip().strip("-=").strip()
        if excerpt or (match is None and not parts):
            parts.append((page, begin, excerpt))
        if match:
            page, begin = int(match[1]), match.end()
    return parts


def _relevance(position: float, chars: int, count: int) -> float:
    return (
        _POSITION * (1 - position)
        + _LENGTH * min(1.0, chars / _FULL_LENGTH_CHARS)
        + _COUNT * min(1.0, count / _FULL_COUNT)
    )
