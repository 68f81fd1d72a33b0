"""Says in the log when a model server begins to fail, and when it answers again."""

from collections.abc import Callable

from proxy.errors import (
    UpstreamError,
    UpstreamPoolFull,
    UpstreamRefused,
    UpstreamUnreachable,
)
from proxy.logs import logger

log = logger(__name__)

QUIET_S = 60.0
"""One that fails now and then is told of this often at most."""

_SERVERS_OWN_FAULT = 500


class Troubles:
    """Which model servers fail, by host and port.

    Args:
        clock: Monotonic clock in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._told_s: dict[str, float] = {}
        self._failures: dict[str, int] = {}

    def failed(self, server: str, error: UpstreamError) -> None:
        """Note how a request to it ended."""
        if isinstance(error, UpstreamPoolFull):
            return
        if isinstance(error, UpstreamRefused) and error.status < _SERVERS_OWN_FAULT:
            self.answered(server)
            return
        if server not in self._failures:
            now_s = self._clock()
            if now_s - self._told_s.get(server, -QUIET_S) < QUIET_S:
                return
            self._told_s[server] = now_s
            self._failures[server] = 0
            log.warning("upstream.failing", server=server, error=error.code, cause=_cause(error))
        self._failures[server] += 1

    def answered(self, server: str) -> None:
        """Note that it replied as it should."""
        failures = self._failures.pop(server, None)
        if failures is not None:
            lasted_s = round(self._clock() - self._told_s[server], 3)
            log.info("upstream.back", server=server, failures=failures, failing_s=lasted_s)


def _cause(error: UpstreamError) -> str:
    """Return what may be written down: nothing that a reply said."""
    return error.cause if isinstance(error, UpstreamUnreachable) else str(error)
