"""Numbers that are no quantities: articles, ordinals, list markers, citation marks, addresses.

They are blotted out before quantities are read, so that ``제3조`` is no amount of anything and
``①3일`` no 13 days.
"""

import re

from guards.text.normal import Normal
from guards.text.slots.citation_places import citation_places
from guards.text.slots.numbered_text import NumberedText, blotted
from guards.text.slots.windows import AT_NUMBERS, Sought

_ENUMERATORS = frozenset(
    char
    for first, last in ("①⒛", "㉑㉟", "㊱㊿", "⁴⁹")
    for char in map(chr, range(ord(first), ord(last) + 1))
) | frozenset("¹²³")
# Every branch begins with a character of its own, which is what makes the search fast.
_MARKS_AND_ADDRESSES = re.compile(
    r"https?://[^\s<>\"')\]]+|www\.[^\s<>\"')\]]+"
    r"|\[(?:†?\d{1,3}(?:\s*[,~-]\s*†?\d{1,3})*|\^\d{1,3}|(?:참조|출처|근거)[^\]\n]{0,120})\]"
    r"|【[^】\n]{1,120}】|\((?:\d{1,2}|(?:참조|출처|근거)\s*:[^)\n]{0,120})\)"
)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}")
# articles and ordinals; 조 is also a number (3조 원), 호 also a subway line (2호선)
_NAMED_LABEL = re.compile(
    r"(?:(?<![가-힣])제[ ]?\d{1,5}(?![\d]|회)|제\d{1,5}(?=[조항호목편장절관]))[조항호목편장절관]?"
    r"(?:의[ ]?\d{1,3})?"
    r"|(?:별표|별지|서식|부칙)[ ]?\d{1,3}(?:의[ ]?\d{1,3})?"
)
_NUMBER_LABEL = re.compile(
    r"(?<![\d,.])\d{1,4}조(?:의[ ]?\d{1,3})?(?![ ]?(?:원|달러|유로|엔|[\d천백]{1,6}[ ]?억)|[각직])"
    # a room has three figures or more (201호)
    r"|(?<![\d,.])(?:\d{1,3}항|\d{1,2}호)(?:의[ ]?\d{1,3})?"
    r"(?=[^가-힣]|$|[의에을를은는과와로](?![가-힣]))"
    r"|(?<=\s)\d{1,2}\)(?=\s)"
)
_LIST_MARKER = re.compile(
    r"^[ \t]*(?:[-*·○●▪■◦>#|]+[ \t]*)?[*_]{0,3}\d{1,3}[.)](?=[ \t*])(?![ \t]*\d{1,2}\.)",
    re.MULTILINE,
)
_NAMES_LABEL = re.compile(r"제[ ]?\d|별[표지][ ]?\d|서식[ ]?\d|부칙[ ]?\d")
LABELS = (
    Sought(_NAMED_LABEL, _NAMES_LABEL, _NAMES_LABEL),
    Sought(_NUMBER_LABEL, re.compile(r"\d[조항호)]"), AT_NUMBERS, (), frozenset("조항호)")),
    Sought(_LIST_MARKER, re.compile(r"\d[.)][ \t*]")),
)


def without_other_numbers(raw: str, normal: Normal) -> NumberedText:
    """Return the normal form of a text with numbers that are no quantities blotted out."""
    ends = (*normal.breaks[1:], len(normal.text))
    enumerators = [
        (start, end)
        for start, end, origin in zip(normal.breaks, ends, normal.origins, strict=False)
        if raw[origin] in _ENUMERATORS and raw[origin - 1 : origin] != "m"
    ]
    text = blotted(normal.text, sorted((*enumerators, *citation_places(normal.text))))
    text = blotted(text, (match.span() for match in _MARKS_AND_ADDRESSES.finditer(text)))
    if "@" in text:
        text = blotted(text, (match.span() for match in _MAIL.finditer(text)))
    numbered = NumberedText(text)
    labels = [match.span() for sought in LABELS for match in numbered.matches(sought)]
    numbered.leave_out(sorted(labels))
    return numbered
