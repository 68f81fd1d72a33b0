"""Runs guards without delaying other requests: long texts in a thread, very long ones in a process.

The sources of a request are analysed in short steps while the model server works, so that the first
sentence of the answer need not wait for that.
"""

import asyncio
import re
from collections.abc import Callable, Collection, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock
from time import perf_counter
from typing import ClassVar, Concatenate, ParamSpec, TypeVar

from guards.core.exchange import Exchange
from guards.core.guard import Stage
from policies.decision import JudgeReport, Possible
from policies.inspection import NOTHING, Inspector, SegmentInspector
from policies.schema.loader import LoadedPolicy
from policies.schema.policy import Action, Policy
from policies.verdict import Verdict
from proxy.errors import CannotJudgeNow
from proxy.logs import failure, logger
from proxy.replay.workers import OneProcess, PackedPolicies, judging_by_packed
from proxy.tenants import Tenant

log = logger(__name__)

Made = TypeVar("Made")
LARGE_BYTES = 64 * 1024
"""A body, an event or a text that is larger is read in a thread."""
_BODY_READERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="large-body")


async def read_offloaded(size: int, read: Callable[[], Made]) -> Made:
    """Read something of so many bytes, in a thread where that is much: other requests go on."""
    if size <= LARGE_BYTES:
        return read()
    within = copy_context()
    return await asyncio.get_running_loop().run_in_executor(_BODY_READERS, within.run, read)


LONG_TEXT_CHARS = 12_000
"""Above this, guards run in a thread, so that other requests go on meanwhile.

Below, a thread costs more than it spares: the guards and the event loop share one interpreter, and
each thread that reads keeps memory of its own.
"""
_ANSWER_WEIGHT, _NUMBER_WEIGHT = 4, 300
"""As many characters of a source take as long as one of an answer, and as a number in one."""
_NUMBER = re.compile(r"\d+")
_SENT_AFTER_S = 0.001
"""Until then a request has left for its model server, which reading ahead must not delay."""
_AT_MOST_S = 0.0005
"""Seconds of reading ahead before other requests have their turn; one piece may take longer."""
_READERS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="long-text")


class RemoteGuardFailure(Exception):
    """Stands for what broke a guard in another process; ``fields`` are those of its log line."""

    def __init__(self, fields: dict[str, object]) -> None:
        super().__init__(fields)
        self.fields = fields

    @classmethod
    def of(cls, error: Exception) -> "RemoteGuardFailure":
        """Return what stands for an exception."""
        return cls(failure(error))


def chars_of(exchange: Exchange) -> int:
    """Return how much there is to read in an exchange."""
    chars = len(exchange.question) + len(exchange.answer or "") + len(exchange.echo)
    return chars + len(exchange.previous_answer) + sum([len(one.text) for one in exchange.sources])


def takes_long(inspector: Inspector, exchange: Exchange) -> bool:
    """Tell whether other requests should go on while an exchange is inspected."""
    return inspector.waits or _effort(exchange) > LONG_TEXT_CHARS


def _effort(exchange: Exchange) -> int:
    """Return how long an exchange takes to inspect, in characters of a source."""
    effort = chars_of(exchange)
    answer = exchange.answer
    if answer and effort <= LONG_TEXT_CHARS:
        effort += (_ANSWER_WEIGHT - 1) * len(answer)
        effort += _NUMBER_WEIGHT * len(_NUMBER.findall(answer))
    return effort


async def run_offloaded(inspector: Inspector, exchange: Exchange, work: Callable[[], Made]) -> Made:
    """Do a piece of work on an exchange so that other requests go on meanwhile.

    What is done in another process is waited for in a thread like any that waits. What is done in a
    thread of this process takes the interpreter from all others: few may do so at once.
    """
    if not takes_long(inspector, exchange):
        return work()
    if inspector.waits:
        return await asyncio.to_thread(work)
    within = copy_context()
    return await asyncio.get_running_loop().run_in_executor(_READERS, within.run, work)


