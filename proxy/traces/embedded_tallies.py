"""The tallies in the SQLite file: a row for each bucket, with its counters as JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence

import aiosqlite

from proxy.traces.sqlite import Database, insert
from proxy.traces.store import Entry, added_up
from proxy.traces.tally import EVERYBODY, MOST_COUNTERS, Bucket, Kept, Tally, TallyBucket, from_ms

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


async def _add_all(change: aiosqlite.Connection, added: Mapping[Kept, Tally]) -> None:
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
        totals[_key(kept)] = max(expires_ms, kept.expires_ms), Tally.sum([before, tally])
    await insert(
        change,
        "OR REPLACE INTO tallies (tenant, per, start_ms, expires_ms, counts)",
        [
            (*key, expires_ms, json.dumps(dict(list(total.counts.items())[:MOST_COUNTERS])))
            for key, (expires_ms, total) in totals.items()
        ],
    )


def _key(kept: Kept) -> tuple[str, str, int]:
    return kept.bucket.tenant, kept.bucket.per.value, kept.bucket.start_ms
