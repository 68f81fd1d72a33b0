"""Metrics that several processes keep together, in files which they map into memory.

What a process has counted stays in its file when it is killed. A process is known there by its
number among the others, not by its id: whoever takes the place of one that died counts on where
that one stopped, and the files do not become more.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

Reading = tuple[Sequence[str], float]
"""Values of the labels, in order, and the figure."""

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"


def keep_together(folder: Path, number: int) -> None:
    """Let all metrics that this process makes from now on lie in a folder.

    Args:
        folder: Empty when the first of the processes begins.
        number: Which of them this one is.
    """
    os.environ[_FOLDER] = str(folder)  # where the library looks, at each new metric
    made = values.MultiProcessValue(lambda: number)  # type: ignore[no-untyped-call]
    values.ValueClass = made


def keep_alone() -> None:
    """Let metrics that this process makes from now on be its own again."""
    os.environ.pop(_FOLDER, None)
    values.ValueClass = values.MutexValue


def note_end(folder: Path, number: int) -> None:
    """Take out what a process that has ended said of itself; what it has counted stays."""
    mark_process_dead(number, str(folder))  # type: ignore[no-untyped-call]


def text_of_all(folder: Path) -> bytes:
    """Return the metrics of all processes as one, in Prometheus's text format."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry, str(folder))  # type: ignore[no-untyped-call]
    return generate_latest(registry)


class Copied:
    """A metric in the folder that follows figures which somebody else keeps.

    It is made when there is a first figure: a metric without labels is there from then on, and one
    that is 0 may mean something.

    Args:
        make: Makes the metric.
        read: Reads the figures.
    """

    def __init__(
        self, make: Callable[[], Counter | Gauge], read: Callable[[], Iterable[Reading]]
    ) -> None:
        self._make = make
        self._read = read
        self._metric: Counter | Gauge | None = None
        self._counted: dict[tuple[str, ...], float] = {}

    def follow(self) -> None:
        """Bring the metric up to date."""
        for labels, figure in self._read():
            metric = self._metric = self._metric or self._make()
            one = metric.labels(*labels) if labels else metric
            if isinstance(one, Gauge):
                one.set(figure)
            else:
                one.inc(figure - self._counted.get(tuple(labels), 0.0))
                self._counted[tuple(labels)] = figure
