"""Structured logs, JSON lines off a terminal and readable ones on it, and the access log.

Every structured line goes through `mask_personal` last of all, our own and those of libraries:
whatever somebody logs, no personal identifier is written down. The access log has one line on
stdout for each request, written when its reply has ended. It holds no words of a request and no
key: queries are left out, and personal identifiers in paths, names of models and browsers are
masked.
"""

import contextlib
import json
import logging
import os
import queue
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote

import structlog
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send
from structlog.typing import EventDict, FilteringBoundLogger, Processor, WrappedLogger

from guards.text.personal_data.mask import masked
from proxy.settings import AccessLogFormat, LogFormat

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


log = logger(__name__)

_STDOUT = 1
_MOST_WAITING = 10_000
"""Lines that wait for a reader that does not read; those beyond are dropped and counted."""
_CLOSE_S = 5.0
_LONGEST_CHARS = 512
"""Of each text that is looked through."""
_LONGEST_BYTES = 600
"""Longest text in a line. A pipe takes 4,096 bytes atomically."""
_HALF_ESCAPE = re.compile(rb"\\(?:x[0-9A-F]?)?\Z")
_NOT_QUOTED = re.compile(rb"[^ !#-\[\]-~]")
_STATE = "access_log"
_CLIENT_GONE, _FAILED = 499, 500


@dataclass(slots=True)
class RequestFacts:
    """Facts about a request that its handlers know and its reply does not show; empty if unknown.

    Attributes:
        status: Status in place of the one that was sent, as in the trace: 499 if the client left.
    """

    tenant: str = ""
    model: str = ""
    action: str = ""
    error: str = ""
    request_id: str = ""
    status: int = 0


def facts_of(scope: HTTPScope) -> RequestFacts:
    """Return the facts of a request, for handlers to fill in."""
    found: RequestFacts = scope.setdefault("state", {}).setdefault(_STATE, RequestFacts())
    return found


@dataclass(slots=True)
class _Served:
    """A request, and its reply so far."""

    scope: HTTPScope
    facts: RequestFacts
    began_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    began_s: float = field(default_factory=time.perf_counter)
    path: str = ""
    status: int = 0
    sent_bytes: int = 0

    def __post_init__(self) -> None:
        self.path = self.scope["raw_path"].decode("latin-1")  # routing writes it anew

    def note(self, message: Message) -> None:
        """Note a piece of the reply that is being sent."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body" and self.scope["method"] != "HEAD":
            self.sent_bytes += len(message["body"])

    @property
    def fields(self) -> dict[str, str | int | float | None]:
        """Fields of the log line, by their names in the JSON format."""
        client = self.scope.get("client")
        headers = dict(self.scope["headers"])
        referer = _text(headers.get(b"referer", b"").partition(b"?")[0])
        return {
            "time": self.began_at.isoformat(timespec="milliseconds"),
            "client": client[0][:_LONGEST_CHARS] if client else None,
            "tenant": self.facts.tenant or None,
            "method": self.scope["method"],
            "path": "/".join(map(_without_identifiers, self.path[:_LONGEST_CHARS].split("/"))),
            "protocol": f"HTTP/{self.scope['http_version']}",
            "status": self.facts.status or self.status or _CLIENT_GONE,
            "bytes": self.sent_bytes,
            "duration_ms": round((time.perf_counter() - self.began_s) * 1000, 1),
            "model": _without_identifiers(self.facts.model[:_LONGEST_CHARS]) or None,
            "action": self.facts.action or None,
            "error": self.facts.error or None,
            "request_id": self.facts.request_id or None,
            "referer": referer or None,
            "user_agent": _text(headers.get(b"user-agent", b"")) or None,
        }


def _text(header: bytes) -> str:
    return _without_identifiers(header[:_LONGEST_CHARS].decode("latin-1"))


def _without_identifiers(text: str) -> str:
    if _OWN_ID.fullmatch(text):
        return text
    meant = unquote(text)  # clients write an @ in a path as %40
    safe = masked(meant)
    return masked(text) if safe == meant else safe


def _as_json(served: _Served) -> bytes:
    known = {
        name: _shortened(value) if isinstance(value, str) else value
        for name, value in served.fields.items()
    }
    return _json_bytes(known)


def _json_bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _shortened(text: str) -> str:
    while len(_json_bytes(text)) > _LONGEST_BYTES:
        text = text[: len(text) * 3 // 4]
    return text


def _combined(served: _Served) -> bytes:
    """Return a line in the Combined Log Format, the tenant as its user, and our own at its end."""
    known = {name: _quoted(value) for name, value in served.fields.items()}
    known["time"] = f"{served.began_at:%d/%b/%Y:%H:%M:%S %z}".encode()
    known["bytes"] = b"%d" % served.sent_bytes if served.sent_bytes else b"-"
    return (
        b'%(client)b - %(tenant)b [%(time)b] "%(method)b %(path)b %(protocol)b" %(status)b '
        b'%(bytes)b "%(referer)b" "%(user_agent)b" model="%(model)b" action=%(action)b '
        b"error=%(error)b duration_ms=%(duration_ms)b request_id=%(request_id)b"
    ) % {name.encode(): value for name, value in known.items()}


def _quoted(value: str | float | None) -> bytes:
    """Return a value as it can stand between quotes; of other signs than ASCII's the bytes."""
    said = "-" if value is None else str(value)
    encoded = said.encode("utf-8", "replace")
    escaped = _NOT_QUOTED.sub(lambda found: b"\\x%02X" % found[0][0], encoded)
    return _HALF_ESCAPE.sub(b"", escaped[:_LONGEST_BYTES])


