"""The bench's arithmetic: from calls to figures, and from the figures of rounds to one."""

import math
import statistics
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from tests.bench.corpus import numbered
from tests.bench.heard import Call
from tests.bench.prepared import Seed
from tests.bench.upstream import SentTimes, chunk_ends

_NS_PER_MS = 1e6


class Metric(StrEnum):
    """What is measured of a subject under a load."""

    CALLS = "calls"
    PER_S = "requests_per_s"
    CPU_MS = "cpu_ms_per_request"
    PER_CPU_S = "requests_per_cpu_s"
    P50_MS = "latency_p50_ms"
    P99_MS = "latency_p99_ms"
    FIRST_BYTE_MS = "first_byte_p50_ms"
    SENTENCE_MS = "first_sentence_p50_ms"
    SENTENCE_LATER_MS = "sentence_after_model_p50_ms"
    SENTENCE_LATER_P99_MS = "sentence_after_model_p99_ms"
    CHUNK_MS = "chunk_delay_p50_ms"
    CHUNK_P99_MS = "chunk_delay_p99_ms"
    MODEL_BUSY = "busiest_model_process"
    CALLER_BUSY = "busiest_caller_process"
    MEMORY_MB = "memory_pss_mb"
    STREAMS_MB = "memory_1000_idle_streams_mb"
    STREAMS_OPEN = "idle_streams_open"
    STREAMS_LEFT = "idle_streams_left_after_callers_went"
    OTHERS_P99_MS = "others_p99_ms"
    OTHERS_ALONE_P99_MS = "others_alone_p99_ms"
    LONG_MS = "long_request_ms"


Figures: TypeAlias = dict[Metric, float]
"""The figures of one subject in one round of one load."""


@dataclass(frozen=True)
class Heard:
    """Moments of one stream, in milliseconds."""

    first_byte: float
    sentence: float
    sentence_after_model: float
    chunk_delays: Sequence[float]


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value below which so many percent lie, between the two nearest ranks."""
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def spread(values: Sequence[float]) -> float:
    """Return half of the distance from the least to the most, as a share of the median."""
    middle = statistics.median(values)
    return (max(values) - min(values)) / 2 / middle if middle else 0.0


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Return how a cost grows with a size: 1 where it is linear, by least squares of logarithms."""
    logs = [(math.log(size), math.log(cost)) for size, cost in points]
    return statistics.linear_regression(*zip(*logs, strict=True)).slope


def of_calls(calls: Sequence[Call]) -> Figures:
    """Return what the callers saw of replies of any kind."""
    latencies = [(call.ended_ns - call.asked_ns) / _NS_PER_MS for call in calls]
    took_ns = max(call.ended_ns for call in calls) - min(call.asked_ns for call in calls)
    return {
        Metric.CALLS: len(calls),
        Metric.PER_S: len(calls) / (took_ns / 1e9),
        Metric.P50_MS: percentile(latencies, 50),
        Metric.P99_MS: percentile(latencies, 99),
    }


def of_streams(calls: Sequence[Call], sent: SentTimes) -> Figures:
    """Return what the callers saw of streams, next to when the model server wrote them."""
    heard = [_of_stream(call, sent[call.seed]) for call in calls]
    delays = [delay for one in heard for delay in one.chunk_delays]
    later = [one.sentence_after_model for one in heard]
    return {
        Metric.FIRST_BYTE_MS: percentile([one.first_byte for one in heard], 50),
        Metric.SENTENCE_MS: percentile([one.sentence for one in heard], 50),
        Metric.SENTENCE_LATER_MS: percentile(later, 50),
        Metric.SENTENCE_LATER_P99_MS: percentile(later, 99),
        Metric.CHUNK_MS: percentile(delays, 50),
        Metric.CHUNK_P99_MS: percentile(delays, 99),
    }


def _of_stream(call: Call, sent_ns: Sequence[int]) -> Heard:
    """Return the moments of a stream.

    A chunk is there when all characters up to its end are. The model server has finished the first
    sentence when it wrote what follows it, the end of its line: before, nobody can know.
    """
    case = numbered(Seed.read(call.seed).case)
    ends = chunk_ends(case.answer)
    seen_chars = [chars for _, chars in call.visible]

    def visible_ns(chars: int) -> int:
        return call.visible[bisect_left(seen_chars, chars)][0]

    def written_ns(chunk: int) -> int:
        return sent_ns[min(chunk, len(sent_ns) - 1)]

    sentence_ns = visible_ns(case.first_sentence_chars)
    finished_ns = written_ns(bisect_left(ends, case.first_sentence_chars + 1))
    return Heard(
        first_byte=(call.first_byte_ns - call.asked_ns) / _NS_PER_MS,
        sentence=(sentence_ns - call.asked_ns) / _NS_PER_MS,
        sentence_after_model=(sentence_ns - finished_ns) / _NS_PER_MS,
        chunk_delays=[
            (visible_ns(end) - written_ns(chunk)) / _NS_PER_MS for chunk, end in enumerate(ends)
        ],
    )


def added(figures: Sequence[float], direct: Sequence[float]) -> float:
    """Return the median of what each round added to the direct way in the same round."""
    return statistics.median(mine - plain for mine, plain in zip(figures, direct, strict=False))


def ratio(figures: Sequence[float], baseline: Sequence[float]) -> float:
    """Return the ratio of two medians."""
    return statistics.median(figures) / statistics.median(baseline)
