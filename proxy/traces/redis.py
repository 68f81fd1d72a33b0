"""The shared trace store: Redis, for any number of proxies.

A place begins with the time of arrival, by which a query for recent traces ends early.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeGuard

from redis.exceptions import DataError, ResponseError

from policies.schema.sections import Tracing
from proxy.logs import logger
from proxy.shared_redis import ScriptCall, SharedRedis
from proxy.traces.query import Page, Piece, Query, page_of, readable
from proxy.traces.redis_adding import (
    ADD,
    CHANGED,
    LABEL,
    OWN_CLOCK,
    SPREAD,
    WHOLE,
    BatchEntry,
    Portion,
    keys_and_values,
    label_call,
    portion_of,
)
from proxy.traces.redis_listing import Listed, ListingPosition, Merged, away, cursor_behind
from proxy.traces.store import Decide, Entry, Relabelled, TracesRefused, TraceStoreAway
from proxy.traces.tally import EVERYBODY, Bucket, BucketKey, TallyBucket, from_ms
from proxy.traces.trace import Trace

log = logger(__name__)

_BUCKETS_AT_ONCE = 200

_COUNTED = Path(__file__).with_name("counted.lua").read_text("utf-8")


async def counted(
    redis: SharedRedis, portions: Sequence[Portion], buckets: Sequence[BucketKey]
) -> list[TallyBucket]:
    """Return what was counted in each bucket by all portions together, the empty ones too.

    Raises:
        TraceStoreAway: Redis cannot be used.
    """
    found: list[TallyBucket] = []
    for first in range(0, len(buckets), _BUCKETS_AT_ONCE):
        some = buckets[first : first + _BUCKETS_AT_ONCE]
        async with redis.pipeline(away) as pipeline:
            for portion in portions:
                pipeline.eval(_COUNTED, len(some), *map(portion.tally, some))
            said = await pipeline.execute()
        found += await asyncio.to_thread(_added_up, some, said)
    return found


def _added_up(buckets: Sequence[BucketKey], said: Sequence[str]) -> list[TallyBucket]:
    totals: list[Counter[str]] = [Counter() for _ in buckets]
    for text in said:
        portion: Mapping[str, Mapping[str, int]] = json.loads(text)
        for number, counts in portion.items():
            totals[int(number)].update(counts)
    return [
        TallyBucket(from_ms(bucket.start_ms), dict(total))
        for bucket, total in zip(buckets, totals, strict=True)
    ]


_SCANNED_AT_ONCE = 200
_COUNTED_AT_ONCE = 1_000
_PATIENCE = 5
"""Factor on the timeout for queries of many round trips."""

_Batches = dict[Portion, list[BatchEntry]]

# Codes of a server that takes nothing for now, whatever it is given. An error out of a script has
# no type of its own and may have the code within its words.
_CONDITIONS = re.compile(
    r"\b(?:OOM|MISCONF|NOREPLICAS|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|LOADING|NOAUTH|NOPERM"
    r"|NOSCRIPT|MOVED|ASK)\b"
)


class RedisStore:
    """Keeps traces in Redis.

    Args:
        url: See `proxy.shared_redis`.
        answer_within_s: A server that takes longer counts as away, like one that is gone.
    """

    def __init__(self, url: str, answer_within_s: float = 2.0) -> None:
        # When to try again is the recorder's business.
        self._redis = SharedRedis(
            url, answer_within_s=answer_within_s, tries_again=True, unfollowed=_trusted_alone
        )
        self._portions = SPREAD if self._redis.is_cluster else WHOLE
        self._patience_s = _PATIENCE * answer_within_s

    async def add(self, batch: Sequence[Entry]) -> None:
        """Keep traces in their order; an id that is there already is passed over.

        Of each portion all are kept or none. What fails may be tried again as a whole.
        """
        rest = self._by_portion(batch)
        while rest:
            unwanted = await self._put(rest)
            rest = {
                portion: left
                for portion, placed in rest.items()
                if unwanted[portion]  # else all were taken
                and (left := [one for one in placed if one.entry.id not in unwanted[portion]])
            }

    async def get(self, trace_id: str) -> Trace | None:
        """Return a trace by its id."""
        async with self._redis.answering(away) as redis:
            record = await redis.get(portion_of(trace_id, self._portions).record(trace_id))
        return None if record is None else readable(str(record))

    async def label(self, trace_id: str, decide: Decide, tracing: Tracing) -> Trace | None:
        """Give a trace another feedback, or none, and count the difference."""
        portion = portion_of(trace_id, self._portions)
        async with self._patience():
            while True:
                async with self._redis.answering(away) as redis:
                    record = await redis.get(portion.record(trace_id))
                before = None if record is None else readable(str(record))
                if before is None:
                    return None
                new = Relabelled.of(before, decide(before), tracing)
                call = label_call(str(record), new, portion)
                async with self._redis.answering(away):
                    [said] = await self._redis.run_for_good(LABEL, [call])
                if said != CHANGED:
                    return new.trace

    async def page(self, query: Query) -> Page:
        """Return the traces that a query wants; see `page_of` for how many."""
        async with self._patience():
            merged = await self._merged(query, _SCANNED_AT_ONCE)

            async def read(_cursor: str | None, most: int) -> Piece:
                wanted: list[tuple[str, Listed]] = []
                entry = None
                for _ in range(_SCANNED_AT_ONCE):
                    entry = await merged.next()
                    if entry is None:
                        break
                    if entry.may_match(query):
                        wanted.append((str(merged.reached.cursor), entry))
                    if len(wanted) == most:
                        break
                return Piece(
                    records=await self._records(wanted),
                    cursor=merged.reached.cursor,
                    is_last=entry is None,
                )

            return await page_of(query, read)

    async def newest(self) -> str:
        """Return the cursor behind which only traces are that come from now on."""
        async with self._redis.pipeline(away) as pipeline:
            for portion in self._portions:
                pipeline.hmget(portion.last_place, "ms", "number")
            places = await pipeline.execute()
        return cursor_behind("" if ms is None else f"{ms}-{number}" for ms, number in places)

    async def count(self, query: Query) -> int:
        """Return about how many traces a query wants, whatever its text, cursor and limit."""
        async with self._patience():
            return await self._count(replace(query, text=None, before=None, after=None))

    async def _count(self, query: Query) -> int:
        if query.is_narrow:
            count = 0
            merged = await self._merged(query, _COUNTED_AT_ONCE)
            while entry := await merged.next():
                count += entry.may_match(query)
            return count
        streams = await self._streams(query.tenant)
        async with self._redis.pipeline(away) as pipeline:
            for portion, tenant in streams:
                pipeline.xlen(portion.stream(tenant))
            return sum(await pipeline.execute())

    async def tallies(
        self, tenant: str | None, since: datetime, until: datetime, per: Bucket
    ) -> list[TallyBucket]:
        """Return what was counted, oldest first, with every bucket that the span touches."""
        whose = EVERYBODY if tenant is None else tenant
        async with self._patience():
            starts = per.starts(since, until, from_ms(await self._now_ms()))
            buckets = [BucketKey(whose, per, start_ms) for start_ms in starts]
            return await counted(self._redis, self._portions, buckets)

    async def ping(self) -> None:
        """Return if the server answers."""
        async with self._redis.pipeline(away) as pipeline:
            for portion in self._portions:  # in a Cluster, every server that has traces
                pipeline.exists(portion.tenants)
            await pipeline.execute()

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.close()

    def _by_portion(self, batch: Sequence[Entry]) -> _Batches:
        """Return what each portion is to take, in order, each id once."""
        entries: dict[str, Entry] = {}
        for entry in batch:
            entries.setdefault(entry.id, entry)
        found: _Batches = {}
        for number, entry in enumerate(entries.values()):
            portion = portion_of(entry.id, self._portions)
            found.setdefault(portion, []).append(BatchEntry(number, entry))
        return found

    async def _put(self, batches: _Batches) -> Mapping[Portion, Sequence[str]]:
        """Put batches to the script.

        Returns:
            For each portion the ids for which its batch is not taken; none if it is.
        """
        portions = len(self._portions)
        try:
            # The servers of a Cluster have clocks of their own, and the order must not suffer.
            at_ms = OWN_CLOCK if portions == 1 else await self._now_ms()
            calls = [
                ScriptCall(*keys_and_values(batch, portion, portions, at_ms))
                for portion, batch in batches.items()
            ]
            async with self._redis.answering(away):
                unwanted = await self._redis.run_for_good(ADD, calls)
        except TraceStoreAway as failure:
            if (cause := failure.__cause__) and _is_refusal(cause):
                raise TracesRefused("redis", cause) from cause
            raise
        return {
            portion: list(map(str, ids)) for portion, ids in zip(batches, unwanted, strict=True)
        }

    async def _now_ms(self) -> int:
        async with self._redis.answering(away):
            return await self._redis.time_ms(self._portions[0].tenants)

    @asynccontextmanager
    async def _patience(self) -> AsyncIterator[None]:
        """Let a server that is slow at each of many exchanges count as away in the end."""
        try:
            async with asyncio.timeout(self._patience_s):
                yield
        except TimeoutError as error:
            raise away(error) from error

    async def _streams(self, tenant: str | None) -> list[tuple[Portion, str]]:
        """Return the streams of a tenant, or of all, by portion and tenant."""
        if tenant is not None:
            return [(portion, tenant) for portion in self._portions]
        async with self._redis.pipeline(away) as pipeline:
            for portion in self._portions:
                pipeline.smembers(portion.tenants)
            found = await pipeline.execute()
        return [
            (portion, str(one))
            for portion, tenants in zip(self._portions, found, strict=True)
            for one in tenants
        ]

    async def _merged(self, query: Query, most_at_once: int) -> Merged:
        reached = ListingPosition(query, len(self._portions))
        streams = await self._streams(query.tenant)
        return Merged(self._redis, streams, query, reached, most_at_once)

    async def _records(self, wanted: Sequence[tuple[str, Listed]]) -> list[tuple[str, str]]:
        """Return the records of entries with their cursors, without those whose time is over."""
        if not wanted:
            return []
        async with self._redis.pipeline(away) as pipeline:
            for _, entry in wanted:
                pipeline.get(entry.portion.record(entry.id))
            records = await pipeline.execute()
        found = zip(wanted, records, strict=True)
        return [(cursor, str(record)) for (cursor, _), record in found if record is not None]


def _trusted_alone(why: Exception) -> None:
    log.warning("trace.replicas_unknown", error=type(why).__name__)


def _is_refusal(cause: BaseException) -> TypeGuard[Exception]:
    """Tell whether a failure is about what was given, which a server in order refuses too."""
    if isinstance(cause, DataError):
        return True
    return type(cause) is ResponseError and not _CONDITIONS.search(str(cause))
