"""A client that goes away closes the model server's connection within a second. After many mixed
requests, descriptors, tasks, threads, processes and memory are back to before.

The proxy, its clients and its model servers are one process here, so that its tasks can be counted.
"""

import asyncio
import contextlib
import gc
import json
import os
import signal
import threading
import time
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from proxy.demo import Said, completion
from proxy.http_client import IDLE_KEPT_S
from proxy.offload import LARGE_BYTES, read_offloaded
from proxy.openai_api.json_body import JsonObject
from tests.fakes.paced_upstream import NO_SUCH_PAGE
from tests.fakes.processes import children_of
from tests.fakes.raw_upstream import RawUpstream, Talk, http_reply
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import DEADLINE_S
from tests.fakes.slow_client import CHAT, posted, slow_client
from tests.faults import mixed as kinds
from tests.faults.mixed import LONG_CHARS, MEDIUM_CHARS, ODD, body, mixed
from tests.faults.test_bounded_clients import memory_bytes
from tests.flow import test_judge as doubted
from tests.flow.library import ASKED, ONE_WRONG, TRUE_ANSWER
from tests.flow.test_judge import DOUBTED
from tests.flow.test_long_texts import judging
from tests.flow.waiting import eventually
from tests.tables import each_row

FEW, MANY = 80, 10_000
MOST_MEMORY = 1.1
"""Of what was held before, once caches are full."""
SLICES = 4


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def judge() -> AsyncGenerator[RawUpstream, None]:
    async with RawUpstream().running() as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_rig(
    tmp_path_factory: pytest.TempPathFactory, judge: RawUpstream
) -> AsyncGenerator[Rig, None]:
    here = upstream_yaml(RAW)
    judged = f"judge:\n  base_url: {judge.address}/v1\n  model: j\n  timeout_s: 60\n"
    others = {
        ODD: f"{here}\npassthrough: [POST /embeddings]",
        "buffered": f"{here}\nstream: {{mode: buffer}}",
        "judged": judged,
    }
    folder = tmp_path_factory.mktemp("rig")
    async with open_rig(folder, others=others, keep_alive_s=0.05) as rig:
        yield rig


@pytest.fixture
def rig(shared_rig: Rig) -> Rig:
    return shared_rig.tidied()


pytestmark = pytest.mark.asyncio(loop_scope="module")


class Hanging:
    """A server that is asked, and answers nothing."""

    def __init__(self, server: RawUpstream) -> None:
        self._asked, self._left = asyncio.Event(), asyncio.Event()
        server.act = self._act

    async def is_asked(self) -> None:
        async with asyncio.timeout(DEADLINE_S):
            await self._asked.wait()
        assert not self._left.is_set()

    async def is_left(self) -> None:
        """Wait until the other side hangs up."""
        async with asyncio.timeout(DEADLINE_S):
            await self._left.wait()

    async def _act(self, talk: Talk) -> None:
        if talk.request.line.startswith("GET"):
            await talk.send(NO_SUCH_PAGE)  # it does not say what kind of server it is
            return
        self._asked.set()
        with contextlib.suppress(ConnectionError):
            await talk.hang()
        self._left.set()


VERIFIED: JsonObject = {"question": doubted.ASKED, "answer": DOUBTED, "sources": doubted.GIVEN}
HELD = [
    pytest.param(ODD, CHAT, body(ASKED), id="plain"),
    pytest.param(ODD, CHAT, body(ASKED, stream=True), id="stream"),
    pytest.param("buffered", CHAT, body(ASKED, stream=True), id="held-stream"),
    pytest.param(ODD, CHAT, body(ASKED, chars=LONG_CHARS), id="long-text-apart"),
    pytest.param(ODD, CHAT, body(ASKED, chars=MEDIUM_CHARS), id="long-text-in-a-thread"),
    pytest.param(ODD, "/v1/completions", {"model": "m", "prompt": ASKED}, id="completions"),
    pytest.param(ODD, "/v1/responses", {"model": "m", "input": ASKED}, id="responses"),
    pytest.param(ODD, "/v1/embeddings", {"input": ASKED}, id="handed-through"),
]


async def leaves(rig: Rig, server: Hanging, tenant: str, path: str, sent: JsonObject) -> None:
    """Ask, leave when a server is asked in turn, and wait until that is left too."""
    async with slow_client(rig.proxy) as client:
        await client.send(posted(rig.proxy, sent, path=path, tenant=tenant))
        await server.is_asked()
        client.leave()
        await server.is_left()


