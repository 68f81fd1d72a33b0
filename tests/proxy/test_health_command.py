"""`guard-proxy health`: yes where a service is ready; no, and the reason, everywhere else."""

import asyncio
import inspect
import json
from pathlib import Path

import pytest

from proxy.cli.health import health
from proxy.errors import error_json
from proxy.settings import Settings
from tests.fakes.command import Ended, run
from tests.fakes.raw_upstream import RawUpstream, http_reply
from tests.tables import each_row

AWAY = "503 Service Unavailable"
CLOSING = json.dumps({"status": "stopping", "policies": {"errors": ["x" * 300]}}).encode()
FULL = error_json("Too many connections.", kind="server_error")


async def asked(folder: Path, service: RawUpstream, *words: str) -> Ended:
    port = service.address.rpartition(":")[2]
    # In a thread: the service answers from the loop of the test.
    return await asyncio.to_thread(run, folder, "health", "--port", port, *words)


async def test_a_service_that_is_ready_is_healthy(tmp_path: Path) -> None:
    async with RawUpstream().running() as service:
        service.says(b"{}")
        ended = await asked(tmp_path, service)

    assert ended == Ended(0, "ready\n", "")
    assert service.requests[0].line == "GET /readyz HTTP/1.1"


ANSWERS = [
    pytest.param(http_reply(CLOSING, status=AWAY), "ready: stopping\n", id="stopping"),
    pytest.param(http_reply(FULL, status=AWAY), "ready: Too many connections.\n", id="full"),
    pytest.param(http_reply(b"<p>", status=AWAY), f"ready: {AWAY}\n", id="no-json"),
    pytest.param(http_reply(b"[]", status=AWAY), f"ready: {AWAY}\n", id="no-object"),
    pytest.param(b"what?\r\n\r\n", "what?", id="no-http"),
    pytest.param(b"", "closed connection", id="nothing"),
]


@pytest.mark.parametrize(("answer", "reason"), ANSWERS)
async def test_any_other_answer_is_a_no_with_the_reason(
    tmp_path: Path, answer: bytes, reason: str
) -> None:
    async with RawUpstream(lambda talk: talk.send(answer)).running() as service:
        ended = await asked(tmp_path, service)

    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("not ready: ")
    assert reason in ended.err
    assert ended.err.count("\n") == 1


STALE = [
    pytest.param(["a.yaml:4:3: mode: no such mode"], "", id="one-problem"),
    pytest.param(["a.yaml:4:3: mode:\n  no such mode", "b.yaml", "c"], " (and 2 more)", id="more"),
]


@pytest.mark.parametrize(("errors", "more"), STALE)
async def test_stale_policies_are_told_in_one_line_and_are_no_reason_to_stop(
    tmp_path: Path, errors: list[str], more: str
) -> None:
    async with RawUpstream().running() as service:
        policies = {"stale": True, "errors": errors}
        service.says(json.dumps({"status": "ready", "policies": policies}).encode())
        ended = await asked(tmp_path, service)

    told = f"ready, policies are stale: a.yaml:4:3: mode: no such mode{more}\n"
    assert ended == Ended(0, told, "")


async def test_a_service_that_says_nothing_is_not_waited_for(tmp_path: Path) -> None:
    async with RawUpstream().running() as service:
        ended = await asked(tmp_path, service, "--timeout-s", "0.1")

    assert ended.status == 1
    assert "timed out" in ended.err


async def test_a_port_that_nobody_listens_on_is_a_no(tmp_path: Path) -> None:
    ended = await asyncio.to_thread(run, tmp_path, "health", port="9", host="0.0.0.0")

    assert ended.status == 1
    assert "127.0.0.1:9" in ended.err


@each_row("name", ["host", "port"])
def test_it_asks_where_the_service_listens_by_itself(name: str) -> None:
    assert inspect.signature(health).parameters[name].default == getattr(Settings(), name)
