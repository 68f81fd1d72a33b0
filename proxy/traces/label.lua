-- Gives a trace another label. Keys: record, labelled traces, pinned ones, then a bucket each. The
-- traces of both sets are in the order of their members, which begin with the place.
local record, labelled, pinned = KEYS[1], KEYS[2], KEYS[3]
local read, new, place, member = unpack(ARGV, 1, 4)
local is_pinned, expires_ms, keep_ms, most_counters = ARGV[5] == '1', unpack(ARGV, 6, 8)
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local before = redis.call('GET', record)
if not before or redis.sha1hex(before) ~= read then
  return 'changed'
end
for _, set in ipairs({labelled, pinned}) do
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