@contextmanager
def reading_ahead(
    inspector: Inspector, exchange: Exchange, turn: asyncio.Lock
) -> Generator[None, None, None]:
    """Read what the guards need of a request while its model server is waited for.

    Of long texts nothing is read ahead: each piece could hold up others. Nor of sources that are
    known: what is left to be read takes less time than to have it read at another moment.

    Args:
        inspector: What will look at the answers.
        turn: Held while reading: one request at a time is enough to fill the pauses.
    """
    if takes_long(inspector, exchange) or inspector.knows_sources(exchange):
        yield
        return
    reading = asyncio.create_task(_read_ahead(inspector, exchange, turn))
    try:
        yield
    finally:
        reading.cancel()


async def _read_ahead(inspector: Inspector, exchange: Exchange, turn: asyncio.Lock) -> None:
    await asyncio.sleep(_SENT_AFTER_S)
    async with turn:
        began_s = perf_counter()
        for _ in inspector.read_ahead(exchange):
            if perf_counter() - began_s > _AT_MOST_S:
                await asyncio.sleep(0)
                began_s = perf_counter()


def log_failures(request_id: str, verdict: Verdict) -> None:
    """Log every guard that broke."""
    for report in verdict.reports:
        error = report.error
        if error is not None:
            fields = error.fields if isinstance(error, RemoteGuardFailure) else failure(error)
            log.error("guard.failed", request_id=request_id, guard=report.guard, **fields)


Given = ParamSpec("Given")
Work = Callable[Concatenate[Inspector, Given], Made]
"""A function of a module that works with an inspector."""


@dataclass(frozen=True, slots=True)
class InspectorRef:
    """Which inspector works.

    Attributes:
        only: Its guards, where they are not all that the policy has switched on.
        of_segments: It judges answers that are not complete yet.
    """

    policy: bytes
    only: frozenset[str] | None = None
    of_segments: bool = False

    def among(self, wanted: Collection[str]) -> "InspectorRef":
        """Return the same with only some of the guards."""
        only = frozenset(wanted)
        return replace(self, only=only if self.only is None else only & self.only)

    def inspector(self) -> Inspector:
        """Return the inspector; policies that were read once stay ready."""
        inspector = judging_by_packed(self.policy).inspector
        if self.only is not None:
            inspector = inspector.only(self.only)
        return inspector.of_segments if self.of_segments else inspector


def run_in_process(
    which: InspectorRef, work: Work[Given, Made], *args: Given.args, **kwargs: Given.kwargs
) -> Made:
    """Do a piece of work; runs in the process."""
    made = work(which.inspector(), *args, **kwargs)
    return _portable(made) if isinstance(made, Verdict) else made  # type: ignore[return-value]


def _portable(verdict: Verdict) -> Verdict:
    """Return a verdict of which all can travel: exceptions cannot, nor would they tell from where.

    Of most verdicts that is the verdict itself.
    """
    if not any(report.error for report in verdict.reports):
        return verdict
    return replace(
        verdict,
        reports=tuple(
            replace(report, error=RemoteGuardFailure.of(report.error)) if report.error else report
            for report in verdict.reports
        ),
    )


PATIENCE_S = 30.0
"""A process that does not finish a piece of work within this time is terminated.

Longer, a single text of megabytes would keep it from the long texts of all other callers.
"""
RETRY_AFTER_S = 2


