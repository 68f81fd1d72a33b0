"""Processor time and memory of a subject, over all its processes and their children."""

import contextlib
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import psutil

LOOK_EVERY_S = 0.2
QUIET_SHARE = 0.05
SETTLE_WITHIN_S = 3.0
_MB = 2**20
_CPUCLOCK_SCHED = 2


def family(pids: Sequence[int]) -> list[psutil.Process]:
    """Return these processes and all their descendants."""
    found: dict[int, psutil.Process] = {}
    for pid in pids:
        with contextlib.suppress(psutil.NoSuchProcess):
            parent = psutil.Process(pid)
            found |= {one.pid: one for one in (parent, *parent.children(recursive=True))}
    return list(found.values())


def processor_s(pids: Sequence[int]) -> dict[int, float]:
    """Return the processor time of each process so far, by its id."""
    spent = {}
    for one in family(pids):
        with contextlib.suppress(OSError):  # it has ended
            spent[one.pid] = time.clock_gettime(_processor_clock(one.pid))
    return spent


def _processor_clock(pid: int) -> int:
    """Return what clock_getcpuclockid(3) does: to the nanosecond, where /proc counts to 10 ms."""
    return (~pid << 3) | _CPUCLOCK_SCHED


def memory_mb(pids: Sequence[int]) -> float:
    """Return the memory that the processes hold: PSS, each shared page counted once in all."""
    held = 0
    for one in family(pids):
        with contextlib.suppress(psutil.NoSuchProcess):
            held += one.memory_full_info().pss
    return held / _MB


def descriptors(pids: Sequence[int]) -> int:
    return sum(one.num_fds() for one in family(pids))


def threads(pids: Sequence[int]) -> int:
    return sum(one.num_threads() for one in family(pids))


def allow_many_files() -> None:
    """Raise the limit of open files to what this machine allows; children inherit it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@dataclass
class Spent:
    """What some processes used during a stretch of time; filled in when it ends."""

    total_s: float = 0.0
    busiest: float = 0.0
    """Share of one core that the busiest process used, from 0 to 1."""


@contextlib.contextmanager
def spending(pids: Sequence[int]) -> Iterator[Spent]:
    """Measure what processes spend within a block."""
    spent = Spent()
    began_s, before = time.monotonic(), processor_s(pids)
    yield spent
    took_s = time.monotonic() - began_s
    each = [now - before.get(pid, 0.0) for pid, now in processor_s(pids).items()]
    spent.total_s = sum(each)
    spent.busiest = max(each, default=0.0) / took_s


def settle(pids: Sequence[int]) -> None:
    """Wait until processes rest: what they put off belongs to the load before."""
    until_s = time.monotonic() + SETTLE_WITHIN_S
    last = sum(processor_s(pids).values())
    while time.monotonic() < until_s:
        time.sleep(LOOK_EVERY_S)
        now = sum(processor_s(pids).values())
        if now - last <= QUIET_SHARE * LOOK_EVERY_S:
            return
        last = now
