"""What one process lets in, what it tells of it, and keys that are wrong too often."""

import json
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.asyncio import Redis

from policies.schema.sections import Limits
from proxy.limits.limiter import Count, Limit, LocalCounts, Visit, duration, limit_headers, refusal
from proxy.limits.wrong_keys import MOST_WRONG, WrongKeys
from proxy.workers import Place
from tests.fakes.redis_process import RedisProcess
from tests.proxy.limits.visits import Clock, visit
from tests.tables import each_row

MINUTE, AT_ONCE = Limit.REQUESTS_PER_MINUTE, Limit.CONCURRENT_REQUESTS


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def counts(clock: Clock) -> LocalCounts:
    return LocalCounts(clock)


def enter(counts: LocalCounts, times: int, make: Callable[[], Visit]) -> list[Count]:
    return [counts.enter(make()) for _ in range(times)]


def test_so_many_are_let_in_at_once(counts: LocalCounts) -> None:
    first, second, third = (visit(at_once=2) for _ in range(3))

    assert [counts.enter(one).full for one in (first, second, third)] == [None, None, AT_ONCE]
    assert counts.enter(third).wait_s == 0  # nobody knows when a reply will end
    counts.leave(first)
    assert counts.enter(third).full is None


def test_one_that_finds_no_place_does_not_count_for_the_minute(counts: LocalCounts) -> None:
    running = visit(per_minute=2, at_once=1)
    counts.enter(running)
    refused = enter(counts, 5, lambda: visit(per_minute=2, at_once=1))
    counts.leave(running)

    assert {count.full for count in refused} == {AT_ONCE}
    assert counts.enter(visit(per_minute=2, at_once=1)).full is None


def test_the_minute_is_named_where_both_are_full(counts: LocalCounts) -> None:
    counts.enter(visit(per_minute=1, at_once=1))

    assert counts.enter(visit(per_minute=1, at_once=1)).full is MINUTE


def test_what_is_taken_back_never_came(counts: LocalCounts) -> None:
    taken_back = visit(per_minute=1, at_once=1)
    counts.enter(taken_back)
    counts.forget(taken_back)

    assert counts.enter(visit(per_minute=1, at_once=1)).full is None


# Laws, over any order of comings and goings.

PASSING_S = st.integers(0, 40).map(float)


@given(st.lists(PASSING_S, max_size=60), st.integers(1, 5))
def test_no_minute_ever_has_more_and_no_room_is_left_unused(
    pauses_s: list[float], most: int
) -> None:
    clock = Clock()
    counts = LocalCounts(clock)
    came_s: list[float] = []
    for pause_s in pauses_s:
        clock.now_s += pause_s
        recent = [one for one in came_s if one > clock.now_s - 60]
        count = counts.enter(visit(per_minute=most))
        if count.full is None:
            came_s.append(clock.now_s)
        assert (count.full is None) == (len(recent) < most)
    assert all(late - early >= 60 for early, late in zip(came_s, came_s[most:], strict=False))


@given(st.lists(PASSING_S, max_size=30), st.integers(1, 5), st.integers(1, 5))
def test_who_waits_as_long_as_told_is_let_in_and_not_a_second_earlier(
    pauses_s: list[float], most: int, lowered: int
) -> None:
    clock = Clock()
    counts = LocalCounts(clock)
    for pause_s in pauses_s:
        clock.now_s += pause_s
        counts.enter(visit(per_minute=most))
    told = counts.enter(visit(per_minute=lowered))
    if told.full is None:
        return
    clock.now_s += told.wait_s - 1
    too_early = counts.enter(visit(per_minute=lowered))
    clock.now_s += 1

    assert too_early.full is MINUTE
    assert counts.enter(visit(per_minute=lowered)).full is None