@each_row("tenant, path, sent", HELD)
async def test_who_leaves_takes_the_model_server_along(
    rig: Rig, tenant: str, path: str, sent: JsonObject
) -> None:
    await leaves(rig, Hanging(rig.raw), tenant, path, sent)


async def test_who_leaves_during_the_second_attempt_takes_it_along(rig: Rig) -> None:
    hanging = Hanging(rig.raw)
    again = rig.raw.act

    async def once(talk: Talk) -> None:
        rig.raw.act = again
        wrong = completion({"model": "m"}, Said((ONE_WRONG,)))
        await talk.send(http_reply(json.dumps(wrong).encode()))

    rig.raw.act = once
    await leaves(rig, hanging, ODD, CHAT, body(ASKED))
    assert [one.line.split()[0] for one in rig.raw.requests].count("POST") == 2


@pytest.mark.parametrize(("path", "sent"), [(CHAT, doubted.QUESTION), ("/v1/verify", VERIFIED)])
async def test_who_leaves_takes_the_judge_along(
    rig: Rig, judge: RawUpstream, path: str, sent: JsonObject
) -> None:
    rig.scripted.says(DOUBTED)
    await leaves(rig, Hanging(judge), "judged", path, sent)


async def test_who_leaves_while_a_text_is_judged_apart_is_waited_for_no_longer(
    rig: Rig,
) -> None:
    """The process may go on to the end of its work; nobody waits for it."""
    rig.scripted.says(TRUE_ANSWER)
    await rig.proxy.chat(body(ASKED, chars=LONG_CHARS))
    processes = judging()
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        async with slow_client(rig.proxy) as client:
            await client.send(posted(rig.proxy, body(ASKED, chars=LONG_CHARS)))

            async def is_served() -> bool:
                return in_flight(rig) == 1.0

            await eventually(is_served)
            client.leave()

            async def is_over() -> bool:
                return in_flight(rig) == 0.0

            await eventually(is_over)
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)
    assert processes


def in_flight(rig: Rig) -> float:
    sample = rig.proxy.services.metrics.registry.get_sample_value
    return sample("guard_proxy_requests_in_flight", {"door": "chat.completions"}) or 0.0


async def test_after_some_requests_of_all_kinds_nothing_is_open(rig: Rig) -> None:
    await leave_nothing(rig, FEW, slices=1)


@pytest.mark.long
async def test_after_ten_thousand_requests_of_all_kinds_nothing_is_left(rig: Rig) -> None:
    kept = await leave_nothing(rig, MANY, slices=SLICES)

    assert kept[-1] < kept[0] * MOST_MEMORY, [one >> 20 for one in kept]


async def leave_nothing(rig: Rig, many: int, *, slices: int) -> list[int]:
    """Send so many requests; see that nothing stays open, and return the memory after each slice.

    The first ones fill caches, and start the threads and the process that stay.
    """
    kinds.says(rig)
    await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.01) for _ in range(64)))
    large = LARGE_BYTES + 1
    await asyncio.gather(*(read_offloaded(large, partial(time.sleep, 0.01)) for _ in range(16)))
    medium, *_ = kinds.SELDOM
    async with httpx.AsyncClient(timeout=DEADLINE_S) as client:
        await asyncio.gather(*(medium(rig, client) for _ in range(8)))
    await mixed(rig, len(kinds.OFTEN) + 2 * len(kinds.SELDOM))
    before = await at_rest()
    kept = []
    for _ in range(slices):
        await mixed(rig, many // slices)
        rig.tidied()
        await is_again(before)
        gc.collect()
        kept.append(memory_bytes())
    return kept


def held() -> dict[str, int]:
    return {
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "tasks": len(asyncio.all_tasks()),
        "threads": len(list(Path("/proc/self/task").iterdir())),
        "processes": len(children_of(os.getpid())),
    }


async def at_rest() -> dict[str, int]:
    """Return the least that is held while connections to model servers are given up one by one."""
    least = held()
    until_s = time.monotonic() + IDLE_KEPT_S + 0.5
    while time.monotonic() < until_s:
        await asyncio.sleep(0.05)
        least = {name: min(many, least[name]) for name, many in held().items()}
    return least


async def is_again(before: dict[str, int]) -> None:
    """Wait until no more is held than before."""
    more: dict[str, int] = {}

    async def holds() -> bool:
        more.clear()
        more.update({name: many for name, many in held().items() if many > before[name]})
        return not more

    try:
        await eventually(holds)
    except TimeoutError:
        threads = [one.name for one in threading.enumerate()]
        raise AssertionError(f"{more} are held, and {before} before; {threads=}") from None
