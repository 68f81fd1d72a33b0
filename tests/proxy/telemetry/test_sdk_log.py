"""What the SDK says of its collector is said once, until the collector is back."""

import json
import logging

import pytest
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

from proxy.telemetry.otel_export import sdk_log
from tests.fakes.log_lines import json_logs

TRACES = logging.getLogger(OTLPSpanExporter.__module__)
METRICS = logging.getLogger(OTLPMetricExporter.__module__)
FAILED = "Failed to export %s"


def test_each_thing_is_said_once_until_something_was_sent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with json_logs(), sdk_log() as said:
        TRACES.error(FAILED, "one")
        TRACES.error(FAILED, "two")
        METRICS.error(FAILED, "three")
        said.sent("traces", OTLPSpanExporter)
        said.sent("traces", OTLPSpanExporter)
        METRICS.error(FAILED, "four")
        TRACES.error(FAILED, "five")

    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("said") or line["signal"] for line in lines] == [
        "Failed to export one",
        "Failed to export three",
        "traces",
        "Failed to export five",
    ]


def test_what_is_no_trouble_is_not_said(capsys: pytest.CaptureFixture[str]) -> None:
    with json_logs(), sdk_log() as said:
        TRACES.info("sent %s", "one")
        said.sent("traces", OTLPSpanExporter)

    assert capsys.readouterr().err == ""


def test_its_logger_is_left_as_it_was() -> None:
    logger = logging.getLogger("opentelemetry")
    before = (logger.propagate, logger.handlers[:])

    with sdk_log():
        assert not logger.propagate

    assert (logger.propagate, logger.handlers[:]) == before
