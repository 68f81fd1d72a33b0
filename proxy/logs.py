"""Structured logs: JSON lines off a terminal, readable ones on it."""

import logging
import sys
import traceback
from pathlib import Path

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from proxy.settings import LogFormat


def configure_logs(log_format: LogFormat) -> None:
    """Set up logging for the whole process, the standard library's loggers included."""
    as_json = log_format is LogFormat.JSON or (
        log_format is LogFormat.AUTO and not sys.stderr.isatty()
    )
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_ending(as_json=as_json),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("proxy").setLevel(logging.INFO)


def _ending(*, as_json: bool) -> list[Processor]:
    if as_json:
        # Local variables of a traceback hold texts of requests.
        frames = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        return [
            structlog.processors.ExceptionRenderer(frames),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]


def failure(error: BaseException) -> dict[str, object]:
    """Return what a log line may say of an exception: its type and where, never its words.

    An exception's message may quote what somebody asked or what a model answered.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "error": type(error).__name__,
        "raised_at": [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames],
    }


def logger(name: str) -> FilteringBoundLogger:
    """Return the logger of a module."""
    bound: FilteringBoundLogger = structlog.get_logger(name)
    return bound
