local order, texts = KEYS[1], KEYS[2]
local call, kept_s, kept_at_most_s = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local last = redis.call('ZSCORE', order, call)
if not last or tonumber(last) < now then return false end
redis.call('ZADD', order, now + kept_s, call)
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, kept_at_most_s) end
return redis.call('HGET', texts, call)
