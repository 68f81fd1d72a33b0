"""What sends spans and metrics in the background, and how it ends within its time."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from threading import Thread

from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.metrics import MeterProvider, NoOpMeterProvider
from opentelemetry.propagators.composite import CompositePropagator
from opentelemetry.propagators.textmap import TextMapPropagator
from opentelemetry.sdk.metrics import MeterProvider as SdkMeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider as SdkTracerProvider
from opentelemetry.trace import NoOpTracerProvider, TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from proxy.logs import logger
from proxy.metrics import Metrics
from proxy.metrics.version import NAME, product_version
from proxy.telemetry.environment import OtelSettingsError, Wanted
from proxy.telemetry.otel.instruments import Instruments
from proxy.telemetry.otel.requests import OtelTelemetry
from proxy.telemetry.otel.watched import (
    CountedSpans,
    SdkLog,
    WatchedMetricExporter,
    WatchedSpanExporter,
    sdk_log,
)

log = logger(__name__)

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
    wanted: Wanted, metrics: Metrics, flush_s: float
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
    wanted: Wanted, metrics: Metrics, said: SdkLog, outlets: list[_Outlet]
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
    wanted: Wanted, metrics: Metrics, said: SdkLog, outlets: list[_Outlet]
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


def _propagator(wanted: Wanted) -> TextMapPropagator:
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
