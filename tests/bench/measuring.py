"""Side by side in one run: medians and spread, so that a figure means something anywhere."""

import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


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


def machine() -> str:
    return f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            names = [line.partition(":")[2].strip() for line in info if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
