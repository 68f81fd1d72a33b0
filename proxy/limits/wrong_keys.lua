-- Counts one more if the second argument says so, and returns for how long there were too many.
local most, counts, window = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if counts == '1' then
  redis.call('ZADD', KEYS[1], now, now)
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
end
local last = redis.call('ZREVRANGE', KEYS[1], most - 1, most - 1, 'WITHSCORES')
return last[2] and tonumber(last[2]) + window - now or 0
