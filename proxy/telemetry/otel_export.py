"""Sends spans and metrics over OTLP in the background; import it only where that is wanted.

What the collector does not take is counted, the SDK's log says each thing once, and sending ends
within its time.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import MeterProvider, NoOpMeterProvider
from opentelemetry.propagators.composite import CompositePropagator
from opentelemetry.propagators.textmap import TextMapPropagator
from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
from opentelemetry.sdk.metrics.export import (
    MetricExportResult,
    MetricsData,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import NoOpTracerProvider, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from proxy.logs import logger
from proxy.metrics import Metrics
from proxy.metrics.metrics import NAME, product_version
from proxy.telemetry.otel_spans import Instruments, OtelTelemetry
from proxy.telemetry.spans import BatchSettings, ExportPlan, OtelSettingsError

log = logger(__name__)


class SdkLog(logging.Handler):
    """Says each thing that an exporter says once, until it has sent something again.

    Left to itself it would say every few seconds that its collector is away.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: set[tuple[str, str]] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Say what a record says, if it is new."""
        one = (record.name, str(record.msg))
        if one not in self._said:
            self._said.add(one)
            log.warning("telemetry.troubled", said=record.getMessage())

    def sent(self, signal: str, exporter: type) -> None:
        """Note that an exporter has sent something."""
        its_own = {one for one in self._said if one[0] == exporter.__module__}
        if its_own:
            self._said -= its_own
            log.info("telemetry.sent_again", signal=signal)


@contextmanager
def sdk_log() -> Iterator[SdkLog]:
    """Say inside this block what the SDK logs, each thing once."""
    theirs, ours = logging.getLogger("opentelemetry"), SdkLog()
    theirs.addHandler(ours)
    theirs.propagate = False
    try:
        yield ours
    finally:
        theirs.propagate = True
        theirs.removeHandler(ours)


class WatchedSpanExporter(OTLPSpanExporter):
    """Sends spans, and counts those that were not taken.

    Attributes:
        handled: Spans that it was given.
    """

    def __init__(self, metrics: Metrics, said: SdkLog) -> None:
        super().__init__(meter_provider=NoOpMeterProvider())
        self._counted = metrics
        self._said = said
        self.handled = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send a batch."""
        self.handled += len(spans)
        result = super().export(spans)
        if result is SpanExportResult.SUCCESS:
            self._said.sent("traces", OTLPSpanExporter)
        else:
            self._counted.telemetry_failed_exports.labels("traces").inc()
            self._counted.telemetry_dropped_spans.inc(len(spans))
        return result


class WatchedMetricExporter(OTLPMetricExporter):
    """Sends metrics, and counts the batches that were not taken; the next one says it all."""

    def __init__(self, metrics: Metrics, said: SdkLog) -> None:
        super().__init__(meter_provider=NoOpMeterProvider())
        self._counted = metrics
        self._said = said

    def export(
        self, metrics_data: MetricsData, timeout_millis: float | None = 10_000, **more: object
    ) -> MetricExportResult:
        """Send a batch."""
        result = super().export(metrics_data, timeout_millis, **more)
        if result is MetricExportResult.SUCCESS:
            self._said.sent("metrics", OTLPMetricExporter)
        else:
            self._counted.telemetry_failed_exports.labels("metrics").inc()
        return result


class CountedSpans(BatchSpanProcessor):
    """Hands spans on in batches, and counts those that find no room; the oldest go first."""

    def __init__(
        self, exporter: WatchedSpanExporter, batch: BatchSettings, metrics: Metrics
    ) -> None:
        super().__init__(
            exporter,
            batch.max_queue_size,
            batch.schedule_delay,
            batch.max_export_batch_size,
            meter_provider=NoOpMeterProvider(),
        )
        self._exporter = exporter
        self._most = batch.max_queue_size
        self._metrics = metrics
        self._ended = 0
        self._lost = 0

    @property
    def waiting(self) -> int:
        """Number of spans that wait to be sent."""
        return self._ended - self._lost - self._exporter.handled

    def on_end(self, span: ReadableSpan) -> None:
        """Take a span that has ended; those that are not sampled never come here."""
        if self.waiting >= self._most:
            self.lose(1)
        self._ended += 1
        super().on_end(span)

    def lose(self, spans: int) -> None:
        """Count spans as lost."""
        self._lost += spans
        self._metrics.telemetry_dropped_spans.inc(spans)


