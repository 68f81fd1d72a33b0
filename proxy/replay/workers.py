"""Judges requests again in processes of their own, at once and for shadow policies.

A thread would share the interpreter's lock with the requests in progress. The processes end with
the one that began them, however that ends.
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
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from time import perf_counter

from policies.schema.loader import LoadedPolicy
from policies.schema.sections import Tracing
from proxy.logs import failure, logger
from proxy.replay.comparison import Compared, compared
from proxy.replay.judging import replay, why_not
from proxy.tenants import Judging, judging_by
from proxy.traces.trace import NotReplayed, PolicyUsed, ReplayResult, Trace

MOST_POLICIES = 64
"""Policies that a process keeps ready; making one ready takes a few milliseconds."""
# A reading of a long text is many objects that hold no cycles: little is gained by walking through
# them again and again, as Python does by itself.
_COLLECTED_AFTER = (2_000, 10, 50)


@dataclass(frozen=True, slots=True)
class Workers:
    """Processes that take work together."""

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
        # Only the processes write results: whoever reads one then hears of it if they are ended in
        # the middle of a message, instead of waiting for the rest for ever.
        pool._result_queue._writer.close()  # type: ignore[attr-defined]  # noqa: SLF001
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
            process.kill()  # one that hangs reacts to nothing else
        self.pool.shutdown()


class OneProcess:
    """A process, begun when it is first needed, and anew when it has died or was left."""

    def __init__(self, start: Callable[[], Workers] | None = None) -> None:
        self._start = start or partial(Workers.start, 1)
        self._process: Workers | None = None

    def open(self) -> Workers:
        """Return it, begun if there is none. For the event loop's thread only."""
        if self._process is None or not self._process.are_alive:
            self._process = self._start()
        return self._process

    def leave(self, process: Workers) -> bool:
        """Let the next piece of work begin another process; tell whether none has begun yet."""
        was_this = self._process is process
        if was_this:
            self._process = None
        return was_this

    def close(self) -> None:
        """End the process; what it was doing ends in `BrokenProcessPool`."""
        if self._process is not None:
            self._process.end()
            self._process = None


def packed(loaded: LoadedPolicy) -> bytes:
    """Return a policy as it travels to the process."""
    return pickle.dumps(loaded)


class PackedPolicies:
    """Policies as they travel to a process; each is packed once until it is reloaded."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[LoadedPolicy, bytes]] = {}

    def of(self, loaded: LoadedPolicy) -> bytes:
        """Return a policy as it travels, which stays the same until the policy is reloaded."""
        known, content = self._known.get(loaded.name, (None, b""))
        if known is not loaded:
            content = packed(loaded)
            self._known[loaded.name] = loaded, content
        return content


def judge_again(policy: bytes, trace: Trace) -> ReplayResult:
    """Judge a request again by a packed policy; runs in the process."""
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
    """Yield what a packed policy makes of each trace, some at a time and in their order.

    Stopping early ends the pool: its work in progress is abandoned.
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
    """Judge requests again by a packed policy and compare; runs in a process."""
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


log = logger(__name__)

MOST_WAITING = 500
"""Most requests that wait to be judged again; later ones are stored without a replay."""
MOST_CHARS = 50_000_000
"""Most characters in waiting requests, so that a few very long ones do not fill memory."""

PATIENCE_S = 60.0
"""A process that finishes no work within this time is terminated."""


def _ignore(_: Trace) -> None:
    pass


class Shadows:
    """Hands traces on to be kept, those of policies with a shadow policy once it was tried."""

    def __init__(
        self,
        keep: Callable[[Trace, Tracing], None],
        *,
        on_judged: Callable[[Trace], None] = _ignore,
        start: Callable[[], Workers] | None = None,
        most_waiting: int = MOST_WAITING,
        most_chars: int = MOST_CHARS,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._keep = keep
        self._on_judged = on_judged
        self._process = OneProcess(start)
        self._most_waiting = most_waiting
        self._most_chars = most_chars
        self._patience_s = patience_s
        self._ended = 0  # pieces of work, well or not
        self._packed = PackedPolicies()
        self._under_way: dict[asyncio.Task[None], int] = {}
        self._is_full = False
        self._is_closed = False

    def take(self, trace: Trace, loaded: LoadedPolicy) -> None:
        """Keep a trace, once the policy's shadow policy was tried on it."""
        shadow, tracing = loaded.shadow, loaded.policy.tracing
        if shadow is None:
            self._keep(trace, tracing)
            return
        reason = why_not(trace)
        if reason is None:
            reason = NotReplayed.STOPPED if self._is_closed else self._no_room()
        if reason is not None:
            self._keep_judged(_without(trace, shadow, reason), tracing)
            return
        trying = asyncio.create_task(self._try(trace, shadow, tracing))
        self._under_way[trying] = trace.chars
        trying.add_done_callback(self._under_way.pop)

    async def close(self, within_s: float = 5.0) -> None:
        """Try what can be tried in time; the rest is kept without."""
        self._is_closed = True
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=within_s)
        self._process.close()  # before anything is cancelled; see `Workers.end`
        for trying in list(self._under_way):
            trying.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _no_room(self) -> NotReplayed | None:
        chars = sum(self._under_way.values())
        is_full = len(self._under_way) >= self._most_waiting or chars >= self._most_chars
        was_full, self._is_full = self._is_full, is_full
        if not self._is_full:
            return None
        if not was_full:
            log.warning("shadow.queue_full", waiting=len(self._under_way), chars=chars)
        return NotReplayed.QUEUE_FULL

    async def _try(self, trace: Trace, shadow: LoadedPolicy, tracing: Tracing) -> None:
        try:
            tried = trace.model_copy(update={"shadow": await self._tried(trace, shadow)})
        except asyncio.CancelledError:
            tried = _without(trace, shadow, NotReplayed.STOPPED)
        except Exception as error:  # noqa: BLE001 - whatever broke, the trace is kept
            log.error("shadow.failed", request_id=trace.id, **failure(error))  # noqa: TRY400
            tried = _without(trace, shadow, NotReplayed.FAILED)
        self._keep_judged(tried, tracing)

    def _keep_judged(self, trace: Trace, tracing: Tracing) -> None:
        self._on_judged(trace)
        self._keep(trace, tracing)

    async def _tried(self, trace: Trace, shadow: LoadedPolicy) -> ReplayResult:
        process = self._process.open()
        try:
            sent = process.pool.submit(judge_again, self._packed.of(shadow), trace)
            working = asyncio.wrap_future(sent)
            working.add_done_callback(self._note_end)
            while not working.done():
                ended = self._ended
                await asyncio.wait({working}, timeout=self._patience_s)
                if self._ended == ended and self._process.leave(process):
                    log.error("shadow.stuck", within_s=self._patience_s)
                    process.end()
            return working.result()
        except BrokenProcessPool:
            self._process.leave(process)
            raise

    def _note_end(self, working: asyncio.Future[ReplayResult]) -> None:
        self._ended += 1
        if not working.cancelled():
            working.exception()  # nobody waits for it any more once the proxy stops


def _without(trace: Trace, shadow: LoadedPolicy, reason: NotReplayed) -> Trace:
    used = PolicyUsed(name=shadow.name, version=shadow.version)
    return trace.model_copy(update={"shadow": ReplayResult(policy=used, not_run=reason)})
