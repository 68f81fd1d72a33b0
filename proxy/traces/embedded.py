"""The embedded trace store: a SQLite file, for a proxy without Redis."""

import asyncio
import json
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

import aiosqlite

from policies.schema.sections import Tracing
from proxy.traces.query import BadCursor, Page, Piece, Query, page_of, readable
from proxy.traces.sqlite import Database, insert
from proxy.traces.store import (
    Decide,
    Entry,
    Relabelled,
    TracesRefused,
    TraceStoreAway,
    added_up,
)
from proxy.traces.tally import (
    EVERYBODY,
    MOST_COUNTERS,
    Bucket,
    BucketKey,
    Tally,
    TallyBucket,
    from_ms,
    ms_of,
)
from proxy.traces.trace import ANY_LABEL, PINNED, Trace

# The keys are looked up in the table by its own order; it would be read whole for a list of them.
_FOUND = """
SELECT tallies.tenant, per, start_ms, expires_ms, counts
FROM json_each(?) AS wanted CROSS JOIN tallies
ON tallies.tenant = json_extract(wanted.value, '$[0]')
    AND per = json_extract(wanted.value, '$[1]')
    AND start_ms = json_extract(wanted.value, '$[2]')
"""


async def add_up(change: aiosqlite.Connection, new: Iterable[Entry], now_ms: int) -> None:
    """Add what traces count to their buckets, as part of the change that takes the traces."""
    await _add_all(
        change,
        {kept: tally for kept, tally in added_up(new).items() if kept.expires_ms > now_ms},
    )
    await change.execute("DELETE FROM tallies WHERE expires_ms <= ?", [now_ms])


async def _add_all(change: aiosqlite.Connection, added: Mapping[BucketKey, Tally]) -> None:
    if not added:
        return
    keys = {_key(kept): kept for kept in added}
    found = await change.execute_fetchall(_FOUND, [json.dumps(list(keys))])
    totals = {
        (tenant, per, start_ms): (expires_ms, Tally(json.loads(counts)))
        for tenant, per, start_ms, expires_ms, counts in found
    }
    for kept, tally in added.items():
        expires_ms, before = totals.get(_key(kept), (0, Tally({})))
        total = Tally.sum([before, tally]).counts
        # What is taken off may have been forgotten before.
        counts = {name: number for name, number in total.items() if number > 0}
        totals[_key(kept)] = max(expires_ms, kept.expires_ms), Tally(counts)
    await insert(
        change,
        "OR REPLACE INTO tallies (tenant, per, start_ms, expires_ms, counts)",
        [
            (*key, expires_ms, json.dumps(dict(list(total.counts.items())[:MOST_COUNTERS])))
            for key, (expires_ms, total) in totals.items()
        ],
    )


def _key(kept: BucketKey) -> tuple[str, str, int]:
    return kept.tenant, kept.per.value, kept.start_ms


