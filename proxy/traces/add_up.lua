-- Adds counts to a bucket; stands before the scripts that use it.
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
