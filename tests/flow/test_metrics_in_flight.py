"""How many requests and streams are under way, as an autoscaler sees it."""

import asyncio
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.fakes.exposition import scraped
from tests.fakes.paced_upstream import PacedUpstream
from tests.fakes.raw_upstream import RawUpstream
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy, chat_body, running_proxy

CHAT = "chat.completions"
MONITOR = "stream:\n  mode: monitor\n"
QUESTION = "회의실은 몇 층에 있나요?"


@pytest.fixture
async def raw() -> AsyncGenerator[RawUpstream, None]:
    async with RawUpstream().running() as server:
        yield server


@pytest.fixture
async def proxy(tmp_path: Path, raw: RawUpstream) -> AsyncGenerator[RunningProxy, None]:
    async with running_proxy(tmp_path, raw, MONITOR) as running:
        yield running


async def under_way(proxy: RunningProxy, kind: str, door: str) -> float:
    """Return how many requests or streams of a door are being served."""
    seen = await scraped(proxy)
    name = f"guard_proxy_{kind}_in_flight"
    return sum(each.value for each in seen if each.name == name and each.labels["door"] == door)


async def until_there_are(proxy: RunningProxy, requests: int, streams: int, door: str) -> None:
    """Wait until so many are under way: what left is noted a moment after its last byte."""
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        kinds = [await under_way(proxy, kind, door) for kind in ("requests", "streams")]
        if kinds == [requests, streams]:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"there are {kinds}")


async def test_a_stream_counts_from_its_beginning_to_its_end(
    proxy: RunningProxy, raw: RawUpstream
) -> None:
    model = PacedUpstream(raw)
    asking = asyncio.create_task(proxy.chat(chat_body(QUESTION, stream=True)))
    writing = await model.next()
    await until_there_are(proxy, 1, 0, CHAT)

    await writing.begin()
    await writing.say("회의실은 3층입니다.")
    await until_there_are(proxy, 1, 1, CHAT)

    await writing.finish()
    await asking
    await until_there_are(proxy, 0, 0, CHAT)


async def test_a_client_that_leaves_is_not_under_way_any_more(
    proxy: RunningProxy, raw: RawUpstream
) -> None:
    model = PacedUpstream(raw)
    asking = asyncio.create_task(proxy.chat(chat_body(QUESTION, stream=True)))
    await model.next()
    await until_there_are(proxy, 1, 0, CHAT)

    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)

    await until_there_are(proxy, 0, 0, CHAT)
