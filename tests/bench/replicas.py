"""How this proxy grows by replicas: 1, 2 and 4 of it behind nginx, with one Redis for all.

All of it shares one machine with the callers and the model server, so that the cores are what ends
the growth here. Therefore the table also says what a request costs in processor time, all replicas
and nginx together: where that stays level, more machines carry more in proportion.
"""

import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from policies.schema.keys import new_key
from tests.bench.figures import Figures, Metric, exponent
from tests.bench.guard_proxy import TENANT, GuardProxy
from tests.bench.launching import Launched, free_port
from tests.bench.loads import PLAIN_32
from tests.bench.measuring import Measured, machine
from tests.bench.own_subjects import Nginx, launch_nginx
from tests.bench.processes import allow_many_files
from tests.bench.stage import CALLER_PROCESSES, MODEL_PROCESSES, stage
from tests.bench.subjects import Absent, Reached
from tests.fakes.redis_process import NoRedisServer, RedisProcess

COUNTS = (1, 2, 4)
ROUNDS, SECONDS = 5, 5.0
QUICK_ROUNDS, QUICK_SECONDS = 3, 1.5


@dataclass
class Replicas:
    """So many processes of this proxy behind nginx."""

    workers: int
    guarded: bool = field(default=True, init=False)
    _replicas: list[GuardProxy] = field(default_factory=list, init=False)
    _nginx: Launched | None = field(default=None, init=False)
    _redis: RedisProcess | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        return f"{self.workers} behind nginx"

    def prepare(self) -> str:
        version = GuardProxy("", guarded=True, traces=True).prepare()
        return f"{version}, {Nginx().prepare()}"

    def start(self, upstream_port: int, folder: Path) -> Reached:
        self._redis = RedisProcess(folder)
        try:
            self._redis.start()
        except NoRedisServer as error:
            raise Absent(str(error)) from error
        key = new_key(TENANT)
        reached = []
        for number in range(self.workers):
            replica = GuardProxy(
                f"replica {number}",
                guarded=True,
                traces=True,
                key=key,
                redis_url=self._redis.url,
            )
            self._replicas.append(replica)
            own = folder / f"replica-{number}"
            own.mkdir()
            reached.append(replica.start(upstream_port, own))
        port = free_port()
        self._nginx = launch_nginx(folder, port, [one.port for one in reached], workers=1)
        return Reached(port, reached[0].headers)

    def pids(self) -> Sequence[int]:
        pids = [pid for replica in self._replicas for pid in replica.pids()]
        return [*pids, self._nginx.pid] if self._nginx else pids

    def stop(self) -> None:
        if self._nginx:
            self._nginx.stop()
            self._nginx = None
        for replica in self._replicas:
            replica.stop()
        self._replicas.clear()
        if self._redis:
            self._redis.stop()
            self._redis = None


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Count(_Kept):
    """The figures of so many replicas, one value a round."""

    replicas: int
    requests_per_s: list[float] = []
    cpu_ms_per_request: list[float] = []
    p99_ms: list[float] = []
    bench_cores: list[float] = []
    """Cores that callers and model server used, at most."""

    def add(self, figures: Figures) -> None:
        """Keep the figures of one more round."""
        self.requests_per_s.append(figures[Metric.PER_S])
        self.cpu_ms_per_request.append(figures[Metric.CPU_MS])
        self.p99_ms.append(figures[Metric.P99_MS])
        callers = figures[Metric.CALLER_BUSY] * CALLER_PROCESSES
        self.bench_cores.append(callers + figures[Metric.MODEL_BUSY] * MODEL_PROCESSES)

    @property
    def per_s(self) -> float:
        return statistics.median(self.requests_per_s)

    @property
    def cpu_ms(self) -> float:
        return statistics.median(self.cpu_ms_per_request)

    @property
    def cores(self) -> float:
        """Cores that the replicas and nginx used."""
        return self.per_s * self.cpu_ms / 1e3


class Fleet(_Kept):
    """All of a run, as it is kept in a file."""

    machine: str
    cores: int
    counts: list[Count]

    @property
    def exponent(self) -> float:
        """1 where twice the replicas carry twice as much."""
        return exponent([(one.replicas, one.per_s) for one in self.counts])

    @property
    def serial_share(self) -> float:
        """The part of the work that does not spread, after Amdahl, by least squares; 0 is best."""
        first = self.counts[0].per_s
        points = [(one.replicas - 1, one.replicas * first / one.per_s - 1) for one in self.counts]
        return sum(more * lost for more, lost in points) / sum(more**2 for more, _ in points)


def main(*, quick: bool = False, file: Path | None = None) -> None:
    """Measure, print, and keep the result in a file if one is named."""
    found = run(Console(width=110, highlight=False), quick=quick)
    if file is not None:
        file.write_text(found.model_dump_json(indent=1), "utf-8")


def run(out: Console, *, quick: bool) -> Fleet:
    """Start all fleets side by side and measure them in turn.

    Raises:
        Absent: nginx or Redis is missing.
        Failed: a reply was not what it should be.
    """
    allow_many_files()
    rounds, seconds = (QUICK_ROUNDS, QUICK_SECONDS) if quick else (ROUNDS, SECONDS)
    with stage([Replicas(count) for count in COUNTS], out.print) as on:
        if on.absent:
            raise Absent("; ".join(on.absent.values()))
        counts = [Count(replicas=one.subject.workers) for one in on.started]
        for one in on.started:
            on.prime(one)
        for _ in range(rounds):
            for one, count in zip(on.started, counts, strict=True):
                count.add(on.measure(one, PLAIN_32, seconds))
    fleet = Fleet(machine=machine(), cores=os.cpu_count() or 1, counts=counts)
    _show(fleet, out)
    return fleet


def _show(fleet: Fleet, out: Console) -> None:
    table = Table(
        "replicas", "requests/s", "spread", "to one", "CPU", "p99", "their cores", "bench's cores",
        title=f"{PLAIN_32.name}, guards on, on {fleet.cores} cores",
    )  # fmt: skip
    for one in fleet.counts:
        table.add_row(
            str(one.replicas),
            f"{one.per_s:,.1f}",
            f"±{Measured(one.requests_per_s).spread:.0%}",
            f"{one.per_s / fleet.counts[0].per_s:.2f} x",
            f"{one.cpu_ms:.2f} ms",
            f"{statistics.median(one.p99_ms):,.0f} ms",
            f"{one.cores:.2f}",
            f"{statistics.median(one.bench_cores):.2f}",
        )
    out.print(table)
    out.print(
        f"growth: exponent {fleet.exponent:.2f}, serial share {fleet.serial_share:.1%}; "
        f"one core carries {1e3 / fleet.counts[0].cpu_ms:,.1f} requests/s"
    )
