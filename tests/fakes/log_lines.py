"""The log as the service writes it: JSON lines on the standard error stream."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from proxy.logs import configure_logs
from proxy.settings import LogFormat


@contextmanager
def json_logs() -> Iterator[None]:
    """Log as the service does; afterwards logging is as it was."""
    root, ours = logging.getLogger(), logging.getLogger("proxy")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    configure_logs(LogFormat.JSON)
    try:
        yield
    finally:
        structlog.reset_defaults()
        root.handlers = handlers
        root.setLevel(levels[0])
        ours.setLevel(levels[1])
