"""`guard-proxy serve` with several workers: one service, whoever of them is asked."""

import asyncio
import fcntl
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from prometheus_client.samples import Sample

from tests.fakes.command import DEADLINE_S, run_process
from tests.fakes.exposition import samples, value
from tests.fakes.service_process import ANSWER, Service, serving
from tests.flow.replies import said
from tests.flow.waiting import eventually
from tests.proxy.dashboard.visitor import Visitor

COUNT = 3
LIMITED = """\
extends: default
tenant: app
upstream: {base_url: "http://127.0.0.1:9/v1"}
limits: {requests_per_minute: 10}
"""


@asynccontextmanager
async def several(folder: Path, **settings: str) -> AsyncGenerator[Service, None]:
    """Serve one tenant with several workers, before a model that answers at once."""
    async with serving(folder, "", None, workers=str(COUNT), **settings) as service:
        service.model.gate.set()
        yield service


async def metrics(service: Service) -> list[Sample]:
    return samples((await service.get("/metrics")).text)


async def worker(service: Service) -> int:
    """Return which worker a new connection comes to."""
    number: int = (await service.get("/readyz")).json()["worker"]["number"]
    return number


def pid_of(service: Service, number: int) -> int:
    """Return the process that has a worker's number now."""
    begun = [line for line in service.command.log if line["event"] == "worker.started"]
    return max(int(str(line["pid"])) for line in begun if line["worker"] == number)


async def test_what_three_workers_do_adds_up_also_when_one_was_killed(tmp_path: Path) -> None:
    async with several(tmp_path) as service:
        replies = [await service.chat() for _ in range(10)]
        before = await metrics(service)
        killed = pid_of(service, 2)
        os.kill(killed, signal.SIGKILL)
        ended = await service.command.logged("worker.ended")

        async def is_back() -> bool:
            return pid_of(service, 2) != killed

        await eventually(is_back)
        replies += [await service.chat() for _ in range(10)]
        after = await metrics(service)
        seen = {await worker(service) for _ in range(60)}
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
    kept = [trace.id for trace in await service.traces()]
    # Those that the killed one had in memory are lost, and no others.
    assert {reply.headers["x-guard-request-id"] for reply in replies[10:]} <= set(kept)
    assert len(kept) == len(set(kept))


async def test_told_to_stop_all_end_what_they_have_begun(tmp_path: Path) -> None:
    async with several(tmp_path) as service:
        service.model.gate.clear()
        under_way = [asyncio.create_task(service.chat()) for _ in range(8)]

        async def all_have_come() -> bool:
            found = await metrics(service)
            name, door = "guard_proxy_requests_in_flight", "chat.completions"
            # Nobody is there to be counted before the first request of a worker.
            return any(one.name == name for one in found) and value(found, name, door=door) == 8

        await eventually(all_have_come)
        service.command.signal(signal.SIGTERM)
        await service.command.logged("service.stopping")
        service.model.gate.set()
        replies = await asyncio.gather(*under_way)
        status = await service.command.ended()

    assert [said(reply) for reply in replies] == [ANSWER] * 8
    assert status == 0
    kept = [trace.id for trace in await service.traces()]
    assert sorted(kept) == sorted(reply.headers["x-guard-request-id"] for reply in replies)


async def test_one_that_dies_while_the_policies_are_broken_comes_back_with_the_last_good_ones(
    tmp_path: Path,
) -> None:
    async with several(tmp_path) as service:
        (tmp_path / "policies.d" / "app.yaml").write_text("extends: nothing\n")
        killed = pid_of(service, 1)
        os.kill(killed, signal.SIGKILL)

        async def is_back() -> bool:
            return pid_of(service, 1) != killed

        await eventually(is_back)
        numbers: dict[int, bool] = {}
        while len(numbers) < COUNT:
            ready = (await service.get("/readyz")).json()
            numbers[ready["worker"]["number"]] = ready["policies"]["stale"]
        replies = [await service.chat() for _ in range(6)]

    assert numbers[1] is True
    assert [reply.status_code for reply in replies] == [200] * 6


def test_what_keeps_it_from_starting_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "policies.d").mkdir()
    (tmp_path / "policies.d" / "app.yaml").write_text("extends: default\n")
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


async def test_who_signed_in_at_one_worker_is_known_to_all_and_no_cleaner_takes_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    async with several(tmp_path, shutdown_s="1") as service:
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
        [common] = (tmp_path / "tmp").glob("guard-proxy-*")
        # Cleaners such as systemd's pass over a folder that somebody has locked.
        opened = os.open(common, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(opened)
        service.command.signal(signal.SIGTERM)
        await service.command.ended()

    assert set(pages.values()) == {httpx.codes.OK}
    assert not common.exists()
