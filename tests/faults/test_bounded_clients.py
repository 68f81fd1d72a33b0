"""A stalled reader or writer costs bounded memory; slow heads and bodies are timed out; connections
have a limit, with 503 and Retry-After."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from proxy.openai_api.sse import write_event
from tests.fakes.paced_upstream import framed
from tests.fakes.raw_client import RawAnswer
from tests.fakes.raw_upstream import Talk, http_head, http_reply
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import DEADLINE_S, chat_body
from tests.fakes.slow_client import SlowClient, posted, slow_client
from tests.flow.canteen import QUESTION
from tests.flow.waiting import eventually

REQUEST_S, SEND_S = 0.15, 0.4
MOST_CONNECTIONS = 6
HEALTH = b"GET /healthz HTTP/1.1\r\nhost: proxy\r\n\r\n"
LARGE = 12 * 2**20
"""More than sockets hold between the proxy and a client that does not read."""
FILE_ASKED = (
    b"GET /v1/files/a/content HTTP/1.1\r\nhost: proxy\r\nconnection: close\r\n"
    b"authorization: Bearer %b\r\n\r\n"
)
LISTENED_BYTES = 4096
THOUGHT = write_event(
    framed(choices=[{"index": 0, "delta": {"reasoning_content": "생각 중입니다. " * 1000}}])
)
MOST_HELD_BYTES = 8 * 2**20


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def patient_rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    folder = tmp_path_factory.mktemp("patient")
    async with open_rig(folder, upstream_yaml(RAW), max_connections=MOST_CONNECTIONS) as rig:
        yield rig


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hasty_rig(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Rig, None]:
    folder = tmp_path_factory.mktemp("hasty")
    policy = f"{upstream_yaml(RAW)}\npassthrough:\n  - POST /embeddings\n  - GET /files/**"
    async with open_rig(folder, policy, request_timeout_s=REQUEST_S, send_timeout_s=SEND_S) as rig:
        yield rig


@pytest.fixture
def small(patient_rig: Rig) -> Rig:
    """One with few places, where everybody has time."""
    return patient_rig.tidied()


@pytest.fixture
def rig(hasty_rig: Rig) -> Rig:
    """One that waits for nobody."""
    return hasty_rig.tidied()


@pytest.fixture
async def stack() -> AsyncGenerator[AsyncExitStack, None]:
    async with AsyncExitStack() as opened:
        yield opened


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def connections(rig: Rig, stack: AsyncExitStack, many: int) -> list[SlowClient]:
    return [await stack.enter_async_context(slow_client(rig.proxy)) for _ in range(many)]


def overloaded(rig: Rig, limit: str) -> float:
    sample = rig.proxy.services.metrics.registry.get_sample_value
    return sample("guard_proxy_overloaded_total", {"limit": limit}) or 0.0


# Connections.


async def test_who_does_nothing_makes_room(small: Rig, stack: AsyncExitStack) -> None:
    """Also who never says anything, or half of a head: the one that has waited longest."""
    idle, silent, half, *_ = await connections(small, stack, MOST_CONNECTIONS)
    await silent.send(b"")
    await half.send(HEALTH[:20])
    await idle.send(HEALTH)
    await idle.until(b"\r\n\r\n")
    before = overloaded(small, "connections")

    late = [(await connections(small, stack, 1))[0] for _ in range(2)]
    for client in late:
        await client.send(HEALTH)
        assert await client.status() == 200

    assert (await silent.rest()).raw == b""
    assert (await half.rest()).raw == b""
    await idle.send(HEALTH)
    assert b"HTTP/1.1 200 " in await idle.until(b"\r\n\r\n")
    assert overloaded(small, "connections") == before


async def test_who_finds_no_room_is_told_to_come_again(small: Rig, stack: AsyncExitStack) -> None:
    asked = asyncio.Semaphore(0)

    async def act(talk: Talk) -> None:
        asked.release()
        await talk.hang()

    small.raw.act = act
    for client in await connections(small, stack, MOST_CONNECTIONS):
        await client.send(posted(small.proxy, chat_body(QUESTION)))
        await asked.acquire()
    before = overloaded(small, "connections")

    [late] = await connections(small, stack, 1)
    answer = await late.rest()

    assert (answer.status, answer.refusal()["code"]) == (503, "overloaded")
    assert (answer.values("retry-after"), answer.values("connection")) == (["1"], ["close"])
    assert overloaded(small, "connections") == before + 1


async def test_a_place_is_free_again_when_its_client_is_gone(
    small: Rig, stack: AsyncExitStack
) -> None:
    small.raw.act = lambda talk: talk.hang()
    for client in await connections(small, stack, MOST_CONNECTIONS):
        await client.send(posted(small.proxy, chat_body(QUESTION)))
        client.leave()

    async def is_served() -> bool:
        async with slow_client(small.proxy) as late:
            await late.send(HEALTH)
            return await late.status() == 200

    await eventually(is_served)


# Slow writers.


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions", pytest.param("/v1/embeddings", marks=pytest.mark.long)]
)
async def test_a_body_that_drips_is_timed_out(rig: Rig, stack: AsyncExitStack, path: str) -> None:
    """Each piece of it comes in time; all of it would take years."""
    rig.raw.act = lambda talk: talk.hang()
    [client] = await connections(rig, stack, 1)
    await client.send(posted(rig.proxy, b"{", path=path, length=10_000_000))
    dripping = asyncio.create_task(client.drip(b" " * 1000, every_s=REQUEST_S / 5))

    answer = await client.answer()

    dripping.cancel()
    assert timed_out(answer)


async def test_a_body_for_which_nobody_waits_is_hung_up_on(rig: Rig, stack: AsyncExitStack) -> None:
    [client] = await connections(rig, stack, 1)
    said = posted(rig.proxy, b"{", length=10_000_000)
    await client.send(said.replace(rig.proxy.key.encode(), b"nobodys"))
    assert await client.status() == 401
    dripping = asyncio.create_task(client.drip(b" " * 1000, every_s=REQUEST_S / 5))

    await client.rest()

    await dripping


def timed_out(answer: RawAnswer) -> bool:
    return (answer.status, answer.refusal()["code"]) == (408, "request_timeout")


async def test_who_asks_far_ahead_of_the_replies_is_refused(
    rig: Rig, stack: AsyncExitStack
) -> None:
    """Each request that waits is a hundred times as large here as it is on its way."""
    asked, hung_up = asyncio.Event(), asyncio.Event()

    async def act(talk: Talk) -> None:
        asked.set()
        await talk.hang()
        hung_up.set()

    rig.raw.act = act
    [client] = await connections(rig, stack, 1)
    await client.send(posted(rig.proxy, chat_body(QUESTION)))
    await asked.wait()

    await client.send(HEALTH * 1000)

    answer = await client.answer()
    assert (answer.status, answer.refusal()["code"]) == (429, "too_many_ahead")
    async with asyncio.timeout(DEADLINE_S):
        await hung_up.wait()


# Stalled readers.


class Flood:
    """A model server that sends one piece after the other, for as long as they are taken."""

    def __init__(self, head: bytes, piece: bytes) -> None:
        self._head, self._piece = head, piece
        self._left = asyncio.Event()

    async def act(self, talk: Talk) -> None:
        await talk.send(self._head)
        try:
            while True:
                await talk.send(self._piece)
        except ConnectionError:
            self._left.set()

    async def is_left(self) -> None:
        async with asyncio.timeout(DEADLINE_S):
            await self._left.wait()


async def test_what_is_handed_through_and_nobody_takes_is_not_held(rig: Rig) -> None:
    flooding = Flood(http_head(content_type="application/octet-stream"), b"x" * 2**16)
    rig.raw.act = flooding.act
    before = memory_bytes()
    async with slow_client(rig.proxy, held_bytes=LISTENED_BYTES) as client:
        await client.send(posted(rig.proxy, {"input": "가"}, path="/v1/embeddings"))
        assert await client.status() == 200

        await flooding.is_left()

        assert memory_bytes() - before < MOST_HELD_BYTES


async def test_a_guarded_reply_that_nobody_takes_is_given_up(rig: Rig) -> None:
    said = "월요일에는 쉽니다. " * 900
    message = {"role": "assistant", "content": said}
    padding = "x" * LARGE
    choice = {"index": 0, "message": message, "finish_reason": "stop", "padding": padding}
    reply = chat_body("") | {"object": "chat.completion", "choices": [choice]}
    content = str(reply).replace("'", '"').encode()
    rig.raw.act = lambda talk: talk.send(http_reply(content))
    registry = rig.proxy.services.metrics.registry
    in_flight = partial(
        registry.get_sample_value, "guard_proxy_requests_in_flight", {"door": "chat.completions"}
    )
    async with slow_client(rig.proxy, held_bytes=LISTENED_BYTES) as client:
        await client.send(posted(rig.proxy, chat_body(QUESTION)))
        assert await client.status() == 200

        async def is_over() -> bool:
            return in_flight() == 0.0

        await eventually(is_over)
        assert len((await client.rest()).raw) < LARGE


async def test_a_stream_that_nobody_takes_is_given_up(rig: Rig) -> None:
    """And so is the model server that writes it."""
    flooding = Flood(http_head(content_type="text/event-stream"), THOUGHT)
    rig.raw.act = flooding.act
    async with slow_client(rig.proxy, held_bytes=LISTENED_BYTES) as client:
        await client.send(posted(rig.proxy, chat_body(QUESTION, stream=True)))
        assert await client.status() == 200
        before = memory_bytes()

        await flooding.is_left()

        assert memory_bytes() - before < MOST_HELD_BYTES


async def test_a_client_that_reads_slowly_gets_all_of_it(rig: Rig) -> None:
    body = b"x" * (6 * 2**20)
    rig.raw.act = lambda talk: talk.send(http_reply(body, headers={}))
    async with slow_client(rig.proxy, held_bytes=2**16) as client:
        await client.send(FILE_ASKED % rig.proxy.key.encode())
        began_s = asyncio.get_running_loop().time()
        read = 0
        while piece := await client.reader.read(2**17):
            read += len(piece)
            await asyncio.sleep(SEND_S / 20)
        took_s = asyncio.get_running_loop().time() - began_s

    assert read > len(body)
    assert took_s > 2 * SEND_S


def memory_bytes() -> int:
    """Return the memory that this process holds, the proxy and the model server in it."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")