class PoolProcess(OneProcess):
    """A process for long texts.

    Attributes:
        in_flight: Requests whose texts are judged in it.
    """

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        super().__init__()
        self._patience_s = patience_s
        self.in_flight = 0
        self._working = 0
        self._counting = Lock()

    @property
    def load(self) -> int:
        """Number of requests with work in it, even if they no longer wait for it."""
        return max(self.in_flight, self._working)

    def done(
        self,
        which: InspectorRef,
        work: Work[Given, Made],
        *args: Given.args,
        **kwargs: Given.kwargs,
    ) -> Made:
        """Return the result of a piece of work with an inspector; see `run`."""
        return self.run(partial(run_in_process, which, work, *args, **kwargs))

    def run(self, work: Callable[[], Made]) -> Made:
        """Return the result of a piece of work; waits for it, so call it in a thread.

        Raises:
            CannotJudgeNow: the process died, or did not end.
        """
        process = self._process
        if process is None:
            raise CannotJudgeNow("what judges it was ended", RETRY_AFTER_S)
        with self._counting:
            self._working += 1
        try:
            doing = process.pool.submit(work)
            return doing.result(self._patience_s)
        except TimeoutError:
            log.error("long_text.stuck", within_s=self._patience_s)  # noqa: TRY400
            self.leave(process)
            process.end()
            raise CannotJudgeNow("it took too long", RETRY_AFTER_S) from None
        except BrokenProcessPool:
            log.error("long_text.process_died")  # noqa: TRY400
            self.leave(process)
            raise CannotJudgeNow("what judged it has died", RETRY_AFTER_S) from None
        finally:
            with self._counting:
                self._working -= 1

    def submit(self, work: Callable[[], Made]) -> Future[Made]:
        """Have a piece of work done after all others, however long that takes.

        Raises:
            BrokenProcessPool: the process has died.
            RuntimeError: it is closed.
        """
        if self._process is None:
            raise RuntimeError("the process is closed")
        return self._process.pool.submit(work)


class RemoteInspector(Inspector):
    """Asks a process for its verdicts, which are those that it would reach itself.

    Every method waits for the process: call it in a thread, as is done for long texts. Each may
    raise `CannotJudgeNow`.
    """

    waits: ClassVar[bool] = True

    def __init__(self, policy: Policy, lane: PoolProcess, which: InspectorRef) -> None:
        super().__init__(policy, guards=())
        self._lane = lane
        self._which = which

    def only(self, wanted: Collection[str]) -> Inspector:
        """Return an inspector by the same policy that runs only some of its guards."""
        return RemoteInspector(self.policy, self._lane, self._which.among(wanted))

    def inspect(self, exchange: Exchange, stage: Stage, possible: Possible = NOTHING) -> Verdict:
        """Read the exchange, run the guards of a stage over it, and decide."""
        return self._lane.done(self._which, Inspector.inspect, exchange, stage, possible)

    def settled(self, exchange: Exchange, verdict: Verdict, *, may_edit: bool) -> Verdict:
        """Return the verdict over the same answer now that no second attempt is left."""
        if verdict.action is not Action.REGENERATE:
            return verdict
        known = _portable(verdict)  # the beginning of its answer may have been judged here
        return self._lane.done(self._which, Inspector.settled, exchange, known, may_edit=may_edit)

    def with_judge_report(
        self, exchange: Exchange, verdict: Verdict, report: JudgeReport, possible: Possible
    ) -> Verdict:
        """Return the verdict over the same answer with the report of a judge."""
        known = _portable(verdict)
        return self._lane.done(
            self._which, Inspector.with_judge_report, exchange, known, report, possible
        )

    @cached_property
    def of_segments(self) -> SegmentInspector:
        """The inspector of answers that are not complete yet."""
        which = replace(self._which, of_segments=True)
        return _RemoteSegmentInspector(self.policy, self._lane, which)

    def direct_answer(self, exchange: Exchange) -> str | None:
        """Return the sources' own answer, if the policy wants it, there is one and it passes."""
        if not self.policy.replacement.direct_answer:
            return None
        return self._lane.done(self._which, Inspector.direct_answer, exchange)


class _RemoteSegmentInspector(RemoteInspector, SegmentInspector):
    """The same for answers that are not complete yet."""


MOST_IN_FLIGHT = 4
"""Most requests for one process; further ones would wait too long."""
BUSY_FOR_S = 5


