"""`guard-proxy traces`, a process of its own, over either store."""

import json
import re
import signal
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from policies.policy import Action
from policies.verdict import GuardOutcome
from proxy.traces.embedded import EmbeddedStore
from proxy.traces.redis import RedisStore
from proxy.traces.sqlite import Database
from proxy.traces.store import TraceStore
from proxy.traces.trace import Trace
from tests.fakes.command import Ended, assert_refused, run, running
from tests.proxy.traces.making import a_trace, entries, now_ms


@asynccontextmanager
async def embedded_store(folder: Path) -> AsyncGenerator[TraceStore, None]:
    database = await Database.open(folder / "traces.sqlite3")
    yield EmbeddedStore(database, now_ms)
    await database.close()


@asynccontextmanager
async def redis_store(url: str) -> AsyncGenerator[TraceStore, None]:
    store = RedisStore(url)
    yield store
    await store.close()


@dataclass(frozen=True)
class Kept:
    """A store, and the settings by which a command finds it."""

    folder: Path
    store: TraceStore
    settings: dict[str, str]

    async def add(self, *traces: Trace) -> None:
        await self.store.add(entries(*traces))

    def run(self, *words: str) -> Ended:
        return run(self.folder, "traces", *words, **self.settings)


@pytest.fixture
async def embedded(tmp_path: Path) -> AsyncGenerator[Kept, None]:
    async with embedded_store(tmp_path) as store:
        yield Kept(tmp_path, store, {"sqlite_path": str(tmp_path / "traces.sqlite3")})


@pytest.fixture
async def shared(tmp_path: Path, redis_url: str) -> AsyncGenerator[Kept, None]:
    async with redis_store(redis_url) as store:
        yield Kept(tmp_path, store, {"redis_url": redis_url})


FOUND = {"numbers": GuardOutcome.ACTED}
TRACES: Sequence[Trace] = (
    a_trace("t1", tenant="acme", question="[red]연차[/red]는 며칠인가요?"),
    a_trace("t2", tenant="acme", action=Action.REPLACE, guards=FOUND),
    a_trace("t3", tenant="acme", action=Action.REPLACE),
    a_trace("t4", tenant="acme", guards=FOUND),
    a_trace("t5", tenant="other", action=Action.REPLACE, guards=FOUND),
    a_trace("t6", tenant="other", question="\x1b[31m 출장비는요?"),
)


async def test_traces_are_listed_newest_first(embedded: Kept) -> None:
    await embedded.add(*TRACES)

    ended = embedded.run("list")

    assert ended.status == 0, ended
    assert re.findall(r"\bt\d\b", ended.out) == ["t6", "t5", "t4", "t3", "t2", "t1"]
    for shown in ("replace", "acme", "other", "[red]연차[/red]는 며칠인가요?"):
        assert shown in ended.out
    assert "\x1b" not in ended.out


async def test_traces_in_redis_are_listed_newest_first(shared: Kept) -> None:
    await shared.add(*TRACES)

    listed = json.loads(shared.run("list", "--json", "--limit", "2").out)

    assert [each["id"] for each in listed] == ["t6", "t5"]


async def test_traces_are_picked_by_tenant_action_and_guard_together(embedded: Kept) -> None:
    await embedded.add(*TRACES)
    wanted = ("--tenant", "acme", "--action", "replace", "--guard", "numbers")

    listed = json.loads(embedded.run("list", "--json", *wanted).out)

    assert [each["id"] for each in listed] == ["t2"]


async def test_where_no_traces_are_the_list_says_so(embedded: Kept) -> None:
    plain, as_json = embedded.run("list"), embedded.run("list", "--json")

    assert (plain.status, as_json.status) == (0, 0)
    assert plain.out.startswith("No traces yet.")
    assert json.loads(as_json.out) == []


async def test_one_trace_is_shown_whole(embedded: Kept) -> None:
    await embedded.add(*TRACES)

    ended = embedded.run("show", "t2")

    assert ended.status == 0
    assert Trace.model_validate_json(ended.out) == TRACES[1]


async def test_a_trace_that_is_not_there_is_an_error(embedded: Kept) -> None:
    assert_refused(embedded.run("show", "t9"), "There is no trace t9.")


@pytest.fixture
def kept(request: pytest.FixtureRequest) -> Kept:
    """The store that a test names."""
    named: Kept = request.getfixturevalue(request.param)
    return named


@pytest.mark.parametrize(
    ("kept", "flags"),
    [
        pytest.param("embedded", (), id="readable"),
        pytest.param("shared", ("--json",), id="from-redis-for-programs"),
    ],
    indirect=["kept"],
)
async def test_new_traces_come_in_until_ctrl_c(kept: Kept, flags: tuple[str, ...]) -> None:
    await kept.add(a_trace("old"))

    async with running(kept.folder, "traces", "tail", *flags, **kept.settings) as tail:
        # Nothing tells when it has begun to look, so traces come until one is seen.
        added = 0
        while not tail.out:
            added += 1
            await kept.add(a_trace(f"new-{added}"))
            try:
                await tail.until(lambda: bool(tail.out), within_s=0.5)
            except TimeoutError:
                assert added < 100, "nothing was ever shown"
        await kept.add(a_trace("last"))
        await tail.out_line(r".*\blast\b")
        tail.signal(signal.SIGINT)
        status = await tail.ended()

    shown = [json.loads(line)["id"] if flags else line.split()[2] for line in tail.out]
    came = [f"new-{number}" for number in range(1, added + 1)]
    assert shown == [*came[added + 1 - len(shown) :], "last"]
    assert (status, tail.err) == (0, [])


def test_a_redis_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"redis://:secret-word@127.0.0.1:{unused.getsockname()[1]}/0"
        ended = run(tmp_path, "traces", "list", redis_url=url)

    assert_refused(ended, "The redis trace store cannot be used: ConnectionError.")
    assert "secret-word" not in ended.err


def test_a_file_that_is_no_trace_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, only words" * 100)

    assert_refused(
        run(tmp_path, "traces", "list", sqlite_path="notes.txt"),
        "The embedded trace store cannot be used: DatabaseError.",
    )
