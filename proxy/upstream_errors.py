"""The failures of a model server, as a client gets to see them.

UpstreamError                 the model server failed
├── UpstreamRefused           its own status: it answered with an error
├── UpstreamRejectedKey       502  it does not accept the key that the operator configured
├── UpstreamUnreachable       502
├── UpstreamBroken            502  its reply cannot be read
├── UpstreamPoolFull          503  no connection to it is free
└── UpstreamTimeout           504
"""

from collections.abc import Mapping

from proxy.errors import GuardProxyError


class UpstreamError(GuardProxyError):
    """The model server failed."""

    status = 502
    type = "upstream_error"
    code = "upstream_error"


class UpstreamRefused(UpstreamError):
    """The model server answered with an error status.

    Attributes:
        status: Its status.
        body: Its own error object where it may be passed on (4xx in OpenAI's shape), else None.
        reply_headers: Its headers that may be passed on, ``retry-after`` and request ids among
            them.
    """

    code = "upstream_refused"

    def __init__(
        self, status: int, body: bytes | None = None, reply_headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"The model server answered with status {status}.")
        self.status = status
        self.body = body
        self.reply_headers = dict(reply_headers or {})

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return self.reply_headers

    def as_body(self) -> bytes:
        """Return the model server's own error object, or ours."""
        return super().as_body() if self.body is None else self.body


class UpstreamRejectedKey(UpstreamError):
    """The model server does not accept the key that the operator configured for the tenant."""

    code = "upstream_rejected_key"

    def __init__(self) -> None:
        super().__init__("The model server rejected the key that its operator configured.")


class UpstreamUnreachable(UpstreamError):
    """No connection to the model server, or it broke."""

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
    """No more connections to model servers may be opened; none was asked."""

    status = 503
    code = "upstream_pool_full"

    def __init__(self) -> None:
        super().__init__("All connections to model servers are in use. Try again in a moment.")

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that go out with the error."""
        return {"retry-after": "1"}


class UpstreamTimeout(UpstreamError):
    """The model server took longer than the policy allows for one phase of its reply."""

    status = 504
    code = "upstream_timeout"

    def __init__(self, phase: str, waited_s: float) -> None:
        super().__init__(f"The model server timed out ({phase}, {waited_s:g} s).")
        self.phase = phase
        self.waited_s = waited_s
