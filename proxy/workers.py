"""Several worker processes, their parent, and the folder that they share.

The parent begins workers, begins anew those that die, and ends them all. It has no event loop and
no thread, so that each fork is a process with nothing half done in it. A worker tells it over a
pipe that it serves, and is known to have ended when that pipe closes; a worker whose own pipe
closes knows that the parent is gone, and ends by itself.

The folder is locked for as long as anybody lives who uses it, which the kernel ends with the last
of them, however that goes. So a folder of ours without a lock is nobody's.
"""

import contextlib
import fcntl
import os
import re
import selectors
import shutil
import signal
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, Protocol

from proxy.logs import failure, logger

log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """A process among those that serve together on one machine.

    Attributes:
        number: Number of the worker, from 1; a replacement of a dead worker has the same.
        folder: What they have in common beside the stores; it is empty when they begin, and goes
            when they end. None for one process by itself.
    """

    number: int = 1
    count: int = 1
    folder: Path | None = None

    @property
    def metrics(self) -> Path | None:
        """Folder of the metrics that workers share."""
        return self.folder and self.folder / "metrics"

    @property
    def sessions(self) -> Path | None:
        """Folder of the dashboard's sessions, if there is no Redis."""
        return self.folder and self.folder / "sessions"


ALONE = Place()


_PREFIX = "guard-proxy-workers-"
_NAME = re.compile(re.escape(_PREFIX) + r"[a-z0-9_]{8}")
_OWN_ONLY = 0o700
_TRIES = 5


@contextlib.contextmanager
def common_folder() -> Generator[Path, None, None]:
    """Make a folder, locked, within this block; also takes away those that nobody uses any more.

    The lock also protects the folder from cleaners of old files: systemd respects it.

    Raises:
        OSError: there is no place for it.
    """
    home = Path(tempfile.gettempdir())
    for left in _left_behind(home):
        _remove_if_nobodys(left)
    folder, opened = _made_and_locked()
    try:
        place = Place(folder=folder)
        for inside in filter(None, (place.metrics, place.sessions)):
            inside.mkdir()
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(opened)


def _made_and_locked() -> tuple[Path, int]:
    for _ in range(_TRIES):
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        with contextlib.suppress(FileNotFoundError):
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(opened, fcntl.LOCK_SH)
            if folder.exists():
                return folder, opened
            os.close(opened)
        # Another service began at this moment, and took it for left behind.
    raise FileNotFoundError("others take the folder away as soon as it is made")


def _left_behind(home: Path) -> Iterator[Path]:
    """Find what looks exactly as a folder of ours does."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(home):
            if _NAME.fullmatch(entry.name) and _is_ours(entry.stat(follow_symlinks=False)):
                yield Path(entry.path)


def _is_ours(seen: os.stat_result) -> bool:
    is_plain = stat.S_ISDIR(seen.st_mode) and stat.S_IMODE(seen.st_mode) == _OWN_ONLY
    return is_plain and seen.st_uid == os.geteuid()


def _remove_if_nobodys(folder: Path) -> None:
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
        log.info("workers.folder_removed", folder=str(folder))
    except OSError:
        return  # somebody lives who uses it
    finally:
        os.close(opened)


CRASHED = 70
"""Exit status of a worker that ended in an exception."""
_READY = b"r"


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker with its number and the file descriptors that it shares with its parent.

    Attributes:
        parent_fd: Becomes readable when the parent is gone.
    """

    number: int
    parent_fd: int
    write_fd: int

    def ready(self) -> None:
        """Tell the parent that it serves."""
        os.write(self.write_fd, _READY)


Work = Callable[[Worker], int]
"""Work of a worker; returns its exit status."""


