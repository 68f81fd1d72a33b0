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
    with logging_kept():
        configure_logs(LogFormat.JSON)
        yield


@contextmanager
def logging_kept() -> Iterator[None]:
    """Whoever sets up logging within this block, afterwards it is as it was."""
    root, ours = logging.getLogger(), logging.getLogger("proxy")
    handlers, levels = root.handlers[:], (root.level, ours.level)
    was_set_up, before = structlog.is_configured(), structlog.get_config()
    try:
        yield
    finally:
        structlog.reset_defaults()
        if was_set_up:
            structlog.configure(**before)
        root.handlers = handlers
        root.setLevel(levels[0])
        ours.setLevel(levels[1])
