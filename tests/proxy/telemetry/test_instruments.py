"""What is measured for OpenTelemetry."""

from datetime import UTC, datetime

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader

from proxy.telemetry.otel_spans import MOST_MODELS, Attributes, Instruments, call_attributes
from proxy.telemetry.spans import ModelCall
from proxy.traces.trace import Attempt, PolicyUsed, Trace


@pytest.fixture
def reader() -> InMemoryMetricReader:
    return InMemoryMetricReader()


@pytest.fixture
def instruments(reader: InMemoryMetricReader) -> Instruments:
    return Instruments(MeterProvider([reader], shutdown_on_exit=False).get_meter("test"))


def answered(error: str | None = None) -> Trace:
    return Trace(
        id="0" * 32,
        tenant="app",
        policy=PolicyUsed(name="app", version="1"),
        door="chat.completions",
        started_at=datetime(2026, 3, 1, tzinfo=UTC),
        duration_ms=1500,
        attempts=(Attempt(upstream_ms=1200, error=error),),
        status=200,
    )


def calls(model: str) -> dict[int, Attributes]:
    call = ModelCall(number=1, model=model, base_url="http://127.0.0.1:8000/v1", spent_s=0)
    return {1: call_attributes("chat.completions", call)}


def requests_by_model(reader: InMemoryMetricReader) -> dict[object, int]:
    read = reader.get_metrics_data()
    assert read is not None
    [operations] = [
        metric
        for resource in read.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        if metric.name == "gen_ai.client.operation.duration"
    ]
    found: dict[object, int] = {}
    for point in operations.data.data_points:
        assert isinstance(point, HistogramDataPoint)
        found[(point.attributes or {}).get("gen_ai.request.model")] = point.count
    return found


def test_a_client_that_names_models_as_it_likes_makes_no_series_of_each(
    instruments: Instruments, reader: InMemoryMetricReader
) -> None:
    names = [f"model-{number}" for number in range(MOST_MODELS + 20)]
    for name in [*names, names[0]]:
        instruments.measure(answered(), calls(name))

    found = requests_by_model(reader)
    assert found[names[0]] == 2
    assert found[names[MOST_MODELS - 1]] == 1
    assert found["other"] == 20
    assert len(found) == MOST_MODELS + 1


def test_a_name_that_the_model_server_did_not_take_is_not_told(
    instruments: Instruments, reader: InMemoryMetricReader
) -> None:
    instruments.measure(answered("upstream_refused"), calls("no-such-model"))

    assert requests_by_model(reader) == {None: 1}
