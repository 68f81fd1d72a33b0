"""Splits Korean text into sentences.

A full stop ends a sentence unless it stands in a number, a date (``2024. 3. 5.``), a list marker
(``1.`` ``가.`` at the start of a line), an address or an abbreviation, or inside quotes or brackets.
Every line break ends one too. Citation marks after the full stop (``…한다.[1]``) belong to the sentence
before them.
"""

import re
from dataclasses import dataclass

_CLOSERS = "\"'”’」』)]】〉》"
_OPENERS = dict(zip("([{「『【〈《“‘", ")]}」』】〉》”’", strict=True))
_CITATION = re.compile(
    r"[ \t]*(?:\[(?:†?\d{1,3}(?:\s*[,~-]\s*†?\d{1,3})*|\^\d{1,3}|(?:참조|출처|근거)[^\]\n]{0,120})\]"
    r"|【[^】\n]{1,120}】|\((?:참조|출처|근거)\s*[::][^)\n]{0,120}\)|[¹²³⁴-⁹]+)"
)
_LIST_MARKER = re.compile(r"[ \t]*(?:\d{1,3}|[가-하]|[A-Za-z]|[ivxIVX]{1,4})\.(?=\s|$)")
_STOPS = ".!?…。！？"
_DATE_PART = re.compile(r"\d{1,4}\.[ ]?(?=\d)")
_LONGEST_BRACKET_CHARS = 200


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its half-open place in the text, in code points, without outer white space."""

    text: str
    start: int
    end: int


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text in order; together they hold every visible character."""
    sentences: list[Sentence] = []
    start = 0
    for line in re.finditer(r"[^\n]*(?:\n|$)", text):
        start = line.start()
        for end in _ends_in_line(text, line.start(), line.end()):
            _add(sentences, text, start, end)
            start = end
        _add(sentences, text, start, line.end())
    return tuple(sentences)


def _add(sentences: list[Sentence], text: str, start: int, end: int) -> None:
    body = text[start:end]
    stripped = body.strip()
    if stripped:
        begin = start + body.index(stripped[0])
        sentences.append(Sentence(stripped, begin, begin + len(stripped)))


def _ends_in_line(text: str, start: int, end: int) -> list[int]:
    """Return the positions right after each sentence of one line, but for the last one."""
    ends: list[int] = []
    position = start
    marker = _LIST_MARKER.match(text, start, end)
    if marker:
        position = marker.end()
    while position < end:
        char = text[position]
        if char in _OPENERS:
            position = _after_bracket(text, position, end)
            continue
        if char not in _STOPS:
            position += 1
            continue
        after = position + 1
        while after < end and text[after] in _STOPS + _CLOSERS:
            after += 1
        if _ends_sentence(text, position, after, end):
            after = _after_citations(text, after, end)
            ends.append(after)
        position = after
    return ends


def _after_bracket(text: str, opener: int, end: int) -> int:
    """Return the position behind a bracketed piece, or behind the opener if it never closes."""
    limit = min(end, opener + _LONGEST_BRACKET_CHARS)
    closer = text.find(_OPENERS[text[opener]], opener + 1, limit)
    return opener + 1 if closer < 0 else closer + 1


def _after_citations(text: str, position: int, end: int) -> int:
    while match := _CITATION.match(text, position, end):
        position = match.end()
    if position < end and text[position] in _STOPS:
        position += 1
    return position


def _ends_sentence(text: str, stop: int, after: int, end: int) -> bool:
    before = text[stop - 1] if stop else ""
    following = text[after] if after < end else "\n"
    if text[stop] != ".":
        return following.isspace() or after >= end or _is_hangul(following)
    if before.isdigit() and (following.isdigit() or _DATE_PART.match(text, _word_start(text, stop))):
        return False
    if following.isspace() or after >= end:
        return not (before.isdigit() and _digit_follows(text, after, end))
    if text[after:after + 1] in "[【(¹²³":
        return _CITATION.match(text, after, end) is not None
    return _is_hangul(before) and _is_hangul(following) and before in "다요죠까음함됨임"


def _word_start(text: str, position: int) -> int:
    while position and (text[position - 1].isdigit()):
        position -= 1
    return position


def _digit_follows(text: str, position: int, end: int) -> bool:
    """Tell whether the next visible character is a digit, as in ``2024. 3. 5.``."""
    while position < end and text[position] in " \t":
        position += 1
    return position < end and text[position].isdigit()


def _is_hangul(char: str) -> bool:
    return "가" <= char <= "힣"
