"""Keys of traces in Redis, and the script that adds traces.

A script needs everything about a trace on one server: its record, its tenant's stream, the counts.
On one server, or behind Sentinels, all traces are one portion. A Cluster has them in sixteen, each
with a hash tag of its own, so that memory and work are spread over its servers. Which portion a
trace belongs to follows from its id alone, so that it is found by its id, and found again when it
comes a second time. So neither the tags nor how many there are may ever change: what stands under
others would be looked for in vain until it expires.

Each trace is a record under its id, which lives as long as the tenant's policy says, and an entry
in its tenant's stream, which gives the order. One script adds a batch or nothing of it, and of
each trace both or neither. What the batch counts is added to the tallies in the same script.

A batch of which something is there already, because the answer to the first time was lost, is not
taken: the script says what it does not want, and the rest is put to it again. So each trace is kept
once and counted once, and what a batch counts can be added up before.

A batch for several portions is taken portion by portion. A place is a time and a number. All places
of a batch have one time, and their numbers are in the batch's order, so that it is kept when
portions are read together. Numbers of different portions never are the same.

A label is written into the trace's record, and the trace into one of two sorted sets of its tenant:
that of the pinned ones, whose records do not expire, or that of the others. Their places begin with
the time of the request.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha1
from math import ceil, sqrt
from zlib import crc32

from proxy.shared_redis import ScriptCall
from proxy.traces.store import Entry, Relabelled, added_up
from proxy.traces.tally import MOST_COUNTERS, BucketKey, ms_of
from proxy.traces.trace import Trace

_PREFIX = "guard-proxy:"
# The slots of these lie in the middle of one sixteenth of all slots each, in order. However many
# servers divide the slots evenly, up to sixteen, each has its share of the portions.
_SPREAD = (39, 9, 40, 79, 38, 8, 41, 78, 28, 11, 42, 68, 29, 10, 43, 69)


@dataclass(frozen=True, slots=True)
class Portion:
    """Traces whose keys are on one server."""

    number: int
    tag: str

    @property
    def tenants(self) -> str:
        """The key of the tenants that have traces here."""
        return f"{_PREFIX}{{{self.tag}}}:tenants"

    @property
    def last_place(self) -> str:
        """The key of the place that was given last."""
        return f"{_PREFIX}{{{self.tag}}}:last-place"

    @property
    def records(self) -> str:
        """Prefix of the keys of all records."""
        return f"{_PREFIX}{{{self.tag}}}:record:"

    def record(self, trace_id: str) -> str:
        """Return the key of a trace's record."""
        return self.records + trace_id

    def stream(self, tenant: str) -> str:
        """Return the key of the stream that gives a tenant's traces their order."""
        return f"{_PREFIX}{{{self.tag}}}:stream:{tenant}"

    def labelled(self, tenant: str, *, pinned: bool) -> str:
        """Return the key of a tenant's labelled traces: the pinned ones, or the others."""
        kind = "pinned" if pinned else "labelled"
        return f"{_PREFIX}{{{self.tag}}}:{kind}:{tenant}"

    def tally(self, bucket: BucketKey) -> str:
        """Return the key of a bucket's counters."""
        return f"{_PREFIX}{{{self.tag}}}:tally:{bucket.per}:{bucket.start_ms}:{bucket.tenant}"


WHOLE = (Portion(0, "traces"),)
"""All traces, on one server."""
SPREAD = tuple(Portion(number, f"traces-{tag}") for number, tag in enumerate(_SPREAD))
"""All traces, on a Cluster."""


def portion_of(trace_id: str, portions: tuple[Portion, ...]) -> Portion:
    """Return the portion that a trace belongs to."""
    return portions[crc32(trace_id.encode(errors="replace")) % len(portions)]


OWN_CLOCK = 0
"""In the place of a time: that of the server."""
_LEAST_SURPLUS = 100

