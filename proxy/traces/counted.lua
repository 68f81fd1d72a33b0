-- Returns the counters of each key that has any, by its number.
local found = {}
for at, key in ipairs(KEYS) do
  local said = redis.call('HGETALL', key)
  if #said > 0 then
    local counts = {}
    for name = 1, #said, 2 do
      counts[said[name]] = tonumber(said[name + 1])
    end
    found[tostring(at - 1)] = counts
  end
end
return cjson.encode(found)
