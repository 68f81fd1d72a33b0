"""What all proxies with one Redis let in."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from proxy.limits.limiter import Count, CountsAway, Limit, SharedCounts, Visit
from tests.proxy.limits.visits import let_in, visit

MINUTE, AT_ONCE = Limit.REQUESTS_PER_MINUTE, Limit.CONCURRENT_REQUESTS
SHORT_S = 1.0
"""Long enough for a busy machine to ask three times within it."""
LEASE_S = 1.2


def counting(url: str, **times_s: float) -> SharedCounts:
    """Return a count that is patient with a Redis on a busy machine."""
    return SharedCounts(url, answer_within_s=20.0, **times_s)


@pytest.fixture
async def both(redis_url: str) -> AsyncIterator[tuple[SharedCounts, SharedCounts]]:
    """What two proxies count with."""
    first, second = counting(redis_url), counting(redis_url)
    yield first, second
    await first.close()
    await second.close()


@pytest.fixture
def counts(both: tuple[SharedCounts, SharedCounts]) -> SharedCounts:
    return both[0]


@pytest.fixture
async def brief(redis_url: str) -> AsyncIterator[SharedCounts]:
    """A count whose minute is short, and its leases too."""
    counts = counting(redis_url, window_s=SHORT_S, lease_s=SHORT_S)
    yield counts
    await counts.close()


@pytest.fixture
async def leasing(redis_url: str) -> AsyncIterator[SharedCounts]:
    """A count whose leases are short, and long enough for a busy machine to renew them in time."""
    counts = counting(redis_url, lease_s=LEASE_S)
    yield counts
    await counts.close()


async def enter(counts: SharedCounts, times: int, make: Callable[[], Visit]) -> list[Count]:
    return [await counts.enter(make()) for _ in range(times)]


async def test_a_minute_is_over_when_it_was_said_to_be(brief: SharedCounts) -> None:
    await enter(brief, 2, lambda: visit(per_minute=2))
    refused = await brief.enter(visit(per_minute=2))
    await asyncio.sleep(refused.wait_s)

    assert 0 < refused.wait_s <= SHORT_S
    assert (await brief.enter(visit(per_minute=2))).full is None


async def test_a_place_is_free_again_when_its_visit_leaves(counts: SharedCounts) -> None:
    first = visit(at_once=1)
    await counts.enter(first)
    refused = await counts.enter(visit(at_once=1))
    await counts.leave([first])
    await counts.leave([first])

    assert (refused.full, refused.wait_s) == (AT_ONCE, 0)
    assert let_in(await enter(counts, 3, lambda: visit(at_once=1))) == 1


async def test_the_place_of_a_proxy_that_died_frees_itself(brief: SharedCounts) -> None:
    await brief.enter(visit(at_once=1))
    refused = await brief.enter(visit(at_once=1))
    await asyncio.sleep(SHORT_S)

    assert refused.full is AT_ONCE
    assert (await brief.enter(visit(at_once=1))).full is None


async def test_it_does_so_while_others_keep_theirs(leasing: SharedCounts) -> None:
    dying, living = visit(at_once=2), visit(at_once=2)
    await leasing.enter(dying)
    await leasing.enter(living)
    for _ in range(5):
        await asyncio.sleep(LEASE_S / 4)
        await leasing.renew([living])

    assert let_in(await enter(leasing, 2, lambda: visit(at_once=2))) == 1


async def test_a_place_that_was_given_back_is_not_renewed(counts: SharedCounts) -> None:
    gone = visit(at_once=1)
    await counts.enter(gone)
    await counts.leave([gone])
    await counts.renew([gone])

    assert (await counts.enter(visit(at_once=1))).full is None


async def test_one_that_the_minute_refuses_takes_no_place(counts: SharedCounts) -> None:
    first = visit(per_minute=1, at_once=1)
    await counts.enter(first)
    refused = await counts.enter(visit(per_minute=1, at_once=1))
    await counts.leave([first])

    assert refused.full is MINUTE
    assert (await counts.enter(visit(at_once=1))).full is None


async def test_nothing_stays_in_redis(brief: SharedCounts, redis_url: str) -> None:
    await brief.enter(visit(per_minute=5, at_once=5))
    await brief.rehearse()
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        lives_ms = [await client.pttl(key) for key in await client.keys()]

    assert len(lives_ms) >= 2
    assert all(0 < life_ms <= SHORT_S * 1000 for life_ms in lives_ms)


async def test_a_redis_that_takes_nothing_is_away(counts: SharedCounts, redis_url: str) -> None:
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        await client.set("guard-proxy:{limits}:recent:app", "something else")

    with pytest.raises(CountsAway, match="ResponseError"):
        await counts.enter(visit(per_minute=1))


@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=8), st.integers(1, 4))
def test_over_any_interleaving_there_are_never_more_at_once(
    redis_server: str, rounds: list[list[int]], most: int
) -> None:
    """In each round, guests of two proxies come and go at the same time."""
    tenant = visit().id  # one that nobody had before

    async def all_rounds() -> None:
        both = counting(redis_server), counting(redis_server)
        inside: dict[int, Visit] = {}

        async def come_or_go(guest: int) -> None:
            counts = both[guest % 2]
            if guest in inside:
                await counts.leave([inside.pop(guest)])
                return
            one = visit(tenant, at_once=most)
            if (await counts.enter(one)).full is None:
                inside[guest] = one
                assert len(inside) <= most

        for guests in rounds:
            await asyncio.gather(*map(come_or_go, set(guests)))
        latecomers = [visit(tenant, at_once=most) for _ in range(most + 1)]
        came = await asyncio.gather(*map(both[0].enter, latecomers))
        assert let_in(came) == most - len(inside)
        for counts in both:
            await counts.close()

    asyncio.run(all_rounds())
