-- Renews leases: one key for each id. With `XX`, a visit that has no lease any more gets none.
local lease, which = tonumber(ARGV[1]), ARGV[2]
local time = redis.call('TIME')
local ends = time[1] * 1000000 + time[2] + lease
for at, running in ipairs(KEYS) do
  redis.call('ZADD', running, which, ends, ARGV[at + 2])
  redis.call('PEXPIRE', running, math.ceil(lease / 1000))
end
