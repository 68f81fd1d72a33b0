"""Pauses calls of a judge that fails, and lets single calls through to see if it has recovered.

Only failures of the backend count. Failures caused by the texts of a request do not (too long,
refused, or a model that they lead to write anything but an opinion): otherwise anyone who can write
a question could switch the second opinion off for everybody else.

There are libraries for this. None of those examined uses a share of recent calls, lets a single
probe through among asyncio tasks, and doubles its pause.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from policies.schema.sections import BreakerRules


class BreakerState(StrEnum):
    """State of a circuit breaker."""

    CLOSED = "closed"
    """They do."""
    HALF_OPEN = "half_open"
    """One does, and tells."""
    OPEN = "open"
    """None does."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave for one call; handed back with what came of it.

    Attributes:
        era: Counts how often the breaker has opened or closed: results of older calls tell nothing.
        is_probe: It is the one call by which a half-open breaker is decided.
    """

    era: int
    is_probe: bool


def _nobody(_: float) -> None:
    """Stand for nobody who wants to know."""


class Breaker:
    """A breaker for one backend and one tenant. For use by the tasks of one event loop.

    Args:
        rules: When it opens, and for how long.
        clock: Monotonic, in seconds.
        chance: Returns a random number from 0 to 1.
        opened: Told for how long, in seconds, each time that it opens.
    """

    def __init__(
        self,
        rules: BreakerRules,
        clock: Callable[[], float],
        chance: Callable[[], float],
        opened: Callable[[float], None] = _nobody,
    ) -> None:
        self._rules = rules
        self._clock = clock
        self._chance = chance
        self._opened = opened
        self._calls: deque[tuple[float, bool]] = deque()
        self._failures_in_a_row = 0
        self._era = 0
        self._times_opened = 0
        self._open_until_s: float | None = None
        self._is_probing = False

    @property
    def state(self) -> BreakerState:
        """The state at this moment."""
        if self._open_until_s is None:
            return BreakerState.CLOSED
        is_over = self._clock() >= self._open_until_s
        return BreakerState.HALF_OPEN if is_over else BreakerState.OPEN

    @property
    def opens_for_s(self) -> float:
        """Seconds until it closes; 0 if it is not open."""
        return max(0.0, (self._open_until_s or 0.0) - self._clock())

    def enter(self) -> Ticket | None:
        """Return leave for a call; None while the backend is left alone."""
        state = self.state
        if state is BreakerState.OPEN or self._is_probing:
            return None
        self._is_probing = state is BreakerState.HALF_OPEN
        return Ticket(self._era, self._is_probing)

    def succeeded(self, ticket: Ticket) -> None:
        """Note that the backend answered."""
        if ticket.era != self._era:
            return
        if ticket.is_probe:
            self._close()
            return
        self._failures_in_a_row = 0
        self._note(failed=False)

    def failed(self, ticket: Ticket) -> None:
        """Note that the backend failed."""
        if ticket.era != self._era:
            return
        if ticket.is_probe:
            self._open()
            return
        self._failures_in_a_row += 1
        self._note(failed=True)
        if self._is_too_much():
            self._open()

    def dropped(self, ticket: Ticket) -> None:
        """Note that the call tells nothing about the backend; another one may probe it."""
        if ticket.is_probe:
            self._is_probing = False

    def hinted(self) -> None:
        """Hear that the backend fails others: the next call goes through alone, and tells."""
        if self._open_until_s is None:
            self._start_over()
            self._open_until_s = self._clock()

    def _note(self, *, failed: bool) -> None:
        now_s = self._clock()
        self._calls.append((now_s, failed))
        while self._calls[0][0] < now_s - self._rules.window_s:
            self._calls.popleft()

    def _is_too_much(self) -> bool:
        if self._failures_in_a_row >= self._rules.failures:
            return True
        failures = sum(failed for _, failed in self._calls)
        enough = len(self._calls) >= self._rules.least_calls
        return enough and failures > self._rules.share * len(self._calls)

    def _open(self) -> None:
        rules = self._rules
        # The exponent is bounded: beyond it the longest pause holds anyway.
        pause_s = rules.open_s * 2.0 ** min(self._times_opened, 32)
        pause_s *= 1 + rules.jitter * self._chance()
        self._times_opened += 1
        self._start_over()
        pause_s = min(rules.longest_open_s, pause_s)
        self._open_until_s = self._clock() + pause_s
        self._opened(pause_s)

    def _close(self) -> None:
        self._times_opened = 0
        self._start_over()
        self._open_until_s = None

    def _start_over(self) -> None:
        self._era += 1
        self._is_probing = False
        self._failures_in_a_row = 0
        self._calls.clear()
