"""Metrics for Prometheus, and the files through which several processes share theirs.

Labels are bounded: no text of a tenant, no key, no path. The files are mapped into memory: what a
process has counted stays there when it is killed. A process is known by its number among the
others, not by its id: whoever takes the place of one that died counts on where that one stopped,
and the files do not become more.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

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
    """
    os.environ[_FOLDER] = str(folder)  # where the library looks, at each new metric
    made = values.MultiProcessValue(lambda: number)  # type: ignore[no-untyped-call]
    values.ValueClass = made


def keep_alone() -> None:
    """Let metrics that this process makes from now on be its own again."""
    os.environ.pop(_FOLDER, None)
    values.ValueClass = values.MutexValue


def note_end(folder: Path, number: int) -> None:
    """Take out what a process that has ended said about itself; what it has counted stays."""
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
    """A family of metrics, with its description."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    said: str


class Families:
    """Makes families, and remembers them."""

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
            self.registry.register(_LiveFamily(family, read))
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


class _LiveFamily(Collector):
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


NAME = "guard-proxy"


def product_version() -> str:
    """Return the version that is installed; ``unknown`` where only the sources are there."""
    try:
        return version(NAME)
    except PackageNotFoundError:
        return "unknown"


SECONDS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
GUARD_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5)
ONE_GUARD_SECONDS = (0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5)
SIGNALS = ("traces", "metrics")
"""Signals that telemetry sends."""
FamilyT = TypeVar("FamilyT", Counter, Gauge, Histogram)

_TRACES = {
    "queued": (Kind.COUNTER, "Traces queued for the store."),
    "delivered": (Kind.COUNTER, "Traces that the store accepted."),
    "outboxed": (Kind.COUNTER, "Traces that had to wait in the outbox."),
    "dropped": (
        Kind.COUNTER,
        "Traces that were lost because neither the store nor the outbox nor "
        "memory could take them.",
    ),
    "refused": (Kind.COUNTER, "Traces that the store rejected permanently."),
    "waiting": (Kind.GAUGE, "Traces that wait in memory."),
    "outbox": (Kind.GAUGE, "Traces that wait in the outbox."),
}


class Metrics:
    """The service's metrics, in a registry of their own.

    Args:
        folder: Where several processes keep their metrics together; None for one by itself.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._traces: Callable[[], Mapping[str, int]] = dict
        self._judges: Callable[[], Mapping[str, StrEnum]] = dict
        self._policies: Callable[[], tuple[float, int]] = lambda: (0.0, 0)
        self._limits_are_away: Callable[[], bool] = lambda: False
        self._families = Families(folder)
        self._children: dict[tuple[object, ...], Any] = {}
        self.registry = self._families.registry
        self._add_requests()
        self._add_guards()
        self._add_model()
        self._add_shadow()
        self._add_service()
        self._watch_all()

    def watch_traces(self, counters: Callable[[], Mapping[str, int]]) -> None:
        """Show the trace recorder's own counters, read when asked for."""
        self._traces = counters

    def watch_judges(self, states: Callable[[], Mapping[str, StrEnum]]) -> None:
        """Show the state of each tenant's judge, read when asked for."""
        self._judges = states

    def watch_policies(self, state: Callable[[], tuple[float, int]]) -> None:
        """Show since when the policies are in force, in Unix seconds, and for how many tenants."""
        self._policies = state

    def watch_limits(self, is_away: Callable[[], bool]) -> None:
        """Show whether limits have to do without their Redis, read when asked for."""
        self._limits_are_away = is_away

    def of(self, family: FamilyT, *labels: str) -> FamilyT:
        """Return a family's metric with these labels, looked up once."""
        known = (family, labels)
        child = self._children.get(known)
        if child is None:
            child = self._children[known] = family.labels(*labels)
        found: FamilyT = child
        return found

    def as_text(self) -> bytes:
        """Return the metrics of all processes in Prometheus's text format."""
        return self._families.as_text()

    def follow(self) -> None:
        """Let the other processes see what is only read when asked for."""
        self._families.follow()

    @property
    def described(self) -> Iterable[Family]:
        """All families, as the README lists them."""
        return tuple(self._families.described)

    def _add_requests(self) -> None:
        counter = self._families.counter
        self.requests = counter(
            "guard_proxy_requests_total",
            "Requests that ended, by outcome.",
            ("tenant", "door", "action", "status"),
        )
        self.request_seconds = self._families.histogram(
            "guard_proxy_request_seconds",
            "Time from a request to the end of its reply.",
            SECONDS,
            ("tenant", "door"),
        )
        self.errors = counter(
            "guard_proxy_errors_total",
            "Requests that ended in an error, by its code.",
            ("tenant", "code"),
        )
        self.not_checked = counter(
            "guard_proxy_requests_not_checked_total",
            "Requests of which something was not checked although it should have been.",
            ("tenant",),
        )
        self.closings = counter(
            "guard_proxy_closings_total",
            "Answers that a template ended after part of them had been sent.",
            ("tenant", "template"),
        )
        self.limited_requests = counter(
            "guard_proxy_limited_requests_total",
            "Requests that were refused by a limit of their tenant.",
            ("tenant", "limit"),
        )
        self.overloaded = counter(
            "guard_proxy_overloaded_total",
            "Connections, requests and streams that were refused because a worker had reached its "
            "limit.",
            ("limit",),
        )
        for limit in ("connections", "requests", "streams"):
            self.overloaded.labels(limit)
        self.requests_in_flight = self._families.gauge(
            "guard_proxy_requests_in_flight",
            "Requests in progress, until the last byte of their reply.",
            ("door",),
        )
        self.streams_in_flight = self._families.gauge(
            "guard_proxy_streams_in_flight",
            "Requests in progress whose reply is a stream that has begun.",
            ("door",),
        )

    def _add_guards(self) -> None:
        self.guard_outcomes = self._families.counter(
            "guard_proxy_guard_outcomes_total",
            "Runs of guards, by outcome.",
            ("tenant", "guard", "outcome"),
        )
        self.not_run = self._families.counter(
            "guard_proxy_guard_not_run_total",
            "Runs of guards that did not start or did not finish, by reason.",
            ("guard", "reason"),
        )
        self.guard_seconds = self._families.histogram(
            "guard_proxy_guard_seconds",
            "Time for analysis, guards and decision on one question or one attempt.",
            GUARD_SECONDS,
            ("tenant", "stage"),
        )
        self.one_guard_seconds = self._families.histogram(
            "guard_proxy_one_guard_seconds",
            "Time of each guard for one text; for the judge, that of its server.",
            ONE_GUARD_SECONDS,
            ("guard",),
        )

        self.judge_claims = self._families.counter(
            "guard_proxy_judge_claims_total",
            "Claims that a judge was asked about, by opinion: supported, objected, unanswered.",
            ("tenant", "opinion"),
        )
        self.judge_findings = self._families.counter(
            "guard_proxy_judge_findings_total",
            "Findings of guards that a judge withdrew (or would have, in shadow mode) or "
            "confirmed.",
            ("tenant", "opinion"),
        )
        self.judge_tokens = self._families.counter(
            "guard_proxy_judge_tokens_total",
            "Tokens counted by judges' servers, of prompts and of opinions.",
            ("tenant", "type"),
        )

    def _add_model(self) -> None:
        histogram = self._families.histogram
        self.upstream_seconds = histogram(
            "guard_proxy_upstream_seconds",
            "Time that the model server took for one reply.",
            SECONDS,
            ("tenant",),
        )
        self.upstream_errors = self._families.counter(
            "guard_proxy_upstream_errors_total",
            "Calls of the model server that failed, by the code of the error.",
            ("tenant", "code"),
        )
        self.model_text_seconds = histogram(
            "guard_proxy_model_text_seconds",
            "Time from a request to the first word of the model's stream.",
            SECONDS,
            ("tenant",),
        )
        self.first_text_seconds = histogram(
            "guard_proxy_first_text_seconds",
            "Time from a request to the first word sent to the client in a stream.",
            SECONDS,
            ("tenant",),
        )
        self.regenerations = self._families.counter(
            "guard_proxy_regenerations_total",
            "Second attempts, by outcome.",
            ("tenant", "outcome"),
        )

    def _add_shadow(self) -> None:
        self.shadow_decisions = self._families.counter(
            "guard_proxy_shadow_decisions_total",
            "Requests judged by the shadow policy, by what it would have done and whether that "
            "differs.",
            ("tenant", "would", "changed"),
        )
        self.shadow_not_judged = self._families.counter(
            "guard_proxy_shadow_not_judged_total",
            "Requests that the shadow policy did not judge, by reason.",
            ("tenant", "reason"),
        )

    def _add_service(self) -> None:
        counter, gauge = self._families.counter, self._families.gauge
        self.policy_reloads = counter(
            "guard_proxy_policy_reloads_total",
            "Reloads of the policies, by outcome.",
            ("outcome",),
        )
        self.policies_stale = gauge(
            "guard_proxy_policies_stale",
            "1 while the policies on disk are invalid and the last valid ones are used.",
            together=Together.MOST,
        )
        self._watch_service()
        self.telemetry_dropped_spans = counter(
            "guard_proxy_telemetry_dropped_spans_total",
            "OpenTelemetry spans that were lost because the collector did not accept them in time.",
        )
        self.telemetry_failed_exports = counter(
            "guard_proxy_telemetry_failed_exports_total",
            "Batches that the OpenTelemetry collector did not accept.",
            ("signal",),
        )
        self.build = gauge(
            "guard_proxy_build_info",
            "1 for the running version.",
            ("version",),
            together=Together.MOST,
        )
        self.build.labels(product_version()).set(1)
        # A counter that begins at 1 never rises, as far as a query can see.
        for outcome in ("taken", "refused"):
            self.policy_reloads.labels(outcome)
        for signal in SIGNALS:
            self.telemetry_failed_exports.labels(signal)

    def _watch_service(self) -> None:
        watched = self._families.watched
        watched(
            "guard_proxy_policies_loaded_timestamp_seconds",
            Kind.GAUGE,
            "When the policies in force were read, in Unix seconds.",
            (),
            lambda: [((), self._policies()[0])],
            together=Together.LEAST,
        )
        watched(
            "guard_proxy_limits_store_away",
            Kind.GAUGE,
            "1 while Redis is unreachable and each process counts limits by itself.",
            (),
            lambda: [((), float(self._limits_are_away()))],
            together=Together.MOST,
        )
        watched(
            "guard_proxy_tenants",
            Kind.GAUGE,
            "Tenants in the policies in force.",
            (),
            lambda: [((), self._policies()[1])],
            together=Together.MOST,
        )

    def _watch_all(self) -> None:
        for count, (kind, said) in _TRACES.items():
            ending = "_total" if kind is Kind.COUNTER else ""
            name = f"guard_proxy_traces_{count}{ending}"
            self._families.watched(name, kind, said, (), partial(self._of_traces, count))
        self._families.watched(
            "guard_proxy_judge_breaker",
            Kind.GAUGE,
            "1 for the current state of the breaker of a tenant's judge.",
            ("tenant", "state"),
            self._of_judges,
            together=Together.MOST,
        )

    def _of_traces(self, name: str) -> Iterable[Reading]:
        counters = self._traces()
        return [((), counters[name])] if name in counters else []

    def _of_judges(self) -> Iterable[Reading]:
        for tenant, now in self._judges().items():
            for state in type(now):
                yield (tenant, state.value), float(state is now)


FOLLOW_EVERY_S = 1.0
"""Most seconds by which figures of this process may be out of date in others."""


@contextlib.asynccontextmanager
async def open_metrics(folder: Path | None, number: int) -> AsyncGenerator[Metrics, None]:
    """Open metrics; at the end, other processes can read their final values."""
    if folder is None:
        yield Metrics()
        return
    keep_together(folder, number)
    metrics = Metrics(folder)
    following = asyncio.create_task(_follow_forever(metrics))
    try:
        yield metrics
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        metrics.follow()


async def _follow_forever(metrics: Metrics) -> None:
    while True:
        await asyncio.sleep(FOLLOW_EVERY_S)
        metrics.follow()
