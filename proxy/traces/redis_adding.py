"""The script by which traces come into Redis, and how a batch is put to it.

Each trace is a record under its id, which lives as long as the tenant's policy says, and an entry
in its tenant's stream, which gives the order. One script adds a batch or nothing of it, and of
each trace both or neither. What the batch counts is added to the tallies in the same script.

A batch of which something is there already, because the answer to the first time was lost, is not
taken: the script says what it does not want, and the rest is put to it again. So each trace is kept
once and counted once, and what a batch counts can be added up before.

All keys bear one hash tag, because the script needs them together: on a Redis Cluster the traces
stand on one shard.
"""

import json
from collections.abc import Sequence

from proxy.traces.listing import Listing
from proxy.traces.store import Entry, added_up
from proxy.traces.tally import MOST_COUNTERS, BucketId

RECORD = "guard-proxy:{traces}:record:"
STREAM = "guard-proxy:{traces}:stream:"
TENANTS = "guard-proxy:{traces}:tenants"
_LAST_PLACE = "guard-proxy:{traces}:last-place"
_TALLY = "guard-proxy:{traces}:tally:"

# For each trace of a batch two keys and ten arguments, then for each bucket one and two. Surplus
# entries go by the hundred and with their records, which the stream's own trimming cannot do.
ADD = """
local tenants, last_place = KEYS[1], KEYS[2]
local record_prefix, traces, most_counters = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
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

local function add_up(bucket, expires_ms, counts)
  local left_ms = expires_ms - now_ms
  if left_ms <= 0 then
    return
  end
  local counters = redis.call('HLEN', bucket)
  for name, number in pairs(cjson.decode(counts)) do
    if counters < most_counters or redis.call('HEXISTS', bucket, name) == 1 then
      if redis.call('HINCRBY', bucket, name, number) == number then
        counters = counters + 1
      end
    end
  end
  if redis.call('PTTL', bucket) < left_ms then
    redis.call('PEXPIRE', bucket, left_ms)
  end
end

local unwanted = {}
for at = 1, traces do
  if ARGV[10 * at + 1] - now_ms <= 0 or redis.call('EXISTS', KEYS[2 * at + 1]) == 1 then
    table.insert(unwanted, ARGV[10 * at - 6])
  end
end
if #unwanted > 0 then
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
  local id, tenant, index, codes, door, started_ms, text, expires_ms, keep_ms, keep_last =
    unpack(ARGV, 10 * at - 6, 10 * at + 3)
  redis.call('SET', record, text, 'PX', expires_ms - now_ms)
  local place = redis.pcall('XADD', stream, next_place(), 'id', id, 'index', index,
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
  local expires_ms, counts = unpack(ARGV, 10 * traces + 2 * at + 2, 10 * traces + 2 * at + 3)
  add_up(KEYS[2 + 2 * traces + at], expires_ms, counts)
end
return unwanted
"""


def keys_and_values(batch: Sequence[Entry]) -> tuple[list[str], list[str | int]]:
    """Return what the script is given to add a batch, in which no id is twice."""
    keys = [TENANTS, _LAST_PLACE]
    values: list[str | int] = [RECORD, len(batch), MOST_COUNTERS]
    for entry in batch:
        keys += (RECORD + entry.id, STREAM + entry.tenant)
        values += (
            entry.id,
            entry.tenant,
            *_fields(entry.listing),
            entry.record,
            entry.expires_ms,
            entry.keep.ms,
            entry.keep.last,
        )
    for kept, tally in added_up(batch).items():
        keys.append(bucket_key(kept.bucket))
        values += (kept.expires_ms, json.dumps(tally.counts))
    return keys, values


def _fields(listing: Listing) -> tuple[str, str, str, int]:
    """Return what stands in a trace's stream entry: index, codes, door, started_ms."""
    index = " ".join((listing.action, *listing.guards))
    return index, " ".join(listing.codes), listing.door, listing.started_ms


def bucket_key(bucket: BucketId) -> str:
    """Return the key of a bucket's counters."""
    return f"{_TALLY}{bucket.per}:{bucket.start_ms}:{bucket.tenant}"
