"""A parent with workers of little use: ``python -m tests.proxy.workers.crews FOLDER COUNT WHAT``.

The workers write ``<number>.<pid>`` into the folder and say that they serve; what they do then is
the third argument. Apart, because the tests' own process has threads.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Generator
from pathlib import Path

from proxy.workers import Supervisor, Work, Worker

PATIENCE_S = 60.0


def obedient(worker: Worker) -> int:
    """Serve until told to end, or until the parent is gone."""
    worker.ready()
    select.select([worker.parent_fd], [], [])
    return 0


def stubborn(worker: Worker) -> int:
    """Heed nothing but a kill."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    worker.ready()
    while True:
        time.sleep(60)


def second_fails(worker: Worker) -> int:
    """Serve, but for the second worker, which never comes up."""
    return 3 if worker.number == 2 else obedient(worker)


def first_fails(worker: Worker) -> int:
    """Never come up."""
    return 4 if worker.number == 1 else obedient(worker)


def breaks(worker: Worker) -> int:
    """Never come up, and take it badly."""
    raise ValueError(worker)


WORK = {one.__name__: one for one in (obedient, stubborn, second_fails, first_fails, breaks)}


def _say(said: str) -> None:
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()


class Crew:
    """Says on its output what happens."""

    def __init__(self, folder: Path, work: Work) -> None:
        self._folder = folder
        self._work = work

    @contextlib.contextmanager
    def work_of(self, number: int) -> Generator[Work, None, None]:
        if (self._folder / "no-more").exists():
            raise OSError("no more")
        yield self._noted

    def _noted(self, worker: Worker) -> int:
        try:
            # The file tells the test that it may send a signal.
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
            (self._folder / f"{worker.number}.{os.getpid()}").touch()
            return self._work(worker)
        except SystemExit as ended:
            return int(str(ended))

    def look(self) -> None:
        pass

    def started(self) -> None:
        _say("started")

    def stopping(self) -> None:
        _say("stopping")

    def ended(self, number: int) -> None:
        _say(f"ended {number}")


if __name__ == "__main__":
    crew = Crew(Path(sys.argv[1]), WORK[sys.argv[3]])
    sys.exit(Supervisor(crew, int(sys.argv[2]), patience_s=PATIENCE_S).run())
