"""Reads what was counted out of Redis, of many buckets and all portions at once.

A server is asked by a script, whose answer is one text: read as an answer for each bucket, a month
in sixteen portions would take seconds.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence

from proxy.shared_redis import SharedRedis
from proxy.traces.redis_listing import away
from proxy.traces.redis_portions import Portion
from proxy.traces.tally import BucketId, TallyBucket, from_ms

_BUCKETS_AT_ONCE = 200

# The counters of each key that has any, by its number.
_COUNTED = """
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
"""


async def counted(
    redis: SharedRedis, portions: Sequence[Portion], buckets: Sequence[BucketId]
) -> list[TallyBucket]:
    """Return what was counted in each bucket by all portions together, the empty ones too.

    Raises:
        TraceStoreAway: Redis cannot be used.
    """
    found: list[TallyBucket] = []
    for first in range(0, len(buckets), _BUCKETS_AT_ONCE):
        some = buckets[first : first + _BUCKETS_AT_ONCE]
        async with redis.answering(away) as client, client.pipeline(transaction=False) as pipeline:
            for portion in portions:
                pipeline.eval(_COUNTED, len(some), *map(portion.tally, some))
            said = await pipeline.execute()
        found += await asyncio.to_thread(_added_up, some, said)
    return found


def _added_up(buckets: Sequence[BucketId], said: Sequence[str]) -> list[TallyBucket]:
    totals: list[Counter[str]] = [Counter() for _ in buckets]
    for text in said:
        portion: Mapping[str, Mapping[str, int]] = json.loads(text)
        for number, counts in portion.items():
            totals[int(number)].update(counts)
    return [
        TallyBucket(from_ms(bucket.start_ms), dict(total))
        for bucket, total in zip(buckets, totals, strict=True)
    ]
