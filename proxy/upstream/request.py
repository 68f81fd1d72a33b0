"""A request for a model server, and the terms on which it is sent.

No key of the proxy's own leaves: the tenant's key for its model server takes the place of the
caller's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import httpx
from yarl import URL

from policies.schema.sections import Timeouts
from proxy.http_client import whole_address
from proxy.upstream.headers import ENCODINGS, sent_headers


class RetryBudget:
    """One request to the model server beyond those that were meant to be, whatever fails.

    It is for all attempts of one client's request together, so that a model server that fails is
    not asked more and more.

    Args:
        is_available: False for what must not be sent twice.
    """

    def __init__(self, *, is_available: bool = True) -> None:
        self._is_available = is_available

    def consume(self) -> bool:
        """Use it up; tell whether it was there."""
        is_available, self._is_available = self._is_available, False
        return is_available


class Terms(Protocol):
    """Whose request it is, with which key, and how long it may take; as in `ServerCall`."""

    @property
    def tenant(self) -> str:
        """Whose request it is; empty for a probe, whose refusal is no fault of anybody's."""

    @property
    def base_url(self) -> str:
        """Address of the model server, as the policy has it."""

    @property
    def path_is_ours(self) -> bool:
        """Whether the proxy chose what follows that address, and not the caller."""

    @property
    def key(self) -> str | None:
        """Bearer key for the model server."""

    @property
    def key_is_ours(self) -> bool:
        """Whether the operator configured the key."""

    @property
    def timeouts(self) -> Timeouts:
        """The tenant's."""

    @property
    def retry_budget(self) -> RetryBudget:
        """Whether it may be sent once more, should it be lost."""


@dataclass(frozen=True, slots=True)
class ServerCall:
    """A request for a model server.

    Attributes:
        tenant: Whose request it is; empty for a probe.
        method: HTTP method.
        base_url: Address of the model server.
        path: What follows it, without a slash at the front.
        body: Body as bytes; empty for none.
        headers: The caller's headers; those that must not travel are left out here.
        key: Bearer key for the model server; None for none.
        key_is_ours: The operator configured the key, so its rejection is not the caller's fault.
        timeouts: The tenant's.
        retry_budget: What is left to the client's request of being sent once more.
        query: What follows the path, in the bytes in which it came; empty for none.
    """

    tenant: str
    method: str
    base_url: str
    path: str
    body: bytes
    headers: Mapping[str, str]
    key: str | None
    key_is_ours: bool
    timeouts: Timeouts
    retry_budget: RetryBudget
    query: bytes = b""

    @property
    def url(self) -> str:
        """Address of the endpoint, without a query."""
        return f"{self.base_url}/{self.path}"

    @property
    def path_is_ours(self) -> bool:
        """Whether the proxy chose the path: always."""
        return True


def httpx_request(call: ServerCall) -> httpx.Request:
    """Return a request as the HTTP library takes it."""
    headers = sent_headers(call.headers, key_is_ours=call.key_is_ours)
    headers["accept-encoding"] = ", ".join(ENCODINGS)
    if call.key is not None:
        headers["authorization"] = f"Bearer {call.key}"
    url = parsed_url(call.url)
    extensions: dict[str, object] = {"timeout": {"connect": call.timeouts.connect_s}}
    if call.query:
        extensions["target"] = url.raw_path + b"?" + call.query
    else:
        extensions["address"] = _address(call.url)
    return httpx.Request(
        call.method,
        url,
        # The web server reads headers as Latin-1; the same way back gives the same bytes.
        headers=[(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
        stream=httpx.ByteStream(call.body),
        extensions=extensions,
    )


@lru_cache(maxsize=256)
def parsed_url(url: str) -> httpx.URL:
    """Return an address of a policy, as it is for every request again."""
    return httpx.URL(url)


@lru_cache(maxsize=256)
def _address(url: str) -> URL:
    return whole_address(parsed_url(url))
