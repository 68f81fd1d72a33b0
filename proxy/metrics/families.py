"""Families of metrics in a registry, and the files in which several processes keep theirs together.

The files are mapped into memory: what a process has counted stays there when it is killed. A
process is known by its number among the others, not by its id: whoever takes the place of one that
died counts on where that one stopped, and the files do not become more.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

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


# Times of creation would double the series of every counter, and nothing reads them.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Kind(StrEnum):
    """Kind of metric in a family."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Together(StrEnum):
    """Aggregation of a gauge over processes; those that have ended do not count."""

    SUM = "livesum"
    MOST = "livemax"
    LEAST = "livemin"


@dataclass(frozen=True, slots=True)
class Family:
    """A family of metrics, with its description.

    Attributes:
        name: As queries name it; of a histogram with ``_bucket``, ``_sum`` or ``_count`` behind.
        kind: See `Kind`.
        labels: Names of its labels.
        said: What it counts or measures.
    """

    name: str
    kind: Kind
    labels: tuple[str, ...]
    said: str


class Families:
    """Makes families, and remembers them.

    Args:
        folder: Where several processes keep their metrics together; None for one by itself.

    Attributes:
        registry: Holds the families of this process.
        described: All of them, in order.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.registry = CollectorRegistry()
        self.described: list[Family] = []
        self._folder = folder
        self._copied: list[Copied] = []

    def counter(self, name: str, said: str, labels: tuple[str, ...] = ()) -> Counter:
        """Return a new counter; its name ends in ``_total``."""
        self._describe(name, Kind.COUNTER, labels, said)
        return Counter(name, said, labels, registry=self.registry)

    def gauge(
        self,
        name: str,
        said: str,
        labels: tuple[str, ...] = (),
        *,
        together: Together = Together.SUM,
    ) -> Gauge:
        """Return a new gauge."""
        self._describe(name, Kind.GAUGE, labels, said)
        return self._gauge(name, said, labels, together)

    def histogram(
        self, name: str, said: str, bounds: Sequence[float], labels: tuple[str, ...]
    ) -> Histogram:
        """Return a new histogram with these upper bounds of its buckets."""
        self._describe(name, Kind.HISTOGRAM, labels, said)
        return Histogram(name, said, labels, buckets=bounds, registry=self.registry)

    def watched(
        self,
        name: str,
        kind: Kind,
        said: str,
        labels: tuple[str, ...],
        read: Callable[[], Iterable[Reading]],
        *,
        together: Together = Together.SUM,
    ) -> None:
        """Add a counter or a gauge whose figures somebody else keeps, read when asked for."""
        family = self._describe(name, kind, labels, said)
        if self._folder is None:
            self.registry.register(_Watched(family, read))
        elif kind is Kind.GAUGE:
            make = partial(self._gauge, name, said, labels, together)
            self._copied.append(Copied(make, read))
        else:
            counter = partial(Counter, name, said, labels, registry=self.registry)
            self._copied.append(Copied(counter, read))

    def follow(self) -> None:
        """Let the other processes see what is kept elsewhere than in metrics."""
        for one in self._copied:
            one.follow()

    def as_text(self) -> bytes:
        """Return the metrics of all processes in Prometheus's text format."""
        if self._folder is None:
            return generate_latest(self.registry)
        self.follow()
        return text_of_all(self._folder)

    def _gauge(self, name: str, said: str, labels: tuple[str, ...], together: Together) -> Gauge:
        return Gauge(name, said, labels, registry=self.registry, multiprocess_mode=together.value)

    def _describe(self, name: str, kind: Kind, labels: tuple[str, ...], said: str) -> Family:
        family = Family(name, kind, labels, said)
        self.described.append(family)
        return family


class _Watched(Collector):
    """Reads the figures of one family at the moment of asking."""

    def __init__(self, family: Family, read: Callable[[], Iterable[Reading]]) -> None:
        self._family = family
        self._read = read

    def collect(self) -> Iterator[Metric]:
        name, labels, said = self._family.name, self._family.labels, self._family.said
        family: GaugeMetricFamily | CounterMetricFamily
        if self._family.kind is Kind.GAUGE:
            family = GaugeMetricFamily(name, said, labels=labels)
        else:
            family = CounterMetricFamily(name, said, labels=labels)
        for label_values, figure in self._read():
            family.add_metric(label_values, figure)
        yield family
