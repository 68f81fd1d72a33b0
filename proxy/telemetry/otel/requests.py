"""A request as spans: itself, its calls of the model server, and the steps between.

Its own span and those of calls begin when they do, because their ids travel on; all the rest is
written from its trace, once it has ended.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from opentelemetry.context import Context
from opentelemetry.propagators.textmap import TextMapPropagator
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from proxy.logs import failure, logger
from proxy.telemetry.otel.conventions import (
    Attributes,
    attempt_attributes,
    call_attributes,
    end_attributes,
    failure_of,
    model_name,
    operation_of,
    path_of,
    request_attributes,
)
from proxy.telemetry.otel.instruments import Instruments
from proxy.telemetry.spans import ModelCall, RequestSpans
from proxy.traces.trace import Step, Trace

log = logger(__name__)

_MODEL_STEP = "model_"


@dataclass(frozen=True, slots=True)
class OtelTelemetry:
    """Telemetry by OpenTelemetry.

    Attributes:
        tracer: Makes spans.
        propagator: Reads where a request comes from, and says it to the model server.
        instruments: Measures.
    """

    tracer: Tracer
    propagator: TextMapPropagator
    instruments: Instruments

    def request(self, door: str, headers: Mapping[str, str], started_at: datetime) -> RequestSpans:
        """Begin a request; see `Telemetry.request`."""
        return _OtelRequest(self, door, self.propagator.extract(headers, Context()), started_at)


class _OtelRequest:
    def __init__(
        self, telemetry: OtelTelemetry, door: str, parent: Context, started_at: datetime
    ) -> None:
        self._telemetry = telemetry
        self._door = door
        self._began_ns = int(started_at.timestamp() * 1e9)
        self._span = telemetry.tracer.start_span(
            f"POST {path_of(door)}",
            parent,
            SpanKind.SERVER,
            request_attributes(door),
            start_time=self._began_ns,
        )
        self._context = set_span_in_context(self._span, parent)
        self._calls: dict[int, tuple[Span, Attributes]] = {}

    @cached_property
    def log_fields(self) -> Mapping[str, str]:
        context = self._span.get_span_context()
        return {"trace_id": f"{context.trace_id:032x}"} if context.is_valid else {}

    def calling(self, call: ModelCall) -> Mapping[str, str]:
        if call.number not in self._calls:
            about = call_attributes(self._door, call)
            span = self._telemetry.tracer.start_span(
                f"{operation_of(self._door)} {model_name(call)}",
                self._context,
                SpanKind.CLIENT,
                about,
                start_time=self._after(call.spent_s * 1000),
            )
            self._calls[call.number] = span, about
        headers: dict[str, str] = {}
        span, _ = self._calls[call.number]
        self._telemetry.propagator.inject(headers, set_span_in_context(span, self._context))
        return headers

    def end(self, trace: Trace) -> None:
        try:
            calls = {number: about for number, (_, about) in self._calls.items()}
            self._telemetry.instruments.measure(trace, calls)
            if self._span.is_recording():
                self._write(trace)
        except Exception as broken:  # noqa: BLE001 - no request may fail for its telemetry
            log.error("telemetry.failed", **failure(broken))  # noqa: TRY400

    def _write(self, trace: Trace) -> None:
        ends = {step.name: step.started_ms + step.duration_ms for step in trace.steps}
        for number, (span, _) in self._calls.items():
            for attempt in trace.attempts[number - 1 : number]:
                _tell(span, attempt_attributes(attempt), attempt.error)
            span.end(self._after(ends.get(f"{_MODEL_STEP}{number}", trace.duration_ms)))
        for step in trace.steps:
            if not step.name.startswith(_MODEL_STEP):
                self._write_step(step)
        _tell(self._span, end_attributes(trace), failure_of(trace))
        self._span.end(self._after(trace.duration_ms))

    def _write_step(self, step: Step) -> None:
        began_ns = self._after(step.started_ms)
        span = self._telemetry.tracer.start_span(step.name, self._context, start_time=began_ns)
        span.end(self._after(step.started_ms + step.duration_ms))

    def _after(self, spent_ms: float) -> int:
        """Return the time so long after the request came in, in Unix nanoseconds."""
        return self._began_ns + int(spent_ms * 1e6)


def _tell(span: Span, attributes: Attributes, failed: str | None) -> None:
    span.set_attributes(attributes)
    if failed:
        span.set_status(Status(StatusCode.ERROR))
