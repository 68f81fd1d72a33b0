"""Numbers that are no quantities: articles, ordinals, list markers, citation marks, addresses.

They are blotted out before quantities are read, so that ``제3조`` is no amount of anything and
``①3일`` no 13 days.
"""

import re
from collections.abc import Iterable

from guards.text.normal import Normal

BLOT = "\x01"
_ENUMERATORS = re.compile("[①-⒛㉑-㉟㊱-㊿]|(?<!m)[¹²³⁴-⁹]")
_OTHER_NUMBERS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"')\]]+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}"
    # citation marks
    r"|\[(?:†?\d{1,3}(?:\s*[,~-]\s*†?\d{1,3})*|\^\d{1,3}|(?:참조|출처|근거)[^\]\n]{0,120})\]"
    r"|【[^】\n]{1,120}】|\((?:참조|출처|근거)\s*:[^)\n]{0,120}\)"
    # articles and ordinals; 조 is also a number (3조 원), 호 also a subway line (2호선)
    r"|(?:(?<![가-힣])제[ ]?\d{1,5}|제\d{1,5}(?=[조항호목편장절관]))[조항호목편장절관]?"
    r"(?:의[ ]?\d{1,3})?"
    r"|(?<![\d,.])\d{1,4}조(?:의[ ]?\d{1,3})?(?![ ]?(?:원|달러|유로|엔|[\d천백]{1,6}[ ]?억)|[각직])"
    r"|(?<![\d,.])\d{1,3}[항호](?:의[ ]?\d{1,3})?(?=[^가-힣]|$|[의에을를은는과와로](?![가-힣]))"
    r"|(?:별표|별지|서식|부칙)[ ]?\d{1,3}(?:의[ ]?\d{1,3})?"
    # list markers
    r"|^[ \t]*(?:[-*·○●▪■◦>#|]+[ \t]*)?[*_]{0,3}\d{1,3}[.)](?=[ \t*])(?![ \t]*\d{1,2}\.)"
    r"|(?<=\s)\d{1,2}\)(?=\s)|\(\d{1,2}\)",
    re.MULTILINE,
)


def without_other_numbers(raw: str, normal: Normal) -> str:
    """Return the normal form of a text with numbers that are no quantities blotted out."""
    ends = (*normal.breaks[1:], len(normal.text))
    enumerators = [
        (start, end)
        for start, end, origin in zip(normal.breaks, ends, normal.origins, strict=False)
        if _ENUMERATORS.match(raw, origin)
    ]
    text = blotted(normal.text, enumerators)
    return _OTHER_NUMBERS.sub(lambda match: BLOT * len(match[0]), text)


def blotted(text: str, places: Iterable[tuple[int, int]]) -> str:
    """Return a text of the same length with some places, given in order, made unreadable."""
    pieces: list[str] = []
    position = 0
    for start, end in places:
        pieces += text[position:start], BLOT * (end - start)
        position = end
    return "".join(pieces) + text[position:]
