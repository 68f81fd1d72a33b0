"""The shared trace store: Redis, for any number of proxies.

Each trace is a record under its id, which lives as long as the tenant's policy says, and an entry
in its tenant's stream, which gives the order. One script adds a batch or nothing of it, and of
each trace both or neither, so that a batch sent twice is kept once. The entries' ids rise over all
streams, which makes each of them a cursor for all tenants.

All keys bear one hash tag, because the script needs them together: on a Redis Cluster the traces
stand on one shard.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeGuard

import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import DataError, RedisError, ResponseError

from proxy.traces.store import Entry, Page, Query, TracesRefused, TraceStoreAway, readable
from proxy.traces.trace import Trace

_RECORD = "guard-proxy:{traces}:record:"
_STREAM = "guard-proxy:{traces}:stream:"
_TENANTS = "guard-proxy:{traces}:tenants"
_LAST_PLACE = "guard-proxy:{traces}:last-place"
_SCANNED_AT_ONCE = 200
_SCANS_AT_MOST = 100

# Codes of a server that takes nothing for now, whatever it is given. An error out of a script has
# no type of its own and may have the code within its words.
_CONDITIONS = re.compile(
    r"\b(?:OOM|MISCONF|NOREPLICAS|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|LOADING|NOAUTH|NOPERM"
    r"|NOSCRIPT|MOVED|ASK)\b"
)

# For each trace of a batch, two keys and seven arguments. Surplus entries go by the hundred and
# with their records, which the stream's own trimming cannot do.
_ADD = """
local tenants, last_place, record_prefix = KEYS[1], KEYS[2], ARGV[1]
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)

local function next_place()
  local last = redis.call('HMGET', last_place, 'ms', 'number')
  local ms, number = tonumber(last[1] or 0), tonumber(last[2] or 0)
  if now_ms > ms then
    ms, number = now_ms, 0
  else
    number = number + 1
  end
  redis.call('HSET', last_place, 'ms', ms, 'number', number)
  return string.format('%.0f-%.0f', ms, number)
end

local function drop_surplus(stream, keep_last)
  local surplus = redis.call('XLEN', stream) - keep_last
  if surplus < 100 then
    return
  end
  local most = math.min(surplus, 1000)
  for _, entry in ipairs(redis.call('XRANGE', stream, '-', '+', 'COUNT', most)) do
    redis.call('DEL', record_prefix .. entry[2][2])
    redis.call('XDEL', stream, entry[1])
  end
end

