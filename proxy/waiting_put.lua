-- All keys of a tenant have its name as their hash tag: they are on one server of a Cluster.
local order, texts, size = KEYS[1], KEYS[2], KEYS[3]
local call, text, kept_s = ARGV[1], ARGV[2], tonumber(ARGV[3])
local most, beside = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local function drop(one)
  local bytes = redis.call('HSTRLEN', texts, one)
  if redis.call('HDEL', texts, one) == 1 then redis.call('DECRBY', size, bytes + beside) end
  redis.call('ZREM', order, one)
end
drop(call)
for _, one in ipairs(redis.call('ZRANGEBYSCORE', order, '-inf', now, 'LIMIT', 0, 1000)) do
  drop(one)
end
redis.call('HSET', texts, call, text)
redis.call('ZADD', order, now + kept_s, call)
local held = redis.call('INCRBY', size, #text + beside)
while held > most and redis.call('ZCARD', order) > 1 do
  local first = redis.call('ZRANGE', order, 0, 1)
  drop(first[1] == call and first[2] or first[1])
  held = tonumber(redis.call('GET', size))
end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, kept_s) end
