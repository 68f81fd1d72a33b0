"""What `guard-proxy replay` takes over many stored traces: time, processor time and memory.

``python -m tests.bench.replay [--traces N] [--jobs 1 4] [--redis] [--said FILE.jsonl]``. The
traces are those of real requests through the proxy, each kept many times under ids of its own. A
file may bring further questions, with `sources` (`title`, `text`) and `answer`, an object a line.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from uuid import uuid4

from pydantic import JsonValue, SecretStr
from rich.console import Console
from rich.table import Table

from policies.schema.sections import Tracing
from proxy.settings import Settings
from proxy.traces.recorder import open_store
from proxy.traces.store import Entry, TraceStore
from proxy.traces.trace import Trace
from tests.bench.measuring import machine
from tests.bench.texts import ANSWER, QUESTION, exchange
from tests.fakes.redis_process import RedisProcess
from tests.fakes.running_proxy import RunningProxy, chat_body, running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream
from tests.flow import pool

OUT = Console(width=110, highlight=False)
KEEP = Tracing(keep_days=1.0, keep_last=10_000_000)
BATCH = 200
LOOK_EVERY_S = 0.05
POLICY = "strict"


@dataclass(frozen=True)
class Asked:
    """A question with its sources, and what the model says first and when told what was wrong."""

    question: str
    sources: list[JsonValue]
    first: str
    second: str


@dataclass(frozen=True)
class Took:
    """What a run took; the memory is what its processes held together at the worst moment."""

    whole_s: float
    processor_s: float
    parent_mb: float
    all_mb: float


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--traces", type=int, default=1_000)
    options.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    options.add_argument("--redis", action="store_true", help="Over a Redis of its own as well.")
    options.add_argument("--said", type=Path, help="Further questions and answers, JSON lines.")
    given = options.parse_args()
    OUT.print(f"machine: {machine()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        real = asyncio.run(_real_traces(folder, given.said))
        _measure("SQLite", real, given, {"sqlite_path": str(folder / "kept.sqlite3")})
        if given.redis:
            (folder / "redis").mkdir()
            server = RedisProcess(folder / "redis")
            server.start()
            try:
                _measure("Redis", real, given, {"redis_url": server.url})
            finally:
                server.stop()


def _measure(
    store: str, real: Sequence[Trace], given: argparse.Namespace, settings: dict[str, str]
) -> None:
    asyncio.run(_keep(real, given.traces, settings))
    took = {jobs: _replay(settings, jobs) for jobs in given.jobs}
    _show(f"{given.traces} traces in {store}, by {POLICY}", given.traces, took)


def _show(title: str, many: int, found: dict[int, Took]) -> None:
    columns = ("jobs", "time", "processor", "of one each", "parent", "all together")
    table = Table(*columns, title=title, title_justify="left")
    for jobs, took in found.items():
        table.add_row(
            str(jobs),
            f"{took.whole_s:.1f} s",
            f"{took.processor_s:.1f} s",
            f"{took.processor_s / many * 1000:.1f} ms",
            f"{took.parent_mb:.0f} MB",
            f"{took.all_mb:.0f} MB",
        )
    OUT.print(table)


def _all_asked(said: Path | None) -> Iterator[Asked]:
    right = (pool.FEE, pool.LOCKER, pool.HOURS)
    wrong = (pool.WRONG_FEE, pool.WRONG_LOCKER, pool.WRONG_HOURS, "请在柜台办理。", "")
    for first, second, third in product(right, (*right, *wrong), wrong):
        answer = " ".join(filter(None, (first, second, third)))
        yield Asked(pool.QUESTION, pool.SOURCES, answer, " ".join(right))
    rules: list[JsonValue] = [
        {"section_title": one.title, "section_content": one.text} for one in exchange(1, 5).sources
    ]
    for days in range(1, 10):
        yield Asked(QUESTION, rules, ANSWER.format(n=days) * 4, ANSWER.format(n=1))
    for line in said.read_text(encoding="utf-8").splitlines() if said else ():
        one = json.loads(line)
        sources = [
            {"section_title": source["title"], "section_content": source["text"]}
            for source in one["sources"]
        ]
        yield Asked(one["question"], [*sources], one["answer"], one["answer"])


async def _real_traces(folder: Path, said: Path | None) -> list[Trace]:
    asked = list(_all_asked(said))
    async with (
        ScriptedUpstream().running() as upstream,
        running_proxy(folder, upstream) as proxy,
    ):
        return [await _trace(proxy, upstream, one) for one in asked]


async def _trace(proxy: RunningProxy, upstream: ScriptedUpstream, one: Asked) -> Trace:
    upstream.says(one.first, one.second)
    return await proxy.trace(await proxy.chat(chat_body(one.question, one.sources)))


async def _keep(real: Sequence[Trace], many: int, settings: dict[str, str]) -> None:
    async with _store(settings) as store:
        now = datetime.now(UTC)
        for start in range(0, many, BATCH):
            await store.add(
                [
                    Entry.of(_copy(real[place % len(real)], now - timedelta(seconds=place)), KEEP)
                    for place in range(start, min(start + BATCH, many))
                ]
            )


def _copy(trace: Trace, started_at: datetime) -> Trace:
    return trace.model_copy(update={"id": uuid4().hex, "started_at": started_at})


@asynccontextmanager
async def _store(settings: dict[str, str]) -> AsyncGenerator[TraceStore, None]:
    update: dict[str, object] = {}
    if "redis_url" in settings:
        update["redis_url"] = SecretStr(settings["redis_url"])
    if "sqlite_path" in settings:
        update["sqlite_path"] = Path(settings["sqlite_path"])
    async with open_store(Settings().model_copy(update=update)) as store:
        yield store


def _replay(settings: dict[str, str], jobs: int) -> Took:
    """Run the command, and look at its processes meanwhile."""
    command = Path(sys.executable).with_name("guard-proxy")
    named = {f"GUARD_PROXY_{name.upper()}": value for name, value in settings.items()}
    words = ("replay", "--policy", POLICY, "--jobs", str(jobs), "--json")
    before, began_s = _processor_s(), time.perf_counter()
    parent_mb = all_mb = 0.0
    with tempfile.TemporaryFile() as out:
        running = subprocess.Popen([command, *words], env=os.environ | named, stdout=out)
        while running.poll() is None:
            parent_mb = max(parent_mb, _memory_mb(running.pid))
            all_mb = max(all_mb, sum(map(_memory_mb, _family(running.pid))))
            time.sleep(LOOK_EVERY_S)
    if running.returncode != 0:
        raise SystemExit(f"it ended with status {running.returncode}")
    whole_s = time.perf_counter() - began_s
    return Took(whole_s, _processor_s() - before, parent_mb, all_mb)


def _processor_s() -> float:
    """Return the processor time of all processes that have ended below this one."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _family(number: int) -> list[int]:
    try:
        below = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    except OSError:
        return [number]
    return [number, *(one for child in map(int, below) for one in _family(child))]


def _memory_mb(number: int) -> float:
    """Return what a process holds, what it shares with others in parts; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    main()
