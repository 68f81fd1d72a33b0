"""The sentences of an answer with the citation marks that belong to each, and their clauses.

A mark belongs to the sentence it stands in, or right behind the full stop of; one that is a word
of the sentence behind it (``[2]에 따르면``) to that one; one behind the cells of a table row to the
whole row; one on a line of its own to the paragraph before it.

``A[1], B[3].`` cites twice, and so does ``[1]에 따르면 A고 [3]에 따르면 B``: a mark closes the
clause before it, or opens the one behind it. Within a piece the coordinate clauses, or the cells of
a table row, may each rest on another of its sources.

What is read of the latest exchanges is kept and shared: the guard of citations and the report on an
answer compare the same sentences with the same sources.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from guards.claims.reader import read_sentence
from guards.core.exchange import Exchange
from guards.core.keeping import lazy
from guards.core.reading import Reading
from guards.evidence.support import Support
from guards.text.citing.references import References, in_references, marks_in_body, read_references
from guards.text.claims import JOINS, MARKUP, claims, plain_text
from guards.text.scripts import without_code
from guards.text.sentences import Sentence, split_sentences
from guards.text.slots.citation_mark import CitationMark


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence and what it cites.

    Attributes:
        sentence: The sentence as it stands, marks included; a table row is one.
        text: Its text without marks.
        marks: The marks that belong to it, in order; they may stand behind `sentence`.
        is_claim: It says something that can be true or false.
        led_by: The sentences before it in its paragraph that have no mark of their own and may
            share its marks: many answers cite once, at a paragraph's end.
    """

    sentence: Sentence
    text: str
    marks: tuple[CitationMark, ...] = ()
    is_claim: bool = False
    led_by: tuple[Sentence, ...] = ()


_WORD = re.compile(r"\w")
PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


def read_statements(text: str) -> tuple[Statement, ...]:
    """Return the statements of an answer in order, without its references and code."""
    references = read_references(text)
    return statements_of(text, references, marks_in_body(text, references))


def statements_of(
    text: str, references: References | None, marks: Sequence[CitationMark]
) -> tuple[Statement, ...]:
    """Return the same of an answer whose references, and marks outside them, are known."""
    visible = without_code(text)
    sentences = [
        sentence
        for sentence in _with_whole_rows(text, split_sentences(text))
        if visible[sentence.start : sentence.end].strip()
        and not in_references(sentence.start, references)
    ]
    drafts = _drafts(text, sentences, marks)
    claimed = [claim.start for claim in claims(text)]
    return tuple(
        Statement(
            draft.sentence,
            draft.text,
            tuple(draft.marks),
            is_claim=_any_between(claimed, draft.sentence.start, draft.sentence.end),
            led_by=_led_by(text, drafts, at),
        )
        for at, draft in enumerate(drafts)
    )


@dataclass(slots=True)
class _Draft:
    """A statement to which marks behind it may still be given."""

    sentence: Sentence
    text: str
    marks: list[CitationMark]
    closes_paragraph: bool = False


def _drafts(
    text: str, sentences: Sequence[Sentence], marks: Sequence[CitationMark]
) -> list[_Draft]:
    drafts: list[_Draft] = []
    starts = [mark.start for mark in marks]
    for sentence in sentences:
        first, last = bisect_left(starts, sentence.start), bisect_left(starts, sentence.end)
        inside = list(marks[first:last])
        plain = plain_text(text, sentence.start, sentence.end, inside)
        stands_alone = not _WORD.search(plain)
        leading = _leading(text, sentence, inside)
        if drafts and leading:
            follows = "\n" not in text[drafts[-1].sentence.end : sentence.start]
            if follows or stands_alone:
                drafts[-1].marks += inside[:leading]
                drafts[-1].closes_paragraph = not follows
                inside = inside[leading:]
        if not stands_alone:
            drafts.append(_Draft(sentence, plain, inside))
    return drafts


