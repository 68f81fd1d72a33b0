"""A request and its reply, handed on as they come: several headers of one name, encoded bodies."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

import httpx

from policies.schema.sections import Timeouts
from proxy.upstream.client import ModelServers
from proxy.upstream.headers import returned_headers, sent_headers
from proxy.upstream.request import RetryBudget, parsed_url

RawHeaders: TypeAlias = Sequence[tuple[bytes, bytes]]

# What this hop sets itself where it has read a body, and leaves alone where it has not.
_SENT_WITH_A_BODY = frozenset({"content-encoding", "accept-encoding"})
_REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})
_NOT_MODIFIED = 304
_RETURNED_WITH_A_BODY = frozenset({"content-encoding", "content-length", "content-type"})


@dataclass(frozen=True, slots=True)
class PassedCall:
    """A request on its way.

    Attributes:
        method: HTTP method.
        base_url: Address of the model server.
        target: What follows the base: path and query, as they go over the wire.
        headers: The caller's; those that must not travel are left out here.
        body: The body, or its pieces as they come.
        key: Bearer key for the model server; None for none.
        key_is_ours: The operator configured the key, so its rejection is not the caller's fault.
        timeouts: The tenant's.
    """

    method: str
    base_url: str
    target: bytes
    headers: RawHeaders
    body: bytes | AsyncIterator[bytes]
    key: str | None
    key_is_ours: bool
    timeouts: Timeouts

    @property
    def retry_budget(self) -> RetryBudget:
        """Whether it may be sent once more, should it be lost: not if that could do it twice."""
        return RetryBudget(is_available=self.method in _REPEATABLE)


@dataclass(frozen=True, slots=True)
class PassedReply:
    """A reply on its way back.

    Attributes:
        status: Below 300, or 304.
        headers: Those that may go to the caller.
        pieces: The body as the model server encoded it; each piece within the idle timeout.
    """

    status: int
    headers: RawHeaders
    pieces: AsyncIterator[bytes]


@contextlib.asynccontextmanager
async def relayed(servers: ModelServers, call: PassedCall) -> AsyncGenerator[PassedReply, None]:
    """Send a request on; the body of its reply is read within.

    Raises:
        UpstreamError: the model server failed, one way or another.
    """
    async with servers.exchange(_request(call), call) as opened:
        response = opened.response
        kept = returned_headers(response.headers).keys() | _RETURNED_WITH_A_BODY
        if response.status_code == _NOT_MODIFIED:
            kept -= {"content-length"}  # of the body that there would be, and none follows
        yield PassedReply(
            status=response.status_code,
            headers=_only(response.headers, kept),
            pieces=opened.encoded(),
        )


def _request(call: PassedCall) -> httpx.Request:
    given = httpx.Headers(call.headers)
    streamed = not isinstance(call.body, bytes)
    kept = sent_headers(given, key_is_ours=call.key_is_ours).keys() | _SENT_WITH_A_BODY
    headers = _only(given, kept | {"content-length"} if streamed else kept)
    if "accept-encoding" not in given:
        headers.append((b"accept-encoding", b"identity"))
    if call.key is not None:
        headers.append((b"authorization", f"Bearer {call.key}".encode()))
    base = parsed_url(call.base_url)
    return httpx.Request(
        call.method,
        base,
        headers=headers,
        content=call.body or None,
        extensions={
            # The very bytes: an address that is parsed and written again may come out different.
            "target": base.raw_path.rstrip(b"/") + call.target,
            "timeout": {"connect": call.timeouts.connect_s},
        },
    )


def _only(headers: httpx.Headers, kept: Set[str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower(), value) for name, value in headers.raw if name.lower().decode() in kept]
