"""Metrics for Prometheus. Labels are bounded: no text of a tenant, no key, no path."""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

SECONDS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class Metrics:
    """The service's metrics, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "guard_proxy_requests",
            "Requests that ended, by tenant, action and HTTP status.",
            ["tenant", "action", "status"],
            registry=self.registry,
        )
        self.closings = Counter(
            "guard_proxy_closings",
            "Answers that a template ended after they had begun to leave, by tenant and template.",
            ["tenant", "template"],
            registry=self.registry,
        )
        self.guard_outcomes = Counter(
            "guard_proxy_guard_outcomes",
            "Runs of guards, by tenant, guard and outcome.",
            ["tenant", "guard", "outcome"],
            registry=self.registry,
        )
        self.upstream_seconds = Histogram(
            "guard_proxy_upstream_seconds",
            "Time that the model server took for one reply.",
            ["tenant"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.model_text_seconds = Histogram(
            "guard_proxy_model_text_seconds",
            "Time from a request to the first word of the model's stream.",
            ["tenant"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.first_text_seconds = Histogram(
            "guard_proxy_first_text_seconds",
            "Time from a request to the first word of a stream that left.",
            ["tenant"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.guard_seconds = Histogram(
            "guard_proxy_guard_seconds",
            "Time that reading, guards and decision took for one question or answer.",
            ["tenant"],
            buckets=SECONDS,
            registry=self.registry,
        )
        self.policy_reloads = Counter(
            "guard_proxy_policy_reloads",
            "Reloads of the policies, by whether they were taken.",
            ["outcome"],
            registry=self.registry,
        )
        self.policies_stale = Gauge(
            "guard_proxy_policies_stale",
            "1 while the policies on disk are broken and the last good ones are used.",
            registry=self.registry,
        )

    def watch_traces(self, counters: Callable[[], dict[str, int]]) -> None:
        """Show the trace recorder's own counters, read when asked for."""
        self.registry.register(_TraceCollector(counters))

    def watch_judges(self, states: Callable[[], Mapping[str, StrEnum]]) -> None:
        """Show the state of each tenant's judge, read when asked for."""
        self.registry.register(_JudgeCollector(states))

    def as_text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        return generate_latest(self.registry)


class _TraceCollector(Collector):
    """Reads the recorder's counters at the moment of asking."""

    _GAUGES = frozenset({"waiting", "outbox"})

    def __init__(self, counters: Callable[[], dict[str, int]]) -> None:
        self._counters = counters

    def collect(self) -> Iterator[Metric]:
        for name, value in self._counters().items():
            family: GaugeMetricFamily | CounterMetricFamily
            if name in self._GAUGES:
                family = GaugeMetricFamily(f"guard_proxy_traces_{name}", f"Traces {name}.")
            else:
                family = CounterMetricFamily(f"guard_proxy_traces_{name}", f"Traces {name}.")
            family.add_metric([], value)
            yield family


class _JudgeCollector(Collector):
    """Reads the state of judges' breakers at the moment of asking."""

    def __init__(self, states: Callable[[], Mapping[str, StrEnum]]) -> None:
        self._states = states

    def collect(self) -> Iterator[Metric]:
        family = GaugeMetricFamily(
            "guard_proxy_judge_breaker",
            "1 for the state that the breaker of a tenant's judge is in.",
            labels=["tenant", "state"],
        )
        for tenant, now in self._states().items():
            for state in type(now):
                family.add_metric([tenant, state.value], float(state is now))
        yield family
