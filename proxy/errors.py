"""All failures that a client can see, as HTTP statuses and OpenAI error objects.

`docs/reference/errors.md` lists them; more refusals are in `request_head.py`. A client sees
`as_body()`, an OpenAI error object, which never holds a stack trace, an address or a key.
"""

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

ErrorBody = dict[str, dict[str, str | None]]

_LONGEST_MESSAGE_CHARS = 1000
_LONGEST_PARAM_CHARS = 200
_SOON: Final = MappingProxyType({"retry-after": "1"})


class GuardProxyError(Exception):
    """A failure with an HTTP status and an OpenAI error object."""

    status = 500
    type = "server_error"
    code: str | None = "internal_error"
    param: str | None = None
    headers: Mapping[str, str] = MappingProxyType({})
    """Headers that go out with the error."""

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
    """The proxy itself failed; the log has the details."""

    def __init__(self, request_id: str) -> None:
        super().__init__(f"The guard proxy failed. Quote request {request_id} to its operator.")


class Overloaded(GuardProxyError):
    """This process has reached a limit; ``limit`` says which."""

    status = 503
    code = "overloaded"
    headers = _SOON  # a place may be free at any moment

    def __init__(self, limit: str) -> None:
        super().__init__(f"Too many {limit} are being served right now. Try again in a moment.")
        self.limit = limit


class TraceStoreUnavailable(GuardProxyError):
    """Traces cannot be read right now; requests are served all the same."""

    status = 503
    code = "trace_store_unavailable"

    def __init__(self) -> None:
        super().__init__("The trace store cannot be used right now.")


class RequestStoreUnavailable(GuardProxyError):
    """The messages cannot be kept until the answer comes, so the answer could not be judged."""

    status = 503
    code = "request_store_unavailable"

    def __init__(self, problem: str) -> None:
        super().__init__(f"The request cannot wait for its answer: {problem}.")


class ServiceStopping(GuardProxyError):
    """The service is stopping, and the request did not finish within the time for that."""

    status = 503
    code = "service_stopping"
    headers = _SOON

    def __init__(self) -> None:
        super().__init__("The service is being stopped or restarted. Send the request again.")


class CannotJudgeNow(GuardProxyError):
    """A very long text cannot be judged right now, and is not sent on unjudged."""

    status = 503
    code = "cannot_judge_now"

    def __init__(self, reason: str, retry_after_s: int) -> None:
        super().__init__(f"So long a text cannot be judged right now: {reason}.")
        self.headers = {"retry-after": str(retry_after_s)}


_OFTEN_WITHOUT_VERSION: Final = frozenset(
    {"/chat/completions", "/completions", "/responses", "/embeddings", "/models"}
)
"""Paths that a client asks for if its base URL lacks `/v1`."""


class RequestRefused(GuardProxyError):
    """The request cannot be served as it was sent."""

    status = 400
    type = "invalid_request_error"
    code: str | None = None


class BadRequest(RequestRefused):
    """The body does not fit the endpoint; ``param`` names the field."""

    code = "invalid_request"

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


class NotJson(BadRequest):
    """The body is no JSON object, or an ambiguous one; ``problem`` says why."""

    code = "invalid_json"

    def __init__(self, problem: str) -> None:
        super().__init__(f"The body is not a JSON object: {problem}.")


class UnsupportedContent(RequestRefused):
    """The body is declared as something else than JSON in UTF-8, or as compressed."""

    status = 415
    code = "unsupported_content"

    def __init__(self, header: str, said: str) -> None:
        wanted = "be application/json in UTF-8" if header == "content-type" else "not be compressed"
        super().__init__(f"The body must {wanted}; its {header} is '{said}'.")


class UnknownKey(RequestRefused):
    """The caller sent no key, or one that belongs to no tenant."""

    status = 401
    code = "invalid_api_key"
    headers = MappingProxyType({"www-authenticate": "Bearer"})

    def __init__(self, *, missing: bool) -> None:
        said = "No API key was sent" if missing else "The API key is not known here"
        super().__init__(f"{said}. Send 'Authorization: Bearer <key>'.")


class UnknownModel(RequestRefused):
    """The tenant's list of models does not contain the requested one."""

    status = 404
    code = "model_not_found"

    def __init__(self, model: str) -> None:
        super().__init__(f"The model '{model}' does not exist or is not open to this key.")
        self.param = "model"


class UnknownPath(RequestRefused):
    """Nothing is served at this path."""

    status = 404
    code = "unknown_url"

    def __init__(self, path: str) -> None:
        hint = f" Did you mean /v1{path}?" if path in _OFTEN_WITHOUT_VERSION else ""
        super().__init__(f"Unknown request URL: {path}.{hint}")


