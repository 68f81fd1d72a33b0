"""Structured logs: JSON lines off a terminal, readable ones on it.

Every line goes through `mask_personal` last of all, our own and those of libraries: whatever
somebody logs, no personal identifier is written down.
"""

import logging
import re
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path

import structlog
from structlog.typing import EventDict, FilteringBoundLogger, Processor, WrappedLogger

from guards.text.personal_data.mask import masked
from proxy.settings import LogFormat

_OF_THE_LINE = ("level", "timestamp")
# Ids of requests are our own, and some happen to hold the digits of a telephone number.
_OWN_ID = re.compile(r"[0-9a-f]{32}")


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
            mask_personal,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    return [
        structlog.processors.format_exc_info,
        mask_personal,
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        ),
    ]


def mask_personal(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Mask the personal identifiers in every text of an event. A processor.

    Fails closed: an event that cannot be masked loses all that it says but when and how loud.
    """
    try:
        return {key: _masked(value) for key, value in event.items()}
    except Exception as error:  # noqa: BLE001 - whatever broke, nothing goes out as it was
        kept = {key: event[key] for key in _OF_THE_LINE if key in event}
        return kept | {"event": "log.masking_failed", "error": type(error).__name__}


def _masked(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {masked(str(key)): _masked(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_masked(item) for item in value]
    text = value if isinstance(value, str) else repr(value)
    return text if _OWN_ID.fullmatch(text) else masked(text)


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