@given(st.lists(st.integers(0, 9), max_size=80), st.integers(1, 5))
def test_there_are_never_more_at_once_and_no_place_stays_empty(
    guests: list[int], most: int
) -> None:
    """Each of ten guests comes, and when it is its turn again, goes."""
    counts = LocalCounts(Clock())
    inside: dict[int, Visit] = {}
    for guest in guests:
        if guest in inside:
            counts.leave(inside.pop(guest))
            continue
        one = visit(at_once=most)
        has_room = len(inside) < most
        assert (counts.enter(one).full is None) == has_room
        if has_room:
            inside[guest] = one
        assert len(inside) <= most


BOTH = Limits(requests_per_minute=60, concurrent_requests=4)


@each_row("seconds, spelled", "durations")
def test_times_are_spelled_as_openai_does(seconds: float, spelled: str) -> None:
    assert duration(seconds) == spelled


def test_a_refusal_names_the_limit() -> None:
    full = Limit.CONCURRENT_REQUESTS
    error = refusal(BOTH, full, Count(full, 0, used=10, resets_in_s=30))

    assert json.loads(error.as_body())["error"] == {
        "message": "Rate limit reached: 4 requests at the same time. Try again in 1 s.",
        "type": "requests",
        "param": None,
        "code": "rate_limit_exceeded",
    }
    assert error.headers["x-ratelimit-remaining-requests"] == "50"


def test_a_lowered_limit_leaves_nothing_and_not_less() -> None:
    headers = limit_headers(BOTH, Count(None, 0, used=70, resets_in_s=1))

    assert headers["x-ratelimit-remaining-requests"] == "0"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    process = RedisProcess(tmp_path_factory.mktemp("redis"))
    process.start()
    yield process
    process.stop()


async def wait_s(wrong: str, address: str) -> int:
    """Return how long one address has to wait after as many wrong keys as may be of another."""
    counted = WrongKeys()
    for _ in range(MOST_WRONG):
        await counted.note(wrong)
    return await counted.wait_s(address, time.time())


@each_row("wrong, address", "one_caller")
async def test_an_address_that_a_caller_has_for_nothing_is_no_other_caller(
    wrong: str, address: str
) -> None:
    assert await wait_s(wrong, address) > 0


@each_row("wrong, address", "two_callers")
async def test_nobody_waits_for_what_another_did(wrong: str, address: str) -> None:
    assert await wait_s(wrong, address) == 0


async def test_proxies_with_one_redis_count_together(server: RedisProcess) -> None:
    here, there = (WrongKeys(address=server.url, answer_within_s=20.0) for _ in range(2))
    for number in range(MOST_WRONG):
        assert await here.wait_s("203.0.113.7", time.time()) == 0
        await (here, there)[number % 2].note("203.0.113.7")

    assert 0 < await here.wait_s("203.0.113.7", time.time()) <= 60
    assert 0 < await there.wait_s("203.0.113.7", time.time()) <= 60
    assert await there.wait_s("203.0.113.8", time.time()) == 0
    for each in (here, there):
        await each.close()


async def test_no_address_is_kept_in_redis(server: RedisProcess) -> None:
    counted = WrongKeys(address=server.url, answer_within_s=20.0)
    await counted.note("203.0.113.9")
    async with Redis.from_url(server.url) as redis:
        keys = await redis.keys("guard-proxy:{limits}:wrong:*")
        lasts_ms = [await redis.pttl(key) for key in keys]

    assert keys
    assert not any(b"203.0.113.9" in key for key in keys)
    assert all(0 < each <= 60_000 for each in lasts_ms)
    await counted.close()


async def test_without_redis_each_process_counts_for_itself() -> None:
    counted = WrongKeys(Place(1, 2), "redis://127.0.0.1:9/0")
    for _ in range(MOST_WRONG // 2):
        assert await counted.wait_s("203.0.113.7", time.time()) == 0
        await counted.note("203.0.113.7")

    assert await counted.wait_s("203.0.113.7", time.time()) > 0
    await counted.close()
