"""The outbox: traces that wait in the SQLite file until their store takes them."""

from collections.abc import Callable, Sequence

from proxy.traces.embedded import joined
from proxy.traces.sqlite import Database
from proxy.traces.store import Entry, Keep


class Outbox:
    """Traces in the order of their places, across restarts.

    Args:
        database: The open file; closing it is its opener's business.
        now_ms: Wall clock, in milliseconds since 1970.
    """

    def __init__(self, database: Database, now_ms: Callable[[], int]) -> None:
        self._database = database
        self._now_ms = now_ms

    async def put(self, batch: Sequence[tuple[int, Entry]]) -> None:
        """Let traces wait at their places; an id that waits already is passed over."""
        async with self._database.transaction() as change:
            await change.execute("DELETE FROM outbox WHERE expires_ms <= ?", [self._now_ms()])
            await change.executemany(
                "INSERT OR IGNORE INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        place,
                        entry.id,
                        entry.tenant,
                        entry.action,
                        joined(entry.guards),
                        entry.expires_ms,
                        entry.keep.days,
                        entry.keep.last,
                        entry.record,
                    )
                    for place, entry in batch
                ],
            )

    async def first(self, limit: int) -> list[Entry]:
        """Return the traces that have waited longest."""
        rows = await self._database.rows(
            "SELECT id, tenant, action, guards, expires_ms, keep_days, keep_last, record"
            " FROM outbox ORDER BY place LIMIT ?",
            [limit],
        )
        return [
            Entry(
                id=trace_id,
                tenant=tenant,
                action=action,
                guards=tuple(guard for guard in guards.split(",") if guard),
                expires_ms=expires_ms,
                keep=Keep(keep_days, keep_last),
                record=record,
            )
            for trace_id, tenant, action, guards, expires_ms, keep_days, keep_last, record in rows
        ]

    async def remove(self, batch: Sequence[Entry]) -> None:
        """Forget traces that were delivered."""
        async with self._database.transaction() as change:
            await change.executemany(
                "DELETE FROM outbox WHERE id = ?", [(entry.id,) for entry in batch]
            )

    async def waiting(self) -> tuple[int, int]:
        """Return how many traces wait, and the first place behind them."""
        [(count, last)] = await self._database.rows(
            "SELECT count(*), coalesce(max(place), 0) FROM outbox"
        )
        return count, last + 1
