"""Whether a mark that is but a number (``[1]``, ``¹``) cites a source, and not something else."""

from guards.core.exchange import Exchange
from guards.text.citing.assessed import Assessed
from guards.text.slots.citation_mark import CitationMark, MarkStyle


class PlainNumbers:
    """The plain numbers of one answer."""

    def __init__(self, raw: str, exchange: Exchange, assessed: Assessed) -> None:
        self._raw = raw
        self._exchange = exchange
        self._cites = any(
            assessed.numbering.source_of(number)
            for mark in assessed.answer.marks
            for number in mark.numbers
        )
        references = assessed.answer.references
        self._listed = {line.number for line in references.lines} if references else set()

    def are_citations(self, mark: CitationMark) -> bool:
        """Tell whether those of a mark surely cite: by others, its place, or the list."""
        shown = self._cites or mark.well_placed or not self._listed.isdisjoint(mark.numbers)
        return bool(self._exchange.sources) and shown

    def are_taken_over(self, mark: CitationMark) -> bool:
        """Tell whether a mark stands in a source or the question: a footnote of that text."""
        # "m²" in a source is no footnote 2.
        start = mark.start - 1 if mark.style is MarkStyle.RAISED else mark.start
        written = self._raw[start : mark.end]
        return written in self._exchange.question or any(
            written in source.text for source in self._exchange.sources
        )