# For each trace of a batch two keys and eleven arguments, then for each bucket one and two. Surplus
# entries go many at once and with their records, which the stream's own trimming cannot do.
_ADD_UP = """
local function add_up(bucket, expires_ms, counts, now_ms, most_counters)
  local left_ms = expires_ms - now_ms
  if left_ms <= 0 then
    return
  end
  local counters = redis.call('HLEN', bucket)
  for name, number in pairs(cjson.decode(counts)) do
    if counters < most_counters or redis.call('HEXISTS', bucket, name) == 1 then
      local total = redis.call('HINCRBY', bucket, name, number)
      if total < 0 then  -- what is taken off was forgotten before
        redis.call('HSET', bucket, name, 0)
      end
      if total == number then
        counters = counters + 1
      end
    end
  end
  if redis.call('PTTL', bucket) < left_ms then
    redis.call('PEXPIRE', bucket, left_ms)
  end
end
"""
ADD = (
    _ADD_UP
    + """
local tenants, last_place = KEYS[1], KEYS[2]
local record_prefix, traces, most_counters = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local at_ms, portions, least_surplus = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
if at_ms == 0 then
  at_ms = now_ms
end

local function next_place(wanted)
  local last = redis.call('HMGET', last_place, 'ms', 'number')
  local ms, number = tonumber(last[1] or 0), tonumber(last[2] or 0)
  if at_ms > ms or at_ms == ms and wanted > number then
    ms, number = at_ms, wanted
  else
    number = number + portions
  end
  redis.call('HSET', last_place, 'ms', ms, 'number', number)
  return string.format('%.0f-%.0f', ms, number)
end

local function drop_surplus(stream, keep_last)
  local surplus = redis.call('XLEN', stream) - keep_last
  if surplus < least_surplus then
    return
  end
  local most = math.min(surplus, 1000)
  for _, entry in ipairs(redis.call('XRANGE', stream, '-', '+', 'COUNT', most)) do
    if redis.call('PTTL', record_prefix .. entry[2][2]) ~= -1 then  -- it is not pinned
      redis.call('DEL', record_prefix .. entry[2][2])
    end
    redis.call('XDEL', stream, entry[1])
  end
end

local unwanted = {}
for at = 1, traces do
  if ARGV[11 * at + 3] - now_ms <= 0 or redis.call('EXISTS', KEYS[2 * at + 1]) == 1 then
    table.insert(unwanted, ARGV[11 * at - 4])
  end
end
if #unwanted > 0 then
  -- Whoever waits for replicas after this waits for what was there already only if this writes.
  redis.call('HINCRBY', last_place, 'number', 0)
  return unwanted
end

local taken = {}
local function take_back()
  for _, one in ipairs(taken) do
    redis.call('DEL', one[1])
    redis.call('XDEL', one[2], one[3])
  end
end

for at = 1, traces do
  local record, stream = KEYS[2 * at + 1], KEYS[2 * at + 2]
  local id, tenant, index, codes, door, started_ms, text, expires_ms, keep_ms, keep_last, number =
    unpack(ARGV, 11 * at - 4, 11 * at + 6)
  redis.call('SET', record, text, 'PX', expires_ms - now_ms)
  local place = redis.pcall('XADD', stream, next_place(tonumber(number)), 'id', id, 'index', index,
    'codes', codes, 'door', door, 'started_ms', started_ms)
  if type(place) == 'table' and place.err then
    redis.call('DEL', record)
    take_back()
    return place
  end
  table.insert(taken, {record, stream, place})
  redis.call('SADD', tenants, tenant)
  redis.call('PEXPIRE', stream, keep_ms)
  local oldest_ms = math.max(0, now_ms - keep_ms)
  redis.call('XTRIM', stream, 'MINID', '~', string.format('%.0f', oldest_ms))
  drop_surplus(stream, tonumber(keep_last))
end
for at = 1, #KEYS - 2 - 2 * traces do
  local expires_ms, counts = unpack(ARGV, 11 * traces + 2 * at + 5, 11 * traces + 2 * at + 6)
  add_up(KEYS[2 + 2 * traces + at], expires_ms, counts, now_ms, most_counters)
end
return unwanted
"""
)

