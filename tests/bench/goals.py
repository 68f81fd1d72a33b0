"""What was promised, next to what a run found."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.bench import idle
from tests.bench.figures import Metric, added, ratio
from tests.bench.lineup import (
    DIRECT,
    FOUR,
    LITELLM,
    LITELLM_HOOK,
    OFF,
    ON,
    ON_UNTRACED,
    PORTKEY,
    PORTKEY_REGEX,
)
from tests.bench.loads import PACED_8, PLAIN_32, STREAM_32, Load
from tests.bench.results import Results

Measure = Callable[[Results], float | None]


@dataclass(frozen=True)
class Goal:
    """A promise; ``at_most`` or ``at_least`` a limit, in a unit that follows the figure."""

    text: str
    limit: float
    unit: str
    at_most: bool
    measure: Measure

    def met(self, value: float) -> bool:
        return value <= self.limit if self.at_most else value >= self.limit


def _of(subject: str, load: Load | str, metric: Metric) -> Measure:
    name = load if isinstance(load, str) else load.name
    return lambda results: results.median(subject, name, metric)


def _ratio(subject: str, baseline: str, load: Load, metric: Metric) -> Measure:
    def measure(results: Results) -> float | None:
        mine = results.values(subject, load.name, metric)
        theirs = results.values(baseline, load.name, metric)
        return ratio(mine, theirs) if mine and theirs else None

    return measure


def _added(subject: str, load: Load, metric: Metric) -> Measure:
    def measure(results: Results) -> float | None:
        mine = results.values(subject, load.name, metric)
        direct = results.values(DIRECT, load.name, metric)
        return added(mine, direct) if mine and direct else None

    return measure


def _share_of_traces(results: Results) -> float | None:
    kept = _ratio(ON, ON_UNTRACED, PLAIN_32, Metric.PER_S)(results)
    return None if kept is None else (1 - kept) * 100


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def _most(text: str, limit: float, unit: str, measure: Measure) -> Goal:
    return Goal(text, limit, unit, at_most=True, measure=measure)


def _least(text: str, limit: float, measure: Measure) -> Goal:
    return Goal(text, limit, "x", at_most=False, measure=measure)


_PER_S, _CPU = Metric.PER_S, Metric.CPU_MS
GOALS = (
    _least("guards off: requests/s, to LiteLLM", 14, _ratio(OFF, LITELLM, PLAIN_32, _PER_S)),
    _least("guards off: requests/s, to Portkey", 4, _ratio(OFF, PORTKEY, PLAIN_32, _PER_S)),
    _most("guards off: CPU of a plain request", 0.45, "ms", _of(OFF, PLAIN_32, _CPU)),
    _most("guards off: CPU of a stream of 100 chunks", 0.9, "ms", _of(OFF, STREAM_32, _CPU)),
    _most(
        "guard pass, sources seen before", 1.8, "ms", lambda run: _median(run.guard_pass_seen_ms)
    ),
    _most("guard pass, new sources", 7, "ms", lambda run: _median(run.guard_pass_new_ms)),
    _least(
        "guards on: requests/s, to LiteLLM with a hook",
        3,
        _ratio(ON, LITELLM_HOOK, PLAIN_32, _PER_S),
    ),
    _least(
        "guards on: requests/s, to Portkey with a regex guard",
        1,
        _ratio(ON, PORTKEY_REGEX, PLAIN_32, _PER_S),
    ),
    _most("guards on: CPU of a plain request", 2.4, "ms", _of(ON, PLAIN_32, _CPU)),
    _least(
        "guards on: streams/s, to LiteLLM with a hook",
        14,
        _ratio(ON, LITELLM_HOOK, STREAM_32, _PER_S),
    ),
    _least(
        "guards on: streams/s, to Portkey with a regex guard",
        0.85,
        _ratio(ON, PORTKEY_REGEX, STREAM_32, _PER_S),
    ),
    _most("guards on: CPU of a stream of 100 chunks", 3.6, "ms", _of(ON, STREAM_32, _CPU)),
    _most("a trace of each request: throughput lost", 5, "%", _share_of_traces),
    _most(
        "guards on, paced: first byte later than direct",
        2,
        "ms",
        _added(ON, PACED_8, Metric.FIRST_BYTE_MS),
    ),
    _most(
        "guards off, paced: p99 of a chunk's delay, to Portkey",
        0.1,
        "x",
        _ratio(OFF, PORTKEY, PACED_8, Metric.CHUNK_P99_MS),
    ),
    _most(
        "guards on, paced: first sentence after the model wrote it",
        4,
        "ms",
        _of(ON, PACED_8, Metric.SENTENCE_LATER_MS),
    ),
    _most("guards on: memory of a worker", 120, "MB", _of(ON, PLAIN_32, Metric.MEMORY_MB)),
    _most("guards on: 1,000 idle streams", 35, "MB", _of(ON, idle.NAME, Metric.STREAMS_MB)),
    _least("guards off: 4 workers to 1", 3.3, _ratio(OFF + FOUR, OFF, PLAIN_32, _PER_S)),
    _least("guards on: 4 workers to 1", 3.3, _ratio(ON + FOUR, ON, PLAIN_32, _PER_S)),
)
