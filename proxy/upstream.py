"""Client of the model servers: a request out, its whole reply (or its stream) back.

Errors of the HTTP library are translated here and nowhere else. No cookie is ever kept, and no key
of the proxy's own leaves: the tenant's key for its model server takes the place of the caller's.
"""

import contextlib
import sys
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Generator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol, cast

import httpx

from policies.policy import Timeouts
from proxy.encodings import ENCODINGS, Sliced, encodings_of
from proxy.errors import (
    UpstreamBroken,
    UpstreamError,
    UpstreamPoolFull,
    UpstreamRefused,
    UpstreamRejectedKey,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.headers import returned_headers, sent_headers
from proxy.logs import logger
from proxy.openai_api.json_body import member, read_object
from proxy.patience import Patience
from proxy.spare import Spare
from proxy.transport import AiohttpTransport, NotSecured, StaleConnection

log = logger(__name__)

_NOT_MODIFIED = 304
_MOST_STATUS = 599
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


@dataclass(frozen=True, slots=True)
class Opened:
    """A reply as it came, and the patience with which its body is waited for."""

    response: httpx.Response
    patience: Patience

    def encoded(self) -> AsyncIterator[bytes]:
        """Yield the body as it came, each piece within the idle timeout."""
        return self._timely(self._stream, sys.maxsize)

    def decoded(self, most_bytes: int) -> AsyncIterator[bytes]:
        """Yield the body, each piece within the idle timeout.

        Raises:
            UpstreamBroken: it is larger than it may be, or in an encoding that nobody asked for.
        """
        used = encodings_of(self.response.headers.get("content-encoding", ""))
        if not used:
            return self._timely(self._stream, most_bytes)
        # One within another could come out a million times as large.
        if len(used) > 1 or used[0] not in ENCODINGS:
            raise UpstreamBroken("its content encoding is not one that was asked for")
        self.response.stream = Sliced(self._stream)
        return self._timely(self.response.aiter_bytes(), most_bytes)

    @property
    def _stream(self) -> httpx.AsyncByteStream:
        return cast("httpx.AsyncByteStream", self.response.stream)

    async def _timely(self, pieces: AsyncIterable[bytes], most_bytes: int) -> AsyncIterator[bytes]:
        size = 0
        self.patience.wait()
        async for piece in pieces:
            self.patience.rest()
            size += len(piece)
            if size > most_bytes:
                raise UpstreamBroken(f"it is larger than {most_bytes} bytes")
            yield piece
            self.patience.wait()
        self.patience.rest()


class ModelServers:
    """Talks to every tenant's model server over one pool of connections.

    Args:
        max_reply_bytes: The largest reply that is held.
        most_connections: How many may be in use at once; None for as many as are asked for.
        ca_file: Certificates that are trusted beside the public ones; None for none.
    """

    def __init__(
        self,
        max_reply_bytes: int,
        most_connections: int | None = None,
        *,
        ca_file: Path | None = None,
    ) -> None:
        self._max_reply_bytes = max_reply_bytes
        self._transport = AiohttpTransport(most_connections, ca_file=ca_file)

    async def close(self) -> None:
        """Close every connection."""
        await self._transport.aclose()

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
        async with self.exchange(_request(call), call) as opened:
            headers = opened.response.headers
            yield OpenReply(
                status=opened.response.status_code,
                headers=returned_headers(headers),
                content_type=headers.get("content-type", ""),
                pieces=opened.decoded(self._max_reply_bytes),
            )

    @contextlib.asynccontextmanager
    async def exchange(self, request: httpx.Request, terms: Terms) -> AsyncGenerator[Opened, None]:
        """Send a request; its reply's body is read within.

        Raises:
            UpstreamError: it failed, one way or another.
        """
        with _translated(terms, request.url.host):
            async with Patience(terms.timeouts) as patience:
                response = await self._send(request, terms.spare)
                patience.begun()
                opened = Opened(response, patience)
                try:
                    await _check_status(opened, terms)
                    yield opened
                finally:
                    await response.aclose()

    async def _send(self, request: httpx.Request, spare: Spare) -> httpx.Response:
        try:
            return await self._transport.handle_async_request(request)
        except StaleConnection:
            # The server closed an idle connection at the moment that it was used again; nothing
            # came back, so the request is sent once more. A body in pieces has gone by.
            if not (isinstance(request.stream, httpx.ByteStream) and spare.take()):
                raise
            return await self._transport.handle_async_request(request)


async def read_whole(reply: OpenReply) -> RawReply:
    """Return all of a reply.

    Raises:
        UpstreamError: it failed on the way.
    """
    body = b"".join([piece async for piece in reply.pieces])
    return RawReply(reply.status, reply.headers, reply.content_type, body)


def _request(call: ServerCall) -> httpx.Request:
    headers = sent_headers(call.headers, key_is_ours=call.key_is_ours)
    headers["accept-encoding"] = ", ".join(ENCODINGS)
    if call.key is not None:
        headers["authorization"] = f"Bearer {call.key}"
    url = parsed_url(call.url)
    extensions: dict[str, object] = {"timeout": {"connect": call.timeouts.connect_s}}
    if call.query:
        extensions["target"] = url.raw_path + b"?" + call.query
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


@contextlib.contextmanager
def _translated(terms: Terms, server: str) -> Generator[None, None, None]:
    try:
        yield
    except httpx.PoolTimeout as error:
        raise UpstreamPoolFull from error
    except httpx.ConnectTimeout as error:
        raise UpstreamTimeout("connect", terms.timeouts.connect_s) from error
    except httpx.DecodingError as error:
        raise UpstreamBroken("its content encoding is damaged") from error
    except NotSecured as error:
        log.warning("upstream.not_secured", server=server, said=str(error))
        raise UpstreamUnreachable(type(error).__name__) from error
    except httpx.TransportError as error:
        raise UpstreamUnreachable(type(error).__name__) from error


async def _check_status(opened: Opened, terms: Terms) -> None:
    """Let only a reply through that a caller may get.

    Raises:
        UpstreamError: it is an error of the model server's, or none that was asked for.
    """
    status = opened.response.status_code
    if status > _MOST_STATUS:
        raise UpstreamBroken(f"its status is none ({status})")
    if status >= 400:
        raise await _refusal(opened, terms)
    if status >= 300 and status != _NOT_MODIFIED:
        # A client that followed would leave the proxy behind, its key in hand.
        raise UpstreamBroken(f"it redirects ({status})")
    if status < 200:
        raise UpstreamBroken(f"it changes the protocol ({status})")


async def _refusal(opened: Opened, terms: Terms) -> UpstreamError:
    """Return the error that an error status of the model server becomes."""
    status = opened.response.status_code
    if status in (401, 403) and terms.key_is_ours:
        return UpstreamRejectedKey()
    body = await _error_object(opened, terms) if status < 500 else None
    return UpstreamRefused(status, body, returned_headers(opened.response.headers))


async def _error_object(opened: Opened, terms: Terms) -> bytes | None:
    """Return the model server's own OpenAI error object without our key, or None."""
    try:
        raw = b"".join([piece async for piece in opened.decoded(_LONGEST_ERROR_BYTES)])
    except UpstreamBroken:
        return None
    if terms.key and terms.key_is_ours:
        raw = raw.replace(terms.key.encode(), b"***")
    try:
        is_error = isinstance(member(member(read_object(raw), "error"), "message"), str)
    except ValueError:
        return None
    return raw if is_error else None
