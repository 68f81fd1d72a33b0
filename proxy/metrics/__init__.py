"""Metrics for Prometheus."""

from proxy.metrics.metrics import Metrics

__all__ = ["Metrics"]