for at = 1, (#KEYS - 2) / 2 do
  local record, stream = KEYS[2 * at + 1], KEYS[2 * at + 2]
  local id, tenant, index, text, expires_ms, keep_ms, keep_last =
    unpack(ARGV, 7 * at - 5, 7 * at + 1)
  local left_ms = expires_ms - now_ms
  if left_ms > 0 and redis.call('SET', record, text, 'NX', 'PX', left_ms) then
    local added = redis.pcall('XADD', stream, next_place(), 'id', id, 'index', index)
    if type(added) == 'table' and added.err then
      redis.call('DEL', record)
      return added
    end
    redis.call('SADD', tenants, tenant)
    redis.call('PEXPIRE', stream, keep_ms)
    local oldest_ms = math.max(0, now_ms - keep_ms)
    redis.call('XTRIM', stream, 'MINID', '~', string.format('%.0f', oldest_ms))
    drop_surplus(stream, tonumber(keep_last))
  end
end
"""


@dataclass(frozen=True, slots=True)
class _Listed:
    """An entry of a stream: where it stands, the trace's id, its action, guards with findings."""

    place: str
    id: str
    action: str
    guards: tuple[str, ...]

    @classmethod
    def of(cls, place: str, fields: dict[str, str]) -> "_Listed":
        action, *guards = fields["index"].split()
        return cls(place, fields["id"], action, tuple(guards))

    def order(self) -> tuple[int, int]:
        ms, _, number = self.place.partition("-")
        return int(ms), int(number)

    def wanted(self, query: Query) -> bool:
        return (query.action is None or self.action == query.action) and (
            query.guard is None or query.guard in self.guards
        )


class RedisStore:
    """Keeps traces in Redis.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``.
        answer_within_s: A server that takes longer counts as away, like one that is gone.
    """

    def __init__(self, url: str, answer_within_s: float = 2.0) -> None:
        self._answer_within_s = answer_within_s
        # One try only: when to try again is the recorder's business.
        self._redis = redis.asyncio.Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=answer_within_s,
            socket_connect_timeout=answer_within_s,
            retry=Retry(NoBackoff(), 0),
        )
        self._add = self._redis.register_script(_ADD)

    async def add(self, batch: Sequence[Entry]) -> None:
        """Keep traces in their order, all or none; an id that is there already is passed over."""
        keys = [_TENANTS, _LAST_PLACE]
        values: list[str | int] = [_RECORD]
        for entry in batch:
            keys += (_RECORD + entry.id, _STREAM + entry.tenant)
            values += (
                entry.id,
                entry.tenant,
                " ".join([entry.action, *entry.guards]),
                entry.record,
                entry.expires_ms,
                entry.keep.ms,
                entry.keep.last,
            )
        try:
            async with self._answering():
                await self._add(keys, values)
        except TraceStoreAway as away:
            if (cause := away.__cause__) and _is_refusal(cause):
                raise TracesRefused("redis", cause) from cause
            raise

    async def get(self, trace_id: str) -> Trace | None:
        """Return a trace by its id."""
        async with self._answering():
            record = await self._redis.get(_RECORD + trace_id)
        return None if record is None else readable(str(record))

    async def page(self, query: Query) -> Page:
        """Return the traces that a query wants.

        With filters only so many entries are looked through for one page, so that it may hold
        fewer traces than asked for, or none, and still have a cursor.
        """
        tenants = await self._tenants() if query.tenant is None else [query.tenant]
        newest_first = query.after is None
        cursor = query.before if newest_first else query.after
        traces: list[Trace] = []
        for _ in range(_SCANS_AT_MOST):
            listed = await self._scan(tenants, cursor, newest_first=newest_first)
            if not listed:
                return Page(tuple(traces), None if newest_first else cursor)
            missing = query.limit - len(traces)
            wanted = [entry for entry in listed if entry.wanted(query)][:missing]
            traces += await self._records(wanted)
            cursor = (wanted if len(wanted) == missing else listed)[-1].place
            if len(traces) >= query.limit:
                break
        return Page(tuple(traces), cursor)

    async def ping(self) -> None:
        """Return if the server answers."""
        async with self._answering():
            await self._redis.ping()

    async def close(self) -> None:
        """Close the connections."""
        await self._redis.aclose()

    async def _tenants(self) -> list[str]:
        async with self._answering():
            return [str(tenant) for tenant in await self._redis.smembers(_TENANTS)]

    async def _scan(
        self, tenants: Collection[str], cursor: str | None, *, newest_first: bool
    ) -> list[_Listed]:
        """Return the next entries of all tenants together."""
        beyond = f"({cursor}" if cursor else None
        async with self._answering(), self._redis.pipeline(transaction=False) as pipeline:
            for tenant in tenants:
                stream = _STREAM + tenant
                if newest_first:
                    pipeline.xrevrange(stream, beyond or "+", "-", count=_SCANNED_AT_ONCE)
                else:
                    pipeline.xrange(stream, beyond or "-", "+", count=_SCANNED_AT_ONCE)
            streams = await pipeline.execute()
        listed = [_Listed.of(place, fields) for stream in streams for place, fields in stream]
        return sorted(listed, key=_Listed.order, reverse=newest_first)[:_SCANNED_AT_ONCE]

    async def _records(self, listed: Sequence[_Listed]) -> list[Trace]:
        """Return the traces of entries, without those whose time is over."""
        if not listed:
            return []
        async with self._answering():
            records = await self._redis.mget([_RECORD + entry.id for entry in listed])
        return [trace for record in records if record and (trace := readable(str(record)))]

    @asynccontextmanager
    async def _answering(self) -> AsyncIterator[None]:
        try:
            # The socket's own limit is for each read; a server that dribbles must not get more.
            async with asyncio.timeout(2 * self._answer_within_s):
                yield
        except (RedisError, OSError) as error:
            raise TraceStoreAway("redis", error) from error


def _is_refusal(cause: BaseException) -> TypeGuard[Exception]:
    """Tell whether a failure is about what was given, which a server in order refuses too."""
    if isinstance(cause, DataError):
        return True
    return type(cause) is ResponseError and not _CONDITIONS.search(str(cause))
