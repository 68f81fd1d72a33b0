"""Filters for traces, and reading them from a store page by page.

`matches` decides, from the trace itself. The earlier tests, on the index and on the stored record,
only save reading: they may admit a trace that does not match, but never reject one that does.
"""

import asyncio
import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import ValidationError

from proxy.logs import logger
from proxy.traces.trace import Trace

log = logger(__name__)

_AGO = re.compile(r"(\d{1,6})([smhdw])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class UnknownMoment(ValueError):
    """The text given is not a time."""

    def __init__(self, said: str) -> None:
        super().__init__(
            f"{said!r} is neither a time ago (90m, 24h, 7d) nor a date or time "
            "(2026-11-22, 2026-11-22T09:00, 2026-11-22T09:00+09:00)"
        )


def moment(said: str, now: datetime) -> datetime:
    """Return the time that was meant.

    Args:
        said: ``30s``, ``90m``, ``24h``, ``7d`` or ``2w`` before now, or a time as ISO 8601 writes
            it; a date is its beginning.
        now: The time of day; aware. Its zone counts where none was said.

    Raises:
        UnknownMoment: It is none of these, or too far away.
    """
    try:
        time = _read(said.strip(), now)
    except (ValueError, OverflowError):
        raise UnknownMoment(said) from None
    if not 1970 <= time.year < 9999:  # beyond, other zones' clocks have no time for it
        raise UnknownMoment(said)
    return time


def _read(said: str, now: datetime) -> datetime:
    if ago := _AGO.fullmatch(said):
        return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    time = datetime.fromisoformat(said)
    return time if time.tzinfo else time.replace(tzinfo=now.tzinfo)


def codes_of(trace: Trace) -> tuple[str, ...]:
    """Return the codes of a trace's findings, reasons and errors, each once."""
    return tuple(dict.fromkeys(_codes(trace)))


def is_under(code: str, wanted: str) -> bool:
    """Tell whether a code is the one that is wanted, or begins with it and a dot."""
    return code == wanted or code.startswith(f"{wanted}.")


def _codes(trace: Trace) -> Iterator[str]:
    yield from trace.reasons
    yield from (placed.finding.code for placed in trace.placed_findings)
    errors = (*(attempt.error for attempt in trace.attempts), trace.error)
    yield from filter(None, errors)


class BadCursor(ValueError):
    """A cursor that this store never gave; each kind of store has its own form."""

    def __init__(self, cursor: str) -> None:
        super().__init__(f"{cursor!r} is no cursor of this trace store")


@dataclass(frozen=True, slots=True)
class Query:
    """Which traces are wanted.

    Attributes:
        code: With this code of a finding, a reason or an error only; ``numbers`` stands for every
            code that begins with ``numbers.``.
        text: With each of these words in question, answers or replies only.
        since: Of requests that came in then or later only; aware.
        until: Of requests that came in before that only; aware.
        label: With this label only, one of `LABEL_FILTERS`.
        before: Older than this cursor; newest first.
        after: Newer than this cursor; oldest first; empty for all from the oldest on. At most one
            of the two is given, and with neither the newest come first.
    """

    tenant: str | None = None
    action: str | None = None
    guard: str | None = None
    code: str | None = None
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    door: str | None = None
    label: str | None = None
    before: str | None = None
    after: str | None = None
    limit: int = 50

    @property
    def is_narrow(self) -> bool:
        """True if index fields have to be compared, not only the tenant."""
        narrow = (self.action, self.guard, self.code, self.since, self.until, self.door, self.label)
        return any(value is not None for value in narrow)


@dataclass(frozen=True, slots=True)
class Page:
    """Traces in the query's order, and where to go on.

    Attributes:
        cursor: The next page's `before` (or `after`); None where nothing is left. With `after`
            there is always one, because more may come.
    """

    traces: tuple[Trace, ...]
    cursor: str | None


def readable(record: str) -> Trace | None:
    """Return the trace of a record; None, and a line in the log, if it cannot be read."""
    try:
        return Trace.model_validate_json(record)
    except ValidationError as error:
        log.warning("trace.unreadable", errors=error.error_count(), record_chars=len(record))
        return None


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
        and trace.has_label(query.label)
        and (query.guard is None or query.guard in trace.guards_with_findings)
        and (query.since is None or query.since <= trace.started_at)
        and (query.until is None or trace.started_at < query.until)
        and (query.code is None or any(is_under(code, query.code) for code in codes_of(trace)))
        and words.stand_in((trace.question, *trace.answers, *trace.replies))
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


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


_PIECES_AT_MOST = 100
_RECORDS_AT_MOST = 2_000
_RECORDS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Piece:
    """The next records in a query's order that its index lets through.

    Attributes:
        records: Each with its place.
        cursor: Where to go on.
        is_last: Nothing is behind it now.
    """

    records: list[tuple[str, str]]
    cursor: str | None
    is_last: bool


Read = Callable[[str | None, int], Awaitable[Piece]]
"""Reads on from a cursor, at most so many records."""


async def page_of(query: Query, read: Read) -> Page:
    """Return a page.

    Only so much is looked through for one, so that it may hold fewer traces than asked for, or
    none, and still have a cursor.
    """
    newest_first = query.after is None
    cursor = query.before if newest_first else query.after
    traces: list[Trace] = []
    records = 0
    for _ in range(_PIECES_AT_MOST):
        missing = query.limit - len(traces)
        # The number of matches is unknown before the texts are read.
        piece = await read(cursor, missing if query.text is None else _RECORDS_AT_ONCE)
        found = await asyncio.to_thread(picked, query, piece.records)
        traces += [trace for _, trace in found[:missing]]
        if len(found) >= missing:
            return Page(tuple(traces), found[missing - 1][0])
        cursor = piece.cursor
        if piece.is_last:
            return Page(tuple(traces), None if newest_first else cursor)
        records += len(piece.records)
        if records >= _RECORDS_AT_MOST:
            break
    return Page(tuple(traces), cursor)
