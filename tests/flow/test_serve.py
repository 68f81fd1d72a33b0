"""`guard-proxy serve` as a process of its own: how it starts, what it logs, and how it stops."""

import asyncio
import signal
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from proxy.traces.trace import Delivery
from tests.fakes.command import DEADLINE_S, run, run_process
from tests.fakes.service_process import ANSWER, serving
from tests.flow.replies import said


async def test_it_serves_with_no_redis_and_no_setting_but_its_policies(tmp_path: Path) -> None:
    async with serving(tmp_path) as service, service.client() as client:
        service.model.gate.set()
        health, ready = await client.get("/healthz"), await client.get("/readyz")
        reply = await service.chat()
        status = await service.stopped()  # while a connection is open

    assert (health.status_code, health.json()) == (200, {"status": "ok"})
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    assert ready.json()["policies"]["tenants"] == 1
    assert ready.json()["policies"]["stale"] is False
    assert ready.json()["traces"]["store"] == "ok"
    assert said(reply) == ANSWER
    assert reply.headers["x-guard-action"] == "pass"
    # Its log tells start and stop, and nothing of requests.
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


async def knock_until_refused(url: str) -> None:
    """Connect again and again: the socket closes a moment after the log says so."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            # Whom the system has let in already is hung up on when the socket closes.
            with suppress(httpx.ReadError, httpx.RemoteProtocolError):
                async with httpx.AsyncClient() as newcomer:
                    await newcomer.get(url)


async def test_requests_under_way_end_well_and_nobody_new_is_let_in(tmp_path: Path) -> None:
    async with serving(tmp_path, keep_alive_s="0.1") as service:
        asked = [asyncio.create_task(service.chat(stream=it)) for it in (False, True)]
        await service.model.was_asked(2)
        service.command.signal(signal.SIGTERM)
        await service.command.logged("service.stopping")
        with pytest.raises(httpx.ConnectError):
            await knock_until_refused(f"{service.address}/healthz")
        assert not any(one.done() for one in asked)
        service.model.gate.set()
        answered = await asyncio.gather(*asked)
        status = await service.command.ended()

    assert [said(reply) for reply in answered] == [ANSWER] * 2
    assert status == 0
    traces = {trace.id: trace for trace in await service.traces()}
    assert traces.keys() == {reply.headers["x-guard-request-id"] for reply in answered}
    for trace in traces.values():
        assert (trace.status, trace.delivery) == (200, Delivery.DELIVERED)
        assert trace.replies == (ANSWER,)


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


def test_what_cannot_be_opened_stops_the_start(tmp_path: Path) -> None:
    elsewhere = run_process(tmp_path, "serve", "--policies", "elsewhere", port="0")
    (tmp_path / "policies.d").mkdir()
    (tmp_path / "policies.d" / "base.yaml").write_text("extends: default\n")
    (tmp_path / "file").write_text("")
    no_file = run_process(tmp_path, "serve", port="0", sqlite_path="file/traces.sqlite3")

    assert (elsewhere.status, no_file.status) == (2, 2)
    assert "elsewhere" in elsewhere.err
    assert no_file.err.startswith("file/traces.sqlite3: The embedded trace store cannot be used")
    assert "Traceback" not in no_file.err


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
