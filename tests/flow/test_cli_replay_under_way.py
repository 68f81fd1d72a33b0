"""`guard-proxy replay` while it runs: what a terminal sees, and how it ends before its end."""

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from proxy.traces.trace import Attempt, Choice
from tests.fakes.command import running
from tests.fakes.processes import children_of, is_there
from tests.flow.test_cli_traces import embedded_store
from tests.flow.waiting import eventually
from tests.proxy.replay.asking import unanswerable
from tests.proxy.traces.making import entries

MANY = 1_000
LONG = "".join(f"{number}번 창구는 {number}층에 있습니다. " for number in range(1, 30))


@dataclass(frozen=True)
class Much:
    """A store with far more traces than are judged in some seconds."""

    folder: Path

    @property
    def settings(self) -> dict[str, str]:
        return {"sqlite_path": str(self.folder / "traces.sqlite3")}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def much(tmp_path_factory: pytest.TempPathFactory) -> Much:
    folder = tmp_path_factory.mktemp("much")
    attempts = (Attempt(choices=(Choice(text=LONG),)),)
    trace = unanswerable("").model_copy(update={"attempts": attempts})
    copies = [trace.model_copy(update={"id": f"{number:032}"}) for number in range(MANY)]
    async with embedded_store(folder) as store:
        await store.add(entries(*copies))
    return Much(folder)


def workers_of(number: int) -> list[int]:
    """Return the processes that judge and are ready to."""
    return [one for one in children_of(number) if is_ready(one)]


def is_ready(number: int) -> bool:
    """Tell whether a process judges; such a one watches its parent in a thread of its own."""
    return b"spawn_main" in read_of(number, "cmdline") and len(tasks_of(number)) > 1


def read_of(number: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{number}/{name}").read_bytes()
    except OSError:
        return b""


def tasks_of(number: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{number}/task").iterdir())
    except OSError:
        return []


async def test_ctrl_c_tells_what_is_known_so_far(much: Much) -> None:
    words = ("replay", "--policy", "default", "--jobs", "2", "--json")
    async with running(much.folder, *words, **much.settings) as command:
        number = command.process.pid

        async def is_under_way() -> bool:
            return len(workers_of(number)) == 2

        await eventually(is_under_way)
        children = children_of(number)
        # A terminal sends it to all of them at once.
        for one in (number, *children):
            os.kill(one, signal.SIGINT)
        status = await command.ended()

        async def are_gone() -> bool:
            return not any(map(is_there, children))

        await eventually(are_gone)

    listing = json.loads("\n".join(command.out))
    assert (status, command.err) == (130, [])
    assert listing["is_whole"] is False
    assert listing["read"] < MANY


async def test_a_process_that_is_killed_ends_it_with_a_word(much: Much) -> None:
    words = ("replay", "--policy", "default", "--jobs", "2")
    async with running(much.folder, *words, **much.settings) as command:

        async def is_under_way() -> bool:
            return len(workers_of(command.process.pid)) == 2

        await eventually(is_under_way)
        os.kill(workers_of(command.process.pid)[0], signal.SIGKILL)
        status = await command.ended()

    assert (status, command.out) == (2, [])
    assert "has ended by itself" in " ".join(command.err)
