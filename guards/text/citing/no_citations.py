"""Numbers in brackets that cite nothing: intervals, and places in a program's lists.

``[0, 1] 구간`` is an interval, and ``a[i][0]`` and ``[안내][2]`` hang on brackets that are no mark.
"""

import re
from collections.abc import Iterable, Iterator

from guards.text.slots.citation_mark import CitationMark, MarkKind, MarkStyle

_INTERVAL_BEHIND = re.compile(r"[ \t]?(?:(?:닫힌|열린|반열린)[ \t]?|[폐개])?(?:구간|범위)")
_STOPS = (".", "!", "?", "。")
_LOOK_BACK_CHARS = 4


def without_no_citations(raw: str, marks: Iterable[CitationMark]) -> Iterator[CitationMark]:
    """Yield the marks of a text that may cite.

    Args:
        raw: The text.
        marks: What looks like a mark in it, in order.
    """
    behind = 0
    for mark in marks:
        is_bare = mark.kind is MarkKind.PLAIN and mark.style is MarkStyle.LIST
        hangs = raw[mark.start - 1 : mark.start] == "]" and behind != mark.start
        if not is_bare or not (hangs or _is_interval(raw, mark)):
            yield mark
            behind = mark.end


def _is_interval(raw: str, mark: CitationMark) -> bool:
    if len(mark.numbers) < 2 or _INTERVAL_BEHIND.match(raw, mark.end) is None:
        return False
    before = raw[max(0, mark.start - _LOOK_BACK_CHARS) : mark.start]
    return not before.rstrip().endswith(_STOPS)
