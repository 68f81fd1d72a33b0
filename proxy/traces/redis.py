"""The shared trace store: Redis, for any number of proxies.

One script adds a batch or nothing of it, of each trace the record and the stream's entry or
neither, and what the batch counts. A batch of which something is there already, because the answer
to the first time was lost, is not taken: the script says what it does not want, and the rest is put
to it again. So each trace is kept once and counted once, and what a batch counts can be added up
before. A place begins with the time of arrival, by which a query for recent traces ends early.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b, sha1
from pathlib import Path
from typing import TypeGuard

from redis.exceptions import DataError, ResponseError

from policies.schema.sections import Tracing
from proxy.logs import logger
from proxy.shared_redis import ScriptCall, SharedRedis
from proxy.traces.query import Page, Piece, Query, page_of, readable
from proxy.traces.redis_listing import (
    LAST_PLACE,
    RECORDS,
    TENANTS,
    Listed,
    Merged,
    away,
    labelled_of,
    stream_of,
    tally_of,
)
from proxy.traces.store import Decide, Entry, Relabelled, TracesRefused, TraceStoreAway, added_up
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
from proxy.traces.trace import Trace

log = logger(__name__)

_BUCKETS_AT_ONCE = 200
_LEAST_SURPLUS = 100

_ADD_UP, _ADD, _LABEL, _COUNTED = (
    Path(__file__).with_name(f"{name}.lua").read_text("utf-8")
    for name in ("add_up", "add", "label", "counted")
)
_CHANGED = "changed"
"""Returned by the script for labels where the record is no longer the one that was read."""
_SCANNED_AT_ONCE = 200
_COUNTED_AT_ONCE = 1_000
_PATIENCE = 5
"""Factor on the timeout for queries of many round trips."""

# Codes of a server that takes nothing for now, whatever it is given. An error out of a script has
# no type of its own and may have the code within its words.
_CONDITIONS = re.compile(
    r"\b(?:OOM|MISCONF|NOREPLICAS|READONLY|MASTERDOWN|BUSY|LOADING|NOAUTH|NOPERM|NOSCRIPT)\b"
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
        self._patience_s = _PATIENCE * answer_within_s

    async def add(self, batch: Sequence[Entry]) -> None:
        """Keep traces in their order; an id that is there already is passed over.

        All are kept or none. What fails may be tried again as a whole.
        """
        entries: dict[str, Entry] = {}
        for entry in batch:
            entries.setdefault(entry.id, entry)
        while entries:
            unwanted = await self._put(list(entries.values()))
            if not unwanted:  # all were taken
                return
            for trace_id in unwanted:
                entries.pop(trace_id, None)

    async def get(self, trace_id: str) -> Trace | None:
        """Return a trace by its id."""
        async with self._redis.answering(away) as redis:
            record = await redis.get(RECORDS + trace_id)
        return None if record is None else readable(str(record))

    async def label(self, trace_id: str, decide: Decide, tracing: Tracing) -> Trace | None:
        """Give a trace another feedback, or none, and count the difference."""
        async with self._patience():
            while True:
                async with self._redis.answering(away) as redis:
                    record = await redis.get(RECORDS + trace_id)
                before = None if record is None else readable(str(record))
                if before is None:
                    return None
                new = Relabelled.of(before, decide(before), tracing)
                call = _label_call(str(record), new)
                async with self._redis.answering(away):
                    said = await self._redis.run_for_good(_ADD_UP + _LABEL, call)
                if said != _CHANGED:
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
                        wanted.append((str(merged.cursor), entry))
                    if len(wanted) == most:
                        break
                return Piece(
                    records=await self._records(wanted),
                    cursor=merged.cursor,
                    is_last=entry is None,
                )

            return await page_of(query, read)

    async def newest(self) -> str:
        """Return the cursor behind which only traces are that come from now on."""
        async with self._redis.pipeline(away) as pipeline:
            pipeline.hmget(LAST_PLACE, "ms", "number")
            [[ms, number]] = await pipeline.execute()
        return "" if ms is None else f"{ms}-{number}"

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
        tenants = await self._tenants(query.tenant)
        async with self._redis.pipeline(away) as pipeline:
            for tenant in tenants:
                pipeline.xlen(stream_of(tenant))
            return sum(await pipeline.execute())

    async def tallies(
        self, tenant: str | None, since: datetime, until: datetime, per: Bucket
    ) -> list[TallyBucket]:
        """Return what was counted, oldest first, with every bucket that the span touches."""
        whose = EVERYBODY if tenant is None else tenant
        async with self._patience():
            async with self._redis.answering(away):
                now_ms = await self._redis.time_ms()
            starts = per.starts(since, until, from_ms(now_ms))
            buckets = [BucketKey(whose, per, start_ms) for start_ms in starts]
            found: list[TallyBucket] = []
            for first in range(0, len(buckets), _BUCKETS_AT_ONCE):
                found += await self._bucket_counts(buckets[first : first + _BUCKETS_AT_ONCE])
            return found

    async def _bucket_counts(self, buckets: Sequence[BucketKey]) -> list[TallyBucket]:
        """Return what was counted in each bucket, the empty ones too."""
        keys = map(tally_of, buckets)
        async with self._redis.answering(away) as redis:
            said = await self._redis.run(redis, _COUNTED, list(keys), ())
        return await asyncio.to_thread(_buckets_said, buckets, said)

    async def ping(self) -> None:
        """Return if the server answers."""
        async with self._redis.answering(away) as redis:
            await redis.exists(TENANTS)

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.close()

    async def _put(self, batch: Sequence[Entry]) -> list[str]:
        """Put a batch to the script.

        Returns:
            The ids for which the batch is not taken; none if it is.
        """
        try:
            async with self._redis.answering(away):
                unwanted = await self._redis.run_for_good(_ADD_UP + _ADD, _add_call(batch))
        except TraceStoreAway as failure:
            if (cause := failure.__cause__) and _is_refusal(cause):
                raise TracesRefused("redis", cause) from cause
            raise
        return list(map(str, unwanted))

    @asynccontextmanager
    async def _patience(self) -> AsyncIterator[None]:
        """Let a server that is slow at each of many exchanges count as away in the end."""
        try:
            async with asyncio.timeout(self._patience_s):
                yield
        except TimeoutError as error:
            raise away(error) from error

    async def _tenants(self, tenant: str | None) -> list[str]:
        """Return one tenant, or all that have traces."""
        if tenant is not None:
            return [tenant]
        async with self._redis.pipeline(away) as pipeline:
            pipeline.smembers(TENANTS)
            [found] = await pipeline.execute()
        return list(map(str, found))

    async def _merged(self, query: Query, most_at_once: int) -> Merged:
        return Merged(self._redis, await self._tenants(query.tenant), query, most_at_once)

    async def _records(self, wanted: Sequence[tuple[str, Listed]]) -> list[tuple[str, str]]:
        """Return the records of entries with their cursors, without those whose time is over."""
        if not wanted:
            return []
        async with self._redis.pipeline(away) as pipeline:
            for _, entry in wanted:
                pipeline.get(RECORDS + entry.id)
            records = await pipeline.execute()
        found = zip(wanted, records, strict=True)
        return [(cursor, str(record)) for (cursor, _), record in found if record is not None]


def _buckets_said(buckets: Sequence[BucketKey], said: str) -> list[TallyBucket]:
    counts: Mapping[str, dict[str, int]] = json.loads(said)
    return [
        TallyBucket(from_ms(bucket.start_ms), counts.get(str(number), {}))
        for number, bucket in enumerate(buckets)
    ]


def _add_call(batch: Sequence[Entry]) -> ScriptCall:
    """Return what the script is given to add a batch, in which no id is twice."""
    keys = [TENANTS, LAST_PLACE]
    values: list[str | int] = [RECORDS, len(batch), MOST_COUNTERS, _LEAST_SURPLUS]
    for entry in batch:
        keys += (RECORDS + entry.id, stream_of(entry.tenant))
        values += (
            entry.id,
            entry.tenant,
            *_fields(entry),
            entry.record,
            entry.expires_ms,
            entry.tracing.keep_ms,
            entry.tracing.keep_last,
        )
    return _with_counts(keys, values, added_up(batch))


def _with_counts(
    keys: list[str], values: list[str | int], added: Mapping[BucketKey, Tally]
) -> ScriptCall:
    for kept, tally in added.items():
        keys.append(tally_of(kept))
        values += (kept.expires_ms, json.dumps(tally.counts))
    return ScriptCall(keys, values)


def _fields(entry: Entry) -> tuple[str, str, str, int]:
    """Return the fields of a trace's stream entry: index, codes, door, started_ms."""
    index = " ".join((entry.action, *entry.guards))
    return index, " ".join(entry.codes), entry.door, entry.started_ms


