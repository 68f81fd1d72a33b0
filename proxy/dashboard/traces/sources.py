"""The sources of a trace: where they were found, and what findings quote of them."""

from collections.abc import Iterator
from dataclasses import dataclass

from guards.core.exchange import Source
from proxy.dashboard.traces.highlighting import Mark, Piece, cut
from proxy.dashboard.traces.numbering import Numbered
from proxy.traces.trace import FoundPlace, Trace

OPEN_AT_MOST = 3
"""Up to so many sources all are open; beyond, only those that findings quote."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One source.

    Attributes:
        number: From 1.
        source: The source.
        found: Where it was found; None if that is not clear.
        pieces: Its text, cut where findings quote it.
        quoted_by: Numbers of those findings.
        is_open: Its text is shown at once.
    """

    number: int
    source: Source
    found: FoundPlace | None
    pieces: list[Piece]
    quoted_by: tuple[int, ...]
    is_open: bool


def passages_of(trace: Trace, found: Numbered) -> list[Passage]:
    """Return the sources of a trace."""
    places = _places(trace)
    few = len(trace.sources) <= OPEN_AT_MOST
    passages = []
    for number, source in enumerate(trace.sources, start=1):
        marks = list(_marks(number, found))
        quoted_by = tuple(sorted({mark.number for mark in marks}))
        passages.append(
            Passage(
                number=number,
                source=source,
                found=places[number - 1] if places else None,
                pieces=cut(source.text, marks) if source.text else [],
                quoted_by=quoted_by,
                is_open=found.has_words and (few or bool(quoted_by)),
            )
        )
    return passages


def _places(trace: Trace) -> list[FoundPlace]:
    """Return where each source was found; nothing if the counts do not tell."""
    places = [place for place in trace.found for _ in range(place.count)]
    return places if len(places) == len(trace.sources) else []


def _marks(number: int, found: Numbered) -> Iterator[Mark]:
    for seen in found:
        if seen.in_source == number:
            yield seen.mark
        for quote in seen.quotes:
            if quote.source == number and quote.place is not None:
                yield Mark(quote.place, seen.number)
