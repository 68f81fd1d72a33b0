"""What open streams cost that say nothing: a thousand of them, each after its first word."""

import time

from tests.bench.crew import ModelServer
from tests.bench.figures import Figures, Metric
from tests.bench.job import Job
from tests.bench.prepared import Way
from tests.bench.processes import memory_mb, settle
from tests.bench.stage import Failed, Stage, Started

NAME = "1,000 idle streams"
STREAMS = 1000
OPEN_WITHIN_S = 90.0
CLOSED_WITHIN_S = 30.0
LOOK_EVERY_S = 0.1


def measure_idle(stage: Stage, one: Started) -> Figures:
    """Return the memory that a thousand idle streams take, scaled up where fewer can be opened.

    Raises:
        Failed: the subject opens none.
    """
    pids = one.subject.pids()
    settle(pids)
    before_mb = memory_mb(pids)
    others = stage.model.open_streams()
    job = Job(one.reached, Way.IDLE, STREAMS, STREAMS, OPEN_WITHIN_S, warm_up=0, held=True)
    underway = stage.callers.share(job)
    underway.go()
    try:
        opened = _wait_for(stage.model, STREAMS + others, OPEN_WITHIN_S) - others
        settle(pids)
        held_mb = memory_mb(pids) - before_mb
    finally:
        underway.stop()
        underway.finish()
        underway.calls()
    if opened == 0:
        raise Failed(f"no stream is open after {OPEN_WITHIN_S:g} s")
    left = _wait_for(stage.model, others, CLOSED_WITHIN_S) - others
    return {
        Metric.MEMORY_MB: before_mb,
        Metric.STREAMS_MB: held_mb * 1000 / opened,
        Metric.STREAMS_OPEN: opened,
        Metric.STREAMS_LEFT: left,
    }


def _wait_for(model: ModelServer, wanted: int, within_s: float) -> int:
    """Wait until so many streams are open, but not forever; return how many are."""
    until_s = time.monotonic() + within_s
    while (now := model.open_streams()) != wanted and time.monotonic() < until_s:
        time.sleep(LOOK_EVERY_S)
    return now
