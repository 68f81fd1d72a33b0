"""What is told of requests while and after they run: counts for Prometheus, spans for others.

OpenTelemetry is read only where its environment variables name an endpoint; see `opening`.
"""
