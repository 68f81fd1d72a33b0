"""The sentences of an answer with the citation marks that belong to each.

A mark belongs to the sentence it stands in, or right behind the full stop of; one that is a word
of the sentence behind it (``[2]에 따르면``) to that one; one behind the cells of a table row to the
whole row; one on a line of its own to the paragraph before it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from guards.text.citing.plain import JOINS, MARKUP, plain_text
from guards.text.citing.references import References, in_references, marks_in_body, read_references
from guards.text.claims import claims
from guards.text.sentences import Sentence, split_sentences
from guards.text.slots.citation_mark import CitationMark
from guards.text.writing.scripts import without_code


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
