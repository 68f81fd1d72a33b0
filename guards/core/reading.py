"""An exchange read once for all guards.

A `Text` is a string with its readings (normal form, sentences, slots), each made when first asked
for and then kept. The texts of sources are shared between requests by content, because the same
passages come back all day; a reading holds nothing of the request it was made for.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar, cast

from guards.core.exchange import Exchange, Source
from guards.core.lazy import lazy
from guards.text.held import HeldIndex
from guards.text.normal import Normal, normalise
from guards.text.polarity_sayings import Said, said_in
from guards.text.scripts import prose_only
from guards.text.sentences import Sentence, split_sentences
from guards.text.slots.contact import Contact, find_contacts
from guards.text.slots.law import LawReference, read_laws
from guards.text.slots.name import Name, dense
from guards.text.slots.names import find_names
from guards.text.slots.quantity import Quantity, find_quantities
from guards.text.slots.route import RouteSlot, find_routes

SOURCE_CHARS_KEPT = 4_000_000
"""Readings of sources that are kept, in characters; a reading takes about 100 bytes for each."""
LONGEST_SOURCE_KEPT_CHARS = 200_000

ReadT = TypeVar("ReadT")


class Text:
    """A string and its readings. All positions are code points of `raw`."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._kept: dict[object, object] = {}

    def once(self, read: Callable[["Text"], ReadT]) -> ReadT:
        """Return what a function reads from the text, and keep it as long as the text.

        For readings that only one module makes.

        Args:
            read: A function of a module, which is the same each time.
        """
        if read not in self._kept:
            self._kept[read] = read(self)
        return cast("ReadT", self._kept[read])

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
    def held_index(self) -> HeldIndex:
        """The sentences by their words, to hold claims against them."""
        return HeldIndex([sentence.text for sentence in self.sentences])

    @lazy
    def said(self) -> tuple[Said, ...]:
        """What the sentences say of their predicates, in order."""
        return said_in([sentence.text for sentence in self.sentences])

    @lazy
    def quantities(self) -> tuple[Quantity, ...]:
        """The quantities, in order: amounts, dates, clocks."""
        return find_quantities(self.raw, self.normal)

    @lazy
    def contacts(self) -> tuple[Contact, ...]:
        """The ways to reach someone, in order: telephone numbers, web addresses, e-mail."""
        return find_contacts(self.raw, self.normal)

    @lazy
    def routes(self) -> tuple[RouteSlot, ...]:
        """The pieces of ways to get somewhere, in order: lines, stations, exits, buses."""
        return find_routes(self.raw, self.normal)

    @lazy
    def laws(self) -> tuple[LawReference, ...]:
        """The references to provisions of law, in order."""
        return read_laws(self.raw)

    @lazy
    def names(self) -> tuple[Name, ...]:
        """The names whose form shows them, in order: organisations, places, products, people."""
        return find_names(self.raw, self.normal)

    @lazy
    def dense(self) -> str:
        """The normal form as names are compared: without spaces, dots, quotes and case."""
        return dense(self.normal.text)


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Reading:
    """An exchange, read.

    Attributes:
        exchange: What was read.
        question: The question's part.
        answer: The answer's part; None before the model has spoken.
        sources: One part for each source, in their order. The title is not in the text: look at
            ``part.source.title``.
        judged_from: Where in the answer that begins which has to be judged; what stands before it
            was, and only tells what the rest means.
    """

    exchange: Exchange
    question: Part
    answer: Part | None
    sources: tuple[Part, ...]
    judged_from: int = 0

    def once(self, read: Callable[["Reading"], ReadT]) -> ReadT:
        """Return what a function reads from the exchange, and keep it as `Text.once` does."""
        if read not in self._kept:
            self._kept[read] = read(self)
        return cast("ReadT", self._kept[read])

    @lazy
    def _kept(self) -> dict[object, object]:
        return {}

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
    return Reading(
        exchange=exchange,
        question=Part("question", Text(exchange.question)),
        answer=None if exchange.answer is None else Part("answer", Text(exchange.answer)),
        sources=tuple(
            Part(f"source:{source.id}", source_text(source.text), source)
            for source in exchange.sources
        ),
        judged_from=judged_from,
    )


class SourceTexts:
    """The texts of sources by their content, the least used ones dropped first.

    Safe to share between threads.
    """

    def __init__(self, chars_kept: int, longest_chars: int) -> None:
        self._chars_kept = chars_kept
        self._longest_chars = longest_chars
        self._texts: OrderedDict[str, Text] = OrderedDict()
        self._chars = 0
        self._lock = Lock()

    def text(self, raw: str) -> Text:
        """Return the shared text of a source's content, or one of its own if it is very long."""
        if len(raw) > self._longest_chars:
            return Text(raw)
        with self._lock:
            found = self._texts.get(raw)
            if found is None:
                found = self._texts[raw] = Text(raw)
                self._chars += len(raw)
            self._texts.move_to_end(raw)
            while self._chars > self._chars_kept:
                dropped, _ = self._texts.popitem(last=False)
                self._chars -= len(dropped)
        return found

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._texts.clear()
            self._chars = 0


SOURCES = SourceTexts(SOURCE_CHARS_KEPT, LONGEST_SOURCE_KEPT_CHARS)


def source_text(raw: str) -> Text:
    """Return the shared text of a source's content."""
    return SOURCES.text(raw)
