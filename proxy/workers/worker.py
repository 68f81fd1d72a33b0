"""A process that was forked to serve: what it has of its parent."""

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from proxy.logs import failure, logger

log = logger(__name__)

CRASHED = 70
"""Exit status of a worker that ended in an exception."""
_READY = b"r"


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker with its number and the file descriptors that it shares with its parent.

    Attributes:
        number: Number of the worker, from 1.
        parent_fd: Becomes readable when the parent is gone.
        told_fd: Where the parent listens.
    """

    number: int
    parent_fd: int
    told_fd: int

    def ready(self) -> None:
        """Tell the parent that it serves."""
        os.write(self.told_fd, _READY)


Work = Callable[[Worker], int]
"""Work of a worker; returns its exit status."""


@dataclass(slots=True)
class Child:
    """A worker as its parent sees it.

    Attributes:
        pid: Its id.
        heard_fd: Where it is heard; at its end it falls silent.
        began_s: When it began.
        is_ready: It has said that it serves.
    """

    pid: int
    heard_fd: int
    began_s: float
    is_ready: bool = False

    def hear(self) -> bool:
        """Take in what it says; tell whether it lives."""
        said = os.read(self.heard_fd, 64)
        self.is_ready = self.is_ready or bool(said)
        return bool(said)

    def end(self) -> int:
        """Return the exit status of one that has ended; minus a signal's number if by that."""
        os.close(self.heard_fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal; it may have ended, as long as `end` was not called."""
        os.kill(self.pid, number)


def run_and_exit(leave: Callable[[], None], work: Work, worker: Worker) -> NoReturn:
    """Work, and end the process, whatever happens.

    What the parent would do at its own end is none of its children's business: threads that it
    waits for then do not exist in them.

    Args:
        leave: Lets go of what is the parent's.
        work: The work.
        worker: Who does it.
    """
    status = CRASHED
    try:
        leave()
        status = work(worker)
    except BaseException as error:  # noqa: BLE001 - nothing may go on as if it were the parent
        log.error("worker.failed", worker=worker.number, **failure(error))  # noqa: TRY400
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
