"""The findings of a trace, numbered over the whole page, so that texts and lists can name them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from guards.core.exchange import Source
from guards.core.finding import Finding, Severity, Span
from policies.schema.base import Mode
from policies.schema.sections import StoredText
from proxy.dashboard.traces.codes import code_word
from proxy.dashboard.traces.highlighting import Mark, Piece, cut
from proxy.dashboard.traces.terms import STRENGTHS
from proxy.dashboard.words import guard_word
from proxy.traces.trace import Trace

QUESTION = "question"
ANSWER = "answer"
_SOURCE = "source:"
_TONES = ("strong", "weak", "shadow")


@dataclass(frozen=True, slots=True)
class Quote:
    """What a finding quotes of a source.

    Attributes:
        text: The quote.
        source: Number of the source on the page, from 1; None if the trace does not have it.
        place: Where in the source's text it stands; None if it does not stand there.
    """

    text: str
    source: int | None
    place: Span | None


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding with its number.

    Attributes:
        number: From 1, over all findings of the trace.
        finding: The finding.
        in_shadow: Its guard only watches.
        quotes: What it quotes of the sources.
        in_source: Number of the source that it is about; None if it is about none.
    """

    number: int
    finding: Finding
    in_shadow: bool = False
    quotes: tuple[Quote, ...] = ()
    in_source: int | None = None

    @property
    def title(self) -> str:
        """What it says, to be translated."""
        return code_word(self.finding.code)

    @property
    def guard(self) -> str:
        """What its guard is called, to be translated."""
        return guard_word(self.finding.guard)

    @property
    def strength(self) -> str:
        """What the sources say to the claim, to be translated."""
        return STRENGTHS[self.finding.strength]

    @property
    def tone(self) -> str:
        """How its place is marked: ``strong``, ``weak``, or ``shadow`` if it changes nothing."""
        if self.in_shadow:
            return "shadow"
        return "strong" if self.finding.severity is Severity.STRONG else "weak"

    @property
    def expected(self) -> str:
        """What the sources say instead."""
        return " / ".join(filter(None, self.finding.expected))

    @property
    def mark(self) -> Mark:
        """Its place."""
        return Mark(self.finding.span, self.number)


@dataclass(frozen=True, slots=True)
class Numbered:
    """All findings of a trace.

    Attributes:
        question: About the question, before the model.
        answers: About each answer, by the number of the attempt and the index of the choice.
        tones: How the place of each is marked, by its number.
        has_words: The texts that they are about were kept.
    """

    question: tuple[Seen, ...]
    answers: Mapping[tuple[int, int], tuple[Seen, ...]]
    tones: Mapping[int, str]
    has_words: bool

    def pieces(self, text: str, about: Iterable[Seen], part: str) -> list[Piece]:
        """Return a text, cut where findings are about that part; nothing if it was not kept."""
        if not self.has_words:
            return []
        return cut(text, [seen.mark for seen in about if seen.finding.part == part])

    def __iter__(self) -> Iterator[Seen]:
        """Yield all in the order of their numbers."""
        yield from self.question
        for seen in self.answers.values():
            yield from seen

    def tone(self, numbers: Sequence[int]) -> str:
        """Return how a piece of text is marked that several findings are about."""
        return min((self.tones[number] for number in numbers), key=_TONES.index)


def numbered(trace: Trace) -> Numbered:
    """Return the findings of a trace in the order in which the page shows them."""
    numbers = count(1)
    sources = _SourceBook(trace.sources)
    watching = {
        (run.attempt, run.choice, run.guard) for run in trace.guards if run.mode is Mode.SHADOW
    }

    def seen(attempt: int, choice: int, findings: Sequence[Finding]) -> tuple[Seen, ...]:
        ordered = sorted(findings, key=lambda finding: (finding.part, finding.span))
        return tuple(
            Seen(
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
    return Numbered(
        question=question,
        answers=answers,
        tones={one.number: one.tone for one in everything},
        has_words=trace.text is not StoredText.NONE,
    )


def place_of(quote: str, text: str) -> Span | None:
    """Return where a quote stands in a text, whatever the white space; None if nowhere."""
    words = [re.escape(word) for word in quote.split()]
    found = re.search(r"\s+".join(words), text) if words else None
    return Span(*found.span()) if found else None


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
