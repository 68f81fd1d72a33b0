"""No lost answer, no lost trace: SIGKILL of the service under load.

A trace is written after its answer has left, in the background. So a kill loses the traces of what
was answered in the moment before, and no others: this bounds that moment. What had come to the
outbox is delivered by the next start, at least once, and stored once for each id.
"""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.fakes.redis_process import RedisProcess
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.faults.service import Answered, Service, service
from tests.flow.loading import ANSWER
from tests.flow.waiting import eventually

CLIENTS = 8
LOAD_S = 6.0
WINDOW_S = 1.0
"""A batch waits for more for a tenth of a second; the rest is for a machine that is busy."""

pytestmark = pytest.mark.long


@pytest.fixture
async def upstream() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as server:
        server.says(ANSWER)
        yield server


async def kill_under_load(serving: Service) -> float:
    """Kill the service while clients ask; return when."""
    asking = asyncio.create_task(serving.ask_until_it_dies(CLIENTS))
    await asyncio.sleep(LOAD_S)
    killed_s = time.monotonic()
    serving.command.signal(signal.SIGKILL)
    await asking
    await serving.command.ended()
    return killed_s


def assert_only_the_last_moment_is_lost(
    answers: list[Answered], kept: list[str], killed_s: float
) -> None:
    times = Counter(kept)
    assert set(times.values()) == {1}
    lost = [answer for answer in answers if answer.id not in times]
    oldest_s = max((killed_s - answer.at_s for answer in lost), default=0.0)
    assert oldest_s < WINDOW_S, f"{len(lost)} of {len(answers)} lost"
    assert len(answers) > 100


@pytest.mark.parametrize("redis_is", ["none", "there", "away"])
async def test_only_traces_of_the_last_moment_are_lost_by_a_kill(
    tmp_path: Path, upstream: ScriptedUpstream, redis_is: str
) -> None:
    redis = RedisProcess(tmp_path / "redis", durable=True)
    settings = {} if redis_is == "none" else {"redis_url": redis.url}
    if redis_is == "there":
        redis.start()
    async with service(tmp_path, upstream.address, **settings) as first:
        killed_s = await kill_under_load(first)
    if redis_is == "away":
        redis.start()
    try:
        async with service(tmp_path, upstream.address, **settings) as second:
            await eventually(second.is_settled)
            kept = await second.kept()
    finally:
        redis.stop()

    assert first.statuses == {200}
    assert_only_the_last_moment_is_lost(first.answers, kept, killed_s)


async def test_sigterm_under_load_loses_nothing(tmp_path: Path, upstream: ScriptedUpstream) -> None:
    async with service(tmp_path, upstream.address) as first:
        asking = asyncio.create_task(first.ask_until_it_dies(CLIENTS))
        await asyncio.sleep(LOAD_S / 2)
        first.command.signal(signal.SIGTERM)
        await asking
        status = await first.command.ended()
    async with service(tmp_path, upstream.address) as second:
        kept = await second.kept()

    assert status == 0
    assert first.statuses == {200}
    assert sorted(kept) == sorted(answer.id for answer in first.answers)
