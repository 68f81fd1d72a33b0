"""How long a model server is waited for."""

import asyncio
from types import TracebackType

from policies.upstream import Timeouts
from proxy.errors import UpstreamTimeout


class Patience:
    """The time limits of one exchange: for its first byte, between two pieces, and in all.

    Within the block the task is cancelled when a limit is passed, and the block ends with
    `UpstreamTimeout`. There is one timer for everything, which looks now and then: a timer for each
    piece of a stream would cost more than reading it.
    """

    def __init__(self, timeouts: Timeouts) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeouts = timeouts
        self._scope = asyncio.timeout(None)
        self._ends_at = self._loop.time() + timeouts.total_s
        self._phase, self._limit_s = "first byte", timeouts.first_byte_s
        self._waits_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> "Patience":
        """Wait for the first byte from now on."""
        await self._scope.__aenter__()
        self.wait()
        self._look()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the wait.

        Raises:
            UpstreamTimeout: it took too long.
        """
        if self._timer is not None:
            self._timer.cancel()
        try:
            await self._scope.__aexit__(kind, error, trace)
        except TimeoutError as late:
            raise UpstreamTimeout(self._phase, self._limit_s) from late

    def begun(self) -> None:
        """Note that the reply has begun: from now on the limit is that between two pieces."""
        self._phase, self._limit_s = "idle", self._timeouts.idle_s
        self.rest()

    def wait(self) -> None:
        """Note that the next piece is waited for."""
        self._waits_since = self._loop.time()

    def rest(self) -> None:
        """Note that nothing is waited for: what was read is being worked on."""
        self._waits_since = None

    def _look(self) -> None:
        """End the block if it took too long; else look again when it might have."""
        now = self._loop.time()
        since = now if self._waits_since is None else self._waits_since
        due = min(since + self._limit_s, self._ends_at)
        if due > now:
            # So that the limit between two pieces takes no timer of its own.
            self._timer = self._loop.call_at(min(due, now + self._timeouts.idle_s), self._look)
            return
        if due == self._ends_at:
            self._phase, self._limit_s = "total", self._timeouts.total_s
        self._scope.reschedule(now)
