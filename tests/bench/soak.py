"""Ten minutes under a steady load: what grows that should not."""

import statistics
import time
import urllib.request
from collections.abc import Callable, Sequence

from prometheus_client.parser import text_string_to_metric_families
from pydantic import BaseModel
from rich.console import Console

from tests.bench.crew import Underway
from tests.bench.figures import percentile
from tests.bench.guard_proxy import GuardProxy
from tests.bench.job import Job
from tests.bench.lineup import ON
from tests.bench.loads import MOST_PLAIN, MOST_STREAMS
from tests.bench.measuring import machine
from tests.bench.prepared import Way
from tests.bench.processes import descriptors, memory_mb, settle, spending, threads
from tests.bench.stage import Failed, Stage, Started, right, stage
from tests.bench.tables import Table, number

SLICE_S = 10.0
CONNECTIONS = 8
GAUGES = ("guard_proxy_requests_in_flight", "guard_proxy_streams_in_flight")
FIRST_SHARE = 0.2
"""The first fifth is the start: caches fill, the allocator finds its size."""
MORE_DESCRIPTORS = 16
MORE_MEMORY = 0.1


class Sample(BaseModel):
    """One slice of the time, and what is held at rest after it."""

    at_s: float
    calls: int
    p99_ms: float
    cpu_ms: float
    memory_mb: float
    descriptors: int
    threads: int
    in_flight: float


def soak(seconds: float, workers: int, say: Callable[[str], None]) -> list[Sample]:
    """Load this proxy, guards and traces on, with plain requests and streams.

    Raises:
        Absent: the proxy does not start.
        Failed: a reply was wrong.
    """
    subject = GuardProxy(ON, guarded=True, traces=True, workers=workers)
    samples = []
    with stage([subject], say) as on:
        if not on.started:
            raise Failed(on.absent[subject.name])
        [one] = on.started
        on.prime(one)
        began_s = time.monotonic()
        while (at_s := time.monotonic() - began_s) < seconds:
            samples.append(_slice(on, one, at_s, min(SLICE_S, seconds)))
            say(_line(samples[-1]))
    return samples


def _slice(on: Stage, one: Started, at_s: float, seconds: float) -> Sample:
    pids = one.subject.pids()
    plain = Job(one.reached, Way.SLOW, CONNECTIONS, MOST_PLAIN, seconds, "new")
    stream = Job(one.reached, Way.PACED, CONNECTIONS, MOST_STREAMS, seconds)
    underway = Underway(on.callers.prepare([plain, stream]))
    with spending(pids) as spent:
        underway.go()
        underway.finish()
        settle(pids)
    calls = right(underway.calls())
    on.model.sent()  # nobody asks for these times
    return Sample(
        at_s=at_s + seconds,
        calls=len(calls),
        p99_ms=percentile([(call.ended_ns - call.asked_ns) / 1e6 for call in calls], 99),
        cpu_ms=spent.total_s * 1e3 / len(calls),
        memory_mb=memory_mb(pids),
        descriptors=descriptors(pids),
        threads=threads(pids),
        in_flight=_in_flight(one.reached.port),
    )


def _in_flight(port: int) -> float:
    """Return how many requests and streams the proxy says are under way."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as reply:
        families = text_string_to_metric_families(reply.read().decode())
    return sum(sample.value for one in families if one.name in GAUGES for sample in one.samples)


def start_and_end(samples: Sequence[Sample]) -> tuple[Sequence[Sample], Sequence[Sample]]:
    """Return the samples of the start and, as many, of the end."""
    many = max(1, round(len(samples) * FIRST_SHARE))
    return samples[:many], samples[-many:]


def growth(samples: Sequence[Sample]) -> list[str]:
    """Tell what grew from the start to the end, or is still open at rest."""
    first, last = start_and_end(samples)
    found = []
    more_mb = _of(last, "memory_mb") - _of(first, "memory_mb")
    if more_mb > MORE_MEMORY * _of(first, "memory_mb"):
        found.append(f"memory grew by {more_mb:.0f} MB")
    if _of(last, "descriptors") > _of(first, "descriptors") + MORE_DESCRIPTORS:
        found.append(
            f"{_of(last, 'descriptors'):.0f} descriptors, not {_of(first, 'descriptors'):.0f}"
        )
    if samples[-1].in_flight > 0:
        found.append(f"{samples[-1].in_flight:.0f} requests or streams never ended")
    return found


def show(samples: Sequence[Sample], out: Console) -> None:
    """Print the start next to the end."""
    first, last = start_and_end(samples)
    names = ("memory_mb", "descriptors", "threads", "in_flight", "cpu_ms", "p99_ms", "calls")
    rows = [[name, number(_of(first, name)), number(_of(last, name))] for name in names]
    title = f"soak of {samples[-1].at_s:.0f} s, {sum(one.calls for one in samples)} requests"
    out.print(machine())
    out.print(Table(title, ("median of", "the start", "the end"), rows).rich())


def _of(samples: Sequence[Sample], name: str) -> float:
    return statistics.median(float(getattr(sample, name)) for sample in samples)


def _line(sample: Sample) -> str:
    return (
        f"{sample.at_s:5.0f} s  {sample.calls} requests  {sample.memory_mb:.0f} MB  "
        f"{sample.descriptors} descriptors  {sample.threads} threads"
    )