@dataclass(slots=True)
class Child:
    """A worker as its parent sees it.

    Attributes:
        read_fd: Pipe from the worker; closed when it ends.
    """

    pid: int
    read_fd: int
    began_s: float
    is_ready: bool = False

    def receive(self) -> bool:
        """Read its messages; return whether it is alive."""
        said = os.read(self.read_fd, 64)
        self.is_ready = self.is_ready or bool(said)
        return bool(said)

    def end(self) -> int:
        """Return the exit status of one that has ended; minus a signal's number if by that."""
        os.close(self.read_fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal; it may have ended, as long as `end` was not called."""
        os.kill(self.pid, number)


def run_and_exit(leave: Callable[[], None], work: Work, worker: Worker) -> NoReturn:
    """Work, and end the process, whatever happens.

    What the parent would do at its own end is none of its children's business: threads that it
    waits for then do not exist in them.
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


FIRST_S = 0.5
LONGEST_S = 30.0
STEADY_S = 60.0


class Backoff:
    """Pauses that double while processes die young.

    Args:
        first_s: The first pause.
        longest_s: No pause is longer.
        steady_s: Who lived this long did not die young: there is no pause.
    """

    def __init__(
        self,
        first_s: float = FIRST_S,
        longest_s: float = LONGEST_S,
        steady_s: float = STEADY_S,
    ) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._steady_s = steady_s
        self._next_s = first_s

    def pause_s(self, lived_s: float) -> float:
        """Return the pause after a process that lived so long."""
        if lived_s >= self._steady_s:
            self._next_s = self._first_s
            return 0.0
        pause_s, self._next_s = self._next_s, min(self._longest_s, 2 * self._next_s)
        return pause_s


_Handler = Callable[[int, FrameType | None], Any] | int | None


class SignalInbox:
    """Takes signals in within a block; they interrupt nothing. For the main thread."""

    def __init__(self, numbers: Sequence[signal.Signals]) -> None:
        self._numbers = numbers
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._before: dict[signal.Signals, _Handler] = {}

    def __enter__(self) -> "SignalInbox":
        signal.set_wakeup_fd(self._writer.fileno())
        for number in self._numbers:
            self._before[number] = signal.signal(number, _note)
        return self

    def __exit__(self, *_: object) -> None:
        self.leave(self._before)

    def fileno(self) -> int:
        """Return what becomes readable when a signal comes."""
        return self._reader.fileno()

    def take(self) -> list[signal.Signals]:
        """Return the signals that came since the last time."""
        try:
            return [signal.Signals(number) for number in self._reader.recv(4096)]
        except BlockingIOError:
            return []

    def leave(self, handlers: dict[signal.Signals, _Handler] | None = None) -> None:
        """Take no more in.

        Args:
            handlers: What handles the signals from now on; None for what they do by themselves.
        """
        signal.set_wakeup_fd(-1)
        for number in self._numbers:
            signal.signal(number, (handlers or {}).get(number, signal.SIG_DFL))
        self._reader.close()
        self._writer.close()


def _note(number: int, frame: FrameType | None) -> None:
    """Do nothing: the number is in the inbox already."""


LOOK_EVERY_S = 5.0
HURRY_S = 10.0
"""Seconds that workers get after the second signal to end."""
_STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
_HEARD = (*_STOPS, signal.SIGHUP)


class Crew(Protocol):
    """Work of the workers, as the supervisor needs it."""

    def work_of(self, number: int) -> AbstractContextManager[Work]:
        """Return the work of a worker; the context ends after the fork. An error stops it."""

    def look(self) -> None:
        """Called every few seconds: keep up to date what the next worker will inherit."""

    def started(self) -> None:
        """Called when all workers serve for the first time."""

    def stopping(self) -> None:
        """Called after all workers have been told to end."""

    def ended(self, number: int) -> None:
        """Called when a worker has ended."""


@dataclass(slots=True)
class _Post:
    """A place for one worker.

    Attributes:
        due_s: When it is to be filled.
        backoff: How long it stays empty.
    """

    number: int
    child: Child | None = None
    due_s: float = 0.0
    backoff: Backoff = field(default_factory=Backoff)


class Supervisor:
    """Keeps so many workers at work. For the main thread of a process without others.

    Args:
        patience_s: How long workers that were told to end may take; then they are killed.
    """

    def __init__(self, crew: Crew, count: int, *, patience_s: float) -> None:
        self._crew = crew
        self._posts = [_Post(number) for number in range(1, count + 1)]
        self._patience_s = patience_s
        self._inbox = SignalInbox(_HEARD)
        self._selector = selectors.DefaultSelector()
        self._parent_fd, self._alive_fd = os.pipe()
        self._has_started = False
        self._killed_at_s: float | None = None  # when those that are left will be
        self._stop_signals = 0  # how often they were told to end
        self._status = 0

    def run(self) -> int:
        """Run them until a signal ends them, and return the exit status.

        The first one goes ahead: what keeps it from starting would keep the others too. One that
        does not come up ends them all.

        Raises:
            Exception: whatever kept a worker from being forked in the beginning.
        """
        with contextlib.closing(self._selector), self._inbox:
            self._selector.register(self._inbox, selectors.EVENT_READ)
            try:
                self._fill(self._posts[0])
                while self._killed_at_s is None or any(post.child for post in self._posts):
                    self._step()
            finally:
                self._kill()
                os.close(self._alive_fd)
                os.close(self._parent_fd)
        return self._status

    def _step(self) -> None:
        for key, _ in self._selector.select(self._pause_s()):
            if key.fileobj is not self._inbox:
                self._hear(*key.data)
            else:
                for number in self._inbox.take():
                    self._obey(number)
        if self._killed_at_s is None:
            self._crew.look()
            self._fill_again()
        elif time.monotonic() >= self._killed_at_s:
            self._kill()

    def _pause_s(self) -> float:
        if self._killed_at_s is not None:
            return max(0.0, self._killed_at_s - time.monotonic())
        due_s = [post.due_s - time.monotonic() for post in self._empty()]
        return max(0.0, min([LOOK_EVERY_S, *due_s]))

    def _empty(self) -> Iterator[_Post]:
        """Return the places that nobody holds; before the first one serves, no other counts."""
        if self._has_started:
            yield from (post for post in self._posts if post.child is None)

    def _hear(self, post: _Post, child: Child) -> None:
        if not child.receive():
            self._note_end(post, child)
        elif not self._has_started:
            self._go_on_starting()

    def _go_on_starting(self) -> None:
        for post in self._posts:
            if post.child is None and self._killed_at_s is None:
                self._fill(post)
        if all(post.child and post.child.is_ready for post in self._posts):
            self._has_started = True
            self._crew.started()

    def _note_end(self, post: _Post, child: Child) -> None:
        self._selector.unregister(child.read_fd)
        status = child.end()
        post.child = None
        self._crew.ended(post.number)
        if self._killed_at_s is not None:
            self._status = self._status or (1 if status else 0)
            return
        if not self._has_started:
            self._status = status if status > 0 else 1
            self._stop()
            return
        pause_s = post.backoff.pause_s(time.monotonic() - child.began_s)
        post.due_s = time.monotonic() + pause_s
        log.error("worker.ended", worker=post.number, status=status, begun_again_in_s=pause_s)

    def _fill_again(self) -> None:
        for post in list(self._empty()):
            if time.monotonic() < post.due_s:
                continue
            try:
                self._fill(post)
            except Exception as error:  # noqa: BLE001 - the others go on serving
                pause_s = post.backoff.pause_s(0.0)
                post.due_s = time.monotonic() + pause_s
                log.error(  # noqa: TRY400
                    "worker.not_begun", worker=post.number, again_in_s=pause_s, **failure(error)
                )

    def _fill(self, post: _Post) -> None:
        read_fd, write_fd = os.pipe()
        try:
            with self._crew.work_of(post.number) as work:
                worker = Worker(post.number, self._parent_fd, write_fd)
                pid = self._forked(work, worker, [read_fd, self._alive_fd])
        except BaseException:
            os.close(read_fd)
            raise
        finally:
            os.close(write_fd)
        child = post.child = Child(pid, read_fd, time.monotonic())
        self._selector.register(read_fd, selectors.EVENT_READ, (post, child))

    def _forked(self, work: Work, worker: Worker, ours: Sequence[int]) -> int:
        """Fork; returns in the parent only.

        Args:
            ours: File descriptors that it must not hold.
        """
        # A signal that reached the child before it had left the inbox would be taken for ours.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)

        def leave() -> None:
            self._selector.close()
            self._inbox.leave()
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # it has just read what it would read
            for one in ours:
                os.close(one)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

        try:
            return os.fork() or run_and_exit(leave, work, worker)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _obey(self, number: signal.Signals) -> None:
        if number is not signal.SIGHUP:
            self._stop()
        elif self._killed_at_s is None:
            self._crew.look()
            self._signal_all(signal.SIGHUP)

    def _stop(self) -> None:
        """Tell all to end; the second time, to hurry; the third time, kill them."""
        self._stop_signals += 1
        now_s = time.monotonic()
        if self._killed_at_s is None:
            self._killed_at_s = now_s + self._patience_s
            self._crew.stopping()
            self._signal_all(signal.SIGTERM)
        elif self._stop_signals == 2:
            self._killed_at_s = min(self._killed_at_s, now_s + HURRY_S)
            # Another one: two of a kind are one for a worker that has yet to hear the first.
            self._signal_all(signal.SIGINT)
        else:
            self._killed_at_s = now_s

    def _kill(self) -> None:
        """Kill the remaining workers."""
        if any(post.child for post in self._posts):
            self._status = self._status or 1
            self._signal_all(signal.SIGKILL)
        self._killed_at_s = time.monotonic() + self._patience_s

    def _signal_all(self, number: signal.Signals) -> None:
        for post in self._posts:
            if post.child is not None:
                post.child.signal(number)
