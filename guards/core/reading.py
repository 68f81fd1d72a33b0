"""The analysis of an exchange, computed once for all guards.

A `Text` is a string with its readings (normal form, sentences, slots), each made when first asked
for and then kept. What is read is kept where it belongs, because the same passages come back all
day and one answer is looked at sentence by sentence:

- `Text.once`: with the text; texts of sources are shared between requests by their content.
- `Passage.once`: with the text under its title, shared likewise.
- `SourceSet.once`: with the sources of a request together, shared between requests likewise.
- `RequestReading.once`: with all of a request but its answer, shared by all looks at its answer.
- `Reading.once`: with one look.

The readers of slots are loaded by the first text that is read for them: a guard that asks for no
provisions of law does not load what finds them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from guards.core.exchange import Exchange, Source
from guards.core.keeping import Keeping, Recent, lazy
from guards.text.normal import Normal, normalise
from guards.text.scripts import prose_only
from guards.text.sentences import GrowingSentences, Sentence, split_sentences

if TYPE_CHECKING:
    from guards.text.laws.law import LawReference
    from guards.text.names import Name
    from guards.text.slots.contact import Contact
    from guards.text.slots.quantity import Quantity
    from guards.text.slots.route import RouteSlot

SOURCE_CHARS_KEPT = 200_000
"""Readings of sources that are kept, in characters; a reading takes about 400 bytes for each."""
_OWN_CHARS = 20
"""Size counted for an empty text, so that no number of empty texts fills the memory."""

ReadT = TypeVar("ReadT")


class Text(Keeping):
    """A string and its readings. All positions are code points of `raw`."""

    def __init__(self, raw: str) -> None:
        super().__init__()
        self.raw = raw

    @lazy
    def prose(self) -> str:
        """The string with blanks for code, addresses and names of files."""
        return prose_only(self.raw)

    @lazy
    def normal(self) -> Normal:
        """The normal form (NFKC, one kind of dash and quote) with its way back to `raw`."""
        return normalise(self.raw)

    @lazy
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences, in order, with their spans."""
        return split_sentences(self.raw)

    @lazy
    def quantities(self) -> "tuple[Quantity, ...]":
        """The quantities, in order: amounts, dates, clocks."""
        from guards.text.slots.by_sentence import quantities_by_sentence

        return quantities_by_sentence(self.raw)

    @lazy
    def contacts(self) -> "tuple[Contact, ...]":
        """The ways to reach someone, in order: telephone numbers, web addresses, e-mail."""
        from guards.text.slots.contact import find_contacts

        return find_contacts(self.raw, self.normal)

    @lazy
    def routes(self) -> "tuple[RouteSlot, ...]":
        """The pieces of ways to get somewhere, in order: lines, stations, exits, buses."""
        from guards.text.slots.route import find_routes

        return find_routes(self.raw, self.normal)

    @lazy
    def laws(self) -> "tuple[LawReference, ...]":
        """The references to provisions of law, in order."""
        from guards.text.laws.law import read_laws

        return read_laws(self.raw)

    @lazy
    def names(self) -> "tuple[Name, ...]":
        """The names whose form shows them, in order: organisations, places, products, people."""
        from guards.text.names import find_names

        return find_names(self.raw, self.normal)

    @lazy
    def dense(self) -> str:
        """The normal form as names are compared: without spaces, dots, quotes and case."""
        from guards.text.normal import dense

        return dense(self.normal.text)


_NO_TEXT = Text("")


