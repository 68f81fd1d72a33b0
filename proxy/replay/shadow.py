"""Tries shadow policies on served requests before their traces are kept."""

import asyncio
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool

from policies.schema.loader import LoadedPolicy
from policies.schema.sections import Tracing
from proxy.logs import failure, logger
from proxy.replay.judging import why_not
from proxy.replay.workers import Workers, judge_again, packed
from proxy.traces.trace import NotReplayed, PolicyUsed, ReplayResult, Trace

log = logger(__name__)

MOST_WAITING = 500
"""Most requests that wait to be judged again; later ones are stored without a replay."""
MOST_CHARS = 50_000_000
"""Most characters in waiting requests, so that a few very long ones do not fill memory."""

PATIENCE_S = 60.0
"""A process that finishes no work within this time is terminated."""


def _start_one() -> Workers:
    return Workers.start(1)


def _ignore(_: Trace) -> None:
    pass


class Shadows:
    """Hands traces on to be kept, those of policies with a shadow policy once it was tried.

    Args:
        keep: Takes a trace to be kept, and what its policy wants kept of it.
        on_judged: Called with each trace of a policy with a shadow policy, before it is kept.
        start: Starts the process.
        most_waiting: See `MOST_WAITING`.
        most_chars: See `MOST_CHARS`.
        patience_s: See `PATIENCE_S`.
    """

    def __init__(
        self,
        keep: Callable[[Trace, Tracing], None],
        *,
        on_judged: Callable[[Trace], None] = _ignore,
        start: Callable[[], Workers] = _start_one,
        most_waiting: int = MOST_WAITING,
        most_chars: int = MOST_CHARS,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._keep = keep
        self._on_judged = on_judged
        self._start = start
        self._most_waiting = most_waiting
        self._most_chars = most_chars
        self._patience_s = patience_s
        self._ended = 0  # pieces of work, well or not
        self._process: Workers | None = None
        self._packed: dict[str, tuple[LoadedPolicy, bytes]] = {}
        self._under_way: dict[asyncio.Task[None], int] = {}
        self._is_full = False
        self._is_closed = False

    def take(self, trace: Trace, loaded: LoadedPolicy) -> None:
        """Keep a trace, once the policy's shadow policy was tried on it.

        Args:
            trace: The trace of a request that has ended.
            loaded: The policy that judged it.
        """
        shadow, tracing = loaded.shadow, loaded.policy.tracing
        if shadow is None:
            self._keep(trace, tracing)
            return
        reason = why_not(trace) or self._no_time() or self._no_room()
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
        if self._process is not None:
            self._process.end()  # before anything is cancelled; see there
        for trying in list(self._under_way):
            trying.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    def _no_time(self) -> NotReplayed | None:
        return NotReplayed.STOPPED if self._is_closed else None

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
        process = self._process = self._process or self._start()
        try:
            sent = process.pool.submit(judge_again, self._pack(shadow), trace)
            working = asyncio.wrap_future(sent)
            working.add_done_callback(self._note_end)
            while not working.done():
                ended = self._ended
                await asyncio.wait({working}, timeout=self._patience_s)
                if self._ended == ended and self._process is process:
                    log.error("shadow.stuck", within_s=self._patience_s)
                    self._process = None
                    process.end()
            return working.result()
        except BrokenProcessPool:
            if self._process is process:
                self._process = None  # the next request starts another one
            raise

    def _note_end(self, working: asyncio.Future[ReplayResult]) -> None:
        self._ended += 1
        if not working.cancelled():
            working.exception()  # nobody waits for it any more once the proxy stops

    def _pack(self, shadow: LoadedPolicy) -> bytes:
        """Return a policy as it travels, which stays the same until the policy is reloaded."""
        known, content = self._packed.get(shadow.name, (None, b""))
        if known is not shadow:
            content = packed(shadow)
            self._packed[shadow.name] = (shadow, content)
        return content


def _without(trace: Trace, shadow: LoadedPolicy, reason: NotReplayed) -> Trace:
    used = PolicyUsed(name=shadow.name, version=shadow.version)
    return trace.model_copy(update={"shadow": ReplayResult(policy=used, not_run=reason)})