_REFUSALS = (
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
)
"""SQLite errors about a value; all others are about the file."""
ANSWER_WITHIN_S = 2.0
NEVER_MS = 2**62
"""Expiry of a pinned trace: never."""


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
        """Keep and count traces in their order; an id that is there already is passed over."""
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

    async def label(self, trace_id: str, decide: Decide, tracing: Tracing) -> Trace | None:
        """Give a trace another feedback, or none, and count the difference."""
        now_ms = self._now_ms()
        async with self._database.transaction() as change:
            found = await change.execute_fetchall(
                "SELECT record FROM traces WHERE id = ? AND expires_ms > ?", [trace_id, now_ms]
            )
            before = next((readable(record) for (record,) in found), None)
            if before is None:
                return None
            new = Relabelled.of(before, decide(before), tracing)
            expires_ms = NEVER_MS if new.is_pinned else new.entry.expires_ms
            await change.execute(
                "UPDATE traces SET record = ?, label = ?, expires_ms = ? WHERE id = ?",
                [new.entry.record, new.label, expires_ms, trace_id],
            )
            kept = {one: tally for one, tally in new.added.items() if one.expires_ms > now_ms}
            await _add_all(change, kept)
            return new.trace

    async def page(self, query: Query) -> Page:
        """Return the traces that a query wants; see `page_of` for how many."""
        table, order = _index(query), "DESC" if query.after is None else "ASC"
        where, values = self._conditions(query)

        async def read(cursor: str | None, most: int) -> Piece:
            beyond, place = _beyond(query, cursor)
            rows = await self._database.rows(
                f"SELECT place, record FROM {table} WHERE {where} AND {beyond}"  # noqa: S608 - our own text
                f" ORDER BY place {order} LIMIT ?",
                [*values, place, most],
            )
            return Piece(
                records=[(str(place), record) for place, record in rows],
                cursor=str(rows[-1][0]) if rows else cursor,
                is_last=len(rows) < most,
            )

        return await page_of(query, read)

    async def newest(self) -> str:
        """Return the cursor behind which only traces are that come from now on."""
        [(place,)] = await self._database.rows("SELECT max(place) FROM traces")
        return "" if place is None else str(place)

    async def count(self, query: Query) -> int:
        """Return about how many traces a query wants, whatever its text, cursor and limit."""
        where, values = self._conditions(query)
        [(count,)] = await self._database.rows(
            f"SELECT count(*) FROM {_index(query)} WHERE {where}",  # noqa: S608 - our own text
            values,
        )
        return int(count)

    async def tallies(
        self, tenant: str | None, since: datetime, until: datetime, per: Bucket
    ) -> list[TallyBucket]:
        """Return what was counted, oldest first, with every bucket that the span touches."""
        now_ms = self._now_ms()
        starts = per.starts(since, until, from_ms(now_ms))
        if not starts:
            return []
        whose = EVERYBODY if tenant is None else tenant
        rows = await self._database.rows(
            "SELECT start_ms, counts FROM tallies"
            " WHERE tenant = ? AND per = ? AND start_ms BETWEEN ? AND ? AND expires_ms > ?",
            [whose, per.value, starts[0], starts[-1], now_ms],
        )
        found: dict[int, dict[str, int]] = {start: json.loads(counts) for start, counts in rows}
        return [TallyBucket(from_ms(start), found.get(start, {})) for start in starts]

    async def ping(self) -> None:
        """Return if the file can be used."""
        try:
            # A process that locks the file may delay this change for long.
            async with asyncio.timeout(ANSWER_WITHIN_S):
                await self._database.rows("SELECT 1")
        except TimeoutError as error:
            raise TraceStoreAway("embedded", error) from error

    async def close(self) -> None:
        """Do nothing: the file is closed by the code that opened it."""

    async def _add(self, batch: Sequence[Entry]) -> None:
        now_ms = self._now_ms()
        async with self._database.transaction() as change:
            new = await _new(change, batch, now_ms)
            await _insert(change, new)
            await add_up(change, new, now_ms)
            await change.execute("DELETE FROM traces WHERE expires_ms <= ?", [now_ms])
            for tenant, keep_last in {
                entry.tenant: entry.tracing.keep_last for entry in batch
            }.items():
                await _drop_surplus(change, tenant, keep_last)

    def _conditions(self, query: Query) -> tuple[str, list[object]]:
        """Return what the index has to say of traces that the query may want."""
        found: list[tuple[str, tuple[object, ...]]] = [("expires_ms > ?", (self._now_ms(),))]
        if query.tenant is not None:
            found.append(("tenant = ?", (query.tenant,)))
        if query.action is not None:
            found.append(("action = ?", (query.action,)))
        if query.guard is not None:
            found.append(("instr(guards, ?)", (joined((query.guard,)),)))
        if query.code is not None:
            said = "(instr(codes, ?) OR instr(codes, ?))"
            found.append((said, (f",{query.code},", f",{query.code}.")))
        if query.door is not None:
            found.append(("door = ?", (query.door,)))
        if query.label is not None:
            found.append(_with_label(query.label))
        if query.since is not None:
            found.append(("started_ms >= ?", (ms_of(query.since),)))
        if query.until is not None:
            found.append(("started_ms <= ?", (ms_of(query.until),)))
        return " AND ".join(text for text, _ in found), [one for _, each in found for one in each]


def joined(words: Sequence[str]) -> str:
    """Return words with a comma on each side of each, so that one can be looked for whole."""
    return f",{','.join(words)},"


def _with_label(wanted: str) -> tuple[str, tuple[object, ...]]:
    """Return the condition of a filter for labels, and its values."""
    if wanted == PINNED:
        return "label IS NOT NULL AND expires_ms = ?", (NEVER_MS,)
    return ("label IS NOT NULL", ()) if wanted == ANY_LABEL else ("label = ?", (wanted,))


def _index(query: Query) -> str:
    """Return the table with the index that holds the order and all conditions."""
    if query.label is not None:
        return "traces INDEXED BY traces_labelled"
    index = "traces_of_all" if query.tenant is None else "traces_of_tenant"
    return f"traces INDEXED BY {index}"


def _beyond(query: Query, cursor: str | None) -> tuple[str, int]:
    """Return the condition that leaves out what comes before a cursor, and its value."""
    if query.after is not None:
        return "place > ?", _place(cursor) if cursor else -1
    return "place < ?", sys.maxsize if cursor is None else _place(cursor)


async def _new(change: aiosqlite.Connection, batch: Sequence[Entry], now_ms: int) -> list[Entry]:
    """Return the entries of a batch that are not there yet, each once, and not too old."""
    new: dict[str, Entry] = {}
    for entry in batch:
        if entry.expires_ms > now_ms:
            new.setdefault(entry.id, entry)
    known = await change.execute_fetchall(
        "SELECT id FROM traces WHERE id IN (SELECT value FROM json_each(?))",
        [json.dumps(list(new))],
    )
    for (trace_id,) in known:
        del new[trace_id]
    return list(new.values())


async def _insert(change: aiosqlite.Connection, new: Iterable[Entry]) -> None:
    await insert(
        change,
        "INTO traces (id, tenant, action, guards, expires_ms, record, codes, door, started_ms)",
        [
            (
                entry.id,
                entry.tenant,
                entry.action,
                joined(entry.guards),
                entry.expires_ms,
                entry.record,
                joined(entry.codes),
                entry.door,
                entry.started_ms,
            )
            for entry in new
        ],
    )


async def _drop_surplus(change: aiosqlite.Connection, tenant: str, keep_last: int) -> None:
    await change.execute(
        "DELETE FROM traces WHERE tenant = ? AND expires_ms < ? AND place <= ("
        "SELECT place FROM traces WHERE tenant = ? ORDER BY place DESC LIMIT 1 OFFSET ?)",
        [tenant, NEVER_MS, tenant, keep_last],
    )


def _place(cursor: str) -> int:
    try:
        return int(cursor)
    except ValueError:
        raise BadCursor(cursor) from None
