"""Families of metrics in a registry, each described once: for Prometheus and for the README."""

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
)
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from proxy.metrics.shared import Copied, Reading, text_of_all

# Times of creation would double the series of every counter, and nothing reads them.
disable_created_metrics()  # type: ignore[no-untyped-call]


class Kind(StrEnum):
    """What kind of metric a family holds."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Together(StrEnum):
    """How a gauge of several processes becomes one figure; those that have ended do not count."""

    SUM = "livesum"
    MOST = "livemax"
    LEAST = "livemin"


@dataclass(frozen=True, slots=True)
class Family:
    """What is known of a family.

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
        for values, figure in self._read():
            family.add_metric(values, figure)
        yield family