class AnswerText(Text):
    """An answer as far as it was written.

    What is read of its sentences is kept with what was asked: the next look has them again.
    """

    def __init__(self, raw: str, memo: Keeping) -> None:
        super().__init__(raw)
        self._memo = memo

    @lazy
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences, in order, with their spans."""
        return self._memo.once(_growing).of(self.raw)

    @lazy
    def names(self) -> "tuple[Name, ...]":
        """The names whose form shows them, in order: organisations, places, products, people."""
        from guards.text.slots.by_sentence import names_by_sentence

        return names_by_sentence(self.raw, self._memo)


@dataclass(frozen=True, slots=True)
class Part:
    """A named piece of an exchange.

    Attributes:
        name: ``question``, ``answer`` or ``source:<id>``; findings point here.
        text: The piece and its readings.
        source: The source that it is the text of; None for question and answer.
    """

    name: str
    text: Text
    source: Source | None = None


class Passage(Keeping):
    """A source's text under its title, shared between all sets of sources that have it.

    Attributes:
        text: The text.
        title: The title; empty if there is none.
    """

    def __init__(self, text: Text, title: str) -> None:
        super().__init__()
        self.text = text
        self.title = title


class SourceSet(Keeping):
    """The sources of a request, read together; shared with every request that brings the same.

    Attributes:
        parts: One for each source, in their order, without the scores of a retrieval: those are a
            request's own.
        passages: Text and title of each.
    """

    def __init__(self, sources: tuple[Source, ...]) -> None:
        super().__init__()
        self.passages = tuple(passage(source.text, source.title) for source in sources)
        self.parts = tuple(
            Part(f"source:{source.id}", one.text, replace(source, score=None))
            for source, one in zip(sources, self.passages, strict=True)
        )


class RequestReading(Keeping):
    """All of an exchange but its answer.

    Attributes:
        exchange: The exchange, without an answer.
        question: The question's part.
        source_set: The sources alone.
        sources: One part for each source, in their order.
        memo: Readings of the sentences of its answers.
    """

    def __init__(self, exchange: Exchange) -> None:
        super().__init__()
        self.exchange = exchange
        self.memo = Keeping()
        self.question = Part("question", Text(exchange.question))
        self.source_set = source_set(exchange.sources)
        known = zip(self.source_set.parts, exchange.sources, strict=True)
        self.sources = tuple(Part(part.name, part.text, source) for part, source in known)

    @lazy
    def echo(self) -> Text:
        """Other text that the model legitimately saw."""
        return Text(self.exchange.echo)


@dataclass(frozen=True, slots=True)
class Reading:
    """An exchange, read.

    Attributes:
        exchange: What was read.
        request: All of it but the answer.
        answer: The answer's part; None before the model has spoken.
        judged_from: Where in the answer that begins which has to be judged; what stands before it
            was, and only tells what the rest means.
        kept: What was read of it; another reading of the very same may have it, too.
    """

    exchange: Exchange
    request: RequestReading
    answer: Part | None
    judged_from: int = 0
    kept: dict[object, object] = field(default_factory=dict, repr=False, compare=False)

    def once(self, read: Callable[["Reading"], ReadT]) -> ReadT:
        """Return what a function reads from the exchange, and keep it as `Keeping.once` does."""
        if read not in self.kept:
            self.kept[read] = read(self)
        return cast("ReadT", self.kept[read])

    @property
    def question(self) -> Part:
        """The question's part."""
        return self.request.question

    @property
    def answer_text(self) -> Text:
        """The answer's text; an empty one before the model has spoken."""
        return self.answer.text if self.answer else _NO_TEXT

    @property
    def sources(self) -> tuple[Part, ...]:
        """One part for each source, in their order.

        The title is not in the text: look at ``part.source.title``.
        """
        return self.request.sources

    @property
    def source_set(self) -> SourceSet:
        """The sources alone."""
        return self.request.source_set

    @property
    def parts(self) -> tuple[Part, ...]:
        """Question, answer (if any) and sources."""
        answer = (self.answer,) if self.answer else ()
        return (self.question, *answer, *self.sources)


def read(exchange: Exchange, judged_from: int = 0) -> Reading:
    """Read an exchange; nothing is computed until a guard asks for it.

    Args:
        exchange: The exchange.
        judged_from: Where in the answer that begins which has to be judged.
    """
    request, answer = _request_reading(exchange), exchange.answer
    return Reading(
        exchange=exchange,
        request=request,
        answer=None if answer is None else Part("answer", AnswerText(answer, request.memo)),
        judged_from=judged_from,
    )


SOURCES: Recent[str, Text] = Recent(SOURCE_CHARS_KEPT)
PASSAGES: Recent[tuple[str, str], Passage] = Recent(SOURCE_CHARS_KEPT)
SOURCE_SETS: Recent[tuple[object, ...], SourceSet] = Recent(SOURCE_CHARS_KEPT)


def source_text(raw: str) -> Text:
    """Return the shared text of a source's content."""
    return SOURCES.get(raw, len(raw) + _OWN_CHARS, partial(Text, raw))


def passage(raw: str, title: str) -> Passage:
    """Return the shared passage of a source's content and title."""
    chars = len(raw) + len(title) + _OWN_CHARS
    return PASSAGES.get((title, raw), chars, lambda: Passage(source_text(raw), title))


def source_set(sources: tuple[Source, ...]) -> SourceSet:
    """Return the shared reading of several sources."""
    key = tuple((one.id, one.title, one.text, one.file, one.page) for one in sources)
    chars = sum(len(one.text) + len(one.title) + _OWN_CHARS for one in sources) + _OWN_CHARS
    return SOURCE_SETS.get(key, chars, partial(SourceSet, sources))


def keep_sources(chars: int) -> None:
    """Keep the readings of so many characters of sources from now on; 0 keeps none."""
    SOURCES.keep(chars)
    PASSAGES.keep(chars)
    SOURCE_SETS.keep(chars)


def forget_sources() -> None:
    """Forget all readings of sources, so that the next ones are made anew."""
    SOURCES.clear()
    PASSAGES.clear()
    SOURCE_SETS.clear()


def _growing(memo: Keeping) -> GrowingSentences:
    del memo
    return GrowingSentences()


def _request_reading(exchange: Exchange) -> RequestReading:
    """Return what was read of the request, which lies with it."""
    kept = exchange.cache.request
    if isinstance(kept, RequestReading):
        return kept
    made = exchange.cache.request = RequestReading(replace(exchange, answer=None))
    return made
