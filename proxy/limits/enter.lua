-- Counts a visit in if there is room. Times are in microseconds; 0 is no limit.
local recent, running = KEYS[1], KEYS[2]
local id = ARGV[1]
local window, lease = tonumber(ARGV[2]), tonumber(ARGV[3])
local most, at_once = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function counts_for(newest)
  local found = redis.call('ZREVRANGE', recent, newest - 1, newest - 1, 'WITHSCORES')
  return found[2] and tonumber(found[2]) + window - now or 0
end

redis.call('ZREMRANGEBYSCORE', recent, '-inf', now - window)
redis.call('ZREMRANGEBYSCORE', running, '-inf', now)
local used = redis.call('ZCARD', recent)
if most > 0 and used >= most then
  return {'requests_per_minute', counts_for(most), used, counts_for(1)}
end
if at_once > 0 and redis.call('ZCARD', running) >= at_once then
  return {'concurrent_requests', 0, used, counts_for(1)}
end
if most > 0 then
  redis.call('ZADD', recent, now, id)
  redis.call('PEXPIRE', recent, math.ceil(window / 1000))
  used = used + 1
end
if at_once > 0 then
  redis.call('ZADD', running, now + lease, id)
  redis.call('PEXPIRE', running, math.ceil(lease / 1000))
end
return {'', 0, used, counts_for(1)}
