"""The load generator: a process that keeps so many connections busy, one request after the other.

While a load runs, replies are only kept; they are read and compared with what was said when it is
over, so that the generator spends its time on nothing else.
"""

import asyncio
import contextlib
import itertools
import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.connection import Connection as Pipe

import uvloop

from tests.bench.connection import Connection
from tests.bench.heard import Call, Reply, plain_words, problem_of, streamed_words
from tests.bench.job import GRACE_S, Job, Requests
from tests.bench.piping import react_to
from tests.bench.prepared import Seed
from tests.bench.wire import BrokenMessage

OPEN_EVERY_S = 0.005
BEGUN_WITHIN_S = 0.1
SERIALS_OF_EACH = 10**8


class _Load:
    """One job under way."""

    def __init__(self, job: Job, requests: Requests) -> None:
        self._job = job
        self._requests = requests
        self._left = 0
        self._until_ns = 0
        self._kept: list[tuple[Call, Reply]] = []
        self.begun = asyncio.Event()
        self.stopped = asyncio.Event()

    async def warm_up(self) -> tuple[list[Connection], list[Call]]:
        """Open the connections and use each; return them, and the calls that failed.

        One after the other: of several that come at once, one worker of a server may take all.
        """
        many, each = self._job.connections, self._job.warm_up
        self._left = many * each
        self._until_ns = time.monotonic_ns() + int(GRACE_S * 1e9)
        made = await self._all([None] * many, many * OPEN_EVERY_S, each)
        failed = [call for call in self.heard() if call.problem]
        self._kept.clear()
        return made, failed

    async def run(self, connections: Sequence[Connection]) -> None:
        """Ask until enough was asked, the time is over, or somebody says stop."""
        self._left = self._job.most
        self._until_ns = time.monotonic_ns() + int(self._job.asking_s * 1e9)
        for connection in await self._all(connections, self._job.spread_s, self._left):
            connection.close()

    async def hold(self, connections: Sequence[Connection]) -> None:
        """Begin a reply on each connection, and let them all be until somebody says stop.

        One after the other: how a server takes a connections at once is another question.
        """
        held = []
        for connection in connections:
            if self.stopped.is_set():
                break
            held.append(asyncio.ensure_future(connection.ask(self._requests.next()[1])))
            with contextlib.suppress(TimeoutError):  # some say nothing before they hear more
                await asyncio.wait_for(connection.begun.wait(), BEGUN_WITHIN_S)
        await self.stopped.wait()
        for connection in connections:
            connection.close()
        await asyncio.gather(*held, return_exceptions=True)

    def obey(self, order: object | None) -> None:
        """Begin at "go"; end at "stop", or when nobody is there any more."""
        if order != "go":
            self.stopped.set()
        self.begun.set()

    def heard(self) -> list[Call]:
        """Read the replies that were kept."""
        return [call if call.problem else self._read(call, reply) for call, reply in self._kept]

    async def _all(
        self, connections: Sequence[Connection | None], spread_s: float, most_of_each: int
    ) -> list[Connection]:
        step_s = spread_s / max(1, len(connections))
        kept = await asyncio.gather(
            *(
                self._keep_asking(connection, (place + self._job.phase) * step_s, most_of_each)
                for place, connection in enumerate(connections)
            )
        )
        return [connection for connection in kept if connection]

    async def _keep_asking(
        self, connection: Connection | None, after_s: float, most: int
    ) -> Connection | None:
        """Ask on a connection; return it, or the one that took its place when it was closed."""
        await asyncio.sleep(after_s)
        number = 0
        asked_ns = time.monotonic_ns()
        try:
            connection = connection or await Connection.open(self._job.reached.port)
            while most > 0 and self._may_ask():
                most -= 1
                self._left -= 1
                if not connection.is_open:
                    connection = await Connection.open(self._job.reached.port)
                number, request = self._requests.next()
                asked_ns = time.monotonic_ns()
                async with asyncio.timeout(self._job.longest_s):
                    first_ns, ended_ns, reply = await connection.ask(request)
                self._kept.append((Call(number, asked_ns, first_ns, ended_ns), reply))
        except (OSError, BrokenMessage) as error:  # a timeout is an OSError
            call = Call(number, asked_ns, problem=f"{type(error).__name__}: {error}")
            self._kept.append((call, Reply(b"", ())))
            if connection:
                connection.close()
        return connection

    def _may_ask(self) -> bool:
        in_time = time.monotonic_ns() < self._until_ns
        return self._left > 0 and in_time and not self.stopped.is_set()

    def _read(self, call: Call, reply: Reply) -> Call:
        case = self._requests.cases[Seed.read(call.seed).case]
        if self._job.way.streams:
            said, visible = streamed_words(reply)
        else:
            said, visible = plain_words(reply), []
        wanted = None if self._job.sources == "long" else case.answer
        return replace(call, visible=visible, problem=problem_of(reply, said, wanted))


def run_caller(process: int, pipe: Pipe) -> None:
    """Do jobs until the pipe is closed.

    For each `Job` received it sends "ready", waits for "go", sends "done", and then, when it has
    read what it heard, the list of `Call`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serials = itertools.count(process * SERIALS_OF_EACH)
    with contextlib.suppress(EOFError, OSError):
        while True:
            job: Job = pipe.recv()
            load = _Load(job, Requests(job, process, serials))
            failed = uvloop.run(_do(load, job.held, pipe))
            pipe.send("done")
            pipe.send(failed + load.heard())


async def _do(load: _Load, held: bool, pipe: Pipe) -> list[Call]:
    """Return the calls that failed before the load began."""
    connections, failed = await load.warm_up()
    react_to(pipe, load.obey)
    pipe.send("ready")
    await load.begun.wait()
    await (load.hold if held else load.run)(connections)
    asyncio.get_running_loop().remove_reader(pipe.fileno())
    return failed
