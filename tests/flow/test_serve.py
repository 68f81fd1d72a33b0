"""`guard-proxy serve` as a process of its own: how it starts, what it logs, and how it stops."""

import asyncio
import json
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from policies.schema.keys import new_key
from proxy.demo.model_server import Said, completion
from proxy.openai_api.json_body import JsonObject
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.query import Query
from proxy.traces.sqlite import Database
from proxy.traces.trace import Delivery, Trace
from tests.fakes.command import DEADLINE_S, Running, run, run_process, running
from tests.fakes.raw_upstream import RawUpstream, Talk, http_reply
from tests.fakes.running_proxy import chat_body, tenant_yaml
from tests.flow.replies import said
from tests.proxy.traces.making import now_ms

SOURCES: list[JsonObject] = [
    {
        "section_title": "제15조(연차휴가)",
        "section_content": "1년간 80퍼센트 이상 출근한 직원에게 15일의 연차휴가를 준다.",
    }
]
QUESTION = "연차휴가 규정은 며칠인가요?"
ANSWER = "1년간 80퍼센트 이상 출근한 직원에게 15일의 연차휴가를 줍니다."


def asking(*, stream: bool = False) -> JsonObject:
    return chat_body(QUESTION, [*SOURCES], stream=stream)


@dataclass
class Model:
    """A model server that answers only while its gate is open."""

    server: RawUpstream
    gate: asyncio.Event
    asked: asyncio.Event

    async def act(self, talk: Talk) -> None:
        self.asked.set()
        await self.gate.wait()
        body = json.loads(talk.request.body)
        body = completion(body, Said((ANSWER,)))
        await talk.send(http_reply(json.dumps(body, ensure_ascii=False).encode()))


@pytest.fixture
async def model() -> AsyncGenerator[Model, None]:
    async with RawUpstream().running() as server:
        made = Model(server, asyncio.Event(), asyncio.Event())
        server.act = made.act
        made.gate.set()
        yield made


@dataclass
class Serving:
    """The service under way, and the tenant that talks to it."""

    command: Running
    address: str
    key: str
    client: httpx.AsyncClient

    async def chat(self, body: JsonObject) -> httpx.Response:
        return await self.client.post(
            f"{self.address}/v1/chat/completions",
            json=body,
            headers={"authorization": f"Bearer {self.key}"},
        )

    async def stopped(self, by: signal.Signals = signal.SIGTERM) -> int:
        self.command.signal(by)
        return await self.command.ended()


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
        async with (
            running(tmp_path, "serve", port="0", **settings) as command,
            httpx.AsyncClient(timeout=DEADLINE_S) as client,
        ):
            started = await command.logged("service.started")
            yield Serving(command, str(started["address"]), key, client)

    return start


async def stored(folder: Path) -> list[Trace]:
    """Return the traces of a service that has ended, oldest first."""
    database = await Database.open(folder / "guard-proxy.sqlite3")
    try:
        return [*(await EmbeddedStore(database, now_ms).page(Query(after=""))).traces]
    finally:
        await database.close()


async def test_it_serves_with_no_redis_and_no_setting_but_its_policies(serve: Serve) -> None:
    async with serve() as service:
        health = await service.client.get(f"{service.address}/healthz")
        ready = await service.client.get(f"{service.address}/readyz")
        reply = await service.chat(asking())

    assert (health.status_code, health.json()) == (200, {"status": "ok"})
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    assert ready.json()["policies"]["tenants"] == 1
    assert ready.json()["policies"]["stale"] is False
    assert ready.json()["traces"]["store"] == "ok"
    assert said(reply) == ANSWER
    assert reply.headers["x-guard-action"] == "pass"


async def test_its_log_is_json_lines_that_tell_start_and_stop(serve: Serve, tmp_path: Path) -> None:
    async with serve() as service:
        await service.chat(asking())
        status = await service.stopped()

    started, stopping, stopped = service.command.log
    assert status == 0
    assert [line["event"] for line in (started, stopping, stopped)] == [
        "service.started",
        "service.stopping",
        "service.stopped",
    ]
    assert {line["level"] for line in service.command.log} == {"info"}
    assert started["tenants"] == ["app"]
    assert started["traces"] == "guard-proxy.sqlite3"
    assert (tmp_path / "guard-proxy.sqlite3").stat().st_mode & 0o777 == 0o600
    assert service.command.out == []


async def test_debug_logs_one_record_for_each_request(serve: Serve) -> None:
    bodies = (asking(), asking(stream=True), chat_body(QUESTION, []))
    async with serve(debug="true") as service:
        replies = [await service.chat(body) for body in bodies]
        await service.stopped()

    records = [line for line in service.command.log if line["event"] == "request.decided"]
    ids = [reply.headers["x-guard-request-id"] for reply in replies]
    assert [record["request_id"] for record in records] == ids
    assert [record["action"] for record in records] == ["pass", "pass", "replace"]
    assert [record["answerable"] for record in records] == [True, True, False]
    assert not any("연차휴가" in line for line in service.command.err)


