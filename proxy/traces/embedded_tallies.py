"""The tallies in the SQLite file: a row for each bucket, with its counters as JSON."""

import json
from collections.abc import Iterable, Sequence

import aiosqlite

from proxy.traces.sqlite import Database
from proxy.traces.store import Entry, added_up
from proxy.traces.tally import EVERYBODY, MOST_COUNTERS, Bucket, Kept, Tally, TallyBucket, from_ms


async def add_up(change: aiosqlite.Connection, new: Iterable[Entry], now_ms: int) -> None:
    """Add what traces count to their buckets, as part of the change that takes the traces."""
    for kept, tally in added_up(new).items():
        if kept.expires_ms > now_ms:
            await _add_to(change, kept, tally)
    await change.execute("DELETE FROM tallies WHERE expires_ms <= ?", [now_ms])


async def counted(
    database: Database, tenant: str | None, per: Bucket, starts: Sequence[int], now_ms: int
) -> list[TallyBucket]:
    """Return the buckets with these starts, the empty ones too.

    Args:
        database: The open file.
        tenant: Whose requests; None for all together.
        per: Length of a bucket.
        starts: In milliseconds since 1970, oldest first.
        now_ms: The time of day; what is over by then is empty.
    """
    if not starts:
        return []
    rows = await database.rows(
        "SELECT start_ms, counts FROM tallies"
        " WHERE tenant = ? AND per = ? AND start_ms BETWEEN ? AND ? AND expires_ms > ?",
        [EVERYBODY if tenant is None else tenant, per.value, starts[0], starts[-1], now_ms],
    )
    found: dict[int, dict[str, int]] = {start_ms: json.loads(counts) for start_ms, counts in rows}
    return [TallyBucket(from_ms(start_ms), found.get(start_ms, {})) for start_ms in starts]


async def _add_to(change: aiosqlite.Connection, kept: Kept, tally: Tally) -> None:
    bucket = kept.bucket
    key = [bucket.tenant, bucket.per.value, bucket.start_ms]
    rows = await change.execute_fetchall(
        "SELECT counts FROM tallies WHERE tenant = ? AND per = ? AND start_ms = ?", key
    )
    total = Tally.sum([*(Tally(json.loads(counts)) for (counts,) in rows), tally])
    await change.execute(
        "INSERT INTO tallies VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET counts = excluded.counts, expires_ms = max(expires_ms, excluded.expires_ms)",
        [*key, kept.expires_ms, json.dumps(dict(list(total.counts.items())[:MOST_COUNTERS]))],
    )