_FORMATS: dict[AccessLogFormat, Callable[[_Served], bytes]] = {
    AccessLogFormat.JSON: _as_json,
    AccessLogFormat.COMBINED: _combined,
}


class _LineWriter:
    """Writes lines in its own thread, so that no request waits for a reader that is slow.

    Args:
        descriptor: Where to; each line is one write, so that those of several workers do not mix.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting: queue.Queue[bytes | None] = queue.Queue(_MOST_WAITING)
        self._dropped = 0
        self._thread = threading.Thread(target=self._run, name="access-log", daemon=True)
        self._thread.start()

    def write(self, line: bytes) -> None:
        """Have a line written; drop it if too many wait."""
        try:
            self._waiting.put_nowait(line + b"\n")
        except queue.Full:
            self._dropped += 1

    def close(self) -> None:
        """Write what waits, for as long as that may take."""
        with contextlib.suppress(queue.Full):
            self._waiting.put(None, timeout=_CLOSE_S)
        self._thread.join(_CLOSE_S)
        self._report_dropped()

    def _run(self) -> None:
        try:
            while (line := self._waiting.get()) is not None:
                while line:
                    line = line[os.write(self._descriptor, line) :]
                self._report_dropped()
        except OSError as error:
            log.warning("access_log.failed", error=type(error).__name__)
            while self._waiting.get() is not None:
                pass  # nobody reads, and the service goes on

    def _report_dropped(self) -> None:
        dropped, self._dropped = self._dropped, 0
        if dropped:
            log.warning("access_log.dropped", lines=dropped)


@contextlib.contextmanager
def access_logged(
    app: ASGIApp, form: AccessLogFormat, descriptor: int = _STDOUT
) -> Generator[ASGIApp, None, None]:
    """Yield the app with each of its requests written to the access log; the app itself if off."""
    if form is AccessLogFormat.OFF:
        yield app
        return
    writer = _LineWriter(descriptor)
    try:
        yield _logged(app, _FORMATS[form], writer.write)
    finally:
        writer.close()


def _logged(
    app: ASGIApp, line_of: Callable[[_Served], bytes], write: Callable[[bytes], None]
) -> ASGIApp:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        served = _Served(scope, facts_of(scope))

        async def sending(message: Message) -> None:
            served.note(message)
            await send(message)

        try:
            await app(scope, receive, sending)
        except Exception:
            served.status = served.status or _FAILED
            raise
        finally:
            write(line_of(served))

    return serve
