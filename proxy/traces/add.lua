-- Adds a batch of traces or nothing of it; returns the ids that are not wanted.
-- For each trace two keys and eleven arguments, then for each bucket one and two. Surplus entries go
-- many at once and with their records, which the stream's own trimming cannot do.
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
