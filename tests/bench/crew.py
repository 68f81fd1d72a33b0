"""The bench's own processes: the model server and the callers, on both sides of a subject."""

import multiprocessing
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from tests.bench.caller import run_caller
from tests.bench.heard import Call
from tests.bench.job import GRACE_S, Job
from tests.bench.upstream import Asked, SentTimes, run_upstream

START_WITHIN_S = 30.0
ANSWER_WITHIN_S = 30.0
END_WITHIN_S = 5.0
READ_WITHIN_S = 60.0
CONNECTIONS_OF_EACH = 4
_SPAWN = multiprocessing.get_context("spawn")


class TooLate(Exception):
    """A process of the bench did not answer in time, or is gone."""


class Child:
    """A process of the bench, at the other end of a pipe; it ends when the pipe is closed."""

    def __init__(self, target: Callable[..., None], given: Any) -> None:  # noqa: ANN401
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=target, args=(given, theirs), daemon=True)
        self._process.start()
        theirs.close()
        self.pid = self._process.pid or 0

    @property
    def pipe(self) -> Connection:
        return self._pipe

    def send(self, said: object) -> None:
        with suppress(BrokenPipeError):  # what it should have said is then missed by `wait`
            self._pipe.send(said)

    def wait(self, within_s: float) -> Any:  # noqa: ANN401
        """Return what it says next.

        Raises:
            TooLate: it says nothing in time.
        """
        if not self._pipe.poll(within_s):
            raise TooLate(f"process {self.pid} said nothing for {within_s:g} s")
        try:
            return self._pipe.recv()
        except EOFError:
            raise TooLate(f"process {self.pid} ended") from None

    def stop(self) -> None:
        self._pipe.close()
        self._process.join(END_WITHIN_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


class _Crew:
    """Some children, ended together."""

    def __init__(self) -> None:
        self._children: list[Child] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for child in self._children:
            child.stop()

    @property
    def pids(self) -> list[int]:
        return [child.pid for child in self._children]


class ModelServer(_Crew):
    """The scripted model server: processes that listen on one port."""

    def __init__(self, processes: int) -> None:
        super().__init__()
        self.port = 0
        for _ in range(processes):
            with socket.socket() as listener:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
                listener.bind(("127.0.0.1", self.port))
                self.port = listener.getsockname()[1]
                self._children.append(Child(run_upstream, listener))

    def wait_ready(self) -> None:
        for child in self._children:
            child.wait(START_WITHIN_S)

    def sent(self) -> SentTimes:
        """Return when the chunks of the streams since the last time were written."""
        sent: SentTimes = {}
        for found in self._asked("sent"):
            sent |= found
        return sent

    def open_streams(self) -> int:
        return sum(self._asked("open"))

    def _asked(self, what: Asked) -> list[Any]:
        for child in self._children:
            child.send(what)
        return [child.wait(ANSWER_WITHIN_S) for child in self._children]


class Callers(_Crew):
    """Processes that make requests; the first ones are used where a job has few connections."""

    def __init__(self, processes: int) -> None:
        super().__init__()
        self._children = [Child(run_caller, number) for number in range(processes)]

    def share(self, job: Job) -> "Underway":
        """Share out a job among the processes, and wait until all its connections are warm."""
        return Underway(self.prepare(shared_out(job, len(self._children))))

    def prepare(self, jobs: Sequence[Job]) -> list[tuple[Child, Job]]:
        """Give each process a job of its own, and wait until its connections are warm.

        Raises:
            TooLate: the subject does not answer.
        """
        pairs = list(zip(self._children, jobs, strict=False))
        for child, job in pairs:
            child.send(job)
        for child, job in pairs:
            child.wait(START_WITHIN_S + GRACE_S + job.warm_up * job.most_s)
        return pairs


class Underway:
    """Jobs whose connections are open and warm."""

    def __init__(self, pairs: Sequence[tuple[Child, Job]]) -> None:
        self._pairs = pairs

    @property
    def pids(self) -> list[int]:
        return [child.pid for child, _ in self._pairs]

    def go(self) -> None:
        for child, _ in self._pairs:
            child.send("go")

    def stop(self) -> None:
        for child, _ in self._pairs:
            child.send("stop")

    def finish(self) -> None:
        """Wait for the end of the load.

        Raises:
            TooLate: it does not end.
        """
        for child, job in self._pairs:
            child.wait(job.longest_s + GRACE_S)

    def calls(self) -> list[Call]:
        """Return what was heard, after the end of the load."""
        heard: list[Call] = []
        for child, _ in self._pairs:
            heard += child.wait(READ_WITHIN_S)
        return heard


def shared_out(job: Job, processes: int) -> list[Job]:
    """Share out a job: to few processes where it has few connections."""
    many = min(processes, -(-job.connections // CONNECTIONS_OF_EACH))
    parts = []
    for number in range(many):
        connections = job.connections // many + (number < job.connections % many)
        most = job.most // many + (number < job.most % many)
        phase = number / many
        parts.append(replace(job, connections=connections, most=most, phase=phase))
    return parts