class LongTextPool:
    """Has the texts of very long requests judged in processes of their own.

    Args:
        lanes: The processes; without any, all texts are judged in this one.
        most_in_flight: See `MOST_IN_FLIGHT`.
    """

    def __init__(
        self,
        lanes: Sequence[PoolProcess],
        more_than_chars: int = 0,
        most_in_flight: int = MOST_IN_FLIGHT,
    ) -> None:
        self._lanes = lanes
        self._more_than_chars = more_than_chars
        self._most_in_flight = most_in_flight
        self.packed = PackedPolicies()
        self._is_closed = False

    def seat(self) -> "Seat":
        """Return a place for a request; a process is taken when there is something for it."""
        return Seat(self)

    @contextmanager
    def acquire(self, tenant: Tenant, exchange: Exchange) -> Generator[Tenant, None, None]:
        """Yield the tenant whose inspector judges a request: apart if it is very long.

        Raises:
            CannotJudgeNow: there are too many such requests already.
        """
        with self.seat() as seat:
            yield seat.judging(tenant, exchange)

    def is_very_long(self, chars: int) -> bool:
        """Tell whether so long a text is for a process, if there are any."""
        return bool(self._lanes) and chars > self._more_than_chars

    def lane(self) -> PoolProcess | None:
        """Return the process with the least to do; None if all have enough."""
        lane = min(self._lanes, key=lambda one: one.load)
        if lane.load >= self._most_in_flight:
            return None
        lane.open()
        return lane

    def submit(self, work: Callable[[], Made]) -> Future[Made]:
        """Have something done that nobody waits for, by the process with the least to do.

        Raises:
            BrokenProcessPool: the process has died.
            RuntimeError: there is none any more.
        """
        if not self._lanes:
            raise RuntimeError("there are no processes")
        lane = min(self._lanes, key=lambda one: one.load)
        if not self._is_closed:
            lane.open()
        return lane.submit(work)

    def close(self) -> None:
        """End the processes."""
        self._is_closed = True
        for lane in self._lanes:
            lane.close()


class Seat:
    """The place of one request among the processes.

    One process does all that is to be done apart for it, so that it has read the sources after the
    first time.
    """

    def __init__(self, pool: LongTextPool) -> None:
        self._pool = pool
        self._lane: PoolProcess | None = None

    def __enter__(self) -> "Seat":
        return self

    def __exit__(self, *raised: object) -> None:
        if self._lane is not None:
            self._lane.in_flight -= 1
            self._lane = None

    @property
    def is_taken(self) -> bool:
        """True if part of the request was handled in the pool already."""
        return self._lane is not None

    def is_for(self, chars: int) -> bool:
        """Tell whether so long a text is read apart."""
        return self._pool.is_very_long(chars)

    def judging(self, tenant: Tenant, exchange: Exchange, *, may_stay: bool = False) -> Tenant:
        """Return the tenant whose inspector judges an exchange: apart if it is very long.

        Args:
            tenant: Who asks.
            may_stay: It is judged in this process if all others have enough to do.

        Raises:
            CannotJudgeNow: there are too many such requests already.
        """
        if tenant.inspector.waits or not self.is_for(chars_of(exchange)):
            return tenant
        try:
            lane = self._taken()
        except CannotJudgeNow:
            if may_stay:
                return tenant
            raise
        which = InspectorRef(self._pool.packed.of(tenant.loaded))
        return replace(tenant, inspector=RemoteInspector(tenant.policy, lane, which))

    async def run(self, work: Callable[[], Made]) -> Made:
        """Return the result of a piece of work that a process does.

        Raises:
            CannotJudgeNow: there are too many such requests already, or it took too long.
        """
        return await asyncio.to_thread(self._taken().run, work)

    async def with_policy(self, loaded: LoadedPolicy, work: Callable[[LoadedPolicy], Made]) -> Made:
        """Do the same with a policy, which a process has read after the first time."""
        return await self.run(partial(_with_policy, self._pool.packed.of(loaded), work))

    def _taken(self) -> PoolProcess:
        if self._lane is None:
            lane = self._pool.lane()
            if lane is None:
                raise CannotJudgeNow("others wait already", BUSY_FOR_S)
            lane.in_flight += 1
            self._lane = lane
        return self._lane


def _with_policy(policy: bytes, work: Callable[[LoadedPolicy], Made]) -> Made:
    return work(judging_by_packed(policy).loaded)
