"""Exporters that count what their collector does not take, and the SDK's log, said once."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult

from proxy.logs import logger
from proxy.metrics import Metrics
from proxy.telemetry.environment import BatchSettings

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
        """How many spans wait to be sent."""
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
