"""The findings of a trace, numbered, and the texts cut at their places.

Places may overlap: a piece of text can belong to several of them, and one of them can consist of
several pieces. All places are in code points.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, pairwise

from guards.core.exchange import Source
from guards.core.finding import Finding, Severity, Span
from policies.schema.base import Mode
from policies.schema.sections import StoredText
from proxy.traces.trace import (
    Change,
    Trace,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text, and the number of what is said about it."""

    span: Span
    number: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text.

    Attributes:
        numbers: Of all that is said about it, in the order in which their places begin.
        begins: Those of them whose place begins with it.
    """

    text: str
    numbers: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of an answer that left, with what stands in it now and before.

    Attributes:
        gone: What was taken out behind it.
        put_in: What was sent instead of that.
    """

    same: str
    gone: str = ""
    put_in: str = ""


def cut(text: str, marks: Iterable[Mark]) -> list[Piece]:
    """Return the pieces of a text; together they are the text, and every mark begins in one.

    What lies outside of the text is moved to its nearest end.
    """
    placed = sorted((_within(mark, len(text)) for mark in marks), key=_by_place)
    borders = {
        0,
        len(text),
        *(place for mark in placed for place in (mark.span.start, mark.span.end)),
    }
    pieces: list[Piece] = []
    waiting = placed[::-1]
    open_marks: list[Mark] = []
    for start, end in pairwise((*sorted(borders), len(text))):
        open_marks = [mark for mark in open_marks if mark.span.end > start]
        begins: list[int] = []
        while waiting and waiting[-1].span.start == start:
            mark = waiting.pop()
            if mark.span.end == start:
                pieces.append(Piece("", (mark.number,), (mark.number,)))
            else:
                open_marks.append(mark)
                begins.append(mark.number)
        if start < end:
            numbers = tuple(mark.number for mark in open_marks)
            pieces.append(Piece(text[start:end], numbers, tuple(begins)))
    return pieces


def changed(came: str, changes: Sequence[Change]) -> list[Stretch]:
    """Return an answer as it came and left, from one change to the next."""
    pieces: list[Stretch] = []
    position = 0
    for change in changes:
        start, end = change.span.start, change.span.end
        pieces.append(Stretch(came[position:start], came[start:end], change.text))
        position = max(position, end)
    rest = came[position:]
    return [*pieces, Stretch(rest)] if rest else pieces


def _within(mark: Mark, length: int) -> Mark:
    start = min(max(mark.span.start, 0), length)
    end = min(max(mark.span.end, start), length)
    return Mark(Span(start, end), mark.number)


def _by_place(mark: Mark) -> tuple[int, int, int]:
    """Order by where a place begins, the longer first."""
    return mark.span.start, -mark.span.end, mark.number


QUESTION = "question"
ANSWER = "answer"
_SOURCE = "source:"
_WORD = re.compile(r"\S+")
_TONES = ("strong", "weak", "shadow")


@dataclass(frozen=True, slots=True)
class Quote:
    """Quotation from a source in a finding.

    Attributes:
        source: Number of the source on the page, from 1; None if the trace does not have it.
        place: Where in the source's text it stands; None if it does not stand there.
    """

    text: str
    source: int | None
    place: Span | None


@dataclass(frozen=True, slots=True)
class NumberedFinding:
    """A finding with its number.

    Attributes:
        number: From 1, over all findings of the trace.
        in_shadow: Its guard only watches.
        in_source: Number of the source that it is about; None if it is about none.
    """

    number: int
    finding: Finding
    in_shadow: bool = False
    quotes: tuple[Quote, ...] = ()
    in_source: int | None = None

    @property
    def tone(self) -> str:
        """Style of its mark: ``strong``, ``weak``, or ``shadow`` if it changes nothing."""
        if self.in_shadow:
            return "shadow"
        return "strong" if self.finding.severity is Severity.STRONG else "weak"

    @property
    def expected(self) -> str:
        """The sources' values instead."""
        return " / ".join(filter(None, self.finding.expected))

    @property
    def mark(self) -> Mark:
        """Its place."""
        return Mark(self.finding.span, self.number)