def _leading(text: str, sentence: Sentence, inside: Sequence[CitationMark]) -> int:
    """Return how many marks before the sentence's first word are no words of it."""
    position = sentence.start
    together = 0
    for count, mark in enumerate(inside):
        is_joined = count and JOINS.fullmatch(text, position, mark.start)
        if mark.wrapped or not (is_joined or MARKUP.fullmatch(text, position, mark.start)):
            return count
        if count and text[position : mark.start].isspace():
            together = count
        if mark.is_word:
            return together
        position = mark.end
    return len(inside)


def _led_by(text: str, drafts: Sequence[_Draft], at: int) -> tuple[Sentence, ...]:
    """Return the sentences before a cited one that may share its marks."""
    last = drafts[at]
    leads: list[Sentence] = []
    following = last.sentence
    while last.marks and at and not drafts[at - 1].marks:
        at -= 1
        before = drafts[at].sentence
        between = text[before.end : following.start]
        if PARAGRAPH_END.search(between) if last.closes_paragraph else "\n" in between:
            break
        leads.append(before)
        following = before
    return tuple(reversed(leads))


def _with_whole_rows(text: str, sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield sentences, those of one table row as one."""
    row: Sentence | None = None
    for sentence in sentences:
        if row and "\n" not in text[row.end : sentence.start]:
            row = Sentence(text[row.start : sentence.end], row.start, sentence.end)
            continue
        if row:
            yield row
        row = sentence if sentence.text.startswith("|") else None
        if row is None:
            yield sentence
    if row:
        yield row


def _any_between(places: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(places, start)
    return at < len(places) and places[at] < end


_CLAUSE_BEHIND = re.compile(r"(?:이고|이며|이지만|인데|이나)?\s?[,;]\s|(?:이고|이며|이지만|인데)\s")
_CLAUSE_BEFORE = re.compile(r"(?:고|며|지만|는데|은데|으나|거나|니다|[어아해]요|[,;])[.!?]?\s?\Z")
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


class CitedAnswer:
    """Citations of an answer, as far as its text shows. Positions are code points of `raw`."""

    def __init__(self, raw: str) -> None:
        self.raw = raw

    @lazy
    def references(self) -> References | None:
        """The list of references at its end; None if it has none."""
        return read_references(self.raw)

    @lazy
    def marks(self) -> tuple[CitationMark, ...]:
        """Its marks outside that list, in order."""
        return marks_in_body(self.raw, self.references)

    @lazy
    def statements(self) -> tuple[Statement, ...]:
        """Its statements, in order."""
        return statements_of(self.raw, self.references, self.marks)

    def statement_at(self, position: int) -> Statement | None:
        """Return the statement at a place, which may be in a mark behind it."""
        for statement in self.statements:
            sentence = statement.sentence
            in_marks = any(mark.start <= position < mark.end for mark in statement.marks)
            if in_marks or sentence.start <= position < sentence.end:
                return statement
        return None

    def statement_before(self, statement: Statement) -> Statement | None:
        """Return the statement before one on its line; None if it begins the line."""
        at = self.statements.index(statement)
        if not at:
            return None
        before = self.statements[at - 1]
        gap = self.raw[before.sentence.end : statement.sentence.start]
        return None if "\n" in gap else before


EXCHANGES_KEPT = 4


@dataclass(frozen=True, slots=True)
class ReadingKey:
    """A reading that counts as the same as any other of the same exchange from the same place."""

    exchange: Exchange
    judged_from: int
    reading: Reading = field(compare=False)


def reading_key(reading: Reading) -> ReadingKey:
    """Return what a reading is kept under."""
    return ReadingKey(reading.exchange, reading.judged_from, reading)


def cited_answer(reading: Reading) -> CitedAnswer:
    """Return the answer of an exchange as it cites; an empty one before the model has spoken."""
    return _cited_answer(reading.exchange.answer or "")


def support_of(reading: Reading) -> Support:
    """Return the sources of an exchange, with which its statements are compared."""
    return _support(reading_key(reading))


_cited_answer = lru_cache(maxsize=EXCHANGES_KEPT)(CitedAnswer)


@lru_cache(maxsize=EXCHANGES_KEPT)
def _support(key: ReadingKey) -> Support:
    return Support(key.reading, cited_answer(key.reading).marks)
