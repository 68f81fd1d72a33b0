"""Which traces a query wants.

`matches` says it, of the trace itself. What goes before it, by the index and by the record as it
stands in the store, only saves reading: it may let a trace through too many, never hold one back.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from proxy.traces.listing import codes_of, is_under
from proxy.traces.store import Query, readable
from proxy.traces.trace import Trace

_PLAIN = re.compile(r"[^\W_]+")


class Words:
    """The words of a query's text, each of which has to occur, as part of a longer one too.

    Case, width and the composition of syllables make no difference.
    """

    def __init__(self, text: str | None) -> None:
        self._words = _folded(text or "").split()
        # What JSON writes as it is; a quotation mark, for one, stands behind a stroke there.
        self._plain = [piece for word in self._words for piece in _PLAIN.findall(word)]

    def may_stand_in(self, record: str) -> bool:
        """Tell whether the words may occur in a record, which nobody has read yet."""
        if all(piece in record for piece in self._plain):
            return True
        folded = _folded(record)
        return all(piece in folded for piece in self._plain)

    def stand_in(self, texts: Iterable[str]) -> bool:
        """Tell whether each of the words occurs in one of the texts."""
        if not self._words:
            return True
        folded = [_folded(text) for text in texts]
        return all(any(word in text for text in folded) for word in self._words)


def matches(trace: Trace, query: Query, words: Words) -> bool:
    """Tell whether a query, whose text has these words, wants a trace."""
    return (
        query.tenant in {None, trace.tenant}
        and query.action in {None, trace.action_name}
        and query.door in {None, trace.door}
        and (query.guard is None or query.guard in trace.guards_with_findings)
        and (query.since is None or query.since <= trace.started_at)
        and (query.until is None or trace.started_at < query.until)
        and (query.code is None or any(is_under(code, query.code) for code in codes_of(trace)))
        and words.stand_in(_texts(trace))
    )


def picked(query: Query, records: Iterable[tuple[str, str]]) -> list[tuple[str, Trace]]:
    """Return the traces that a query wants of records with their places."""
    words = Words(query.text)
    return [
        (place, trace)
        for place, record in records
        if words.may_stand_in(record)
        and (trace := readable(record)) is not None
        and matches(trace, query, words)
    ]


def _texts(trace: Trace) -> Iterator[str]:
    yield trace.question
    for attempt in trace.attempts:
        yield from (choice.text for choice in attempt.choices)
    yield from trace.replies


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
