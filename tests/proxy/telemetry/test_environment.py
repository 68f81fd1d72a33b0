"""The variables of OpenTelemetry, and what is logged of its SDK."""

import json
import logging
from collections.abc import Mapping

import pytest
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

from proxy.telemetry.otel import sdk_log
from proxy.telemetry.spans import OtelSettingsError, read_environment
from tests.fakes.log_lines import json_logs
from tests.tables import each_row

COLLECTOR = "http://collector.example:4318"
EVERY = {"OTEL_EXPORTER_OTLP_ENDPOINT": COLLECTOR}
TRACES = {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{COLLECTOR}/v1/traces"}
METRICS = {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": f"{COLLECTOR}/v1/metrics"}


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine's own environment says."""
    for name in [*EVERY, *TRACES, *METRICS, "OTEL_SDK_DISABLED"]:
        monkeypatch.delenv(name, raising=False)


WANTED = [
    pytest.param(EVERY, (True, True), id="one-endpoint-for-both"),
    pytest.param(TRACES, (True, False), id="traces"),
    pytest.param(METRICS, (False, True), id="metrics"),
    pytest.param(EVERY | {"OTEL_METRICS_EXPORTER": "none"}, (True, False), id="not-metrics"),
    pytest.param(EVERY | {"OTEL_SDK_DISABLED": "false"}, (True, True), id="not-disabled"),
]


@each_row("variables, signals", WANTED)
def test_what_is_sent(
    monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str], signals: tuple[bool, bool]
) -> None:
    with monkeypatch.context() as environment:
        for name, value in variables.items():
            environment.setenv(name, value)

        wanted = read_environment()

    assert wanted is not None
    assert (wanted.traces, wanted.metrics) == signals


NOTHING = [
    pytest.param({}, id="no-endpoint"),
    pytest.param({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}, id="empty"),
    pytest.param(EVERY | {"OTEL_SDK_DISABLED": "TRUE"}, id="disabled"),
    pytest.param({"OTEL_TRACES_SAMPLER": "sometimes"}, id="wrong-and-not-wanted"),
    pytest.param(TRACES | {"OTEL_TRACES_EXPORTER": "none"}, id="no-exporter"),
]


@each_row("variables", NOTHING)
def test_nothing_is_sent(monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str]) -> None:
    with monkeypatch.context() as environment:
        for name, value in variables.items():
            environment.setenv(name, value)

        assert read_environment() is None


MISTAKES = [
    ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "collector:4318"),
    ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
    ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
    ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"),
    ("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "-1"),
    ("OTEL_EXPORTER_OTLP_COMPRESSION", "zip"),
    ("OTEL_EXPORTER_OTLP_HEADERS", "secret"),
    ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere/at/all.pem"),
    ("OTEL_BSP_MAX_QUEUE_SIZE", "many"),
    ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0"),
    ("OTEL_BSP_SCHEDULE_DELAY", "0"),
    ("OTEL_METRIC_EXPORT_INTERVAL", "inf"),
    ("OTEL_TRACES_EXPORTER", "jaeger"),
    ("OTEL_TRACES_SAMPLER", "sometimes"),
    ("OTEL_TRACES_SAMPLER_ARG", "2"),
    ("OTEL_PROPAGATORS", "tracecontext,b3"),
    ("OTEL_RESOURCE_ATTRIBUTES", "team"),
    ("OTEL_SDK_DISABLED", "perhaps"),
]


@each_row("name, value", MISTAKES)
def test_a_mistake_stops_the_start_by_its_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    with monkeypatch.context() as environment:
        environment.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", COLLECTOR)
        environment.setenv(name, value)

        with pytest.raises(OtelSettingsError) as caught:
            read_environment()

    [problem] = caught.value.problems
    assert problem.startswith(f"{name}: ")


def test_a_batch_must_fit_into_its_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", COLLECTOR)
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")

    with pytest.raises(OtelSettingsError, match="MAX_EXPORT_BATCH_SIZE"):
        read_environment()


def test_all_mistakes_are_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", COLLECTOR)
    for name, value in MISTAKES[:3]:
        monkeypatch.setenv(name, value)

    with pytest.raises(OtelSettingsError) as caught:
        read_environment()

    assert len(caught.value.problems) == 3


TRACE_EXPORTER = logging.getLogger(OTLPSpanExporter.__module__)
METRIC_EXPORTER = logging.getLogger(OTLPMetricExporter.__module__)
FAILED = "Failed to export %s"


def test_each_thing_is_said_once_until_something_was_sent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with json_logs(), sdk_log() as said:
        TRACE_EXPORTER.error(FAILED, "one")
        TRACE_EXPORTER.error(FAILED, "two")
        METRIC_EXPORTER.error(FAILED, "three")
        said.sent("traces", OTLPSpanExporter)
        said.sent("traces", OTLPSpanExporter)
        METRIC_EXPORTER.error(FAILED, "four")
        TRACE_EXPORTER.error(FAILED, "five")

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("said") or line["signal"] for line in lines] == [
        "Failed to export one",
        "Failed to export three",
        "traces",
        "Failed to export five",
    ]


def test_what_is_no_trouble_is_not_said(capsys: pytest.CaptureFixture[str]) -> None:
    with json_logs(), sdk_log() as said:
        TRACE_EXPORTER.info("sent %s", "one")
        said.sent("traces", OTLPSpanExporter)

    assert capsys.readouterr().err == ""


def test_its_logger_is_left_as_it_was() -> None:
    logger = logging.getLogger("opentelemetry")
    before = (logger.propagate, logger.handlers[:])

    with sdk_log():
        assert not logger.propagate

    assert (logger.propagate, logger.handlers[:]) == before
