"""Makes a page of what a store reads piece by piece, with bounded work for each page."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from proxy.traces.matching import picked
from proxy.traces.store import Page, Query
from proxy.traces.trace import Trace

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
        # How many of them hold a text nobody knows before they are read.
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
