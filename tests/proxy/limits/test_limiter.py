"""Limits go on while Redis is away, and what it is owed is paid when it is back."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs
from structlog.typing import EventDict

from proxy.limits.limiter import Count, Limit, Limiter, LocalCounts, SharedCounts
from tests.fakes.redis_process import RedisProcess
from tests.flow.waiting import eventually
from tests.proxy.limits.visits import Clock, let_in, visit

MINUTE, AT_ONCE = Limit.REQUESTS_PER_MINUTE, Limit.CONCURRENT_REQUESTS
ANSWER_S = 0.3
"""How long a Redis is waited for that does not answer, in tests in which it does not."""
PATIENT_S = 20.0
"""The same where it does: a busy machine may let it wait."""
RETRY_S = 0.02


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisProcess]:
    process = RedisProcess(tmp_path_factory.mktemp("redis"))
    process.start()
    yield process
    process.stop()


@pytest.fixture
def redis(server: RedisProcess) -> Iterator[RedisProcess]:
    """A Redis that runs, and runs again afterwards; tests use tenants of their own."""
    yield server
    server.resume()


class Proxies:
    """Limiters of several proxies with one Redis; their clocks stand still.

    Attributes:
        pauses_s: How long they waited, each time.
    """

    def __init__(self, redis: RedisProcess, stack: AsyncExitStack) -> None:
        self._redis = redis
        self._stack = stack
        self.pauses_s: list[float] = []

    def one_more(
        self, answer_s: float = PATIENT_S, *, lease_s: float = 30.0, renew_s: float = 10.0
    ) -> Limiter:
        shared = SharedCounts(self._redis.url, answer_within_s=answer_s, lease_s=lease_s)
        limiter = Limiter(
            LocalCounts(Clock()), shared, sleep=self._pause, retry_s=RETRY_S, renew_s=renew_s
        )
        limiter.start()
        self._stack.push_async_callback(limiter.close)
        return limiter

    async def _pause(self, seconds: float) -> None:
        self.pauses_s.append(seconds)
        await asyncio.sleep(seconds)


@pytest.fixture
async def proxies(redis: RedisProcess) -> AsyncIterator[Proxies]:
    async with AsyncExitStack() as stack:
        yield Proxies(redis, stack)


@pytest.fixture
def logs() -> Iterator[list[EventDict]]:
    with capture_logs() as captured:
        yield captured


@pytest.fixture
def tenant() -> str:
    return visit().id


async def is_back(limiter: Limiter) -> bool:
    return not limiter.is_away


async def is_away(limiter: Limiter) -> bool:
    return limiter.is_away


async def enter(limiter: Limiter, times: int, tenant: str, per_minute: int) -> list[Count]:
    return [await limiter.enter(visit(tenant, per_minute=per_minute)) for _ in range(times)]


async def test_proxies_share_minutes_and_places(proxies: Proxies, tenant: str) -> None:
    limiters = [proxies.one_more(), proxies.one_more()]
    visits = [visit(tenant, per_minute=50, at_once=5) for _ in range(40)]

    came = await asyncio.gather(
        *(limiters[number % 2].enter(one) for number, one in enumerate(visits))
    )
    assert let_in(came) == 5
    for number, one in enumerate(visits):
        await limiters[number % 2].leave(one)
    again = [await limiters[0].enter(visit(tenant, per_minute=50, at_once=5)) for _ in range(6)]
    assert let_in(again) == 5  # nobody's place was given back twice, or never
    assert again[-2].used == 10  # those without a place took nothing from the minute


async def test_what_another_proxy_let_in_takes_nothing_from_this_one(
    proxies: Proxies, tenant: str
) -> None:
    first, second = proxies.one_more(), proxies.one_more()
    await enter(first, 2, tenant, 2)
    refused = await enter(second, 3, tenant, 2)
    raised = await enter(second, 2, tenant, 3)

    assert {count.full for count in refused} == {MINUTE}
    assert [count.full for count in raised] == [None, MINUTE]


async def test_a_killed_redis_leaves_the_count_of_this_process(
    redis: RedisProcess, proxies: Proxies, tenant: str, logs: list[EventDict]
) -> None:
    limiter = proxies.one_more()
    before = await enter(limiter, 2, tenant, 3)
    redis.kill()
    try:
        during = await enter(limiter, 3, tenant, 3)
        state = limiter.state
    finally:
        redis.start()
    await eventually(lambda: is_back(limiter))
    after = await limiter.enter(visit(tenant, per_minute=3))

    assert let_in(before) == 2
    assert [count.full for count in during] == [None, MINUTE, MINUTE]
    assert state == "away: ConnectionError"
    assert after.full is MINUTE  # an empty Redis makes nobody forget what it let in itself
    assert limiter.state == "ok"
    assert [event["event"] for event in logs] == ["limits.store_away", "limits.store_back"]


async def test_an_empty_redis_is_told_who_is_still_here(
    redis: RedisProcess, proxies: Proxies, tenant: str
) -> None:
    limiter, other = proxies.one_more(), proxies.one_more()
    stayed, came_meanwhile, left_meanwhile = (visit(tenant, at_once=3) for _ in range(3))
    await limiter.enter(stayed)
    await limiter.enter(left_meanwhile)
    redis.kill()
    try:
        await limiter.enter(came_meanwhile)  # it is found out here
        await limiter.leave(left_meanwhile)
    finally:
        redis.start()
    await eventually(lambda: is_back(limiter))

    last = [await other.enter(visit(tenant, at_once=3)) for _ in range(2)]
    assert [count.full for count in last] == [None, AT_ONCE]
    await limiter.leave(stayed)
    await limiter.leave(came_meanwhile)
    assert let_in([await other.enter(visit(tenant, at_once=3)) for _ in range(3)]) == 2


async def test_a_redis_that_hangs_is_waited_for_once(
    redis: RedisProcess, proxies: Proxies, tenant: str
) -> None:
    limiter = proxies.one_more(ANSWER_S)
    await enter(limiter, 1, tenant, 50)
    clock = asyncio.get_running_loop().time
    redis.hang()
    began_s = clock()
    came = await asyncio.gather(*(enter(limiter, 1, tenant, 50) for _ in range(20)))
    found_out_s = clock()
    later = await enter(limiter, 40, tenant, 50)
    over_s = clock()
    redis.resume()
    await eventually(lambda: is_back(limiter))

    assert ANSWER_S <= found_out_s - began_s < 10 * ANSWER_S  # one after the other: 20 times
    assert over_s - found_out_s < 10 * ANSWER_S  # 40 times if each of them waited
    assert let_in([count for [count] in came]) == 20
    assert let_in(later) == 29


async def test_a_redis_that_answers_and_will_not_count_is_away_until_it_will(
    redis: RedisProcess, proxies: Proxies, tenant: str, logs: list[EventDict]
) -> None:
    limiter = proxies.one_more()

    async def was_tried_often() -> bool:
        return proxies.pauses_s.count(RETRY_S) > 5

    async with Redis.from_url(redis.url) as client:
        await client.replicaof("127.0.0.1", "1")  # as a failover makes it: read-only
        counted = await limiter.enter(visit(tenant, per_minute=1))
        await eventually(was_tried_often)
        state = limiter.state
        await client.replicaof("NO", "ONE")
    await eventually(lambda: is_back(limiter))

    assert counted.full is None
    assert state.startswith("away: ")
    assert [event["event"] for event in logs] == ["limits.store_away", "limits.store_back"]


async def test_a_place_given_back_while_redis_hangs_is_free_when_it_is_back(
    redis: RedisProcess, proxies: Proxies, tenant: str
) -> None:
    limiter, other = proxies.one_more(ANSWER_S), proxies.one_more()
    before, while_hanging, after_that = (visit(tenant, at_once=2) for _ in range(3))
    await limiter.enter(before)
    redis.hang()
    assert (await limiter.enter(while_hanging)).full is None  # Redis may count it later
    assert (await limiter.enter(after_that)).full is AT_ONCE
    await limiter.leave(before)
    await limiter.leave(while_hanging)
    redis.resume()
    await eventually(lambda: is_back(limiter))

    came = [await other.enter(visit(tenant, at_once=2)) for _ in range(3)]
    assert let_in(came) == 2


async def test_places_that_could_not_be_given_back_are_given_back_later(
    redis: RedisProcess, proxies: Proxies, tenant: str
) -> None:
    limiter, other = proxies.one_more(ANSWER_S), proxies.one_more()
    visits = [visit(tenant, at_once=8) for _ in range(8)]
    await asyncio.gather(*map(limiter.enter, visits))
    redis.hang()
    await asyncio.gather(*map(limiter.leave, visits))  # it is found out here
    assert limiter.is_away
    redis.resume()
    await eventually(lambda: is_back(limiter))

    assert let_in([await other.enter(visit(tenant, at_once=8)) for _ in range(9)]) == 8


async def test_a_visit_keeps_its_place_beyond_its_lease(proxies: Proxies, tenant: str) -> None:
    limiter = proxies.one_more(lease_s=1.0, renew_s=0.1)
    other = proxies.one_more()
    lasting = visit(tenant, at_once=1)
    await limiter.enter(lasting)
    await asyncio.sleep(1.3)

    assert (await other.enter(visit(tenant, at_once=1))).full is AT_ONCE
    await limiter.leave(lasting)
    assert (await other.enter(visit(tenant, at_once=1))).full is None


async def test_a_visit_that_is_cancelled_on_its_way_in_leaves_no_trace(
    redis: RedisProcess, proxies: Proxies, tenant: str
) -> None:
    limiter = proxies.one_more(ANSWER_S)
    await enter(limiter, 1, visit().id, 5)
    cancelled = visit(tenant, at_once=1)
    redis.hang()
    entering = asyncio.create_task(limiter.enter(cancelled))
    await asyncio.sleep(ANSWER_S / 4)  # by now it waits for an answer
    entering.cancel()
    await asyncio.wait([entering])
    leaving = asyncio.create_task(limiter.leave(cancelled))
    await asyncio.sleep(ANSWER_S / 4)
    leaving.cancel()
    await asyncio.wait([leaving])
    await eventually(lambda: is_away(limiter))  # what gives the place back goes on
    redis.resume()
    await eventually(lambda: is_back(limiter))

    assert entering.cancelled()
    assert leaving.cancelled()
    assert (await proxies.one_more().enter(visit(tenant, at_once=1))).full is None
