"""Stops well: told to end, the service is not ready at once, ends what it began, and loses nothing.

With one process and with several: what each signal does, what becomes of requests that take too
long, and what is left behind by those who were killed.
"""

import asyncio
import fcntl
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from proxy.traces.trace import Delivery
from proxy.workers import common_folder
from tests.fakes.command import DEADLINE_S
from tests.fakes.processes import children_of, is_there
from tests.fakes.service_process import ANSWER, Service, serving
from tests.flow.replies import said
from tests.flow.waiting import eventually

HELPED = "shadow_policy: tried\n"
TRIED = "extends: app\n"


async def _is_nobody_there(family: set[int]) -> bool:
    return not any(map(is_there, family))


@asynccontextmanager
async def connection(
    service: Service,
) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter], None]:
    host, _, port = service.address.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield reader, writer
    finally:
        writer.close()


async def _reads(reader: asyncio.StreamReader) -> str:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = next(
        int(line.partition(":")[2])
        for line in head.lower().splitlines()
        if line.startswith("content-length")
    )
    return head + (await reader.readexactly(length)).decode()


@pytest.mark.parametrize("workers", ["1", pytest.param("4", marks=pytest.mark.long)])
async def test_load_balancers_have_time_to_notice(tmp_path: Path, workers: str) -> None:
    async with serving(tmp_path, workers=workers, unready_s="60") as service:
        under_way = [asyncio.create_task(service.chat(stream=it)) for it in (False, True)]
        await service.model.was_asked(2)
        async with service.client() as client:
            before = await client.get("/readyz")
            service.command.signal(signal.SIGTERM)
            await service.command.logged("service.stopping")
            ready = await client.get("/readyz")
            while ready.status_code == 200:  # the parent has heard it, and its workers will
                ready = await client.get("/readyz")
            alive = await client.get("/healthz")
        service.model.gate.set()
        late = await service.chat()  # from one that has not noticed yet
        finished = await asyncio.gather(*under_way)
        # The second one ends the wait for those; nothing is under way that would be cut.
        service.command.signal(signal.SIGINT)
        status = await service.command.ended()

    assert (before.status_code, before.json()["status"]) == (200, "ready")
    assert (ready.status_code, ready.json()["status"]) == (503, "stopping")
    assert alive.status_code == 200
    assert [said(reply) for reply in (late, *finished)] == [ANSWER] * 3
    assert status == 0
    traces = await service.traces()
    assert len(traces) == 3
    assert {(trace.status, trace.delivery) for trace in traces} == {(200, Delivery.DELIVERED)}


async def test_connections_are_closed_with_their_last_reply_and_none_is_waited_for_too_long(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path, shutdown_s="2") as service,
        connection(service) as (idle, _),
        connection(service) as (reader, writer),
        connection(service) as (unfinished, begun),
    ):
        writer.write(_head_of(service, "/v1/verify", 2))
        begun.write(_head_of(service, "/v1/chat/completions", 10) + b"{")
        async with service.client() as client:
            await client.get("/healthz")  # what was sent before has been read by now
        service.command.signal(signal.SIGTERM)
        assert await idle.read() == b""
        writer.write(b"{}")
        reply, rest = await _reads(reader), await reader.read()
        given_up = await _reads(unfinished)
        status = await service.command.ended()

    assert reply.startswith("HTTP/1.1 400 ")
    assert "\r\nconnection: close\r\n" in reply
    assert rest == b""
    assert given_up.startswith("HTTP/1.1 503 ")
    assert "service_stopping" in given_up
    assert status == 0
    errors = [trace.error for trace in await service.traces()]
    assert sorted(filter(None, errors)) == ["invalid_request", "service_stopping"]


def _head_of(service: Service, path: str, length: int) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nhost: h\r\ncontent-length: {length}\r\n"
    return f"{head}authorization: Bearer {service.key}\r\n\r\n".encode()


async def reread(service: Service, processes: int) -> None:
    """Have the service read its policies again, which each of its processes does."""
    service.command.signal(signal.SIGHUP)

    def all_have() -> bool:
        lines = [line for line in service.command.log if line["event"] == "policies.reloaded"]
        return len(lines) == processes

    await service.command.until(all_have)


async def test_hanging_up_ends_nothing_and_a_second_signal_ends_the_patience(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, keep_alive_s="0.1") as service:
        plain = asyncio.create_task(service.chat())
        stream = asyncio.create_task(service.chat(stream=True))
        passing = asyncio.create_task(service.handed_through())
        await service.model.was_asked(3)
        await reread(service, 1)
        service.command.signal(signal.SIGQUIT)
        await service.command.logged("service.stopping")
        service.command.signal(signal.SIGQUIT)
        status = await service.command.ended()

    cut = await stream
    assert status == 0
    for refused in (await plain, await passing):
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "service_stopping"
        assert (refused.headers["retry-after"], refused.headers["connection"]) == ("1", "close")
    assert cut.status_code in (200, 503)
    assert "service_stopping" in cut.text
    traces = await service.traces()
    assert [(trace.status, trace.error) for trace in traces] == [(503, "service_stopping")] * 2


async def _all_of(service: Service) -> set[int]:
    """Return all processes of the service, once those that judge apart have begun."""
    found: set[int] = set()

    async with asyncio.timeout(DEADLINE_S):
        while len(found) < 4:  # two workers, and two that one of them has begun
            found = children_of(service.pid)
            await asyncio.sleep(0.01)
    return found


@pytest.mark.long
async def test_who_is_killed_takes_all_along_and_what_is_left_is_cleared_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "tmp"
    home.mkdir()
    monkeypatch.setenv("TMPDIR", str(home))
    long = {"long_text_chars": "1", "workers": "2"}
    async with serving(tmp_path, HELPED, {"tried": TRIED}, **long) as service:
        service.model.gate.set()
        await reread(service, 2)
        assert said(await service.chat()) == ANSWER
        family = await _all_of(service)
        service.command.signal(signal.SIGKILL)
        await service.command.process.wait()
        await eventually(lambda: _is_nobody_there(family))
        [left] = home.iterdir()

    monkeypatch.setattr("tempfile.tempdir", str(home))
    with common_folder() as folder:
        assert [*home.iterdir()] == [folder]
        assert folder != left
    assert [*home.iterdir()] == []


def test_only_what_is_nobodys_is_cleared_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    nobodys, used, open_to_all = (
        tmp_path / f"guard-proxy-workers-{name}" for name in ("aaaaaaaa", "bbbbbbbb", "cccccccc")
    )
    others = tmp_path / "guard-proxy-workers-of-mine"
    for folder in (nobodys, used, others):
        folder.mkdir(mode=0o700)
    open_to_all.mkdir(mode=0o755)
    (tmp_path / "guard-proxy-workers-dddddddd").symlink_to(elsewhere)
    opened = os.open(used, os.O_RDONLY)
    fcntl.flock(opened, fcntl.LOCK_SH)

    with common_folder() as mine:
        assert (mine / "metrics").is_dir()
        assert not nobodys.exists()
    os.close(opened)

    assert used.exists()
    assert others.exists()
    assert open_to_all.exists()
    assert (elsewhere / "kept").exists()
    assert not mine.exists()
