"""The shared trace store: Redis, for any number of proxies.

The entries' ids rise over all streams, which makes each of them a cursor for all tenants. They
begin with the time of arrival, by which a query for recent traces ends early.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeGuard

from redis.exceptions import DataError, ResponseError

from proxy.logs import logger
from proxy.shared_redis import SharedRedis
from proxy.traces.listing import is_under
from proxy.traces.paging import Piece, page_of
from proxy.traces.redis_adding import (
    ADD,
    RECORD,
    STREAM,
    TENANTS,
    bucket_key,
    keys_and_values,
)
from proxy.traces.store import Entry, Page, Query, TracesRefused, TraceStoreAway, readable
from proxy.traces.tally import EVERYBODY, Bucket, BucketId, TallyBucket, from_ms, ms_of
from proxy.traces.trace import Trace

log = logger(__name__)

_SCANNED_AT_ONCE = 200
_COUNTED_AT_ONCE = 1_000
_BUCKETS_AT_ONCE = 200
_PATIENCE = 5
"""How many times what one answer may take a question of many exchanges may."""
_CLOCKS_DIFFER_MS = 300_000
"""How far the clock of a proxy may be ahead of the server's."""

# Codes of a server that takes nothing for now, whatever it is given. An error out of a script has
# no type of its own and may have the code within its words.
_CONDITIONS = re.compile(
    r"\b(?:OOM|MISCONF|NOREPLICAS|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|LOADING|NOAUTH|NOPERM"
    r"|NOSCRIPT|MOVED|ASK)\b"
)


@dataclass(frozen=True, slots=True)
class _Listed:
    """An entry of a stream: where it stands, the trace's id, and its fields.

    The version before wrote neither codes nor door nor started_ms.
    """

    place: str
    id: str
    fields: Mapping[str, str]

    def order(self) -> tuple[int, int]:
        ms, _, number = self.place.partition("-")
        return int(ms), int(number)

    def may_match(self, query: Query) -> bool:
        """Tell whether the query may want the trace, by what the entry says."""
        action, *guards = self.fields["index"].split()
        return (
            query.action in {None, action}
            and (query.guard is None or query.guard in guards)
            and query.door in {None, self.fields.get("door", query.door)}
            and self._has_code(query.code)
            and self._is_within(query.since, query.until)
        )

    def _has_code(self, wanted: str | None) -> bool:
        codes = self.fields.get("codes")
        if wanted is None or codes is None:
            return True
        return any(is_under(code, wanted) for code in codes.split())

    def _is_within(self, since: datetime | None, until: datetime | None) -> bool:
        started = self.fields.get("started_ms")
        if started is None:
            return True
        after_begin = since is None or ms_of(since) <= int(started)
        return after_begin and (until is None or int(started) <= ms_of(until))


