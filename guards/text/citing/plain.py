"""The words of an answer without its citation marks."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from operator import attrgetter

from guards.text.slots.citation_mark import CitationMark

JOINS = re.compile(r"[ \t]?(?:[,、·]|및|와|과)?[ \t]?")
"""What may stand between marks that stand together."""
MARKUP = re.compile(r"[\s\-*•·○●▪■◦>#|_.]*")
_FRAME = re.compile(
    r"(?:번\s?)?(?:문서|자료|출처)?\s?"
    r"(?:에\s?(?:따르면|따라서?|의하면|의해서?|의거하여|근거하여|근거해)[ ,]*"
    r"|에서[는도]?(?![가-힣])"
    r"|[은는이가](?![가-힣]))"
)
_BLANKS = re.compile(r"[ \t]+")
_BLANK_BEFORE_STOP = re.compile(r" (?=[.,!?])")
_start_of = attrgetter("start")


def plain_text(raw: str, start: int, end: int, marks: Sequence[CitationMark]) -> str:
    """Return a piece of an answer without its marks.

    Args:
        raw: The answer.
        start: Where the piece begins.
        end: Where it ends.
        marks: Marks of the answer, in order. Of one that opens the piece as a word
            (``[2]에 따르면``) the words that hang on it go too.
    """
    pieces: list[str] = []
    position = start
    opens = True
    first = bisect_left(marks, start, key=_start_of)
    last = bisect_left(marks, end, first, key=_start_of)
    for mark in marks[first:last]:
        before = raw[position : mark.start]
        is_joined = bool(pieces) and JOINS.fullmatch(before) is not None
        opens = opens and (is_joined or MARKUP.fullmatch(before) is not None)
        pieces += ["" if is_joined else before, mark.wrapped]
        frame = _FRAME.match(raw, mark.end) if mark.is_word and opens else None
        position = frame.end() if frame else mark.end
    pieces.append(raw[position:end])
    plain = "".join(pieces)
    if "  " in plain or "\t" in plain:
        plain = _BLANKS.sub(" ", plain)
    return _BLANK_BEFORE_STOP.sub("", plain).strip()