CHANGED = "changed"
"""Returned by the script where the record is no longer the one that was read."""
# Keys: record, labelled traces, pinned ones, then a bucket each. The traces of both sets are in the
# order of their members, which begin with the place.
LABEL = (
    _ADD_UP
    + f"""
local record, labelled, pinned = KEYS[1], KEYS[2], KEYS[3]
local read, new, place, member = unpack(ARGV, 1, 4)
local is_pinned, expires_ms, keep_ms, most_counters = ARGV[5] == '1', unpack(ARGV, 6, 8)
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local before = redis.call('GET', record)
if not before or redis.sha1hex(before) ~= read then
  return '{CHANGED}'
end
for _, set in ipairs({{labelled, pinned}}) do
  redis.call('ZREMRANGEBYLEX', set, '[' .. place, '(' .. place .. '!')
end
local left_ms = redis.call('PTTL', record)
if left_ms < 0 then
  left_ms = expires_ms - now_ms
end
if is_pinned then
  redis.call('SET', record, new)
  redis.call('ZADD', pinned, 0, member)
elseif left_ms > 0 then
  redis.call('SET', record, new, 'PX', left_ms)
  if member ~= '' then
    redis.call('ZADD', labelled, 0, member)
  end
else
  redis.call('DEL', record)
end
local oldest_ms = string.format('%018.0f', math.max(0, now_ms - keep_ms))
redis.call('ZREMRANGEBYLEX', labelled, '-', '(' .. oldest_ms)
redis.call('PEXPIRE', labelled, keep_ms)
for at = 4, #KEYS do
  local bucket_expires_ms, counts = unpack(ARGV, 2 * at + 1, 2 * at + 2)
  add_up(KEYS[at], bucket_expires_ms, counts, now_ms, tonumber(most_counters))
end
return ''
"""
)


@dataclass(frozen=True, slots=True)
class BatchEntry:
    """An entry, and which of its batch it is."""

    number: int
    entry: Entry


def keys_and_values(
    batch: Sequence[BatchEntry], portion: Portion, portions: int, at_ms: int = OWN_CLOCK
) -> tuple[list[str], list[str | int]]:
    """Return what the script is given to add a batch, in which no id is twice.

    Args:
        batch: What belongs to the portion, in order.
        at_ms: The time of the batch's places, in milliseconds since 1970.
    """
    keys = [portion.tenants, portion.last_place]
    values: list[str | int] = [portion.records, len(batch), MOST_COUNTERS]
    values += (at_ms, portions, ceil(_LEAST_SURPLUS / portions))
    for placed in batch:
        entry = placed.entry
        keys += (portion.record(entry.id), portion.stream(entry.tenant))
        values += (
            entry.id,
            entry.tenant,
            *_fields(entry),
            entry.record,
            entry.expires_ms,
            entry.tracing.keep_ms,
            _share(entry.tracing.keep_last, portions),
            placed.number * portions + portion.number,
        )
    for kept, tally in added_up([placed.entry for placed in batch]).items():
        keys.append(portion.tally(kept))
        values += (kept.expires_ms, json.dumps(tally.counts))
    return keys, values


def _share(last: int, portions: int) -> int:
    """Return how many of a tenant's last traces one portion keeps.

    They fall on the portions by chance. With four standard deviations above the mean a portion
    hardly ever drops one of the last.
    """
    if portions == 1:
        return last
    mean = last / portions
    return ceil(mean + 4 * sqrt(mean))


def _fields(entry: Entry) -> tuple[str, str, str, int]:
    """Return the fields of a trace's stream entry: index, codes, door, started_ms."""
    index = " ".join((entry.action, *entry.guards))
    return index, " ".join(entry.codes), entry.door, entry.started_ms


def label_call(before: str, new: Relabelled, portion: Portion) -> ScriptCall:
    """Return what the script is given to label a trace."""
    entry = new.entry
    place = label_place(new.trace)
    keys = [portion.record(entry.id)]
    keys += [portion.labelled(entry.tenant, pinned=pinned) for pinned in (False, True)]
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
    for kept, tally in new.added.items():
        keys.append(portion.tally(kept))
        values += (kept.expires_ms, json.dumps(tally.counts))
    return ScriptCall(keys, values)


def label_place(trace: Trace) -> str:
    """Return where a labelled trace stands: by the time of its request, each in its own place."""
    number = int.from_bytes(blake2b(trace.id.encode(errors="replace"), digest_size=7).digest())
    return f"{ms_of(trace.started_at):018}-{number:018}"


def _member(place: str, new: Relabelled) -> str:
    index, codes, door, started_ms = _fields(new.entry)
    fields = {"id": new.trace.id, "index": index, "codes": codes, "door": door}
    said = fields | {"started_ms": str(started_ms), "label": new.label}
    return f"{place} {json.dumps(said, ensure_ascii=False)}"
