"""Both stores count each trace that they take exactly once, in the right minute and hour."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise

import pytest
import redis.asyncio

from policies.schema.guard_rule import Action
from policies.verdict import GuardOutcome
from proxy.traces.query import Query
from proxy.traces.redis import RedisStore
from proxy.traces.redis_adding import SPREAD, portion_of
from proxy.traces.store import Keep, TracesRefused, TraceStore
from proxy.traces.tally import MOST_COUNTERS, Bucket, Latency, Tally, TallyBucket
from proxy.traces.trace import Trace
from tests.proxy.traces.making import a_trace, entries

NOW = datetime.now(UTC)
HOUR = NOW.replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)
DAY = timedelta(days=1)


def at(when: datetime, trace_id: str, tenant: str = "acme", **changes: object) -> Trace:
    trace = a_trace(trace_id, tenant=tenant, guards={"numbers": GuardOutcome.ACTED})
    return trace.model_copy(update={"started_at": when, **changes})


async def counted(store: TraceStore, tenant: str | None = None) -> Tally:
    """Return what was counted in the last two days."""
    found = await store.tallies(tenant, NOW - 2 * DAY, NOW + DAY, Bucket.HOUR)
    return Tally.sum(bucket.tally for bucket in found)


def filled(buckets: Sequence[TallyBucket]) -> dict[datetime, int]:
    return {bucket.start: bucket.tally.requests for bucket in buckets if bucket.counts}


async def test_what_a_trace_counts_is_read_back(store: TraceStore) -> None:
    trace = at(HOUR, "one", action=Action.REPLACE, status=200)
    await store.add(entries(trace))

    tally = await counted(store, "acme")

    assert tally == Tally.of(trace)
    assert tally.by_guard == {"numbers": {"acted": 1}}
    assert tally.latency(Latency.WHOLE).count == 1


async def test_each_tenant_is_counted_alone_and_all_together(store: TraceStore) -> None:
    await store.add(entries(at(HOUR, "a1"), at(HOUR, "b1", "bravo"), at(HOUR, "b2", "bravo")))
    await store.add(entries(at(HOUR, "a2")))

    assert (await counted(store, "acme")).requests == 2
    assert (await counted(store, "bravo")).requests == 2
    assert (await counted(store)).requests == 4
    assert (await counted(store, "nobody")).requests == 0


async def test_a_trace_counts_when_it_was_and_not_when_it_came(store: TraceStore) -> None:
    times = [HOUR, HOUR + timedelta(seconds=59.9), HOUR + timedelta(minutes=1), HOUR - 3 * DAY]
    await store.add(entries(*(at(when, f"t{number}") for number, when in enumerate(times))))

    minutes = await store.tallies("acme", HOUR - 9 * DAY, HOUR + DAY, Bucket.MINUTE)
    hours = await store.tallies("acme", HOUR - 9 * DAY, HOUR + DAY, Bucket.HOUR)

    assert filled(minutes) == {HOUR: 2, HOUR + timedelta(minutes=1): 1}
    assert filled(hours) == {HOUR - 3 * DAY: 1, HOUR: 3}


async def test_every_bucket_of_the_span_is_there_once(store: TraceStore) -> None:
    await store.add(entries(at(HOUR, "one")))
    since = HOUR - timedelta(hours=3, minutes=-20)

    hours = await store.tallies(None, since, HOUR + timedelta(minutes=1), Bucket.HOUR)
    none = await store.tallies(None, HOUR, HOUR, Bucket.HOUR)
    kept = await store.tallies(None, HOUR - 400 * DAY, NOW + 400 * DAY, Bucket.MINUTE)

    assert [bucket.start for bucket in hours] == [
        HOUR - timedelta(hours=back) for back in (3, 2, 1, 0)
    ]
    assert [bucket.tally.requests for bucket in hours] == [0, 0, 0, 1]
    assert none == []
    assert 26 * 60 <= len(kept) <= 26 * 60 + 3


async def test_a_batch_sent_again_counts_no_more(store: TraceStore) -> None:
    batch = entries(*(at(HOUR, f"t{number}") for number in range(20)))
    await store.add(batch[:10])

    await store.add([*batch, batch[-1]])
    await store.add(batch)

    assert (await counted(store)).requests == 20


async def test_batches_added_at_once_count_once(store: TraceStore) -> None:
    batches = [
        entries(*(at(HOUR, f"{writer}-{number}") for number in range(10))) for writer in range(8)
    ]
    mixed = [batch[:5] + other[5:] for batch, other in pairwise(batches)]

    await asyncio.gather(*(store.add(batch) for batch in [*batches, *mixed, *batches]))

    assert (await counted(store)).requests == 80
    assert (await counted(store, "acme")).by_guard == {"numbers": {"acted": 80}}


async def test_what_is_too_old_to_be_kept_is_not_counted(store: TraceStore) -> None:
    hour = Keep(days=1 / 24, last=1000)
    await store.add(entries(at(NOW - 2 * timedelta(hours=1), "old"), keep=hour))
    await store.add(entries(at(NOW - timedelta(days=36), "ancient"), keep=Keep(100.0, 1000)))

    found = await store.tallies(None, NOW - 40 * DAY, NOW + DAY, Bucket.HOUR)

    assert filled(found) == {}


async def test_counts_are_forgotten_with_the_traces(store: TraceStore) -> None:
    # An hour's bucket is kept from its start, so this one ends in half a second.
    spent = datetime.now(UTC) - HOUR
    brief = Keep(days=(spent + timedelta(seconds=0.5)) / DAY, last=1000)
    await store.add(entries(at(HOUR, "brief"), keep=brief))
    await store.add(entries(at(HOUR, "kept", "bravo")))

    async with asyncio.timeout(10):
        while (await counted(store, "acme")).requests:  # noqa: ASYNC110 - time sets no event
            await asyncio.sleep(0.02)

    assert (await counted(store, "bravo")).requests == 1
    # Of both tenants together a Cluster forgets portion by portion.
    assert (await counted(store)).requests in {1, 2}


async def test_a_bucket_holds_only_so_many_counters(store: TraceStore) -> None:
    one = portion_of("one", SPREAD)
    beside = next(name for name in map(str, count()) if portion_of(name, SPREAD) == one)
    first, second = entries(at(HOUR, "one"), at(HOUR, beside))
    many = {f"made_up_{number}": 1 for number in range(2 * MOST_COUNTERS)}

    await store.add([first])
    await store.add([replace(second, tally=Tally({**many, **second.tally.counts}))])

    found = await counted(store, "acme")
    assert len(found.counts) == MOST_COUNTERS
    assert found.requests == 2


async def test_a_batch_that_redis_refuses_is_neither_kept_nor_counted(redis_url: str) -> None:
    """Redis has no rollback, and a stream that cannot be written shows only in the middle."""
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        await client.set("guard-proxy:{traces}:stream:bravo", "not a stream")
        store = RedisStore(redis_url)
        batch = entries(at(HOUR, "good"), at(HOUR, "bad", "bravo"), at(HOUR, "better"))
        with pytest.raises(TracesRefused):
            await store.add(batch)
        assert (await counted(store)).requests == 0
        assert (await store.page(Query(tenant="acme"))).traces == ()
        await store.close()
