"""Telemetry of requests: metrics for Prometheus, spans for OpenTelemetry.

OpenTelemetry is read only where its environment variables name an endpoint; see `spans`.
"""
