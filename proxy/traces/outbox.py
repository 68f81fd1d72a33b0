"""The outbox: traces that wait in the SQLite file until their store takes them."""

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence

from proxy.traces.sqlite import Database, insert
from proxy.traces.store import Entry, Keep
from proxy.workers.place import ALONE, Place


class Outbox:
    """Traces in the order of their places, across restarts.

    Several processes may keep theirs in one file. Each has every so manieth place, so that none
    delivers what another does, and that all is delivered when they are more or fewer next time.

    Args:
        database: The open file; closing it is its opener's business.
        now_ms: Wall clock, in milliseconds since 1970.
        owner: Which of them this process is.
    """

    def __init__(self, database: Database, now_ms: Callable[[], int], owner: Place = ALONE) -> None:
        self._database = database
        self._now_ms = now_ms
        self._count = owner.count
        self._rest = owner.number % owner.count

    async def put(self, batch: Sequence[tuple[int, Entry]]) -> None:
        """Let traces wait at their places; an id that waits already is passed over."""
        async with self._database.transaction() as change:
            await change.execute("DELETE FROM outbox WHERE expires_ms <= ?", [self._now_ms()])
            await insert(
                change,
                "OR IGNORE INTO outbox (place, id, expires_ms, keep_days, keep_last, record)",
                [
                    (
                        place * self._count + self._rest,
                        entry.id,
                        entry.expires_ms,
                        entry.keep.days,
                        entry.keep.last,
                        entry.record,
                    )
                    for place, entry in batch
                ],
            )

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