class RedisStore:
    """Keeps traces in Redis.

    Args:
        url: See `proxy.redis_address`.
        answer_within_s: A server that takes longer counts as away, like one that is gone.
    """

    def __init__(self, url: str, answer_within_s: float = 2.0) -> None:
        # When to try again is the recorder's business.
        self._redis = SharedRedis(
            url, answer_within_s=answer_within_s, tries_again=True, unfollowed=_trusted_alone
        )
        self._patience_s = _PATIENCE * answer_within_s

    async def add(self, batch: Sequence[Entry]) -> None:
        """Keep traces in their order, all or none; an id that is there already is passed over."""
        rest: dict[str, Entry] = {}
        for entry in batch:
            rest.setdefault(entry.id, entry)
        while rest:
            unwanted = await self._put(list(rest.values()))
            if not unwanted:
                return
            for trace_id in unwanted:
                del rest[trace_id]

    async def get(self, trace_id: str) -> Trace | None:
        """Return a trace by its id."""
        async with self._redis.answering(_away) as redis:
            record = await redis.get(RECORD + trace_id)
        return None if record is None else readable(str(record))

    async def page(self, query: Query) -> Page:
        """Return the traces that a query wants; see `page_of` for how many."""
        async with self._patience():
            return await self._page(query)

    async def _page(self, query: Query) -> Page:
        tenants = await self._tenants(query)

        async def read(cursor: str | None, most: int) -> Piece:
            listed = await self._scan(tenants, query, cursor, _SCANNED_AT_ONCE)
            wanted = [entry for entry in listed if entry.may_match(query)][:most]
            end = wanted if len(wanted) == most else listed
            return Piece(
                records=await self._records(wanted),
                cursor=end[-1].place if end else cursor,
                is_last=not listed,
            )

        return await page_of(query, read)

    async def count(self, query: Query) -> int:
        """Return about how many traces a query wants, whatever its text, cursor and limit."""
        async with self._patience():
            return await self._count(query)

    async def _count(self, query: Query) -> int:
        tenants = await self._tenants(query)
        if not query.is_narrow:
            async with (
                self._redis.answering(_away) as redis,
                redis.pipeline(transaction=False) as pipeline,
            ):
                for tenant in tenants:
                    pipeline.xlen(STREAM + tenant)
                return sum(await pipeline.execute())
        count: int = 0
        cursor: str | None = None
        query = replace(query, before=None, after=None)
        while listed := await self._scan(tenants, query, cursor, _COUNTED_AT_ONCE):
            count += sum(entry.may_match(query) for entry in listed)
            cursor = listed[-1].place
        return count

    async def tallies(
        self, tenant: str | None, since: datetime, until: datetime, per: Bucket
    ) -> list[TallyBucket]:
        """Return what was counted, oldest first, with every bucket that the span touches."""
        async with self._patience():
            return await self._tallies(tenant, since, until, per)

    async def _tallies(
        self, tenant: str | None, since: datetime, until: datetime, per: Bucket
    ) -> list[TallyBucket]:
        whose = EVERYBODY if tenant is None else tenant
        async with self._redis.answering(_away) as redis:
            now_s, _ = await redis.time()
        starts = per.starts(since, until, from_ms(now_s * 1000))
        found: list[Mapping[str, str]] = []
        for first in range(0, len(starts), _BUCKETS_AT_ONCE):
            async with (
                self._redis.answering(_away) as redis,
                redis.pipeline(transaction=False) as pipeline,
            ):
                for start_ms in starts[first : first + _BUCKETS_AT_ONCE]:
                    pipeline.hgetall(bucket_key(BucketId(whose, per, start_ms)))
                found += await pipeline.execute()
        return [
            TallyBucket(from_ms(start_ms), {name: int(count) for name, count in counts.items()})
            for start_ms, counts in zip(starts, found, strict=True)
        ]

    async def ping(self) -> None:
        """Return if the server answers."""
        async with self._redis.answering(_away) as redis:
            await redis.exists(TENANTS)  # in a Cluster, of the server that has the traces

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.close()

    async def _put(self, batch: Sequence[Entry]) -> list[str]:
        """Put a batch to the script; return the ids for which it is not taken, none if it is."""
        keys, values = keys_and_values(batch)
        try:
            async with self._redis.answering(_away):
                unwanted = await self._redis.run_for_good(ADD, keys, values)
        except TraceStoreAway as away:
            if (cause := away.__cause__) and _is_refusal(cause):
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
            raise _away(error) from error

    async def _tenants(self, query: Query) -> list[str]:
        if query.tenant is not None:
            return [query.tenant]
        async with self._redis.answering(_away) as redis:
            return [str(tenant) for tenant in await redis.smembers(TENANTS)]

    async def _scan(
        self, tenants: Collection[str], query: Query, cursor: str | None, most: int
    ) -> list[_Listed]:
        """Return the next entries of all tenants together, without those that came too early."""
        newest_first = query.after is None
        oldest = _earliest(query.since)
        beyond = f"({cursor}" if cursor else None
        async with (
            self._redis.answering(_away) as redis,
            redis.pipeline(transaction=False) as pipeline,
        ):
            for tenant in tenants:
                if newest_first:
                    pipeline.xrevrange(STREAM + tenant, beyond or "+", oldest, count=most)
                else:
                    pipeline.xrange(STREAM + tenant, beyond or oldest, "+", count=most)
            streams = await pipeline.execute()
        listed = [
            _Listed(place, fields["id"], fields) for stream in streams for place, fields in stream
        ]
        return sorted(listed, key=_Listed.order, reverse=newest_first)[:most]

    async def _records(self, listed: Sequence[_Listed]) -> list[tuple[str, str]]:
        """Return the records of entries with their places, without those whose time is over."""
        if not listed:
            return []
        async with self._redis.answering(_away) as redis:
            records = await redis.mget([RECORD + entry.id for entry in listed])
        found = zip(listed, records, strict=True)
        return [(entry.place, str(record)) for entry, record in found if record is not None]


def _away(cause: Exception) -> TraceStoreAway:
    return TraceStoreAway("redis", cause)


def _trusted_alone(why: Exception) -> None:
    log.warning("trace.replicas_unknown", error=type(why).__name__)


def _earliest(since: datetime | None) -> str:
    """Return the place before which no trace of a request since then can stand.

    A trace comes after its request began, however long it waited on its way.
    """
    return "-" if since is None else str(max(0, ms_of(since) - _CLOCKS_DIFFER_MS))


def _is_refusal(cause: BaseException) -> TypeGuard[Exception]:
    """Tell whether a failure is about what was given, which a server in order refuses too."""
    if isinstance(cause, DataError):
        return True
    return type(cause) is ResponseError and not _CONDITIONS.search(str(cause))