async def test_without_debug_requests_leave_no_line(serve: Serve) -> None:
    async with serve() as service:
        await service.chat(asking())
        await service.stopped()

    assert not [line for line in service.command.log if str(line["event"]).startswith("request")]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_idle_it_stops_at_once_and_in_order(serve: Serve, number: signal.Signals) -> None:
    async with serve() as service:
        await service.client.get(f"{service.address}/healthz")  # leaves an open connection
        status = await service.stopped(number)

    assert status == 0
    assert service.command.log[-1]["event"] == "service.stopped"


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_a_request_under_way_ends_well_when_it_is_told_to_stop(
    serve: Serve, model: Model, tmp_path: Path, stream: bool
) -> None:
    model.gate.clear()
    async with serve(keep_alive_s="0.1") as service:
        reply = asyncio.create_task(service.chat(asking(stream=stream)))
        await asyncio.wait_for(model.asked.wait(), DEADLINE_S)
        service.command.signal(signal.SIGTERM)
        await service.command.logged("service.stopping")
        assert not reply.done()
        model.gate.set()
        answered = await reply
        status = await service.command.ended()

    assert said(answered) == ANSWER
    assert status == 0
    [trace] = await stored(tmp_path)
    assert trace.id == answered.headers["x-guard-request-id"]
    assert (trace.status, trace.delivery) == (200, Delivery.DELIVERED)
    assert trace.replies == (ANSWER,)


async def knock_until_refused(url: str) -> None:
    """Connect again and again: the socket closes a moment after the log says so."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            # Whom the system has let in already is hung up on when the socket closes.
            with suppress(httpx.ReadError, httpx.RemoteProtocolError):
                async with httpx.AsyncClient() as newcomer:
                    await newcomer.get(url)


async def test_while_it_stops_nobody_new_is_let_in(serve: Serve, model: Model) -> None:
    model.gate.clear()
    async with serve() as service:
        under_way = asyncio.create_task(service.chat(asking()))
        await asyncio.wait_for(model.asked.wait(), DEADLINE_S)
        service.command.signal(signal.SIGTERM)
        await service.command.logged("service.stopping")
        with pytest.raises(httpx.ConnectError):
            await knock_until_refused(f"{service.address}/healthz")
        model.gate.set()
        await under_way
        assert await service.command.ended() == 0


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
async def test_a_request_that_outlasts_the_stop_is_given_up_and_traced(
    serve: Serve, model: Model, tmp_path: Path, stream: bool
) -> None:
    model.gate.clear()
    async with serve(shutdown_s="1", keep_alive_s="0.1") as service:
        reply = asyncio.create_task(service.chat(asking(stream=stream)))
        await asyncio.wait_for(model.asked.wait(), DEADLINE_S)
        status = await service.stopped()
        await asyncio.wait({reply})

    assert status == 0
    told = reply.result().text
    assert "service_stopping" in told
    assert reply.result().status_code == (200 if stream else 503)
    assert told.startswith(":" if stream else "{")
    [trace] = await stored(tmp_path)
    assert trace.question == QUESTION
    assert (trace.status, trace.error) == (503, "service_stopping")
    assert trace.delivery is Delivery.DELIVERED


def test_broken_policies_stop_the_start_and_are_named(tmp_path: Path) -> None:
    policies = tmp_path / "policies.d"
    policies.mkdir()
    (policies / "hr.yaml").write_text(
        "extends: default\ntenant: hr\nupstream:\n  base_url: localhost:8000\n"
    )
    (policies / "law.yaml").write_text("extends: default\nguards: {numbers: {mode: loud}}\n")

    ended = run_process(tmp_path, "serve", port="0")

    assert ended.status == 2
    heading, first, second = ended.err.splitlines()
    assert heading == "The policies cannot be used:"
    assert first.startswith("policies.d/hr.yaml:4:3: upstream.base_url: ")
    assert second.startswith("policies.d/law.yaml:2:20: guards.numbers.mode: ")


def test_the_directory_of_policies_may_be_named_on_the_command_line(tmp_path: Path) -> None:
    ended = run_process(tmp_path, "serve", "--policies", "elsewhere", port="0")

    assert ended.status == 2
    assert "elsewhere" in ended.err


def test_a_trace_file_that_cannot_be_opened_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "policies.d").mkdir()
    (tmp_path / "policies.d" / "base.yaml").write_text("extends: default\n")
    (tmp_path / "file").write_text("")

    ended = run_process(tmp_path, "serve", port="0", sqlite_path="file/traces.sqlite3")

    assert ended.status == 2
    assert ended.err.startswith("file/traces.sqlite3: The embedded trace store cannot be used")
    assert "Traceback" not in ended.err


TOKENS = [
    pytest.param("t" * 15, True, id="short"),
    pytest.param("t" * 16, False, id="long-enough"),
    pytest.param("", False, id="none"),
]


@pytest.mark.parametrize(("token", "warned"), TOKENS)
def test_an_admin_token_that_can_be_guessed_is_warned_of(
    tmp_path: Path, token: str, warned: bool
) -> None:
    # Without policies it ends by itself, behind its warnings.
    ended = run(tmp_path, "serve", port="0", admin_token=token)

    assert ended.status == 2
    assert ('"event": "settings.weak_admin_token"' in ended.err) is warned
    assert "ttt" not in ended.err
