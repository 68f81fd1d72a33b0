"""Opens telemetry, if the environment wants any."""

import contextlib
from collections.abc import AsyncGenerator

from proxy.metrics import Metrics
from proxy.telemetry.environment import read_environment
from proxy.telemetry.spans import NOBODY, Telemetry


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
        yield NOBODY
        return
    from proxy.telemetry.otel import exporting

    async with exporting(asked_for, metrics, flush_s) as telemetry:
        yield telemetry
