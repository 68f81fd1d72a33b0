"""What proxies with one Redis tell one another of judges that fail."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from policies.schema.sections import BreakerRules, JudgeRules
from proxy.judge.breaker import Breaker, BreakerState
from proxy.judge.hints import Hinting, HintsAway, SharedHints, key_of
from tests.fakes.redis_process import RedisProcess

BASE_URL = "http://judge.test/v1"
RULES = JudgeRules(base_url=BASE_URL, model="judge-ko")
JUDGE = key_of("app", RULES, BASE_URL)
DEADLINE_S = 20.0


class Proxy:
    """One proxy with a breaker for its judge, by a clock that stands still."""

    def __init__(self, url: str, look_every_s: float = 0.01) -> None:
        self.now_s = 1000.0
        self.breaker = Breaker(BreakerRules(failures=1), self.clock, lambda: 0.0, self.tell)
        self.hinting = Hinting(SharedHints(url), lambda: {JUDGE: self.breaker.hinted}, look_every_s)
        self.hinting.start()

    def clock(self) -> float:
        return self.now_s

    def tell(self, for_s: float) -> None:
        self.hinting.tell(JUDGE, for_s)

    def call(self, *, failed: bool) -> None:
        ticket = self.breaker.enter()
        assert ticket is not None
        (self.breaker.failed if failed else self.breaker.succeeded)(ticket)

    async def until(self, state: BreakerState) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while True:
                if self.breaker.state is state:
                    return
                await asyncio.sleep(0.005)


@pytest.fixture
async def proxies(redis_url: str) -> AsyncIterator[tuple[Proxy, Proxy]]:
    both = Proxy(redis_url), Proxy(redis_url)
    yield both
    for one in both:
        await one.hinting.close()


async def test_when_one_leaves_a_judge_alone_the_other_lets_a_single_call_through(
    proxies: tuple[Proxy, Proxy],
) -> None:
    first, second = proxies

    first.call(failed=True)

    assert first.breaker.state is BreakerState.OPEN
    await second.until(BreakerState.HALF_OPEN)
    assert second.breaker.enter() is not None
    assert second.breaker.enter() is None


async def test_a_judge_that_answers_the_other_is_asked_by_it_again_and_not_hinted_at_twice(
    proxies: tuple[Proxy, Proxy], redis_url: str
) -> None:
    first, second = proxies
    first.call(failed=True)
    await second.until(BreakerState.HALF_OPEN)

    second.call(failed=False)

    assert second.breaker.state is BreakerState.CLOSED
    third = Proxy(redis_url)  # by the time that it has heard, the second has listened again
    await third.until(BreakerState.HALF_OPEN)
    await third.hinting.close()
    assert second.breaker.state is BreakerState.CLOSED
    assert first.breaker.state is BreakerState.OPEN


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lambda: key_of("other", RULES, BASE_URL), id="of-another-tenant"),
        pytest.param(
            lambda: key_of("app", RULES.model_copy(update={"model": "judge-2"}), BASE_URL),
            id="other-rules",
        ),
    ],
)
def test_hints_are_about_a_tenants_judge_by_the_very_same_rules(other: Callable[[], str]) -> None:
    assert other() != JUDGE
    assert key_of("app", RULES.model_copy(), BASE_URL) == JUDGE


async def test_without_redis_each_finds_out_alone_and_says_so_once(tmp_path: Path) -> None:
    server = RedisProcess(tmp_path)  # never started: nobody listens there
    with capture_logs() as logs:
        proxy = Proxy(server.url)
        proxy.call(failed=True)
        hints = SharedHints(server.url)
        async with asyncio.timeout(DEADLINE_S):
            while not logs:
                with pytest.raises(HintsAway):
                    await hints.heard([JUDGE])
        await hints.close()
        await proxy.hinting.close()

    assert proxy.breaker.state is BreakerState.OPEN
    assert [line["event"] for line in logs] == ["judge.hints_away"]