_LAST_WORD_S = 1.0
_PROPAGATORS: dict[str, Callable[[], TextMapPropagator]] = {
    "tracecontext": TraceContextTextMapPropagator,
    "baggage": W3CBaggagePropagator,
}


@dataclass(frozen=True, slots=True)
class _Outlet:
    """One signal's way out.

    Attributes:
        close: Sends what waits; as long as the exporter tries.
        give_up: Makes the exporter stop trying.
    """

    close: Callable[[], None]
    give_up: Callable[[], None]


@contextlib.asynccontextmanager
async def exporting(
    wanted: ExportPlan, metrics: Metrics, flush_s: float
) -> AsyncGenerator[OtelTelemetry, None]:
    """Send telemetry from inside this block; see `open_telemetry`.

    Nothing is registered for the whole process, so that two services in one do not mix.
    """
    outlets: list[_Outlet] = []
    with sdk_log() as said:
        try:
            tracers = _tracers(wanted, metrics, said, outlets)
            meters = _meters(wanted, metrics, said, outlets)
        except (ValueError, OSError) as error:
            raise OtelSettingsError([f"OTEL_*: {error}"]) from error
        log.info("telemetry.started", traces=wanted.traces, metrics=wanted.metrics)
        try:
            yield OtelTelemetry(
                tracers.get_tracer(NAME, product_version()),
                _propagator(wanted),
                Instruments(meters.get_meter(NAME, product_version())),
            )
        finally:
            await _close(outlets, flush_s)


def _tracers(
    wanted: ExportPlan, metrics: Metrics, said: SdkLog, outlets: list[_Outlet]
) -> TracerProvider:
    if not wanted.traces:
        return NoOpTracerProvider()
    exporter = WatchedSpanExporter(metrics, said)
    provider = SdkTracerProvider(
        resource=_resource(), shutdown_on_exit=False, meter_provider=NoOpMeterProvider()
    )
    provider.add_span_processor(CountedSpans(exporter, wanted.batch, metrics))
    outlets.append(_Outlet(provider.shutdown, exporter.shutdown))
    return provider


def _meters(
    wanted: ExportPlan, metrics: Metrics, said: SdkLog, outlets: list[_Outlet]
) -> MeterProvider:
    if not wanted.metrics:
        return NoOpMeterProvider()
    exporter = WatchedMetricExporter(metrics, said)
    reader = PeriodicExportingMetricReader(
        exporter, wanted.sdk.metric_export_interval, wanted.sdk.metric_export_timeout
    )
    provider = SdkMeterProvider([reader], resource=_resource(), shutdown_on_exit=False)
    outlets.append(_Outlet(provider.shutdown, exporter.shutdown))
    return provider


def _resource() -> Resource:
    """Return what tells this service from others; the environment has the last word."""
    ours = Resource.create({"service.name": NAME, "service.version": product_version()})
    return ours.merge(OTELResourceDetector().detect())


def _propagator(wanted: ExportPlan) -> TextMapPropagator:
    names = [name.strip() for name in wanted.sdk.propagators.split(",")]
    return CompositePropagator([_PROPAGATORS[name]() for name in names if name in _PROPAGATORS])


async def _close(outlets: Sequence[_Outlet], within_s: float) -> None:
    """Send what waits; what is not sent in time is lost."""
    # Threads that end with the process, however long a collector lets them hang.
    closing = [Thread(target=outlet.close, daemon=True) for outlet in outlets]
    for thread in closing:
        thread.start()
    await asyncio.to_thread(_join, closing, within_s)
    late = [outlet for outlet, thread in zip(outlets, closing, strict=True) if thread.is_alive()]
    for outlet in late:
        outlet.give_up()
    if late:
        log.warning("telemetry.flush_cut", after_s=within_s)
        await asyncio.to_thread(_join, closing, _LAST_WORD_S)


def _join(threads: Sequence[Thread], within_s: float) -> None:
    until_s = time.monotonic() + within_s
    for thread in threads:
        thread.join(max(0.0, until_s - time.monotonic()))
