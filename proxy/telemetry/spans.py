"""The interface of telemetry, what stands for it where nobody listens, and opening it."""

import contextlib
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from proxy.metrics import Metrics
from proxy.telemetry.environment import read_environment
from proxy.traces.trace import Trace


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call of the model server, about to be made.

    Attributes:
        number: Number of the attempt, from 1; what is sent twice within one is one call.
        model: The model server's own name for the model.
        base_url: Where the model server is.
        spent_s: Seconds since the request came in.
    """

    number: int
    model: str
    base_url: str
    spent_s: float


class RequestSpans(Protocol):
    """The spans of one request."""

    @property
    def log_fields(self) -> Mapping[str, str]:
        """Fields by which log lines of the request can be found."""

    def calling(self, call: ModelCall) -> Mapping[str, str]:
        """Note a call of the model server; return headers that go with it, by lower-case names."""

    def end(self, trace: Trace) -> None:
        """Tell all there is to tell of the request. Never fails and never waits."""


class Telemetry(Protocol):
    """Receiver of the telemetry of requests."""

    def request(
        self, endpoint: str, headers: Mapping[str, str], started_at: datetime
    ) -> RequestSpans:
        """Begin a request.

        Args:
            endpoint: Name of the endpoint that it came to.
            headers: Its headers, by lower-case names.
            started_at: When it came; aware.
        """


class _NoSpans:
    """Spans that nobody hears of."""

    @property
    def log_fields(self) -> Mapping[str, str]:
        return {}

    def calling(self, _: ModelCall) -> Mapping[str, str]:
        return {}

    def end(self, _: Trace) -> None:
        pass


class _NoTelemetry:
    def request(self, _: str, __: Mapping[str, str], ___: datetime) -> RequestSpans:
        return NO_SPANS


NO_SPANS: Final[RequestSpans] = _NoSpans()
NO_TELEMETRY: Final[Telemetry] = _NoTelemetry()


@contextlib.asynccontextmanager
async def open_telemetry(
    metrics: Metrics, flush_s: float, *, wanted: bool = True
) -> AsyncGenerator[Telemetry, None]:
    """Open what the standard ``OTEL_…`` variables ask for; in the end send what waits.

    Without an endpoint nothing of it is read, which saves memory and time at the start.

    Args:
        metrics: Where spans that were lost are counted.
        flush_s: How long sending the last ones may take.
        wanted: Read the variables at all.

    Raises:
        OtelSettingsError: a variable cannot be used.
    """
    asked_for = read_environment() if wanted else None
    if asked_for is None:
        yield NO_TELEMETRY
        return
    from proxy.telemetry.otel_export import exporting

    async with exporting(asked_for, metrics, flush_s) as telemetry:
        yield telemetry
