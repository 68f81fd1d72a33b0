"""Client of the model servers: a request out, its whole reply (or its stream) back.

Errors of the HTTP library are translated here and nowhere else. No cookie is ever kept, and no key
of the proxy's own leaves: the tenant's key for its model server takes the place of the caller's.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Protocol

import httpx

from policies.policy import Timeouts
from proxy.certificates import trusted
from proxy.errors import (
    UpstreamBroken,
    UpstreamError,
    UpstreamRefused,
    UpstreamRejectedKey,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.headers import returned_headers, sent_headers
from proxy.openai_api.json_body import member, read_object

IDLE_KEPT_S = 2.0
"""How long an idle connection is kept: shorter than servers do, which close theirs after 5 s."""
_NOT_MODIFIED = 304
_LONGEST_ERROR_BYTES = 64 * 1024


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


@dataclass(frozen=True, slots=True)
class ServerCall:
    """A request for a model server.

    Attributes:
        method: HTTP method.
        url: Full address.
        body: Body as bytes; empty for none.
        headers: The caller's headers; those that must not travel are left out here.
        key: Bearer key for the model server; None for none.
        key_is_ours: The operator configured the key, so its rejection is not the caller's fault.
        timeouts: The tenant's.
    """

    method: str
    url: str
    body: bytes
    headers: Mapping[str, str]
    key: str | None
    key_is_ours: bool
    timeouts: Timeouts


@dataclass(frozen=True, slots=True)
class OpenReply:
    """A reply whose body is still on its way.

    Attributes:
        status: Below 400.
        headers: Those that may go to the caller.
        content_type: Of the body.
        pieces: The body, decoded; each piece within the idle timeout.
    """

    status: int
    headers: Mapping[str, str]
    content_type: str
    pieces: AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class RawReply:
    """A whole reply."""

    status: int
    headers: Mapping[str, str]
    content_type: str
    body: bytes


class ModelServers:
    """Talks to every tenant's model server over one pool of connections."""

    def __init__(self, max_reply_bytes: int) -> None:
        self._max_reply_bytes = max_reply_bytes
        self._client = httpx.AsyncClient(
            verify=trusted(),
            limits=httpx.Limits(
                max_connections=None, max_keepalive_connections=200, keepalive_expiry=IDLE_KEPT_S
            ),
            timeout=None,  # noqa: S113 - each phase has its own, below
            follow_redirects=False,
            trust_env=False,
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    async def ask(self, call: ServerCall) -> RawReply:
        """Return the whole reply.

        Raises:
            UpstreamError: it failed, one way or another.
        """
        async with self.open(call) as reply:
            return await read_whole(reply)

    @contextlib.asynccontextmanager
    async def open(self, call: ServerCall) -> AsyncGenerator[OpenReply, None]:
        """Open a reply whose body is read within; it must not be larger than replies may be.

        Raises:
            UpstreamError: it failed, one way or another.
        """
        async with self.exchange(self._request(call), call) as response:
            self._check_encoding(response.headers.get("content-encoding", ""))
            yield OpenReply(
                status=response.status_code,
                headers=returned_headers(response.headers),
                content_type=response.headers.get("content-type", ""),
                pieces=_bounded(
                    timely(response.aiter_bytes(), call.timeouts.idle_s), self._max_reply_bytes
                ),
            )

    def _check_encoding(self, named: str) -> None:
        """Refuse a reply in an encoding that was not asked for: nobody could read it.

        Raises:
            UpstreamBroken: it is one.
        """
        asked = {name.strip() for name in self._client.headers["accept-encoding"].split(",")}
        used = [name for one in named.split(",") if (name := one.strip().lower())]
        # One within another could come out a million times as large.
        if len(used) > 1 or set(used) - asked - {"identity"}:
            raise UpstreamBroken("its content encoding is not one that was asked for")

    @contextlib.asynccontextmanager
    async def exchange(
        self, request: httpx.Request, terms: Terms
    ) -> AsyncGenerator[httpx.Response, None]:
        """Send a request; its reply's body is read within.

        Raises:
            UpstreamError: it failed, one way or another.
        """
        async with _translated(), _within("total", terms.timeouts.total_s):
            async with _within("first byte", terms.timeouts.first_byte_s):
                response = await self._send(request)
            try:
                if response.status_code >= 400:
                    raise await _refusal(terms, response)
                if response.status_code >= 300 and response.status_code != _NOT_MODIFIED:
                    # A client that followed would leave the proxy behind, its key in hand.
                    raise UpstreamBroken(f"it redirects ({response.status_code})")
                yield response
            finally:
                await response.aclose()

    def _request(self, call: ServerCall) -> httpx.Request:
        headers = sent_headers(call.headers, key_is_ours=call.key_is_ours)
        if call.key is not None:
            headers["authorization"] = f"Bearer {call.key}"
        return self._client.build_request(
            call.method,
            call.url,
            content=call.body or None,
            # The web server reads headers as Latin-1; the same way back gives the same bytes.
            headers=[(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
            timeout=httpx.Timeout(None, connect=call.timeouts.connect_s),
        )

    async def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self._client.send(request, stream=True)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as error:
            if not isinstance(request.stream, httpx.ByteStream):
                raise  # a body that came in pieces has gone by
            if isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error):
                raise  # it did answer, and not in HTTP
            # The server closed an idle connection at the moment that it was used again; nothing
            # came back, so the request is sent once more.
            return await self._client.send(request, stream=True)


async def read_whole(reply: OpenReply) -> RawReply:
    """Return all of a reply.

    Raises:
        UpstreamError: it failed on the way.
    """
    body = b"".join([piece async for piece in reply.pieces])
    return RawReply(reply.status, reply.headers, reply.content_type, body)


async def _bounded(pieces: AsyncIterator[bytes], most_bytes: int) -> AsyncIterator[bytes]:
    size = 0
    async for piece in pieces:
        size += len(piece)
        if size > most_bytes:
            raise UpstreamBroken(f"it is larger than {most_bytes} bytes")
        yield piece


async def timely(pieces: AsyncIterator[bytes], idle_s: float) -> AsyncIterator[bytes]:
    """Yield the pieces of a reply, each within the idle timeout."""
    while True:
        async with _within("idle", idle_s):
            piece = await anext(pieces, None)
        if piece is None:
            return
        yield piece


@contextlib.asynccontextmanager
async def _within(phase: str, limit_s: float) -> AsyncGenerator[None, None]:
    try:
        async with asyncio.timeout(limit_s):
            yield
    except TimeoutError as error:
        raise UpstreamTimeout(phase, limit_s) from error


@contextlib.asynccontextmanager
async def _translated() -> AsyncGenerator[None, None]:
    try:
        yield
    except httpx.ConnectTimeout as error:
        raise UpstreamTimeout("connect", error.request.extensions["timeout"]["connect"]) from error
    except httpx.DecodingError as error:
        raise UpstreamBroken("its content encoding is damaged") from error
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise UpstreamUnreachable(type(error).__name__) from error


async def _refusal(terms: Terms, response: httpx.Response) -> UpstreamError:
    """Return the error that an error status of the model server becomes."""
    status = response.status_code
    if status in (401, 403) and terms.key_is_ours:
        return UpstreamRejectedKey()
    body = await _error_object(terms, response) if status < 500 else None
    return UpstreamRefused(status, body, returned_headers(response.headers))


async def _error_object(terms: Terms, response: httpx.Response) -> bytes | None:
    """Return the model server's own OpenAI error object without our key, or None."""
    raw = b""
    async for piece in timely(response.aiter_bytes(), terms.timeouts.idle_s):
        raw += piece
        if len(raw) > _LONGEST_ERROR_BYTES:
            return None
    if terms.key and terms.key_is_ours:
        raw = raw.replace(terms.key.encode(), b"***")
    try:
        is_error = isinstance(member(member(read_object(raw), "error"), "message"), str)
    except ValueError:
        return None
    return raw if is_error else None
