"""The outbox: traces that wait in the SQLite file until their store takes them."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence

import aiosqlite

from proxy.traces.sqlite import Database, insert
from proxy.traces.store import Entry, Keep
from proxy.workers.place import ALONE, Place


class OutboxFull(Exception):
    """So many traces wait that no more may."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"{most_bytes} bytes of traces wait, which is all that may")
        self.most_bytes = most_bytes


class Outbox:
    """Traces in the order of their places, across restarts.

    Several processes may keep theirs in one file. Each has every so manieth place, so that none
    delivers what another does, and that all is delivered when they are more or fewer next time.

    Args:
        database: The open file; closing it is its opener's business.
        now_ms: Wall clock, in milliseconds since 1970.
        owner: Which of them this process is.
        most_bytes: Most bytes of traces that may wait, for all of them together; None for any.
    """

    def __init__(
        self,
        database: Database,
        now_ms: Callable[[], int],
        owner: Place = ALONE,
        most_bytes: int | None = None,
    ) -> None:
        self._database = database
        self._now_ms = now_ms
        self._count = owner.count
        self._rest = owner.number % owner.count
        self._own_bytes = None if most_bytes is None else most_bytes // owner.count
        # At most so much of ours waits; what was sent is noticed only when it would be too much.
        self._held_bytes: int | None = None

    async def put(self, batch: Sequence[tuple[int, Entry]]) -> None:
        """Let traces wait at their places; an id that waits already is passed over.

        Raises:
            OutboxFull: There is no room for all of them; then none waits.
        """
        rows = [
            (
                place * self._count + self._rest,
                entry.id,
                entry.expires_ms,
                entry.keep.days,
                entry.keep.last,
                entry.record,
                len(entry.record.encode()),
            )
            for place, entry in batch
        ]
        async with self._database.transaction() as change:
            await change.execute("DELETE FROM outbox WHERE expires_ms <= ?", [self._now_ms()])
            await self._make_room(change, sum(row[-1] for row in rows))
            await insert(
                change,
                "OR IGNORE INTO outbox"
                " (place, id, expires_ms, keep_days, keep_last, record, bytes)",
                rows,
            )

    async def _make_room(self, change: aiosqlite.Connection, more: int) -> None:
        if self._own_bytes is None:
            return
        if self._held_bytes is None or self._held_bytes + more > self._own_bytes:
            [(self._held_bytes,)] = await change.execute_fetchall(
                "SELECT coalesce(sum(bytes), 0) FROM outbox WHERE place % ? = ?",
                [self._count, self._rest],
            )
        if self._held_bytes + more > self._own_bytes:
            raise OutboxFull(self._own_bytes)
        self._held_bytes += more

    async def first(self, limit: int) -> list[Entry]:
        """Return the traces that have waited longest; forget what nobody can read any more."""
        while True:
            rows = await self._database.rows(
                "SELECT id, keep_days, keep_last, record FROM outbox WHERE place % ? = ?"
                " ORDER BY place LIMIT ?",
                [self._count, self._rest, limit],
            )
            entries = await asyncio.to_thread(_entries, rows)
            lost = [trace_id for trace_id, entry in entries if entry is None]
            if lost:
                await self._forget(lost)
            if len(lost) < len(rows) or not rows:
                return [entry for _, entry in entries if entry is not None]

    async def remove(self, batch: Sequence[Entry]) -> None:
        """Forget traces that were delivered."""
        await self._forget(entry.id for entry in batch)

    async def waiting(self) -> tuple[int, int]:
        """Return how many traces wait, and the first place behind them."""
        [(count, last)] = await self._database.rows(
            "SELECT count(*), coalesce(max(place), 0) FROM outbox WHERE place % ? = ?",
            [self._count, self._rest],
        )
        return count, last // self._count + 1

    async def _forget(self, ids: Iterable[str]) -> None:
        async with self._database.transaction() as change:
            await change.execute(
                "DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))",
                [json.dumps(list(ids))],
            )


def _entries(rows: Iterable[tuple[str, float, int, str]]) -> list[tuple[str, Entry | None]]:
    return [
        (trace_id, Entry.again(record, Keep(keep_days, keep_last)))
        for trace_id, keep_days, keep_last, record in rows
    ]
