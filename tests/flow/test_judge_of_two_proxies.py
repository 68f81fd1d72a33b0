"""Two whole proxies with one Redis and one judge that fails: what one found out the other knows."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.raw_upstream import RawUpstream
from tests.fakes.running_proxy import RunningProxy
from tests.faults.sharing import two_proxies
from tests.flow.test_judge import AGREES, DOUBTED, QUESTION, completion, judge_yaml, not_checked
from tests.flow.waiting import eventually

FAILURES = 3
BROKEN = "judge:refused:503"


@dataclass
class Two:
    """Two proxies that have asked the judge once, before it broke."""

    judge: RawUpstream
    first: RunningProxy
    second: RunningProxy

    async def second_has_heard(self) -> bool:
        return await state_at(self.second) == "half_open"


async def state_at(proxy: RunningProxy) -> str:
    ready = (await proxy.client.get(f"{proxy.address}/readyz")).json()
    return str(ready["judges"]["app"])


@asynccontextmanager
async def two_that_know_a_judge(folder: Path, redis_url: str) -> AsyncGenerator[Two, None]:
    async with RawUpstream().running() as judge:
        policy = judge_yaml(judge.address, f"breaker: {{failures: {FAILURES}}}")
        judge.says(completion(AGREES))
        async with two_proxies(folder, redis_url, policy, DOUBTED) as (first, second):
            for proxy in (first, second):
                await proxy.chat(QUESTION)
                assert await state_at(proxy) == "closed"
            judge.says(b"{}", status="503 Service Unavailable")
            yield Two(judge, first, second)


async def test_a_proxy_need_not_find_out_itself_that_a_judge_fails(
    tmp_path: Path, redis_url: str
) -> None:
    async with two_that_know_a_judge(tmp_path, redis_url) as two:
        learned = [await not_checked(two.first) for _ in range(FAILURES)]
        await eventually(two.second_has_heard)
        asked = len(two.judge.requests)
        told = await asyncio.gather(*(not_checked(two.second) for _ in range(10)))

        assert learned == [BROKEN] * FAILURES
        assert sorted(told) == ["judge:breaker_open"] * 9 + [BROKEN]
        assert len(two.judge.requests) == asked + 1
        assert [await state_at(proxy) for proxy in (two.first, two.second)] == ["open"] * 2
