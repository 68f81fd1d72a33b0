"""The failures of a client: requests that cannot be served.

RequestRefused                what the caller sent cannot be served; more of them in `heads.py`
├── BadRequest                400  wrong types and the like; `param` names the field
│   └── NotJson               400
├── UnsupportedContent        415  the body is not in a form that is read here
├── UnknownKey                401
├── UnknownModel              404
├── UnknownPath               404
├── WrongMethod               405  something is here, but not with this method
├── UnknownTrace              404
├── RequestTooLarge           413
├── TooManyWrongKeys          429  at what only operators and tenants may read
└── TooManyRequests           429  a limit of the tenant's policy is reached
"""

from collections.abc import Iterable, Mapping
from typing import Final

from proxy.errors import GuardProxyError

_OFTEN_WITHOUT_VERSION: Final = frozenset(
    {"/chat/completions", "/completions", "/responses", "/embeddings", "/models"}
)
"""What a client asks for whose base URL lacks its `/v1`."""


class RequestRefused(GuardProxyError):
    """What the caller sent cannot be served."""

    status = 400
    type = "invalid_request_error"
    code: str | None = None


class BadRequest(RequestRefused):
    """The body is not what the endpoint takes; ``param`` names the field."""

    code = "invalid_request"

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


class NotJson(BadRequest):
    """The body is not a JSON object that everybody reads alike; ``problem`` says why."""

    code = "invalid_json"

    def __init__(self, problem: str) -> None:
        super().__init__(f"The body is not a JSON object: {problem}.")


class UnsupportedContent(RequestRefused):
    """The body says that it is something else than JSON in UTF-8, or that it is compressed."""

    status = 415
    code = "unsupported_content"

    def __init__(self, header: str, said: str) -> None:
        wanted = "be application/json in UTF-8" if header == "content-type" else "not be compressed"
        super().__init__(f"The body must {wanted}; its {header} is '{said}'.")


class UnknownKey(RequestRefused):
    """The caller sent no key, or one that no tenant has."""

    status = 401
    code = "invalid_api_key"

    def __init__(self, *, missing: bool) -> None:
        said = "No API key was sent" if missing else "The API key is not known here"
        super().__init__(f"{said}. Send 'Authorization: Bearer <key>'.")

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {"www-authenticate": "Bearer"}


class UnknownModel(RequestRefused):
    """The tenant's list of models does not have the one asked for."""

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
    """Something is served at this path, but not with this method; ``allowed`` are those."""

    status = 405
    code = "method_not_allowed"

    def __init__(self, method: str, path: str, allowed: Iterable[str]) -> None:
        self.allowed = ", ".join(sorted(with_head(allowed)))
        super().__init__(f"Not allowed to {method} on {path}. Allowed: {self.allowed}.")

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {"allow": self.allowed}


class UnknownTrace(RequestRefused):
    """There is no such trace, or not one that the caller may read."""

    status = 404
    code = "trace_not_found"

    def __init__(self, trace_id: str) -> None:
        super().__init__(f"There is no trace '{trace_id}'.")


class RequestTooLarge(RequestRefused):
    """The body is larger than the operator allows."""

    status = 413
    code = "request_too_large"

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"The request body is larger than {limit_bytes} bytes.")


class TooManyWrongKeys(RequestRefused):
    """Somebody at this address was wrong too often, and has to wait ``retry_after_s`` seconds."""

    status = 429
    code = "too_many_wrong_keys"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"Too many wrong keys. Try again in {retry_after_s} s.")
        self.retry_after_s = retry_after_s

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {"retry-after": str(self.retry_after_s)}


class TooManyRequests(RequestRefused):
    """The tenant has reached a limit of its policy; ``limit`` says which, in words."""

    status = 429
    type = "requests"
    code = "rate_limit_exceeded"

    def __init__(self, limit: str, retry_after_s: int, limit_headers: Mapping[str, str]) -> None:
        super().__init__(f"Rate limit reached: {limit}. Try again in {retry_after_s} s.")
        self.retry_after_s = retry_after_s
        self.limit_headers = limit_headers

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {"retry-after": str(self.retry_after_s), **self.limit_headers}
