"""`guard-proxy serve` with several workers: one service, whoever of them is asked."""

import asyncio
import fcntl
import json
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from prometheus_client.samples import Sample

from policies.schema.keys import new_key
from proxy.demo.model_server import Said, completion
from proxy.openai_api.json_body import JsonObject
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.query import Query
from proxy.traces.sqlite import Database
from tests.fakes.command import DEADLINE_S, Running, run_process, running
from tests.fakes.exposition import samples, value
from tests.fakes.processes import children_of, is_there
from tests.fakes.raw_upstream import RawUpstream, Talk, http_reply
from tests.fakes.running_proxy import chat_body, tenant_yaml
from tests.flow.replies import said
from tests.proxy.dashboard.visitor import Visitor
from tests.proxy.traces.making import now_ms

SOURCES: list[JsonObject] = [
    {
        "section_title": "제9조(교육비)",
        "section_content": "직무 교육을 마친 직원에게 교육비 30만원을 지원한다.",
    }
]
QUESTION = "교육비는 얼마를 지원하나요?"
ANSWER = "직무 교육을 마친 직원에게 교육비 30만원을 지원합니다."
COUNT = 3
LIMITED = """\
extends: default
tenant: app
upstream: {base_url: "http://127.0.0.1:9/v1"}
limits: {requests_per_minute: 10}
"""


@dataclass
class Model:
    """A model server that answers only while its gate is open."""

    server: RawUpstream
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def act(self, talk: Talk) -> None:
        self.asked.set()
        await self.gate.wait()
        body = completion(json.loads(talk.request.body), Said((ANSWER,)))
        await talk.send(http_reply(json.dumps(body, ensure_ascii=False).encode()))


@pytest.fixture
async def model() -> AsyncGenerator[Model, None]:
    async with RawUpstream().running() as server:
        made = Model(server)
        server.act = made.act
        made.gate.set()
        yield made


@dataclass
class Serving:
    """The service under way, and the tenant that talks to it over a connection for each request."""

    command: Running
    address: str
    key: str

    @property
    def pid(self) -> int:
        return self.command.process.pid

    async def get(self, path: str) -> httpx.Response:
        async with httpx.AsyncClient(timeout=DEADLINE_S) as client:
            return await client.get(f"{self.address}{path}")

    async def chat(self) -> httpx.Response:
        async with httpx.AsyncClient(timeout=DEADLINE_S) as client:
            return await client.post(
                f"{self.address}/v1/chat/completions",
                json=chat_body(QUESTION, [*SOURCES]),
                headers={"authorization": f"Bearer {self.key}"},
            )

    async def metrics(self) -> list[Sample]:
        return samples((await self.get("/metrics")).text)

    async def worker(self) -> int:
        """Return which worker a new connection comes to."""
        number: int = (await self.get("/readyz")).json()["worker"]["number"]
        return number

    def pid_of(self, number: int) -> int:
        """Return the process that has a worker's number now."""
        begun = [line for line in self.command.log if line["event"] == "worker.started"]
        return max(int(str(line["pid"])) for line in begun if line["worker"] == number)


Serve = Callable[..., AbstractAsyncContextManager[Serving]]


@pytest.fixture
def serve(tmp_path: Path, model: Model) -> Serve:
    """Start the service with one tenant; further arguments are settings."""
    key, key_hash = new_key("app")
    policies = tmp_path / "policies.d"
    policies.mkdir()
    (policies / "app.yaml").write_text(tenant_yaml("app", key_hash, model.server.address))

    @asynccontextmanager
    async def start(**settings: str) -> AsyncGenerator[Serving, None]:
        given = {"port": "0", "workers": str(COUNT)} | settings
        async with running(tmp_path, "serve", **given) as command:
            started = await command.logged("service.started")
            assert started["workers"] == COUNT
            yield Serving(command, str(started["address"]), key)

    return start


