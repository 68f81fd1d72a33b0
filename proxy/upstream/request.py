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

from policies.upstream import Timeouts
from proxy.encodings import ENCODINGS
from proxy.headers import sent_headers
from proxy.http_client import whole_address
from proxy.spare import Spare


class Terms(Protocol):
    """Whose key a request goes out with, and how long it may take; as in `ServerCall`."""

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
    def spare(self) -> Spare:
        """Whether it may be sent once more, should it be lost."""


@dataclass(frozen=True, slots=True)
class ServerCall:
    """A request for a model server.

    Attributes:
        method: HTTP method.
        url: Address, without a query.
        body: Body as bytes; empty for none.
        headers: The caller's headers; those that must not travel are left out here.
        key: Bearer key for the model server; None for none.
        key_is_ours: The operator configured the key, so its rejection is not the caller's fault.
        timeouts: The tenant's.
        spare: What is left to the client's request of being sent once more.
        query: What follows the path, in the bytes in which it came; empty for none.
    """

    method: str
    url: str
    body: bytes
    headers: Mapping[str, str]
    key: str | None
    key_is_ours: bool
    timeouts: Timeouts
    spare: Spare
    query: bytes = b""


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
