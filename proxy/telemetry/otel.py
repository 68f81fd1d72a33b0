"""Requests as OpenTelemetry has them, sent over OTLP; import it only where that is wanted.

Names and bounds follow the stable conventions for HTTP and, for generative AI, those that were
released last (1.41); these are still in development. Content of messages is among them only if
the variable of those conventions asks for it, and no more of it than traces keep. A request's own
span and those of its calls begin when they do, because their ids travel on; all the
rest is written from its trace, once it has ended.

Sending goes on in the background: what the collector does not take is counted, the SDK's log says
each thing once, and the end does not wait longer than it may.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Meter, MeterProvider, NoOpMeterProvider
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
from opentelemetry.trace import (
    NoOpTracerProvider,
    Span,
    SpanKind,
    Status,
    StatusCode,
    Tracer,
    TracerProvider,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.types import AttributeValue

from guards.core.guard import Stage
from policies.schema.sections import StoredText
from proxy.logs import failure, logger
from proxy.metrics import NAME, Metrics, product_version
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.telemetry.counting import OTHER, stage_of
from proxy.telemetry.spans import (
    BatchSettings,
    ExportPlan,
    OtelSettingsError,
    RequestSpans,
    Telemetry,
)
from proxy.traces.masking import stored
from proxy.traces.trace import Attempt, Delivery, Step, Trace

Attributes = dict[str, AttributeValue]

ERROR_TYPE: Final = "error.type"
SPAN_KIND: Final = "openinference.span.kind"
"""Phoenix shows a span as what this says; Langfuse makes the type of an observation from it."""
INPUT: Final = "input.value"
OUTPUT: Final = "output.value"
MOST_MASKED_CHARS: Final = 200_000
"""Of a trace with more characters no words are sent: masking it would hold up all threads."""
TAGS: Final = "langfuse.trace.tags"
STATUS_CODE: Final = "http.response.status_code"
OPERATION_BOUNDS: Final = tuple(0.01 * 2**power for power in range(14))
TOKEN_BOUNDS: Final = tuple(4**power for power in range(14))

_PROVIDER: Final = "openai"
"""The API dialect, whatever the model server is."""
_OPERATIONS = {"completions": "text_completion"}
_PATHS = {endpoint.name: f"/v1/{endpoint.path}" for endpoint in ENDPOINTS}
_OWN_PATHS = {"guardrail": "/v1/beta/litellm_basic_guardrail_api"}
_LONGEST_NAME_CHARS = 100
_PORTS = {"http": 80, "https": 443}


def path_of(endpoint: str) -> str:
    """Return the path of an endpoint, by its name."""
    return _PATHS.get(endpoint) or _OWN_PATHS.get(endpoint, f"/v1/{endpoint}")


def operation_of(endpoint: str) -> str:
    """Return the GenAI operation of an endpoint."""
    return _OPERATIONS.get(endpoint, "chat")


def request_attributes(endpoint: str) -> Attributes:
    """Return what is known of a request when it comes."""
    path = path_of(endpoint)
    return {
        "http.request.method": "POST",
        "http.route": path,
        "url.path": path,
        "url.scheme": "http",
        SPAN_KIND: "CHAIN",
    }


def end_attributes(trace: Trace) -> Attributes:
    """Return what is known of a request when it has ended."""
    found: Attributes = {
        "guard.action": trace.action_name,
        "guard.attempts": len(trace.attempts) if trace.door in _PATHS else 0,
        "guard.policy": f"{trace.policy.name}@{trace.policy.version}",
        "guard.request_id": trace.id,
        "guard.tenant": trace.tenant,
        TAGS: (f"guard:{trace.action_name}",),
    }
    if trace.reasons:
        found["guard.reasons"] = trace.reasons
    if trace.not_checked:
        found["guard.not_checked"] = trace.not_checked
    if trace.delivery is Delivery.DELIVERED:
        found[STATUS_CODE] = trace.status
    if failure := failure_of(trace):
        found[ERROR_TYPE] = failure
    return found


def failure_of(trace: Trace) -> str | None:
    """Return what kind of failure a request was for its server; None for none."""
    if trace.delivery is Delivery.CLIENT_GONE:
        return Delivery.CLIENT_GONE.value
    return (trace.error or str(trace.status)) if trace.status >= 500 else None


def call_attributes(endpoint: str, model: str, base_url: str) -> Attributes:
    """Return what is known of a call of the model server when it is made."""
    server = urlsplit(base_url)
    found: Attributes = {
        "gen_ai.operation.name": operation_of(endpoint),
        "gen_ai.provider.name": _PROVIDER,
        "gen_ai.request.model": _name(model),
        "server.address": server.hostname or "",
    }
    with contextlib.suppress(ValueError):  # it is none, and the call will say so
        found["server.port"] = server.port or _PORTS[server.scheme]
    return found


def attempt_attributes(attempt: Attempt) -> Attributes:
    """Return what is known of a call of the model server when it has ended."""
    found: Attributes = {}
    reasons = [_name(one.finish_reason) for one in attempt.choices if one.finish_reason]
    if reasons:
        found["gen_ai.response.finish_reasons"] = reasons
    if attempt.usage:
        found["gen_ai.usage.input_tokens"] = attempt.usage.prompt_tokens
        found["gen_ai.usage.output_tokens"] = attempt.usage.completion_tokens
    if attempt.error:
        found[ERROR_TYPE] = attempt.error
    return found


def step_attributes(step: str, trace: Trace) -> Attributes:
    """Return what is known of a step: what OpenInference calls it, and what was found in it."""
    is_judge, stage = step.startswith("judge_"), stage_of(step)
    if stage is None and not is_judge:
        return {SPAN_KIND: "CHAIN"}
    about: Attributes = {SPAN_KIND: "EVALUATOR" if is_judge else "GUARDRAIL"}
    number = step.rpartition("_")[2]
    attempt = 0 if stage is Stage.INPUT else int(number) if number.isdecimal() else 1
    codes = dict.fromkeys(
        one.finding.code for one in trace.placed_findings if one.attempt == attempt
    )
    if found := [code for code in codes if code.startswith("judge.") == is_judge]:
        about["guard.findings"] = found
    return about


def words_attributes(asked: str, answers: Sequence[str]) -> Attributes:
    """Return what was asked and answered, as Phoenix and Langfuse read it."""
    said = "\n\n".join(answers)
    return {name: text for name, text in ((INPUT, asked), (OUTPUT, said)) if text}


def _name(said: str) -> str:
    """Return a name of somebody else's, cut, and without halves of characters.

    Callers may name models as they like, and such a half would keep the whole batch that it stands
    in from being sent.
    """
    return said[:_LONGEST_NAME_CHARS].encode("utf-8", "replace").decode()


MOST_MODELS = 100
"""Some model servers take any name for their model; all further ones are one."""
_MODEL = "gen_ai.request.model"


class Instruments:
    """Measures requests that have ended."""

    def __init__(self, meter: Meter) -> None:
        self._models: set[AttributeValue] = set()
        self._operations = meter.create_histogram(
            "gen_ai.client.operation.duration",
            unit="s",
            description="Time that the model server took for one reply.",
            explicit_bucket_boundaries_advisory=OPERATION_BOUNDS,
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            unit="{token}",
            description="Tokens of one call of the model server, as it counted them.",
            explicit_bucket_boundaries_advisory=TOKEN_BOUNDS,
        )
        self._guards = meter.create_histogram(
            "guard_proxy.guard.duration",
            unit="s",
            description="Time that the guards took for one question or one attempt.",
        )
        self._requests = meter.create_counter(
            "guard_proxy.requests",
            unit="{request}",
            description="Requests that ended, by outcome.",
        )

    def measure(self, trace: Trace, calls: Mapping[int, Attributes]) -> None:
        """Measure a request; `calls` are the attributes of its calls by number of the attempt."""
        for number, attempt in enumerate(trace.attempts, start=1):
            if number not in calls:
                continue
            about = dict(calls[number])
            if attempt.error:
                # What the model server does not know may be named in any way, by anybody.
                del about[_MODEL]
                about[ERROR_TYPE] = attempt.error
            else:
                about[_MODEL] = self._one_of_few(about[_MODEL])
            self._operations.record(attempt.upstream_ms / 1000, about)
            if attempt.usage:
                for kind, tokens in (
                    ("input", attempt.usage.prompt_tokens),
                    ("output", attempt.usage.completion_tokens),
                ):
                    self._tokens.record(tokens, about | {"gen_ai.token.type": kind})
        for step in trace.steps:
            if stage := stage_of(step.name):
                about = {"guard.tenant": trace.tenant, "guard.stage": stage.value}
                self._guards.record(step.duration_ms / 1000, about)
        about = {
            "guard.tenant": trace.tenant,
            "guard.door": trace.door,
            "guard.action": trace.action_name,
            STATUS_CODE: trace.status,
        }
        self._requests.add(1, about)

    def _one_of_few(self, model: AttributeValue) -> AttributeValue:
        if model not in self._models and len(self._models) >= MOST_MODELS:
            return OTHER
        self._models.add(model)
        return model


_MODEL_STEP = "model_"


@dataclass(frozen=True, slots=True)
class OtelTelemetry(Telemetry):
    """Telemetry by OpenTelemetry."""

    tracer: Tracer
    propagator: TextMapPropagator
    instruments: Instruments
    sends_words: bool = False
    _masking: set[asyncio.Task[None]] = field(default_factory=set)

    def request(
        self, endpoint: str, headers: Mapping[str, str], started_at: datetime
    ) -> RequestSpans:
        """Begin a request; see `Telemetry.request`."""
        return _OtelRequest(self, endpoint, self.propagator.extract(headers, Context()), started_at)

    def in_thread(self, work: Callable[[], None]) -> None:
        """Do something beside the loop; `finish` waits for it."""
        task = asyncio.create_task(asyncio.to_thread(work))
        self._masking.add(task)
        task.add_done_callback(self._masking.discard)

    async def finish(self) -> None:
        """Wait for what is being masked."""
        await asyncio.gather(*self._masking)


class _OtelRequest(RequestSpans):
    def __init__(
        self, telemetry: OtelTelemetry, endpoint: str, parent: Context, started_at: datetime
    ) -> None:
        self._telemetry = telemetry
        self._endpoint = endpoint
        self._began_ns = int(started_at.timestamp() * 1e9)
        self._span = telemetry.tracer.start_span(
            f"POST {path_of(endpoint)}",
            parent,
            SpanKind.SERVER,
            request_attributes(endpoint),
            start_time=self._began_ns,
        )
        self._context = set_span_in_context(self._span, parent)
        self._calls: dict[int, tuple[Span, Attributes]] = {}

    @cached_property
    def log_fields(self) -> Mapping[str, str]:
        context = self._span.get_span_context()
        return {"trace_id": f"{context.trace_id:032x}"} if context.is_valid else {}

    def calling(self, number: int, model: str, base_url: str, spent_s: float) -> Mapping[str, str]:
        if number not in self._calls:
            about = call_attributes(self._endpoint, model, base_url)
            span = self._telemetry.tracer.start_span(
                f"{operation_of(self._endpoint)} {_name(model)}",
                self._context,
                SpanKind.CLIENT,
                about | {SPAN_KIND: "LLM"},
                start_time=self._after(spent_s * 1000),
            )
            self._calls[number] = span, about
        headers: dict[str, str] = {}
        span, _ = self._calls[number]
        self._telemetry.propagator.inject(headers, set_span_in_context(span, self._context))
        return headers

    def end(self, trace: Trace, text: StoredText) -> None:
        with _logged():
            calls = {number: about for number, (_, about) in self._calls.items()}
            self._telemetry.instruments.measure(trace, calls)
            if not self._span.is_recording():
                return
            may_send = text is not StoredText.NONE and trace.chars <= MOST_MASKED_CHARS
            if self._telemetry.sends_words and may_send:
                self._telemetry.in_thread(partial(self._write_all, trace, text))
            else:
                self._write(trace)

    def _write_all(self, trace: Trace, text: StoredText) -> None:
        with _logged():
            kept = stored(trace, text)
            for number, (span, _) in self._calls.items():
                for attempt in kept.attempts[number - 1 : number]:
                    answers = [choice.text for choice in attempt.choices]
                    span.set_attributes(words_attributes(kept.question, answers))
            self._span.set_attributes(words_attributes(kept.question, kept.replies))
        with _logged():
            self._write(trace)

    def _write(self, trace: Trace) -> None:
        ends = {step.name: step.started_ms + step.duration_ms for step in trace.steps}
        for number, (span, _) in self._calls.items():
            for attempt in trace.attempts[number - 1 : number]:
                _tell(span, attempt_attributes(attempt), attempt.error)
            span.end(self._after(ends.get(f"{_MODEL_STEP}{number}", trace.duration_ms)))
        for step in trace.steps:
            if not step.name.startswith(_MODEL_STEP):
                self._write_step(step, trace)
        _tell(self._span, end_attributes(trace), failure_of(trace))
        self._span.end(self._after(trace.duration_ms))

    def _write_step(self, step: Step, trace: Trace) -> None:
        began_ns = self._after(step.started_ms)
        about = step_attributes(step.name, trace)
        span = self._telemetry.tracer.start_span(
            step.name, self._context, attributes=about, start_time=began_ns
        )
        span.end(self._after(step.started_ms + step.duration_ms))

    def _after(self, spent_ms: float) -> int:
        """Return the time so long after the request came in, in Unix nanoseconds."""
        return self._began_ns + int(spent_ms * 1e6)


def _tell(span: Span, attributes: Attributes, failed: str | None) -> None:
    span.set_attributes(attributes)
    if failed:
        span.set_status(Status(StatusCode.ERROR))


log = logger(__name__)


@contextmanager
def _logged() -> Iterator[None]:
    """Log what goes wrong inside this block: no request may fail for its telemetry."""
    try:
        yield
    except Exception as broken:  # noqa: BLE001 - see above
        log.error("telemetry.failed", **failure(broken))  # noqa: TRY400


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
    """Sends spans, and counts those that were not taken."""

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
            telemetry = OtelTelemetry(
                tracers.get_tracer(NAME, product_version()),
                _propagator(wanted),
                Instruments(meters.get_meter(NAME, product_version())),
                wanted.sdk.instrumentation_genai_capture_message_content,
            )
            yield telemetry
            await telemetry.finish()
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
