"""Very long requests are judged in a process apart, and nothing else about them changes."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from multiprocessing import active_children
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from proxy.openai_api.json_body import JsonObject
from tests.fakes.raw_upstream import RawUpstream, Talk, http_reply
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow.replies import said

SOURCES: list[JsonObject] = [
    {
        "section_title": "제7조(숙박비)",
        "section_content": "출장 중의 숙박비는 1박에 9만원까지 실비로 지급한다.",
    },
    {
        "section_title": "제8조(정산)",
        "section_content": "출장을 마친 날부터 5일 안에 영수증을 낸다.",
    },
]
QUESTION = "출장 숙박비는 얼마까지 나오나요?"
GOOD = "출장 중의 숙박비는 1박에 9만원까지 실비로 지급합니다. 5일 안에 영수증을 냅니다."
WRONG = "출장 중의 숙박비는 1박에 15만원까지 지급합니다."
# Texts of any length are long here, so that the tests need none that are.
LONG_CHARS = 10


def asked(*, stream: bool = False) -> JsonObject:
    return chat_body(QUESTION, [*SOURCES], stream=stream)


async def outcomes(proxy: RunningProxy, upstream: ScriptedUpstream) -> list[object]:
    """Return what becomes of good and bad answers, streamed and plain, and of a verification."""
    found: list[object] = []
    for answers in ((GOOD,), (WRONG, GOOD), (WRONG, WRONG)):
        for stream in (False, True):
            upstream.says(*answers)
            reply = await proxy.chat(asked(stream=stream))
            trace = await proxy.trace(reply)
            headers = {n: v for n, v in reply.headers.items() if n.startswith("x-guard-r")}
            del headers["x-guard-request-id"]
            runs = [(run.guard, run.attempt, run.outcome, run.reason) for run in trace.guards]
            found.append((reply.status_code, said(reply), headers, trace.action, runs))
    body = {"question": QUESTION, "answer": WRONG, "sources": SOURCES}
    reply = await proxy.send(json.dumps(body).encode(), path="/v1/verify")
    report = reply.json()
    for name in ("id", "timings_ms", "processing_time_ms"):
        del report[name]
    found.append(report)
    return found


async def test_apart_all_comes_to_the_same(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    async with ScriptedUpstream().running() as upstream:
        async with running_proxy(tmp_path / "here", upstream, long_text_processes=0) as proxy:
            before = judging()
            here = await outcomes(proxy, upstream)
            assert judging() == before
        async with running_proxy(tmp_path, upstream, long_text_chars=LONG_CHARS) as proxy:
            apart = await outcomes(proxy, upstream)
            assert judging() - before

    assert apart == here


def judging() -> set[int]:
    """Return the processes in which something is judged."""
    return {one.pid for one in active_children() if one.pid}


class Held:
    """A model server that answers when it is told to."""

    def __init__(self, server: RawUpstream) -> None:
        self.address = server.address
        self.asked = asyncio.Event()
        self.gate = asyncio.Event()
        server.act = self.act

    async def act(self, talk: Talk) -> None:
        self.asked.set()
        await self.gate.wait()
        message = {"role": "assistant", "content": WRONG}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
        await talk.send(http_reply(json.dumps(body | {"choices": [choice]}).encode()))


@dataclass
class Apart:
    """A proxy that judges in processes apart, before a model server that is held."""

    proxy: RunningProxy
    raw: RawUpstream
    before: set[int]

    def held(self) -> Held:
        return Held(self.raw)

    @property
    def processes(self) -> set[int]:
        return judging() - self.before


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def apart(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Apart, None]:
    folder, before = tmp_path_factory.mktemp("apart"), judging()
    async with (
        RawUpstream().running() as raw,
        running_proxy(folder, raw, long_text_chars=LONG_CHARS) as proxy,
    ):
        yield Apart(proxy, raw, before)


@pytest.mark.asyncio(loop_scope="module")
async def test_meanwhile_others_are_served(apart: Apart) -> None:
    model, proxy = apart.held(), apart.proxy
    under_way = asyncio.create_task(proxy.chat(asked()))
    await model.asked.wait()
    [process] = apart.processes
    os.kill(process, signal.SIGSTOP)
    looked = json.dumps({"question": QUESTION, "answer": WRONG, "sources": SOURCES})
    verifying = asyncio.create_task(proxy.send(looked.encode(), path="/v1/verify"))
    try:
        model.gate.set()
        for _ in range(20):
            health = await proxy.client.get(f"{proxy.address}/healthz")
            assert health.status_code == httpx.codes.OK
        assert not under_way.done()
        assert not verifying.done()
    finally:
        os.kill(process, signal.SIGCONT)

    assert [reply.status_code for reply in (await under_way, await verifying)] == [200, 200]


@pytest.mark.asyncio(loop_scope="module")
async def test_too_many_at_once_are_asked_to_come_again(apart: Apart) -> None:
    model = apart.held()
    replies = [asyncio.create_task(apart.proxy.chat(asked())) for _ in range(6)]
    async with asyncio.timeout(DEADLINE_S):
        await asyncio.wait(replies, return_when=asyncio.FIRST_COMPLETED)
    model.gate.set()
    statuses = sorted([(await reply).status_code for reply in replies])
    [wait, *_] = [r.result().headers["retry-after"] for r in replies if r.result().is_error]

    assert statuses == [200, 200, 200, 200, 503, 503]
    assert wait == "5"


@pytest.mark.asyncio(loop_scope="module")
async def test_when_the_process_dies_nothing_leaves_unjudged_and_the_next_is_served(
    apart: Apart,
) -> None:
    model, proxy = apart.held(), apart.proxy
    under_way = asyncio.create_task(proxy.chat(asked()))
    await model.asked.wait()
    for pid in apart.processes:
        os.kill(pid, signal.SIGKILL)
    model.gate.set()
    lost = await under_way
    trace = await proxy.trace(lost)
    again = await proxy.chat(asked())

    assert lost.status_code == httpx.codes.SERVICE_UNAVAILABLE
    assert lost.json()["error"]["code"] == "cannot_judge_now"
    assert lost.headers["retry-after"] == "2"
    assert "15만원" not in lost.text
    assert (trace.status, trace.error) == (503, "cannot_judge_now")
    assert again.status_code == httpx.codes.OK
    assert "15만원" not in said(again)
