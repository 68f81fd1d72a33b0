"""Metrics for OpenTelemetry: those that its conventions name, and the guards' own."""

from collections.abc import Mapping

from opentelemetry.metrics import Meter
from opentelemetry.util.types import AttributeValue

from proxy.telemetry.counting import stage_of
from proxy.telemetry.otel.conventions import (
    ERROR_TYPE,
    OPERATION_BOUNDS,
    STATUS_CODE,
    TOKEN_BOUNDS,
    Attributes,
)
from proxy.telemetry.vocabulary import OTHER
from proxy.traces.trace import Trace

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
            description="Requests that ended, by what became of them.",
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
