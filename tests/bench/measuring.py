"""Side by side in one run: medians and spread, so that a figure means something anywhere."""

import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

ROUNDS = 25


@dataclass(frozen=True)
class Measured:
    """Seconds of several rounds."""

    seconds: Sequence[float]

    @property
    def median_s(self) -> float:
        return statistics.median(self.seconds)

    @property
    def spread(self) -> float:
        """Half of the middle half's width, as a share of the median."""
        quarters = statistics.quantiles(self.seconds, n=4)
        return (quarters[2] - quarters[0]) / 2 / self.median_s


def side_by_side(
    tasks: Mapping[str, Callable[[], object]], rounds: int = ROUNDS
) -> dict[str, Measured]:
    """Run every task in every round, in turn, so that a slow moment hits all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            began_s = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - began_s)
    return {name: Measured(found) for name, found in seconds.items()}


def machine() -> str:
    return f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            names = [line.partition(":")[2].strip() for line in info if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