async def until(reached: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while True:
            if await reached():
                return
            await asyncio.sleep(0.01)


async def traces(folder: Path) -> list[str]:
    """Return the ids of all traces of a service that has ended."""
    database = await Database.open(folder / "guard-proxy.sqlite3")
    try:
        store = EmbeddedStore(database, now_ms)
        return [trace.id for trace in (await store.page(Query(limit=200))).traces]
    finally:
        await database.close()


async def test_what_three_workers_do_adds_up_also_when_one_was_killed(
    serve: Serve, tmp_path: Path
) -> None:
    async with serve() as service:
        replies = [await service.chat() for _ in range(10)]
        before = await service.metrics()
        killed = service.pid_of(2)
        os.kill(killed, signal.SIGKILL)
        ended = await service.command.logged("worker.ended")

        async def is_back() -> bool:
            return service.pid_of(2) != killed

        await until(is_back)
        replies += [await service.chat() for _ in range(10)]
        after = await service.metrics()
        seen = {await service.worker() for _ in range(60)}
        port = service.address.rpartition(":")[2]
        second = await asyncio.to_thread(run_process, tmp_path, "serve", workers="2", port=port)
        service.command.signal(signal.SIGTERM)
        status = await service.command.ended()

    assert [said(reply) for reply in replies] == [ANSWER] * 20
    assert (ended["worker"], ended["status"]) == (2, -signal.SIGKILL)
    assert value(before, "guard_proxy_requests_total", action="pass") == 10
    assert value(after, "guard_proxy_requests_total", action="pass") == 20
    assert value(after, "guard_proxy_request_seconds_count") == 20
    assert value(after, "guard_proxy_requests_in_flight", door="chat.completions") == 0
    assert value(after, "guard_proxy_tenants") == 1
    assert value(after, "guard_proxy_build_info") == 1
    assert seen == {1, 2, 3}
    assert second.status == 2, "a second service would get half of the requests"
    assert second.err.startswith(f"Cannot listen on 127.0.0.1:{port}")
    assert status == 0
    assert service.command.log[-1]["event"] == "service.stopped"
    kept = await traces(tmp_path)
    # Those that the killed one had in memory are lost, and no others.
    assert {reply.headers["x-guard-request-id"] for reply in replies[10:]} <= set(kept)
    assert len(kept) == len(set(kept))


async def test_told_to_stop_all_end_what_they_have_begun(
    serve: Serve, model: Model, tmp_path: Path
) -> None:
    model.gate.clear()
    async with serve() as service:
        under_way = [asyncio.create_task(service.chat()) for _ in range(8)]

        async def all_have_come() -> bool:
            found = await service.metrics()
            name, door = "guard_proxy_requests_in_flight", "chat.completions"
            # Nobody is there to be counted before the first request of a worker.
            return any(one.name == name for one in found) and value(found, name, door=door) == 8

        await until(all_have_come)
        service.command.signal(signal.SIGTERM)
        await service.command.logged("service.stopping")
        model.gate.set()
        replies = await asyncio.gather(*under_way)
        status = await service.command.ended()

    assert [said(reply) for reply in replies] == [ANSWER] * 8
    assert status == 0
    kept = await traces(tmp_path)
    assert sorted(kept) == sorted(reply.headers["x-guard-request-id"] for reply in replies)


async def test_a_second_signal_ends_it_at_once(serve: Serve, model: Model, tmp_path: Path) -> None:
    model.gate.clear()
    async with serve() as service:
        under_way = asyncio.create_task(service.chat())
        await asyncio.wait_for(model.asked.wait(), DEADLINE_S)
        workers = children_of(service.pid)
        service.command.signal(signal.SIGTERM)
        await service.command.logged("service.stopping")
        service.command.signal(signal.SIGTERM)
        status = await service.command.ended()
        await asyncio.wait({under_way})

    assert status == 0
    assert len(workers) == COUNT
    assert not [pid for pid in workers if is_there(pid)]
    assert under_way.result().status_code == 503
    assert under_way.result().json()["error"]["code"] == "service_stopping"
    [trace_id] = await traces(tmp_path)
    assert trace_id == under_way.result().headers["x-guard-request-id"]


async def test_one_that_dies_while_the_policies_are_broken_comes_back_with_the_last_good_ones(
    serve: Serve, tmp_path: Path
) -> None:
    async with serve() as service:
        (tmp_path / "policies.d" / "app.yaml").write_text("extends: nothing\n")
        killed = service.pid_of(1)
        os.kill(killed, signal.SIGKILL)

        async def is_back() -> bool:
            return service.pid_of(1) != killed

        await until(is_back)
        numbers: dict[int, bool] = {}
        while len(numbers) < COUNT:
            ready = (await service.get("/readyz")).json()
            numbers[ready["worker"]["number"]] = ready["policies"]["stale"]
        replies = [await service.chat() for _ in range(6)]

    assert numbers[1] is True
    assert [reply.status_code for reply in replies] == [200] * 6


def test_what_keeps_it_from_starting_is_said_once(serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    no_traces = run_process(
        tmp_path, "serve", "--workers", "2", port="0", sqlite_path="file/traces.sqlite3"
    )
    (tmp_path / "policies.d" / "app.yaml").write_text("extends: nothing\n")
    no_policies = run_process(tmp_path, "serve", port="0", workers="2")
    (tmp_path / "policies.d" / "app.yaml").write_text(LIMITED)
    no_redis = run_process(tmp_path, "serve", port="0", workers="2")

    assert [one.status for one in (no_traces, no_policies, no_redis)] == [2, 2, 2]
    assert no_traces.err.count("The embedded trace store cannot be used") == 1
    assert no_policies.err.count("nothing") == 1
    assert "app.yaml:4:1: limits: each of 2 workers would count for itself" in no_redis.err


async def test_who_cleans_old_files_away_leaves_theirs(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Such as systemd's: it passes over a folder that somebody has locked, and all that is in it.
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    async with serve() as service:
        [common] = (tmp_path / "tmp").glob("guard-proxy-*")
        opened = os.open(common, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(opened)
        service.command.signal(signal.SIGTERM)
        await service.command.ended()

    assert not common.exists()


async def test_who_signed_in_at_one_worker_is_known_to_all(serve: Serve, tmp_path: Path) -> None:
    async with serve(shutdown_s="1") as service:
        async with Visitor(service.address) as visitor:
            entered = await visitor.sign_in(service.key)
        cookie = entered.headers["set-cookie"].partition(";")[0]
        pages: dict[int, int] = {}
        while len(pages) < COUNT:
            # One connection: whoever shows the page says who it is.
            async with httpx.AsyncClient(base_url=service.address, timeout=DEADLINE_S) as client:
                page = await client.get("/dashboard", headers={"cookie": cookie})
                ready = (await client.get("/readyz")).json()
                pages[ready["worker"]["number"]] = page.status_code

    assert set(pages.values()) == {httpx.codes.OK}
