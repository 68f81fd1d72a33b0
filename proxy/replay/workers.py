"""Processes in which requests are judged again, so that it costs those under way nothing.

A thread would share the interpreter's lock with them. They end with the process that began them,
however that ends.
"""

import asyncio
import contextlib
import gc
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from time import perf_counter

from policies.schema.loader import LoadedPolicy
from proxy.replay.comparison import Compared, compared
from proxy.replay.judging import replay
from proxy.tenants import Judging, judging_by
from proxy.traces.trace import NotReplayed, ReplayResult, Trace

MOST_POLICIES = 64
"""Policies that a process keeps ready; making one ready takes a few milliseconds."""
# A reading of a long text is many objects that hold no cycles: little is gained by walking through
# them again and again, as Python does by itself.
_COLLECTED_AFTER = (2_000, 10, 50)


@dataclass(frozen=True, slots=True)
class Workers:
    """Processes that take work together.

    Attributes:
        pool: Takes the work.
        processes: The processes.
    """

    pool: Executor
    processes: Sequence[BaseProcess]

    @classmethod
    def start(cls, count: int) -> "Workers":
        """Start so many."""
        others = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(
            max_workers=count, mp_context=multiprocessing.get_context("spawn"), initializer=_begin
        )
        with _interrupts_held():
            for _ in range(count):
                pool.submit(os.getpid)  # without work the pool would not start one
        return cls(pool, [one for one in multiprocessing.active_children() if one not in others])

    @property
    def are_alive(self) -> bool:
        """True if no worker has ended."""
        # Asking the processes themselves may come between the pool and their exit status.
        return not wait([process.sentinel for process in self.processes], timeout=0)

    def end(self) -> None:
        """End them at once; what they were doing ends in `BrokenProcessPool`.

        None of that may be cancelled: a pool that breaks cannot bear it.
        """
        for process in self.processes:
            process.kill()  # one that hangs heeds nothing else
        self.pool.shutdown()


def packed(loaded: LoadedPolicy) -> bytes:
    """Return a policy as it travels to the process."""
    return pickle.dumps(loaded)


def judge_again(policy: bytes, trace: Trace) -> ReplayResult:
    """Judge a request again; runs in the process.

    Args:
        policy: The other policy, packed.
        trace: The request.
    """
    began_s = perf_counter()
    tried = replay(trace, judging_by_packed(policy))
    return tried.model_copy(update={"duration_ms": (perf_counter() - began_s) * 1000})


@lru_cache(maxsize=MOST_POLICIES)
def judging_by_packed(policy: bytes) -> Judging:
    """Return what judges by a packed policy; made once as long as the policy is used."""
    loaded: LoadedPolicy = pickle.loads(policy)  # noqa: S301 - packed by ourselves, a pipe away
    return judging_by(loaded)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let no Ctrl-C through meanwhile, nor to processes that start meanwhile.

    It reaches every process of a terminal, and would break those that are not ready yet.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    gc.freeze()
    gc.set_threshold(*_COLLECTED_AFTER)
    # The process that began this one ends it in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


TRACES_AT_ONCE = 8
"""Number of traces sent to a process at once."""
WAITING_FOR_EACH = 3
"""Number of such batches in progress for each process, so that none waits for work."""


async def replayed(
    traces: AsyncIterator[Trace], policy: bytes, pool: Executor, *, jobs: int
) -> AsyncGenerator[list[Compared], None]:
    """Yield what another policy makes of each trace, some at a time and in their order.

    Stopping early ends the pool: its work in progress is abandoned.

    Args:
        traces: The traces.
        policy: The other policy, packed.
        pool: Where they are judged again.
        jobs: How many processes that is.
    """
    loop = asyncio.get_running_loop()
    under_way: deque[asyncio.Future[list[Compared]]] = deque()
    try:
        async for piece in _pieces(traces):
            if len(under_way) >= jobs * WAITING_FOR_EACH:
                yield await _first_of(under_way)
            under_way.append(loop.run_in_executor(pool, compare_all, policy, piece))
        while under_way:
            yield await _first_of(under_way)
    finally:
        for work in under_way:
            work.add_done_callback(_forget)


async def _first_of(under_way: deque[asyncio.Future[list[Compared]]]) -> list[Compared]:
    await asyncio.wait([under_way[0]])  # which does not cancel it, as awaiting itself would
    return under_way.popleft().result()


def _forget(work: asyncio.Future[list[Compared]]) -> None:
    """Take note of how work ended, so that nobody is told of a failure that was missed."""
    if not work.cancelled():
        work.exception()


async def _pieces(traces: AsyncIterator[Trace]) -> AsyncIterator[list[Trace]]:
    piece: list[Trace] = []
    async for trace in traces:
        piece.append(trace)
        if len(piece) == TRACES_AT_ONCE:
            yield piece
            piece = []
    if piece:
        yield piece


def compare_all(policy: bytes, traces: Sequence[Trace]) -> list[Compared]:
    """Judge requests again and compare; runs in a process.

    Args:
        policy: The other policy, packed.
        traces: The requests.
    """
    return [_compare(policy, trace) for trace in traces]


def _compare(policy: bytes, trace: Trace) -> Compared:
    try:
        return compared(trace, judge_again(policy, trace))
    except Exception as error:  # noqa: BLE001 - one odd trace must not end the whole run
        return Compared(
            id=trace.id,
            tenant=trace.tenant,
            policy=trace.policy,
            before=trace.action_name,
            not_run=NotReplayed.FAILED,
            failure=type(error).__name__,
        )
