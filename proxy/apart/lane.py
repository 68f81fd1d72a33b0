"""One process in which very long texts are judged."""

from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from threading import Lock

from proxy.apart.work import Given, Made, Which, Work, done_here
from proxy.errors import CannotJudgeNow
from proxy.logs import logger
from proxy.replay.workers import Workers

log = logger(__name__)

PATIENCE_S = 120.0
"""A process that does not come to the end of a piece of work in so long is ended."""
RETRY_AFTER_S = 2


def _start_one() -> Workers:
    return Workers.start(1)


class Lane:
    """A process, begun when it is first needed, and anew when it broke.

    Args:
        start: Starts the process.
        patience_s: See `PATIENCE_S`.

    Attributes:
        guests: Requests whose texts are judged in it.
    """

    def __init__(
        self, start: Callable[[], Workers] = _start_one, patience_s: float = PATIENCE_S
    ) -> None:
        self._start = start
        self._patience_s = patience_s
        self._process: Workers | None = None
        self.guests = 0
        self._working = 0
        self._counting = Lock()

    @property
    def load(self) -> int:
        """How many there is work for, those among them who did not wait for its end."""
        return max(self.guests, self._working)

    def open(self) -> None:
        """Begin the process, if there is none. For the event loop's thread only."""
        known = self._process
        if known is not None and not known.are_alive:
            self._leave(known)
        if self._process is None:
            self._process = self._start()

    def done(
        self, which: Which, work: Work[Given, Made], *args: Given.args, **kwargs: Given.kwargs
    ) -> Made:
        """Return what a piece of work comes to; waits for it, so call it in a thread.

        Raises:
            CannotJudgeNow: the process died, or did not come to an end.
        """
        process = self._process
        if process is None:
            raise CannotJudgeNow("what judges it was ended", RETRY_AFTER_S)
        with self._counting:
            self._working += 1
        try:
            doing = process.pool.submit(partial(done_here, which, work, *args, **kwargs))
            return doing.result(self._patience_s)
        except TimeoutError:
            log.error("long_text.stuck", within_s=self._patience_s)  # noqa: TRY400
            self._leave(process)
            process.end()
            raise CannotJudgeNow("it took too long", RETRY_AFTER_S) from None
        except BrokenProcessPool:
            log.error("long_text.process_died")  # noqa: TRY400
            self._leave(process)
            raise CannotJudgeNow("what judged it has died", RETRY_AFTER_S) from None
        finally:
            with self._counting:
                self._working -= 1

    def close(self) -> None:
        """End the process; what it was doing ends in an error."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _leave(self, process: Workers) -> None:
        """Let the next request begin another process, unless one has."""
        if self._process is process:
            self._process = None
