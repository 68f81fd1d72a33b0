"""The embedded trace store: a SQLite file, for a proxy without Redis."""

import sqlite3
from collections.abc import Callable, Sequence

import aiosqlite

from proxy.traces.sqlite import Database
from proxy.traces.store import (
    BadCursor,
    Entry,
    Page,
    Query,
    TracesRefused,
    TraceStoreAway,
    readable,
)
from proxy.traces.trace import Trace

_REFUSALS = (
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
)
"""What the file says of a value; all else is about the file itself."""


class EmbeddedStore:
    """Keeps traces in a SQLite file, by age and by number for each tenant.

    Args:
        database: The open file; closing it is its opener's business.
        now_ms: Wall clock, in milliseconds since 1970.
    """

    def __init__(self, database: Database, now_ms: Callable[[], int]) -> None:
        self._database = database
        self._now_ms = now_ms

    async def add(self, batch: Sequence[Entry]) -> None:
        """Keep traces in their order; an id that is there already is passed over."""
        try:
            await self._add(batch)
        except TraceStoreAway as away:
            if isinstance(cause := away.__cause__, _REFUSALS):
                raise TracesRefused("embedded", cause) from cause
            raise

    async def get(self, trace_id: str) -> Trace | None:
        """Return a trace by its id."""
        rows = await self._database.rows(
            "SELECT record FROM traces WHERE id = ? AND expires_ms > ?",
            [trace_id, self._now_ms()],
        )
        return readable(rows[0][0]) if rows else None

    async def page(self, query: Query) -> Page:
        """Return the traces that a query wants."""
        where, values = self._conditions(query)
        order = "DESC" if query.after is None else "ASC"
        rows = await self._database.rows(
            f"SELECT place, record FROM traces WHERE {where} ORDER BY place {order} LIMIT ?",  # noqa: S608 - conditions are our own text
            [*values, query.limit],
        )
        traces = tuple(trace for _, record in rows if (trace := readable(record)) is not None)
        return Page(traces, str(rows[-1][0]) if rows else query.after)

    async def ping(self) -> None:
        """Return if the file can be used."""
        await self._database.rows("SELECT 1")

    async def close(self) -> None:
        """Do nothing: the file is closed by whoever opened it."""

    async def _add(self, batch: Sequence[Entry]) -> None:
        async with self._database.transaction() as change:
            await change.executemany(
                "INSERT OR IGNORE INTO traces (id, tenant, action, guards, expires_ms, record)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (
                        entry.id,
                        entry.tenant,
                        entry.action,
                        joined(entry.guards),
                        entry.expires_ms,
                        entry.record,
                    )
                    for entry in batch
                ],
            )
            await change.execute("DELETE FROM traces WHERE expires_ms <= ?", [self._now_ms()])
            for tenant, keep_last in {entry.tenant: entry.keep.last for entry in batch}.items():
                await _drop_surplus(change, tenant, keep_last)

    def _conditions(self, query: Query) -> tuple[str, list[object]]:
        conditions: list[tuple[str, object]] = [("expires_ms > ?", self._now_ms())]
        if query.tenant is not None:
            conditions.append(("tenant = ?", query.tenant))
        if query.action is not None:
            conditions.append(("action = ?", query.action))
        if query.guard is not None:
            conditions.append(("instr(guards, ?) > 0", joined((query.guard,))))
        if query.after:
            conditions.append(("place > ?", _place(query.after)))
        elif query.before is not None:
            conditions.append(("place < ?", _place(query.before)))
        return " AND ".join(text for text, _ in conditions), [value for _, value in conditions]


def joined(guards: Sequence[str]) -> str:
    """Return ids with a comma on each side of each, so that one can be looked for whole."""
    return f",{','.join(guards)},"


async def _drop_surplus(change: aiosqlite.Connection, tenant: str, keep_last: int) -> None:
    await change.execute(
        "DELETE FROM traces WHERE tenant = ? AND place <= ("
        "SELECT place FROM traces WHERE tenant = ? ORDER BY place DESC LIMIT 1 OFFSET ?)",
        [tenant, tenant, keep_last],
    )


def _place(cursor: str) -> int:
    try:
        return int(cursor)
    except ValueError:
        raise BadCursor(cursor) from None
