"""Requests, streams and connections to model servers have limits, with 503 and Retry-After; a full
pool of connections is a clean 503."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest

from proxy.openai_api.json_body import JsonObject
from tests.fakes.paced_upstream import PacedUpstream, Writing
from tests.fakes.raw_upstream import RawUpstream
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy, chat_body, running_proxy
from tests.flow.waiting import eventually

QUESTION = "회의실은 몇 층에 있나요?"
ANSWER = "회의실은 3층입니다."
OPEN = "passthrough:\n  - POST /embeddings\n"


@pytest.fixture
async def raw() -> AsyncGenerator[RawUpstream, None]:
    async with RawUpstream().running() as server:
        yield server


@pytest.fixture
def model(raw: RawUpstream) -> PacedUpstream:
    return PacedUpstream(raw)


def refused(reply: httpx.Response) -> str:
    """Return the code of a refusal with which a client is asked to come again."""
    assert reply.status_code == 503
    assert reply.headers["retry-after"] == "1"
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return str(error["code"])


def counted(proxy: RunningProxy, name: str, **labels: str) -> float:
    sample = proxy.services.metrics.registry.get_sample_value
    return sample(name, labels) or 0.0


async def begun(proxy: RunningProxy, model: PacedUpstream) -> tuple[asyncio.Task[object], Writing]:
    """Return a stream under way."""
    asking = asyncio.create_task(asked(proxy, stream=True))
    return asking, await model.next()


async def asked(proxy: RunningProxy, *, stream: bool = False) -> httpx.Response:
    return await proxy.chat(chat_body(QUESTION, stream=stream))


async def write(writing: Writing) -> None:
    await writing.begin()
    await writing.say(ANSWER)
    await writing.finish()


async def test_no_more_requests_are_served_than_may_be(
    tmp_path: Path, raw: RawUpstream, model: PacedUpstream
) -> None:
    """Whoever asks is told before anything of it is read, and health is told all the same."""
    async with running_proxy(tmp_path, raw, OPEN, max_requests=2) as proxy:
        first, writing = await begun(proxy, model)
        second, other = await begun(proxy, model)

        doors: list[tuple[str, JsonObject]] = [
            ("/v1/chat/completions", chat_body(QUESTION)),
            ("/v1/verify", {"question": QUESTION, "answer": ANSWER}),
            ("/v1/embeddings", {"input": QUESTION}),
        ]
        for path, body in doors:
            headers = {"authorization": "Bearer nobodys"}
            reply = await proxy.client.post(f"{proxy.address}{path}", json=body, headers=headers)
            assert refused(reply) == "overloaded"
        health = await proxy.client.get(f"{proxy.address}/healthz")
        for each in (writing, other):
            await write(each)
        await asyncio.gather(first, second)
        asked_for = len(raw.requests)
        later = asyncio.create_task(asked(proxy))
        await write(await model.next())

        assert health.status_code == 200
        assert asked_for == 2
        assert counted(proxy, "guard_proxy_overloaded_total", limit="requests") == 3
        assert (await later).status_code == 200


async def test_no_more_streams_are_served_than_may_be(
    tmp_path: Path, raw: RawUpstream, model: PacedUpstream
) -> None:
    """Plain requests are, and a stream's place is free at its end or when its client leaves."""
    async with running_proxy(tmp_path, raw, max_streams=2) as proxy:
        first, writing = await begun(proxy, model)
        second, other = await begun(proxy, model)

        late = await asked(proxy, stream=True)
        assert refused(late) == "overloaded"
        plain = asyncio.create_task(asked(proxy))
        await write(await model.next())
        assert (await plain).status_code == 200

        await write(writing)
        second.cancel()
        await first
        await other.is_left()

        async def are_free() -> bool:
            asking = [asyncio.create_task(asked(proxy, stream=True)) for _ in range(2)]
            replies = []
            for each in asking:
                writing = asyncio.create_task(model.next())
                await asyncio.wait({writing, each}, return_when=asyncio.FIRST_COMPLETED)
                if writing.done():
                    await write(writing.result())
                else:
                    writing.cancel()
                replies.append(await each)
            return [reply.status_code for reply in replies] == [200, 200]

        await eventually(are_free)
        assert counted(proxy, "guard_proxy_overloaded_total", limit="streams") >= 1
        assert await proxy.services.traces.get(late.headers["x-guard-request-id"]) is None


async def test_a_full_pool_of_connections_is_said_so(
    tmp_path: Path, raw: RawUpstream, model: PacedUpstream
) -> None:
    """At once, and for as long only as it is full; nobody waits for a connection."""
    async with running_proxy(tmp_path, raw, OPEN, max_upstream_connections=1) as proxy:
        first, writing = await begun(proxy, model)

        async with asyncio.timeout(DEADLINE_S):
            replies = [
                await asked(proxy),
                await asked(proxy, stream=True),
                await proxy.send(b'{"input": "a"}', path="/v1/embeddings"),
            ]
        codes = [refused(reply) for reply in replies]
        await write(writing)
        await first
        later = asyncio.create_task(asked(proxy))
        await write(await model.next())

        assert codes == ["upstream_pool_full"] * 3
        assert (await later).status_code == 200
        assert len(raw.requests) == 2
        errors = counted(
            proxy, "guard_proxy_upstream_errors_total", tenant="app", code="upstream_pool_full"
        )
        assert errors == 2


async def test_whoever_leaves_gives_its_connection_back(
    tmp_path: Path, raw: RawUpstream, model: PacedUpstream
) -> None:
    async with running_proxy(tmp_path, raw, max_upstream_connections=1) as proxy:
        for _ in range(3):
            asking, writing = await begun(proxy, model)
            asking.cancel()
            await writing.is_left()

        async def is_free() -> bool:
            asking = asyncio.create_task(asked(proxy))
            writing = asyncio.create_task(model.next())
            await asyncio.wait({asking, writing}, return_when=asyncio.FIRST_COMPLETED)
            if writing.done():
                await write(writing.result())
            writing.cancel()
            return (await asking).status_code == 200

        await eventually(is_free)
