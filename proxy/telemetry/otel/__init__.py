"""Telemetry by OpenTelemetry, sent over OTLP; import it only where it is wanted."""

from proxy.telemetry.otel.providers import exporting

__all__ = ["exporting"]
