"""Families of metrics in a registry, each described once: for Prometheus and for the README."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

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

# Times of creation would double the series of every counter, and nothing reads them.
disable_created_metrics()  # type: ignore[no-untyped-call]

Reading = tuple[Sequence[str], float]
"""Values of the labels, in order, and the figure."""


class Kind(StrEnum):
    """What kind of metric a family holds."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


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

    Attributes:
        registry: Holds them.
        described: All of them, in order.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.described: list[Family] = []

    def counter(self, name: str, said: str, labels: tuple[str, ...] = ()) -> Counter:
        """Return a new counter; its name ends in ``_total``."""
        self._describe(name, Kind.COUNTER, labels, said)
        return Counter(name, said, labels, registry=self.registry)

    def gauge(self, name: str, said: str, labels: tuple[str, ...] = ()) -> Gauge:
        """Return a new gauge."""
        self._describe(name, Kind.GAUGE, labels, said)
        return Gauge(name, said, labels, registry=self.registry)

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
    ) -> None:
        """Add a counter or a gauge whose figures somebody else keeps, read when asked for."""
        family = self._describe(name, kind, labels, said)
        self.registry.register(_Watched(family, read))

    def as_text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self.registry)

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
