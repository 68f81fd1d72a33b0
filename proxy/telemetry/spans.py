"""The spans of requests, and OpenTelemetry's own environment variables.

The variables are checked before the SDK reads them: it would take back what it cannot read to a
default, with a line in the log; here a mistake stops the start, as it does with every other
setting. What is not named here is not looked at.
"""

import contextlib
import os
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, FilePath, HttpUrl, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from policies.schema.sections import StoredText
from proxy.metrics import Metrics
from proxy.traces.trace import Trace

_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Count = Annotated[int, Field(gt=0)]
_Exporter = Literal["otlp", "none"]
_PROPAGATORS = frozenset({"tracecontext", "baggage", "none"})
_SDK = "OTEL_"
_BATCH = "OTEL_BSP_"
_EXPORTERS = ("OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_METRICS_")


class OtelSettingsError(Exception):
    """The settings of telemetry cannot be used; ``problems`` says why, a line for each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def _pairs(text: str) -> str:
    for pair in text.split(","):
        name, is_pair, _ = pair.partition("=")
        if pair.strip() and not (is_pair and name.strip()):
            raise ValueError("not a list of name=value, with commas between")
    return text


def _propagators(text: str) -> str:
    unknown = {name.strip() for name in text.split(",")} - _PROPAGATORS
    if unknown:
        raise ValueError(f"only {', '.join(sorted(_PROPAGATORS))} are known here")
    return text


_Pairs = Annotated[str, AfterValidator(_pairs)]


class _Variables(BaseSettings):
    model_config = SettingsConfigDict(env_ignore_empty=True, frozen=True)


class ExporterSettings(_Variables):
    """Exporter settings of one signal, or of all."""

    endpoint: HttpUrl | None = None
    protocol: Literal["http/protobuf"] = "http/protobuf"
    timeout: _Positive = 10
    compression: Literal["none", "gzip", "deflate"] = "none"
    headers: _Pairs = ""
    certificate: FilePath | None = None
    client_certificate: FilePath | None = None
    client_key: FilePath | None = None


class BatchSettings(_Variables):
    """Settings of the batch processor of spans."""

    max_queue_size: _Count = 2048
    max_export_batch_size: _Count = 512
    schedule_delay: _Positive = 5000

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.max_export_batch_size > self.max_queue_size:
            raise ValueError("MAX_EXPORT_BATCH_SIZE is larger than MAX_QUEUE_SIZE")
        return self


class SdkSettings(_Variables):
    """Everything else."""

    sdk_disabled: bool = False
    traces_exporter: _Exporter = "otlp"
    metrics_exporter: _Exporter = "otlp"
    traces_sampler: Literal[
        "always_on",
        "always_off",
        "traceidratio",
        "parentbased_always_on",
        "parentbased_always_off",
        "parentbased_traceidratio",
    ] = "parentbased_always_on"
    traces_sampler_arg: float = Field(1, ge=0, le=1)
    propagators: Annotated[str, AfterValidator(_propagators)] = "tracecontext,baggage"
    resource_attributes: _Pairs = ""
    metric_export_interval: _Positive = 60_000
    metric_export_timeout: _Positive = 30_000
    instrumentation_genai_capture_message_content: bool = False


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """Signals to export, from valid settings."""

    traces: bool
    metrics: bool
    sdk: SdkSettings
    batch: BatchSettings


def read_environment() -> ExportPlan | None:
    """Return what telemetry is wanted; None if none is.

    Raises:
        OtelSettingsError: it is wanted, and a variable cannot be used.
    """
    is_disabled = os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    if is_disabled or not any(os.environ.get(f"{prefix}ENDPOINT") for prefix in _EXPORTERS):
        return None
    groups: list[tuple[type[_Variables], str]] = [(ExporterSettings, one) for one in _EXPORTERS]
    groups += [(BatchSettings, _BATCH), (SdkSettings, _SDK)]
    problems = [problem for kind, prefix in groups for problem in _problems(kind, prefix)]
    if problems:
        raise OtelSettingsError(problems)
    every, traces, metrics = (ExporterSettings(_env_prefix=one).endpoint for one in _EXPORTERS)
    sdk = SdkSettings(_env_prefix=_SDK)
    sends_traces = bool(every or traces) and sdk.traces_exporter == "otlp"
    sends_metrics = bool(every or metrics) and sdk.metrics_exporter == "otlp"
    if not (sends_traces or sends_metrics):
        return None
    return ExportPlan(sends_traces, sends_metrics, sdk, BatchSettings(_env_prefix=_BATCH))


def _problems(kind: type[_Variables], prefix: str) -> list[str]:
    """Return what is wrong with the variables that begin so."""
    try:
        kind(_env_prefix=prefix)
    except ValidationError as error:
        return [
            f"{prefix}{'_'.join(map(str, found['loc'])).upper() or '*'}: "
            f"{found['msg'].removeprefix('Value error, ')}"
            for found in error.errors()
        ]
    return []


class RequestSpans:
    """The spans of one request; by themselves, spans that nobody hears of."""

    @property
    def log_fields(self) -> Mapping[str, str]:
        """Fields by which log lines of the request can be found."""
        return {}

    def calling(self, number: int, model: str, base_url: str, spent_s: float) -> Mapping[str, str]:
        """Note a call of the model server; return headers that go with it, by lower-case names.

        Args:
            number: Number of the attempt, from 1; what is sent twice within one is one call.
            model: The model server's own name for the model.
            spent_s: Seconds since the request came in.
        """
        return {}

    def end(self, trace: Trace, text: StoredText) -> None:
        """Tell all there is to tell of the request. Never fails and never waits.

        Args:
            text: How much of the request's words its policy lets be kept.
        """


NO_SPANS: Final = RequestSpans()


class Telemetry:
    """Receiver of the telemetry of requests; by itself, one that hears of none."""

    def request(
        self, endpoint: str, headers: Mapping[str, str], started_at: datetime
    ) -> RequestSpans:
        """Begin a request."""
        return NO_SPANS


@contextlib.asynccontextmanager
async def open_telemetry(
    metrics: Metrics, flush_s: float, *, wanted: bool = True
) -> AsyncGenerator[Telemetry, None]:
    """Open what the standard ``OTEL_…`` variables ask for; in the end send what waits.

    Without an endpoint nothing of it is read, which saves memory and time at the start.

    Args:
        metrics: Where spans that were lost are counted.
        flush_s: How long sending the last ones may take.

    Raises:
        OtelSettingsError: a variable cannot be used.
    """
    asked_for = read_environment() if wanted else None
    if asked_for is None:
        yield Telemetry()
        return
    from proxy.telemetry.otel import exporting

    async with exporting(asked_for, metrics, flush_s) as telemetry:
        yield telemetry
