"""Who is one caller, where wrong keys are counted by address."""

import time
from collections.abc import Iterator

import pytest
from redis.asyncio import Redis

from proxy.limits.wrong_keys import MOST_WRONG, SharedWrongKeys, WrongKeys
from proxy.workers.place import Place
from tests.fakes.redis_process import RedisProcess

ONE_CALLER = [
    pytest.param("203.0.113.7", "203.0.113.7", id="same-address"),
    pytest.param("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", id="same-network-of-one-customer"),
    pytest.param("::ffff:203.0.113.7", "203.0.113.7", id="the-older-address-within-the-newer"),
    pytest.param("fe80::1%eth0", "fe80::2%eth0", id="same-link"),
    pytest.param("", "words", id="no-address"),
]
TWO_CALLERS = [
    pytest.param("203.0.113.7", "203.0.113.8", id="two-addresses"),
    pytest.param("2001:db8:1:2::1", "2001:db8:1:3::1", id="two-networks"),
    pytest.param("::ffff:203.0.113.7", "::ffff:203.0.113.8", id="two-older-within-the-newer"),
]


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


@pytest.mark.parametrize(("wrong", "address"), ONE_CALLER)
async def test_an_address_that_a_caller_has_for_nothing_is_no_other_caller(
    wrong: str, address: str
) -> None:
    assert await wait_s(wrong, address) > 0


@pytest.mark.parametrize(("wrong", "address"), TWO_CALLERS)
async def test_nobody_waits_for_what_another_did(wrong: str, address: str) -> None:
    assert await wait_s(wrong, address) == 0


async def test_proxies_with_one_redis_count_together(server: RedisProcess) -> None:
    first, second = SharedWrongKeys(server.url), SharedWrongKeys(server.url)
    here, there = WrongKeys(shared=first), WrongKeys(shared=second)
    for number in range(MOST_WRONG):
        assert await here.wait_s("203.0.113.7", time.time()) == 0
        await (here, there)[number % 2].note("203.0.113.7")

    assert 0 < await here.wait_s("203.0.113.7", time.time()) <= 60
    assert 0 < await there.wait_s("203.0.113.7", time.time()) <= 60
    assert await there.wait_s("203.0.113.8", time.time()) == 0
    for each in (first, second):
        await each.close()


async def test_no_address_is_kept_in_redis(server: RedisProcess) -> None:
    shared = SharedWrongKeys(server.url)
    await WrongKeys(shared=shared).note("203.0.113.9")
    async with Redis.from_url(server.url) as redis:
        keys = await redis.keys("guard-proxy:{limits}:wrong:*")
        lasts_ms = [await redis.pttl(key) for key in keys]

    assert keys
    assert not any(b"203.0.113.9" in key for key in keys)
    assert all(0 < each <= 60_000 for each in lasts_ms)
    await shared.close()


async def test_without_redis_each_process_counts_for_itself() -> None:
    away = SharedWrongKeys("redis://127.0.0.1:9/0")
    counted = WrongKeys(Place(1, 2), away)
    for _ in range(MOST_WRONG // 2):
        assert await counted.wait_s("203.0.113.7", time.time()) == 0
        await counted.note("203.0.113.7")

    assert await counted.wait_s("203.0.113.7", time.time()) > 0
    await away.close()
