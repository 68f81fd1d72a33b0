"""Splits Korean text into sentences.

A full stop ends a sentence unless it stands in a number, a date (``2024. 3. 5. 시행``), a list
marker (``1.``, ``- 가.``), an address or an abbreviation, or inside quotes or brackets. Every line
break ends one too. Citation marks after the full stop (``…한다.[1]``) belong to the sentence, but
for those that are a word of the next one (``…한다. [2]에 따르면 …``).
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from guards.text.slots.citation_pattern import IS_WORD

_STOPS = frozenset(".!?…。！？")
_AFTER_STOP = _STOPS | frozenset("\"'”’」』)]】〉》")
_CLOSER_OF = dict(zip('([{「『【〈《“‘"', ')]}」』】〉》”’"', strict=True))
_MARK = re.compile(f"[{re.escape(''.join((*sorted(_STOPS), *_CLOSER_OF)))}]")
_LONGEST_BRACKET_CHARS = 200
_MARKS = (
    r"(?:\[(?:†?\d{1,3}(?:\s*[,~-]\s*†?\d{1,3})*|\^\d{1,3})\]"
    r"|\[(?:참조|출처|근거)[^\]\n]{0,120}\]|【[^】\n]{1,120}】|\((?:참조|출처|근거)\s*[::][^)\n]{0,120}\)|[¹²³⁴-⁹]+)"
)
_CITATION = re.compile(rf"[ \t]*{_MARKS}")
_FURTHER_CITATION = re.compile(rf"[ \t]?[,·][ \t]?{_MARKS}")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LIST_MARKER = re.compile(
    r"[ \t]*(?:[-*•·○●▪■◦>#]+[ \t]+)?(?:\d{1,3}|[가-하]|[A-Za-z]|[ivxIVX]{1,4})\.(?=\s|$)"
)
_LOOK_BACK_CHARS = 24
_TEXTS_KEPT = 4
# What stands right before a full stop that ends nothing: a number of its own ("5." of a date or a
# list), a whole date, or an abbreviation.
_OPEN_END = re.compile(
    r"(?:(?<![^\s(~-])\d{1,2}|(?<!\d)(?:'?\d{2}|\d{4})\.[ ]?\d{1,2}\.[ ]?\d{1,2}"
    r"|(?:'\d{2}|(?<!\d)\d{4})\.[ ]?\d{1,2}"
    r"|(?<![A-Za-z])(?:[A-Za-z]|[Nn]o|[Vv]s|pp|[DM]r|Co|Inc|St))$"
)
_DIGIT_NEXT = re.compile(r"[ \t]*\d")
# Endings after which a sentence is over even where the space after the full stop is missing.
_SENTENCE_ENDINGS = frozenset("다요죠까음함됨임")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its half-open place in the text, in code points, without outer white space."""

    text: str
    start: int
    end: int


# The claims and the statements of an answer are read one after the other.
@lru_cache(maxsize=_TEXTS_KEPT)
def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text in order; together they hold every visible character."""
    sentences: list[Sentence] = []
    for line in _LINE.finditer(text):
        start = line.start()
        for end in (*_ends_in_line(text, line.start(), line.end()), line.end()):
            stripped = text[start:end].strip()
            if stripped:
                begin = text.index(stripped[0], start)
                sentences.append(Sentence(stripped, begin, begin + len(stripped)))
            start = end
    return tuple(sentences)


def _ends_in_line(text: str, start: int, end: int) -> list[int]:
    """Return the positions right after each sentence of one line, but for the last one."""
    ends: list[int] = []
    marker = _LIST_MARKER.match(text, start, end)
    position = marker.end() if marker else start
    while mark := _MARK.search(text, position, end):
        stop = mark.start()
        if mark[0] in _CLOSER_OF:
            position = _after_bracket(text, stop, end)
        else:
            position = _after_stops(text, stop, end)
            if _ends_sentence(text, stop, position, end):
                position = _after_citations(text, position, end)
                ends.append(position)
    return ends


def _after_bracket(text: str, opener: int, end: int) -> int:
    """Return the position behind a bracketed piece, or behind the opener if it never closes."""
    limit = min(end, opener + _LONGEST_BRACKET_CHARS)
    closer = text.find(_CLOSER_OF[text[opener]], opener + 1, limit)
    return opener + 1 if closer < 0 else closer + 1


def _after_stops(text: str, stop: int, end: int) -> int:
    position = stop + 1
    while position < end and text[position] in _AFTER_STOP:
        position += 1
    return position


def _after_citations(text: str, position: int, end: int) -> int:
    """Return the position behind the marks that belong to the sentence before them."""
    last_run = position
    while match := _CITATION.match(text, position, end):
        last_run = position if match[0][0].isspace() else last_run
        position = match.end()
    if _go_on(text, last_run, position, end):
        return last_run
    if position < end and text[position] in _STOPS:
        position += 1
    return position


def _go_on(text: str, start: int, stop: int, end: int) -> bool:
    """Tell whether some marks are words of a sentence that goes on behind them."""
    if start == stop:
        return False
    while match := _FURTHER_CITATION.match(text, stop, end):
        stop = match.end()
    # "…다.[1]이 경우" begins anew.
    is_this = text[stop : stop + 1] == "이" and not text[start].isspace()
    return IS_WORD.match(text, stop, end) is not None and not is_this


def _ends_sentence(text: str, stop: int, after: int, end: int) -> bool:
    """Tell whether the stops from `stop` to `after` end a sentence within a line."""
    if after >= end or text[after] == "\n":
        return True
    is_single_dot = text[stop:after] == "."
    if text[after].isspace():
        return not (is_single_dot and _is_open_end(text, stop, after, end))
    if _CITATION.match(text, after, end):
        return True
    if not "가" <= text[after] <= "힣":
        return False
    last = text[stop - 1] if is_single_dot and stop else text[after - 1]
    return last in _SENTENCE_ENDINGS or last in "?!"


def _is_open_end(text: str, stop: int, after: int, end: int) -> bool:
    before = text[max(0, stop - _LOOK_BACK_CHARS) : stop]
    if before[-1:].isdigit() and _DIGIT_NEXT.match(text, after, end):
        return True
    return _OPEN_END.search(before) is not None
