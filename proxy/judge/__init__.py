"""Judges over HTTP: the kinds of judge, and their circuit breaker."""
