"""Whether a store is away, since when, and when to try it again."""

from collections.abc import Callable

from proxy.logs import logger
from proxy.traces.store import TraceStoreFailed

log = logger(__name__)


class Absence:
    """Counts a store's failures in a row; logs when it goes and when it is back.

    Args:
        clock: Monotonic clock in seconds.
        random: A number from 0 to 1; spreads the retries of many proxies.
        first_retry_s: Wait after the first failure; doubled with each further one.
        last_retry_s: Longest wait between two tries.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        random: Callable[[], float],
        first_retry_s: float,
        last_retry_s: float,
    ) -> None:
        self._clock = clock
        self._random = random
        self._first_retry_s = first_retry_s
        self._last_retry_s = last_retry_s
        self._since_s: float | None = None
        self._failures = 0
        self._cause: str | None = None

    @property
    def is_now(self) -> bool:
        """Whether the store failed last time."""
        return self._since_s is not None

    @property
    def state(self) -> str:
        """``ok``, or ``away: `` and what failed."""
        return f"away: {self._cause}" if self.is_now else "ok"

    def failed(self, error: Exception, *, waiting: int) -> None:
        """Note a failure; ``waiting`` is how many traces wait for the store."""
        self._failures += 1
        self._cause = error.cause if isinstance(error, TraceStoreFailed) else type(error).__name__
        if self._since_s is None:
            self._since_s = self._clock()
            log.warning("trace.store_away", error=error_name(error), waiting=waiting)

    def answered(self, *, outbox: int) -> None:
        """Note a success; ``outbox`` is how many traces wait in the outbox."""
        self._failures = 0
        if self._since_s is not None:
            away_s = round(self._clock() - self._since_s, 3)
            self._since_s = None
            log.info("trace.store_back", away_s=away_s, outbox=outbox)

    def pause_s(self) -> float:
        """Return how long to wait before the next try, in seconds."""
        doubled_s = self._first_retry_s * 2.0 ** min(self._failures - 1, 16)
        return min(doubled_s, self._last_retry_s) * (0.5 + self._random() / 2)


def error_name(error: Exception) -> str:
    """Return what a log line may say of a failure: no text of it, which may quote a request."""
    if isinstance(error, TraceStoreFailed):
        return f"{error.store}:{error.cause}"
    return type(error).__name__
