"""What the others wait while a request with 1 MB of new sources is judged."""

from tests.bench.crew import Underway
from tests.bench.figures import Figures, Metric, of_calls
from tests.bench.heard import Call
from tests.bench.job import Job
from tests.bench.loads import MOST_PLAIN
from tests.bench.prepared import Way
from tests.bench.stage import Stage, Started, right

NAME = "8 callers beside one request of 1 MB"
OTHERS = 8
MOST_LONG = 20
"""Each has its own megabyte, and a proxy that reads none of it would get through thousands."""


def measure_long(stage: Stage, one: Started, seconds: float) -> Figures:
    """Return how long the others wait, alone and beside long requests, one after the other.

    Raises:
        Failed: a reply was not what it should be.
    """
    alone = _heard(stage.callers.share(_others(one, seconds)))
    long = Job(one.reached, Way.PLAIN, 1, MOST_LONG, seconds, "long", warm_up=0)
    pairs = stage.callers.prepare([long, _others(one, long.longest_s)])
    judged, others = Underway(pairs[:1]), Underway(pairs[1:])
    judged.go()
    others.go()
    judged.finish()
    others.stop()
    others.finish()
    long_calls, beside = judged.calls(), others.calls()
    for calls in (alone, long_calls, beside):
        right(calls)
    return {
        Metric.OTHERS_ALONE_P99_MS: of_calls(alone)[Metric.P99_MS],
        Metric.OTHERS_P99_MS: of_calls(beside)[Metric.P99_MS],
        Metric.LONG_MS: of_calls(long_calls)[Metric.P50_MS],
    }


def _others(one: Started, seconds: float) -> Job:
    return Job(one.reached, Way.PLAIN, OTHERS, MOST_PLAIN, seconds)


def _heard(underway: Underway) -> list[Call]:
    underway.go()
    underway.finish()
    return underway.calls()
