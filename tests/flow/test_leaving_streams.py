"""Clients that leave while their answer is being written: nothing of them stays behind."""

import asyncio
import contextlib
import gc
import os
import tracemalloc
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import httpx
import pytest

from proxy.openai_api.json_body import JsonObject
from tests.fakes.paced_upstream import PacedUpstream, Writing
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body
from tests.flow.leaving import assert_gone, connect, only_trace
from tests.flow.library import ASKED, FEES
from tests.flow.listening import Listener, begun, listening, talking
from tests.flow.waiting import eventually

CROWD = 50
SMALL_CROWD = 40
STALLED_S = 1.0
HELD_BYTES = 2**19
"""More than a web server holds for a client that does not read."""
PIECE_S = 0.05
OWN_NUMBER = "010-0000-4321"
FIRST = f"남기신 번호는 {OWN_NUMBER}입니다."
FIRST_MASKED = "남기신 번호는 [전화번호]입니다."
SECOND = " 대출 기간은 9일입니다."
CHINESE = "图书馆在一楼。"
BODY = chat_body(f"제 번호는 {OWN_NUMBER}입니다. {ASKED}", FEES, stream=True)
ROUNDS = 3
MOST_KEPT_BYTES = 8_000
"""Of each client that left; a request that stays behind keeps about ten times as much."""


RIG = partial(
    open_rig,
    policy=upstream_yaml(RAW),
    others={
        "watching": f"{upstream_yaml(RAW)}\nstream: {{mode: monitor}}",
        "unreading": upstream_yaml(RAW),
    },
    keep_alive_s=60.0,
)


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def leave(
    rig: Rig, model: PacedUpstream, people: int, *, talks_on: bool = False
) -> list[str]:
    """Have so many people hear one sentence and leave at once, while the model writes.

    Returns:
        Ids of the requests; all of their connections to the model are closed then.
    """
    writings: list[Writing] = []

    async def write() -> None:
        writing = await model.next()
        writings.append(writing)
        await writing.begin()
        await writing.say(FIRST)
        await writing.say(SECOND)

    async with AsyncExitStack() as stack:
        limits = httpx.Limits(max_connections=None)
        client = await stack.enter_async_context(httpx.AsyncClient(limits=limits, timeout=None))
        async with asyncio.TaskGroup() as group:
            for _ in range(people):
                group.create_task(write())
            arriving = [group.create_task(arrive(stack, rig, client, BODY)) for _ in range(people)]
        listeners = [one.result() for one in arriving]
        async with asyncio.TaskGroup() as group:
            for listener in listeners:
                group.create_task(listener.hears(FIRST))
        assert not any(writing.hung_up.is_set() for writing in writings)
        talking_on = [asyncio.create_task(talk_on(one)) for one in writings if talks_on]
    for writing in writings:
        await writing.is_left()
    await asyncio.gather(*talking_on)
    return [listener.id for listener in listeners]


async def arrive(
    stack: AsyncExitStack, rig: Rig, client: httpx.AsyncClient, body: JsonObject
) -> Listener:
    return await stack.enter_async_context(listening(rig.proxy, body, client=client))


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


async def is_again(count: Callable[[], int], before: int) -> None:
    """Wait until there are no more of something than there were."""

    async def holds() -> bool:
        return count() <= before

    await eventually(holds)


async def talk_on(writing: Writing) -> None:
    """Write on at the pace of a model, until nobody listens."""
    with contextlib.suppress(ConnectionError, RuntimeError):  # uvloop's word for a closed one
        while not writing.hung_up.is_set():
            await writing.say(CHINESE)
            await asyncio.sleep(PIECE_S)


@pytest.mark.parametrize("talks_on", [False, True], ids=["model-pauses", "model-talks-on"])
async def test_a_crowd_that_leaves_mid_stream_leaves_nothing_open(
    rig: Rig, model: PacedUpstream, talks_on: bool
) -> None:
    await leave(rig, model, 1)
    tasks, files = len(asyncio.all_tasks()), open_files()

    ids = await leave(rig, model, CROWD, talks_on=talks_on)

    await is_again(lambda: len(asyncio.all_tasks()), tasks)
    await is_again(open_files, files)
    for trace_id in ids:
        trace = await rig.proxy.trace_of(trace_id)
        assert_gone(trace)
        # A model that talks on ends its second sentence while the clients leave.
        assert trace.replies in [(FIRST_MASKED,), (FIRST_MASKED + SECOND,)][: 1 + talks_on]


@pytest.mark.long
async def test_crowds_that_leave_take_their_memory_with_them(
    rig: Rig, model: PacedUpstream
) -> None:
    tracemalloc.start()
    kept: list[int] = []
    try:
        for _ in range(ROUNDS):
            ids = await leave(rig, model, SMALL_CROWD)
            for trace_id in ids:
                await rig.proxy.trace_of(trace_id)
            rig.tidied()
            del ids
            gc.collect()
            kept.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()

    # What the first connections leaves is caches being filled.
    assert kept[-1] - kept[0] < MOST_KEPT_BYTES * SMALL_CROWD * (ROUNDS - 1)


async def test_a_client_that_leaves_before_the_first_sentence_is_there(
    rig: Rig, model: PacedUpstream
) -> None:
    async with talking(rig.proxy, model, BODY) as (listener, writing):
        await writing.say(FIRST)
    await writing.is_left()

    trace = await rig.proxy.trace_of(listener.id)
    assert_gone(trace)
    assert trace.replies == ()


async def test_the_model_waits_for_a_client_that_reads_nothing(
    rig: Rig, model: PacedUpstream
) -> None:
    thought = "자료를 읽는 중입니다. " * 256
    most = on_the_way_bytes() + HELD_BYTES
    with contextlib.closing(await connect(rig, "unreading", BODY, held_bytes=4096)):
        writing = await begun(model)
        written = await until_nobody_reads(writing, thought, most)
        assert not writing.hung_up.is_set()
    await writing.is_left()

    assert written < most
    trace = await only_trace(rig, "unreading")
    assert_gone(trace)
    assert trace.replies == ()


async def until_nobody_reads(writing: Writing, thought: str, most: int) -> int:
    """Write what nobody has to judge until no more is taken, or too much; return the bytes."""
    with contextlib.suppress(TimeoutError):
        while len(writing.content) < most:
            async with asyncio.timeout(STALLED_S):
                await writing.chunk({"reasoning_content": thought})
    return len(writing.content)


def on_the_way_bytes() -> int:
    """Return the most that sockets hold between the model and a client that reads nothing."""
    sent, received = [
        int(Path(f"/proc/sys/net/ipv4/tcp_{name}").read_text().split()[2])
        for name in ("wmem", "rmem")
    ]
    return 2 * sent + received
