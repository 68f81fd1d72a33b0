"""All subjects, started side by side in front of one model server, and what is asked of them."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.crew import Callers, ModelServer
from tests.bench.figures import Figures, Metric, of_calls, of_streams
from tests.bench.heard import Call
from tests.bench.job import Job
from tests.bench.loads import Load
from tests.bench.prepared import Way
from tests.bench.processes import memory_mb, settle, spending
from tests.bench.subjects import Absent, Reached, Subject

MODEL_PROCESSES = 2
CALLER_PROCESSES = 3
_PRIMING_CALLS = 100
_PRIMING_S = 30.0


class Failed(Exception):
    """A subject does not carry a load, so that no figure of it would mean anything."""


@dataclass(frozen=True)
class Started:
    """A subject that answers."""

    subject: Subject
    reached: Reached
    version: str


@dataclass
class Stage:
    """Everything that runs while the bench measures."""

    model: ModelServer
    callers: Callers
    started: list[Started] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)
    """Why subjects are not there, by their names."""

    def prime(self, one: Started) -> None:
        """Let a subject see the sources that recur, and make sure that its answers are right.

        Raises:
            Failed: a reply was not what it should be.
        """
        workers = max(1, one.subject.workers)
        calls = _PRIMING_CALLS * workers
        underway = self.callers.share(Job(one.reached, Way.PLAIN, 4 * workers, calls, _PRIMING_S))
        underway.go()
        underway.finish()
        right(underway.calls())

    def measure(self, one: Started, load: Load, seconds: float) -> Figures:
        """Put a load on a subject.

        Raises:
            Failed: a reply was not what it should be.
        """
        job = Job(
            one.reached,
            load.way,
            load.connections,
            load.most,
            seconds,
            load.sources,
            spread_s=load.spread_s,
        )
        underway = self.callers.share(job)
        self.model.sent()  # forget the streams of the warm-up
        pids = one.subject.pids()
        with spending(pids) as spent:
            with spending(self.model.pids) as model, spending(underway.pids) as callers:
                underway.go()
                underway.finish()
            settle(pids)
        calls = right(underway.calls())
        figures = of_calls(calls) | {
            Metric.MODEL_BUSY: model.busiest,
            Metric.CALLER_BUSY: callers.busiest,
        }
        if pids:
            figures[Metric.CPU_MS] = spent.total_s * 1e3 / len(calls)
            figures[Metric.PER_CPU_S] = len(calls) / spent.total_s
            figures[Metric.MEMORY_MB] = memory_mb(pids)
        if load.way in {Way.STREAM, Way.PACED}:
            figures |= of_streams(calls, self.model.sent())
        return figures


def right(calls: Sequence[Call]) -> Sequence[Call]:
    """Return the calls.

    Raises:
        Failed: one of them went wrong, or there are none.
    """
    problems = [call.problem for call in calls if call.problem] or ["no reply at all"]
    if not calls or any(call.problem for call in calls):
        raise Failed(f"{len(problems)} of {len(calls)} replies are wrong: {problems[0]}")
    return calls


@contextlib.contextmanager
def stage(subjects: Sequence[Subject], say: Callable[[str], None]) -> Iterator[Stage]:
    """Start everything; whatever was started is stopped at the end, however it comes."""
    with ExitStack() as stack:
        model = stack.enter_context(ModelServer(MODEL_PROCESSES))
        callers = stack.enter_context(Callers(CALLER_PROCESSES))
        model.wait_ready()
        made = Stage(model, callers)
        for subject in subjects:
            say(f"starting {subject.name}")
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
            stack.callback(subject.stop)
            try:
                version = subject.prepare()
                reached = subject.start(model.port, folder)
            except Absent as absent:
                subject.stop()
                made.absent[subject.name] = absent.reason
                continue
            made.started.append(Started(subject, reached, version))
        yield made
