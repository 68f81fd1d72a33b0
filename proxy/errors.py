"""What every failure that a client can see has in common, and those that are our own.

GuardProxyError
├── RequestRefused            what the caller sent cannot be served: `refusals.py`, `heads.py`
├── UpstreamError             the model server failed: `upstream_errors.py`
├── Overloaded                503  this process serves as many as it may
├── InternalError             500  something broke in here
├── TraceStoreUnavailable     503  traces cannot be read right now
├── CannotJudgeNow            503  so long a text cannot be judged right now
└── ServiceStopping           503  the service ends, and its patience ended before the answer

A client sees `as_body()`, an OpenAI error object. Nothing of a stack trace, an address or a key is
ever in it.
"""

import json
from collections.abc import Mapping

ErrorBody = dict[str, dict[str, str | None]]

_LONGEST_MESSAGE_CHARS = 1000
_LONGEST_PARAM_CHARS = 200


class GuardProxyError(Exception):
    """A failure with an HTTP status and an OpenAI error object."""

    status = 500
    type = "server_error"
    code: str | None = "internal_error"
    param: str | None = None

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {}

    def as_body(self) -> bytes:
        """Return the OpenAI error object as JSON."""
        return error_json(str(self), kind=self.type, code=self.code, param=self.param)


def error_json(
    message: str, *, kind: str, code: str | None = None, param: str | None = None
) -> bytes:
    """Return an OpenAI error object as JSON in UTF-8."""
    # They may quote what the caller sent, and nobody reads a name of a megabyte.
    message = _shortened(message, _LONGEST_MESSAGE_CHARS)
    param = None if param is None else _shortened(param, _LONGEST_PARAM_CHARS)
    body: ErrorBody = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    # Half of a character, as somebody's name for a model may hold, is escaped as JSON escapes it.
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _shortened(text: str, most_chars: int) -> str:
    return text if len(text) <= most_chars else f"{text[: most_chars - 1]}…"


class InternalError(GuardProxyError):
    """Something broke in the proxy itself; the log has the rest."""

    def __init__(self, request_id: str) -> None:
        super().__init__(f"The guard proxy failed. Quote request {request_id} to its operator.")


class Overloaded(GuardProxyError):
    """This process serves as many as it may; ``limit`` says of what."""

    status = 503
    code = "overloaded"
    retry_after_s = 1  # a place may be free at any moment

    def __init__(self, limit: str) -> None:
        super().__init__(f"Too many {limit} are being served right now. Try again in a moment.")
        self.limit = limit

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {"retry-after": str(self.retry_after_s)}


class TraceStoreUnavailable(GuardProxyError):
    """Traces cannot be read right now; requests are served all the same."""

    status = 503
    code = "trace_store_unavailable"

    def __init__(self) -> None:
        super().__init__("The trace store cannot be used right now.")


class ServiceStopping(GuardProxyError):
    """The service ends, and its patience with the requests under way has ended before."""

    status = 503
    code = "service_stopping"

    def __init__(self) -> None:
        super().__init__("The service is being stopped or restarted. Send the request again.")

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {"retry-after": "1"}


class CannotJudgeNow(GuardProxyError):
    """A very long text cannot be judged right now, and goes nowhere unjudged."""

    status = 503
    code = "cannot_judge_now"

    def __init__(self, reason: str, retry_after_s: int) -> None:
        super().__init__(f"So long a text cannot be judged right now: {reason}.")
        self.retry_after_s = retry_after_s

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {"retry-after": str(self.retry_after_s)}
