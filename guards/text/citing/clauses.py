"""The pieces of a statement that its marks set apart, each of which is cited by itself.

``A[1], B[3].`` cites twice, and so does ``[1]에 따르면 A고 [3]에 따르면 B``: a mark closes the
clause before it, or opens the one behind it. Within a piece the coordinate clauses, or the cells of
a table row, may each rest on another of its sources.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from guards.claims.reader import read_sentence
from guards.text.citing.plain import JOINS, plain_text
from guards.text.citing.statements import Statement
from guards.text.sentences import Sentence
from guards.text.slots.citation_mark import CitationMark

_CLAUSE_BEHIND = re.compile(r"(?:이고|이며|이지만|인데|이나)?\s?[,;]\s|(?:이고|이며|이지만|인데)\s")
_CLAUSE_BEFORE = re.compile(r"(?:고|며|지만|는데|은데|으나|거나|니다|[어아해]요|[,;])[.!?]?\s?\Z")
_WORD = re.compile(r"\w")
_CELL = re.compile(r"[^|]+")
_PREDICATE_END = re.compile(r"/E[CF]$")
_STOPS = " .,!"
_LOOK_BACK_CHARS = 8


def cited_clauses(raw: str, statement: Statement) -> tuple[Statement, ...]:
    """Return the pieces of a statement, each with its own marks; itself if there is but one."""
    sentence = statement.sentence
    if sentence.text.startswith("|"):
        return (statement,)
    cuts = list(_cuts(raw, statement))
    if not cuts:
        return (statement,)
    places = pairwise([sentence.start, *cuts, sentence.end])
    return tuple(_piece(raw, statement, start, end) for start, end in places)


def parts_of(raw: str, piece: Statement) -> tuple[Sentence, ...]:
    """Return the clauses or cells of a piece without marks, at their places; none if it is one."""
    sentence = piece.sentence
    if sentence.text.startswith("|"):
        spans = [cell.span() for cell in _CELL.finditer(sentence.text)]
    else:
        spans = list(_coordinate(sentence.text))
    if len(spans) == 1:
        return ()
    return tuple(
        Sentence(plain_text(raw, start, end, piece.marks), start, end)
        for start, end in ((sentence.start + at, sentence.start + to) for at, to in spans)
    )


def _coordinate(text: str) -> Iterator[tuple[int, int]]:
    """Yield the clauses of a sentence that say something by themselves, conditions with theirs."""
    start = 0
    for clause in read_sentence(text):
        is_told = _PREDICATE_END.search(clause.trail) is not None
        if is_told and not (clause.is_condition or clause.is_concession):
            yield start, clause.end
            start = clause.end
    if text[start:].strip(_STOPS):
        yield start, len(text)


def _cuts(raw: str, statement: Statement) -> Iterator[int]:
    """Yield where one piece ends and the next begins."""
    sentence = statement.sentence
    begun = sentence.start
    for group in _groups(raw, statement.marks):
        start, end = group[0].start, group[-1].end
        before = raw[max(begun, start - _LOOK_BACK_CHARS) : start]
        cut = None
        if group[-1].is_word:
            cut = start if _CLAUSE_BEFORE.search(before) else None
        elif behind := _CLAUSE_BEHIND.match(raw, end, sentence.end):
            cut = behind.end()
        elif raw[end : end + 1].isspace() and _CLAUSE_BEFORE.search(before):
            cut = end
        if cut is not None and cut < sentence.end and _says_anything(raw, begun, cut, statement):
            yield cut
            begun = cut


def _says_anything(raw: str, start: int, end: int, statement: Statement) -> bool:
    return _WORD.search(plain_text(raw, start, end, statement.marks)) is not None


def _groups(raw: str, marks: Sequence[CitationMark]) -> Iterator[list[CitationMark]]:
    """Yield the marks that stand together."""
    group: list[CitationMark] = []
    for mark in marks:
        if group and not JOINS.fullmatch(raw, group[-1].end, mark.start):
            yield group
            group = []
        group.append(mark)
    if group:
        yield group


def _piece(raw: str, statement: Statement, start: int, end: int) -> Statement:
    text = raw[start:end].strip()
    begin = raw.index(text, start)
    sentence = Sentence(text, begin, begin + len(text))
    is_last = end == statement.sentence.end
    marks = tuple(
        mark for mark in statement.marks if start <= mark.start and (mark.start < end or is_last)
    )
    text = plain_text(raw, sentence.start, sentence.end, marks).rstrip(" ,;")
    return replace(statement, sentence=sentence, text=text, marks=marks)