def with_head(methods: Iterable[str]) -> set[str]:
    """Return methods, HEAD among them if GET is: who may have the whole may have its head."""
    found = set(methods)
    return found | {"HEAD"} if "GET" in found else found


class WrongMethod(RequestRefused):
    """The path exists, but not with this method; ``allowed`` lists those that do."""

    status = 405
    code = "method_not_allowed"

    def __init__(self, method: str, path: str, allowed: Iterable[str]) -> None:
        methods = ", ".join(sorted(with_head(allowed)))
        super().__init__(f"Not allowed to {method} on {path}. Allowed: {methods}.")
        self.headers = {"allow": methods}


class UnknownTrace(RequestRefused):
    """There is no such trace, or the caller may not read it."""

    status = 404
    code = "trace_not_found"

    def __init__(self, trace_id: str) -> None:
        super().__init__(f"There is no trace '{trace_id}'.")


class FeedbackPinned(RequestRefused):
    """The request was pinned on the dashboard; its label can be changed only there."""

    status = 409
    code = "feedback_pinned"

    def __init__(self, trace_id: str) -> None:
        super().__init__(f"The label of '{trace_id}' was pinned on the dashboard; change it there.")


class UnknownCall(RequestRefused):
    """The request that this answer belongs to was not sent here, or too long ago."""

    status = 409
    code = "unknown_call"

    def __init__(self, call_id: str | None) -> None:
        named = f"the call '{call_id}'" if call_id else "a call without 'litellm_call_id'"
        super().__init__(
            f"No request is known for {named}, so its answer cannot be held against any sources. "
            "Set the guardrail's mode to [pre_call, post_call]."
        )
        self.param = "litellm_call_id"


class RequestTooLarge(RequestRefused):
    """The body is larger than the operator allows."""

    status = 413
    code = "request_too_large"

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"The request body is larger than {limit_bytes} bytes.")


class TooManyWrongKeys(RequestRefused):
    """Too many wrong keys came from this address; it has to wait ``retry_after_s`` seconds."""

    status = 429
    code = "too_many_wrong_keys"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"Too many wrong keys. Try again in {retry_after_s} s.")
        self.headers = {"retry-after": str(retry_after_s)}


class TooManyRequests(RequestRefused):
    """The tenant has reached a limit of its policy; ``limit`` says which, in words."""

    status = 429
    type = "requests"
    code = "rate_limit_exceeded"

    def __init__(self, limit: str, retry_after_s: int, limit_headers: Mapping[str, str]) -> None:
        super().__init__(f"Rate limit reached: {limit}. Try again in {retry_after_s} s.")
        self.headers = {"retry-after": str(retry_after_s), **limit_headers}


class UpstreamError(GuardProxyError):
    """The model server failed."""

    status = 502
    type = "upstream_error"
    code = "upstream_error"


class UpstreamRefused(UpstreamError):
    """The model server answered with an error status.

    Attributes:
        body: Its own error object where it may be passed on (4xx in OpenAI's shape), else None.
        headers: Its headers that may be passed on, ``retry-after`` and request ids among them.
    """

    code = "upstream_refused"

    def __init__(
        self, status: int, body: bytes | None = None, reply_headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"The model server answered with status {status}.")
        self.status = status
        self.body = body
        self.headers = dict(reply_headers or {})

    def as_body(self) -> bytes:
        """Return the model server's own error object, or ours."""
        return super().as_body() if self.body is None else self.body


class UpstreamRejectedKey(UpstreamError):
    """The model server does not accept the key that the operator configured for the tenant."""

    code = "upstream_rejected_key"

    def __init__(self) -> None:
        super().__init__("The model server rejected the key that its operator configured.")


class UpstreamUnreachable(UpstreamError):
    """There was no connection to the model server, or it broke."""

    code = "upstream_unreachable"

    def __init__(self, cause: str) -> None:
        super().__init__("The connection to the model server failed.")
        self.cause = cause


class UpstreamBroken(UpstreamError):
    """The model server's reply cannot be read; ``problem`` says how."""

    code = "upstream_broken"

    def __init__(self, problem: str) -> None:
        super().__init__(f"The model server's reply cannot be used: {problem}.")
        self.problem = problem


class UpstreamPoolFull(UpstreamError):
    """No more connections to model servers may be opened; the request was not sent."""

    status = 503
    code = "upstream_pool_full"
    headers = _SOON

    def __init__(self) -> None:
        super().__init__("All connections to model servers are in use. Try again in a moment.")


class UpstreamTimeout(UpstreamError):
    """The model server took longer than the policy allows for one phase of its reply."""

    status = 504
    code = "upstream_timeout"

    def __init__(self, phase: str, waited_s: float) -> None:
        super().__init__(f"The model server timed out ({phase}, {waited_s:g} s).")
        self.phase = phase
        self.waited_s = waited_s