@dataclass(frozen=True, slots=True)
class NumberedFindings:
    """All findings of a trace.

    Attributes:
        answers: About each answer, by the number of the attempt and the index of the choice.
        tones: How the place of each is marked, by its number.
        has_words: The texts that they are about were kept.
    """

    question: tuple[NumberedFinding, ...]
    answers: Mapping[tuple[int, int], tuple[NumberedFinding, ...]]
    tones: Mapping[int, str]
    has_words: bool

    def pieces(self, text: str, about: Iterable[NumberedFinding], part: str) -> list[Piece]:
        """Return a text, cut where findings are about that part; nothing if it was not kept."""
        if not self.has_words:
            return []
        return cut(text, [seen.mark for seen in about if seen.finding.part == part])

    def __iter__(self) -> Iterator[NumberedFinding]:
        """Yield all in the order of their numbers."""
        yield from self.question
        for seen in self.answers.values():
            yield from seen

    def tone(self, numbers: Sequence[int]) -> str:
        """Return how a piece of text is marked that several findings are about."""
        return min((self.tones[number] for number in numbers), key=_TONES.index)


def numbered(trace: Trace) -> NumberedFindings:
    """Return the findings of a trace in the order in which the page shows them."""
    numbers = count(1)
    sources = _SourceBook(trace.sources)
    watching = {
        (run.attempt, run.choice, run.guard) for run in trace.guards if run.mode is Mode.SHADOW
    }

    def seen(attempt: int, choice: int, findings: Sequence[Finding]) -> tuple[NumberedFinding, ...]:
        ordered = sorted(findings, key=lambda finding: (finding.part, finding.span))
        return tuple(
            NumberedFinding(
                number=next(numbers),
                finding=finding,
                in_shadow=(attempt, choice, finding.guard) in watching,
                quotes=sources.quotes(finding),
                in_source=sources.about(finding),
            )
            for finding in ordered
        )

    question = seen(0, 0, trace.findings)
    answers = {
        (number, choice.index): seen(number, choice.index, choice.findings)
        for number, attempt in enumerate(trace.attempts, start=1)
        for choice in attempt.choices
    }
    everything = [*question, *(one for several in answers.values() for one in several)]
    return NumberedFindings(
        question=question,
        answers=answers,
        tones={one.number: one.tone for one in everything},
        has_words=trace.text is not StoredText.NONE,
    )


def place_of(quote: str, text: str, near: int = 0) -> Span | None:
    """Return where a quote stands in a text, nearest to a place, whatever the white space.

    A search by a pattern could take seconds for words that come again and again.
    """
    wanted = " ".join(quote.split())
    words = list(_WORD.finditer(text))
    if not wanted or not words:
        return None
    starts = [word.start() for word in words]
    joined = " ".join(word[0] for word in words)
    joined_starts = [0, *accumulate(len(word[0]) + 1 for word in words[:-1])]
    word = max(bisect_right(starts, near) - 1, 0)
    near = joined_starts[word] + max(near - starts[word], 0)
    found, place = -1, joined.find(wanted)
    while place >= 0:
        if found < 0 or abs(place - near) < abs(found - near):
            found = place
        place = joined.find(wanted, place + len(wanted))
    if found < 0:
        return None

    def in_text(place: int) -> int:
        word = bisect_right(joined_starts, place) - 1
        return starts[word] + place - joined_starts[word]

    return Span(in_text(found), in_text(found + len(wanted) - 1) + 1)


class _SourceBook:
    """The sources by their ids."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._numbers = {source.id: place for place, source in enumerate(sources, start=1)}

    def about(self, finding: Finding) -> int | None:
        if not finding.part.startswith(_SOURCE):
            return None
        return self._numbers.get(finding.part.removeprefix(_SOURCE))

    def quotes(self, finding: Finding) -> tuple[Quote, ...]:
        return tuple(self._quote(one.source_id, one.quote) for one in finding.evidence)

    def _quote(self, source_id: str, quote: str) -> Quote:
        number = self._numbers.get(source_id)
        text = "" if number is None else self._sources[number - 1].text
        return Quote(quote, number, place_of(quote, text))
