"""The sources of a verification as its report shows them, and where quotes stand in them."""

from collections.abc import Sequence

from guards.core.exchange import Source
from guards.core.finding import Span
from policies.offsets import Offsets, Place
from policies.verification.parts import SourceReport


class SourceTexts:
    """The texts of the sources of one exchange.

    Attributes:
        reports: The sources as they are shown, in order.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._offsets: dict[str, Offsets] = {}
        self.reports = tuple(
            SourceReport(
                id=source.id,
                title=source.title,
                text=source.text,
                file=source.file,
                page=source.page,
                score=source.score,
            )
            for source in sources
        )
        self._texts = {source.id: source.text for source in self.reports}

    def place(self, source_id: str, quote: str) -> Place | None:
        """Return where a quote first stands in a source; None if it is not there word for word."""
        start = self._texts.get(source_id, "").find(quote) if quote else -1
        return None if start < 0 else self.at(source_id, Span(start, start + len(quote)))

    def at(self, source_id: str, span: Span) -> Place:
        """Return a place in a source in all three counts."""
        if source_id not in self._offsets:
            self._offsets[source_id] = Offsets(self._texts[source_id])
        return self._offsets[source_id].place(span)
