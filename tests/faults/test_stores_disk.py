"""No lost answer, no lost trace: a disk that is full, a file that is locked or broken.

What each costs: answers leave as ever, traces wait in memory, and readiness says that the store is
away. What waits in memory is lost only if the service ends before the disk has room again.
"""

import asyncio
import resource
import signal
import sqlite3
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.fakes.command import assert_refused, run_process
from tests.fakes.redis_process import RedisProcess
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.faults.service import Service, service
from tests.flow.loading import ANSWER
from tests.flow.waiting import eventually

FILE = "guard-proxy.sqlite3"
PAGE_BYTES = 4096
"""The first page says that it is a database, and what its tables are."""


@pytest.fixture
async def upstream() -> AsyncGenerator[ScriptedUpstream, None]:
    async with ScriptedUpstream().running() as server:
        server.says(ANSWER)
        yield server


@contextmanager
def full_disk(serving: Service) -> Iterator[None]:
    """Let no file of the service grow, as a full disk would; it is told so by the system."""
    number = serving.command.process.pid
    resource.prlimit(number, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        with suppress(ProcessLookupError):  # it may have ended meanwhile
            resource.prlimit(number, resource.RLIMIT_FSIZE, unlimited)


async def test_a_full_disk_costs_no_answer_and_no_trace(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    async with service(tmp_path, upstream.address) as serving:
        await serving.ask(3)
        with full_disk(serving):
            await serving.ask(10)
            await eventually(serving.store_is_away)
        await eventually(serving.is_settled)
        kept = await serving.kept()

        assert serving.statuses == {200}
        assert sorted(kept) == sorted(answer.id for answer in serving.answers)


@pytest.mark.long
async def test_a_full_disk_while_redis_is_away_costs_no_trace_either(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    redis = RedisProcess(tmp_path / "redis")
    async with service(tmp_path, upstream.address, redis_url=redis.url) as serving:
        with full_disk(serving):
            await serving.ask(10)
            await serving.command.logged("trace.outbox_failed")
            waiting = (await serving.traces())["waiting"]
        redis.start()
        try:
            await eventually(serving.is_settled)
            kept = await serving.kept()
        finally:
            redis.stop()

        assert serving.statuses == {200}
        assert waiting == 10
        assert sorted(kept) == sorted(answer.id for answer in serving.answers)


async def test_what_a_full_disk_cannot_take_at_the_end_is_lost_and_said(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    async with service(tmp_path, upstream.address) as serving:
        with full_disk(serving):
            await serving.ask(4)
            await eventually(serving.store_is_away)
            serving.command.signal(signal.SIGTERM)
            status = await serving.command.ended()

        # Under `make coverage` coverage cannot write either, and says so among the log lines.
        lost = await serving.command.logged("trace.lost")
        assert (status, lost["traces"]) == (0, 4)


@pytest.mark.long
async def test_a_file_that_somebody_else_has_locked_costs_no_answer_and_no_trace(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    async with service(tmp_path, upstream.address) as serving:
        await serving.ask(3)
        await eventually(serving.is_settled)
        with sqlite3.connect(tmp_path / FILE, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            await serving.ask(10)
            await eventually(serving.store_is_away)
            other.execute("ROLLBACK")
        other.close()
        await eventually(serving.is_settled)
        kept = await serving.kept()

        assert serving.statuses == {200}
        assert sorted(kept) == sorted(answer.id for answer in serving.answers)


@pytest.mark.long
async def test_a_file_that_broke_stops_the_start_and_is_named(
    tmp_path: Path, upstream: ScriptedUpstream
) -> None:
    async with service(tmp_path, upstream.address) as serving:
        serving.command.signal(signal.SIGTERM)
        await serving.command.ended()
    with (tmp_path / FILE).open("r+b") as file:
        file.seek(PAGE_BYTES)
        file.write(b"\xff" * ((tmp_path / FILE).stat().st_size - PAGE_BYTES))

    ended = await asyncio.to_thread(run_process, tmp_path, "serve", port="0")

    assert_refused(ended, FILE)
