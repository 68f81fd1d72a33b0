"""A request to a model server, with its time-outs and headers.

The caller's key is replaced with the tenant's key for its model server. Hop-by-hop headers are
dropped, in both directions.
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import httpx
from multidict import CIMultiDict
from yarl import URL

from policies.schema.sections import Timeouts
from proxy.http_client import HttpRequest, address_of, header_text

RawHeaders: TypeAlias = Iterable[tuple[bytes, bytes]]

# Hop-by-hop headers (RFC 9110, section 7.6.1) and those that this hop sets itself.
_NOT_SENT = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    "transfer-encoding upgrade host content-length content-encoding accept-encoding cookie "
    "authorization expect forwarded x-real-ip "
    # By these some servers take another path or method than the one that was asked for.
    "x-original-url x-rewrite-url x-http-method x-http-method-override x-method-override".split()
)
_NOT_RETURNED = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer "
    "transfer-encoding upgrade content-length content-encoding content-type set-cookie server "
    "date alt-svc www-authenticate".split()
)
# Nor do credentials and accounts of the caller's own travel beside the operator's key.
_NOT_SENT_WITH_OUR_KEY = _NOT_SENT | {
    "api-key",
    "x-api-key",
    "openai-organization",
    "openai-project",
}
# Of our own, and of other proxies.
_OF_HOPS = ("x-guard-", "x-forwarded-")
_LONGEST_KNOWN = 64
"""Of names that are read once: those of most requests are the same few."""


def sent_headers(headers: Mapping[str, str], *, key_is_ours: bool = False) -> dict[str, str]:
    """Return the caller's headers that go on to the model server, by names in lower case."""
    return _without(_NOT_SENT_WITH_OUR_KEY if key_is_ours else _NOT_SENT, headers)


def returned_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the model server's headers that go back to the caller, request ids among them."""
    return _without(_NOT_RETURNED, headers)


def joined_headers(headers: RawHeaders) -> dict[str, str]:
    """Return headers by their names in lower case; several of one name as one list."""
    found: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def is_idempotency_key(name: str) -> bool:
    """Tell whether a header names the request so that a server answers it once only."""
    return _usual(name.lower()) == "idempotency-key"


def _without(dropped: frozenset[str], headers: Mapping[str, str]) -> dict[str, str]:
    """Leave out headers of this hop, also those that `Connection` names."""
    kept = {
        name: value
        for given, value in headers.items()
        if (name := _kept_name(given, dropped)) is not None
    }
    if named := headers.get("connection"):
        also = {_usual(name.strip().lower()) for name in named.split(",")}
        return {name: value for name, value in kept.items() if _usual(name) not in also}
    return kept


def _kept_name(name: str, dropped: frozenset[str]) -> str | None:
    """Return the name of a header in lower case; None if it is left out."""
    return _known_name(name, dropped) if len(name) <= _LONGEST_KNOWN else _read_name(name, dropped)


def _read_name(name: str, dropped: frozenset[str]) -> str | None:
    lower = name.lower()
    usual = _usual(lower)
    return None if usual in dropped or usual.startswith(_OF_HOPS) else lower


_known_name = lru_cache(1024)(_read_name)


def _usual(name: str) -> str:
    return name.replace("_", "-")  # some servers take one for the other


ENCODINGS = ("gzip", "deflate")
"""Content encodings accepted here: none that can expand a few bytes to gigabytes.

Neither of these holds more than about a thousand bytes in one.
"""
_AT_ONCE_BYTES = 4 * 1024


class Sliced(httpx.AsyncByteStream):
    """A body in small pieces, so that none of them is large when it is decoded."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces."""
        async for piece in self._stream:
            for start in range(0, len(piece), _AT_ONCE_BYTES):
                yield piece[start : start + _AT_ONCE_BYTES]

    async def aclose(self) -> None:
        """Close the body."""
        await self._stream.aclose()


def encodings_of(header: str) -> list[str]:
    """Return what a ``content-encoding`` header names, one within the other."""
    used = (name.strip().lower() for name in header.split(","))
    return [name for name in used if name not in ("", "identity")]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Whose request for a model server it is, and the terms on which it is sent.

    Attributes:
        tenant: Empty for a probe, whose refusal is nobody's fault.
        base_url: Address of the model server, as the policy has it.
        key: Bearer key for the model server; None for none.
        key_is_ours: The operator configured the key, so its rejection is not the caller's fault.
        retry_budget: What is left to the client's request of being sent once more.
        path_is_ours: The proxy chose the path, not the caller.
    """

    tenant: str
    base_url: str
    key: str | None
    key_is_ours: bool
    timeouts: Timeouts
    retry_budget: RetryBudget
    path_is_ours: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCall(Terms):
    """A request for an endpoint of a model server.

    Attributes:
        path: What follows the address of the server, without a slash at the front.
        headers: The caller's headers; those that must not travel are left out here.
        query: What follows the path, in the bytes in which it came; empty for none.
    """

    method: str
    path: str
    body: bytes
    headers: Mapping[str, str]
    query: bytes = b""

    @property
    def url(self) -> str:
        """Address of the endpoint, without a query."""
        return f"{self.base_url}/{self.path}"


def http_request(call: ServerCall) -> HttpRequest:
    """Return a request as the HTTP client takes it."""
    headers = sent_headers(call.headers, key_is_ours=call.key_is_ours)
    headers["accept-encoding"] = ", ".join(ENCODINGS)
    if call.key is not None:
        headers["authorization"] = f"Bearer {call.key}"
    return HttpRequest(
        call.method,
        _address(call.url, call.query),
        CIMultiDict(
            {
                # The web server reads headers as Latin-1; the same way back gives the same bytes.
                name: value if value.isascii() else header_text(value.encode("latin-1"))
                for name, value in headers.items()
            }
        ),
        call.body,
        call.timeouts.connect_s,
    )


@lru_cache(maxsize=256)
def parsed_url(url: str) -> httpx.URL:
    """Return an address of a policy, as it is for every request again."""
    return httpx.URL(url)


def _address(url: str, query: bytes) -> URL:
    parsed = parsed_url(url)
    return address_of(parsed, parsed.raw_path + b"?" + query) if query else _known_address(url)


@lru_cache(maxsize=256)
def _known_address(url: str) -> URL:
    return address_of(parsed_url(url))