def _label_call(before: str, new: Relabelled) -> ScriptCall:
    """Return what the script is given to label a trace."""
    entry = new.entry
    place = _label_place(new.trace)
    keys = [RECORDS + entry.id]
    keys += [labelled_of(entry.tenant, pinned=pinned) for pinned in (False, True)]
    values: list[str | int] = [
        sha1(before.encode(), usedforsecurity=False).hexdigest(),
        entry.record,
        place,
        _member(place, new) if new.label else "",
        int(new.is_pinned),
        entry.expires_ms,
        entry.tracing.keep_ms,
        MOST_COUNTERS,
    ]
    return _with_counts(keys, values, new.added)


def _label_place(trace: Trace) -> str:
    """Return where a labelled trace stands: by the time of its request, each in its own place."""
    number = int.from_bytes(blake2b(trace.id.encode(errors="replace"), digest_size=7).digest())
    return f"{ms_of(trace.started_at):018}-{number:018}"


def _member(place: str, new: Relabelled) -> str:
    index, codes, door, started_ms = _fields(new.entry)
    fields = {"id": new.trace.id, "index": index, "codes": codes, "door": door}
    said = fields | {"started_ms": str(started_ms), "label": new.label}
    return f"{place} {json.dumps(said, ensure_ascii=False)}"


def _trusted_alone(why: Exception) -> None:
    log.warning("trace.replicas_unknown", error=type(why).__name__)


def _is_refusal(cause: BaseException) -> TypeGuard[Exception]:
    """Tell whether a failure is about what was given, which a server in order refuses too."""
    if isinstance(cause, DataError):
        return True
    return type(cause) is ResponseError and not _CONDITIONS.search(str(cause))
