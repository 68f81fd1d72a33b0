"""Processor time of single calls, round by round, and how it grows."""

import gc
import itertools
import statistics
import time
from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

from tests.bench.figures import exponent

Prepare: TypeAlias = Callable[[int], Callable[[], object]]
"""Gets ready, which is not counted, and returns the call that is.

Its number is never the same twice, so that it can prepare something that nobody has read.
"""

KeyT = TypeVar("KeyT")
TAIL = 3


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Cost(_Kept):
    """What a call takes, one value a round."""

    ms: list[float]

    @property
    def median_ms(self) -> float:
        return statistics.median(self.ms)

    @property
    def spread(self) -> float:
        """Half of the middle half's width, as a share of the median."""
        low, middle, high = statistics.quantiles(self.ms, n=4, method="inclusive")
        return (high - low) / 2 / middle if middle else 0.0


class Part(Cost):
    """A named call of several that are compared."""

    name: str


class Point(Cost):
    """A call over something of this size."""

    size: float

    @property
    def us_each(self) -> float:
        """Microseconds for each unit of the size."""
        return self.median_ms * 1e3 / self.size


class Growth(_Kept):
    """A call over something that grows."""

    title: str
    unit: str
    points: list[Point]

    @property
    def exponent(self) -> float:
        """1 where the cost is linear in the size."""
        return _fitted(self.points)

    @property
    def exponent_at_the_end(self) -> float:
        """The same of the largest sizes, where what is always paid counts least."""
        return _fitted(self.points[-TAIL:])


def costs(
    tasks: Mapping[KeyT, Prepare],
    rounds: int,
    clock_s: Callable[[], float] = time.process_time,
) -> dict[KeyT, list[float]]:
    """Run every task in every round, in turn; return milliseconds, without the first round's.

    The first round reads what later ones find read. What stands in memory before is not looked
    through by the garbage collector, as if the tasks ran in a process of their own.
    """
    found: dict[KeyT, list[float]] = {key: [] for key in tasks}
    numbers = itertools.count()
    gc.collect()
    gc.freeze()
    try:
        for _ in range(rounds + 1):
            for key, prepare in tasks.items():
                call = prepare(next(numbers))
                began_s = clock_s()
                call()
                found[key].append((clock_s() - began_s) * 1e3)
    finally:
        gc.unfreeze()
    return {key: ms[1:] for key, ms in found.items()}


def growth(title: str, unit: str, tasks: Mapping[float, Prepare], rounds: int) -> Growth:
    """Measure a call over several sizes."""
    measured = costs(tasks, rounds)
    return Growth(
        title=title,
        unit=unit,
        points=[Point(size=size, ms=ms) for size, ms in measured.items()],
    )


def parts(tasks: Mapping[str, Prepare], rounds: int) -> list[Part]:
    """Measure several calls side by side."""
    return [Part(name=name, ms=ms) for name, ms in costs(tasks, rounds).items()]


def _fitted(points: list[Point]) -> float:
    return exponent([(point.size, point.median_ms) for point in points])
