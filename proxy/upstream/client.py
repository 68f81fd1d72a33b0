"""The client of model servers: sends requests and reads replies, with limits on time and size.

Errors of the HTTP library are translated here and nowhere else. No cookie is ever kept.
"""

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

import httpx

from policies.schema.sections import Timeouts
from proxy.errors import (
    UpstreamBroken,
    UpstreamError,
    UpstreamPoolFull,
    UpstreamRefused,
    UpstreamRejectedKey,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.http_client import (
    AiohttpTransport,
    HttpRequest,
    HttpResponse,
    StaleConnection,
    TlsError,
)
from proxy.logs import logger
from proxy.openai_api.json_body import member, read_object
from proxy.upstream.request import (
    ENCODINGS,
    RetryBudget,
    ServerCall,
    Sliced,
    Terms,
    encodings_of,
    http_request,
    joined_headers,
    returned_headers,
)


class Deadline:
    """The time limits of one exchange: for its first byte, between two pieces, and in all.

    Within the block the task is cancelled when a limit is passed, and the block ends with
    `UpstreamTimeout`. There is one timer for everything, which looks now and then: a timer for each
    piece of a stream would cost more than reading it.
    """

    def __init__(self, timeouts: Timeouts) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeouts = timeouts
        self._scope = asyncio.timeout(None)
        self._ends_at = self._loop.time() + timeouts.total_s
        self._phase, self._limit_s = "first byte", timeouts.first_byte_s
        self._waits_since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> "Deadline":
        """Wait for the first byte from now on."""
        await self._scope.__aenter__()
        self.wait()
        self._look()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the wait.

        Raises:
            UpstreamTimeout: it took too long.
        """
        if self._timer is not None:
            self._timer.cancel()
        try:
            await self._scope.__aexit__(kind, error, trace)
        except TimeoutError as late:
            raise UpstreamTimeout(self._phase, self._limit_s) from late

    def begun(self) -> None:
        """Note that the reply has begun: from now on the limit is that between two pieces."""
        self._phase, self._limit_s = "idle", self._timeouts.idle_s
        self.rest()

    def wait(self) -> None:
        """Note that the next piece is waited for."""
        self._waits_since = self._loop.time()

    def rest(self) -> None:
        """Note that nothing is waited for: what was read is being worked on."""
        self._waits_since = None

    def _look(self) -> None:
        """End the block if it took too long; else look again when it might have."""
        now = self._loop.time()
        since = now if self._waits_since is None else self._waits_since
        due = min(since + self._limit_s, self._ends_at)
        if due > now:
            # So that the limit between two pieces takes no timer of its own.
            self._timer = self._loop.call_at(min(due, now + self._timeouts.idle_s), self._look)
            return
        if due == self._ends_at:
            self._phase, self._limit_s = "total", self._timeouts.total_s
        self._scope.reschedule(now)


_NOT_MODIFIED = 304
_MOST_STATUS = 599
_LONGEST_ERROR_BYTES = 64 * 1024


_Read: TypeAlias = Callable[[], Awaitable[bytes]]


class OpenReply:
    """A reply whose body is still on its way; the body is read once."""

    def __init__(self, response: HttpResponse, patience: Deadline, most_bytes: int) -> None:
        self.status, self.raw_headers = response.status, response.raw_headers
        self._fields = joined_headers(response.raw_headers)  # as the web server will write them
        self.content_type = self._fields.get("content-type", "")
        self._response = response
        self._patience = patience
        self._most_bytes = most_bytes
        self._read_bytes = 0

    @cached_property
    def headers(self) -> dict[str, str]:
        """The headers that may go to the caller."""
        return returned_headers(self._fields)

    @property
    def pieces(self) -> AsyncIterator[bytes]:
        """The body, decoded, each piece within the idle timeout.

        Raises:
            UpstreamBroken: it is larger than it may be, or in an encoding that nobody asked for.
        """
        return self.decoded(self._most_bytes)

    def encoded(self) -> AsyncIterator[bytes]:
        """Yield the body as it came, each piece within the idle timeout."""
        return self._timely(self._response.read, sys.maxsize)

    def decoded(self, most_bytes: int) -> AsyncIterator[bytes]:
        """Yield the body, each piece within the idle timeout.

        Raises:
            UpstreamBroken: it is larger than it may be, or in an encoding that nobody asked for.
        """
        return self._timely(self._decoding(), most_bytes)

    async def whole(self) -> bytes:
        """Return the whole body, decoded.

        Raises:
            UpstreamError: it failed on the way.
        """
        read, pieces = self._decoding(), list[bytes]()
        while piece := await self._next(read, self._most_bytes):
            pieces.append(piece)
        return b"".join(pieces)

    def has_come(self) -> bool:
        """Tell whether all of the body has come, read or not."""
        return self._response.has_come()

    def _decoding(self) -> _Read:
        """Return what reads the next piece of the body, decoded; it is empty at the end."""
        used = encodings_of(self._fields.get("content-encoding", ""))
        if not used:
            return self._response.read
        # One within another could come out a million times as large.
        if len(used) > 1 or used[0] not in ENCODINGS:
            raise UpstreamBroken("its content encoding is not one that was asked for")
        decoded = httpx.Response(
            self.status, headers=self.raw_headers, stream=Sliced(self._response)
        ).aiter_bytes()

        async def read() -> bytes:
            return await anext(decoded, b"")

        return read

    async def _timely(self, read: _Read, most_bytes: int) -> AsyncIterator[bytes]:
        while piece := await self._next(read, most_bytes):
            yield piece

    async def _next(self, read: _Read, most_bytes: int) -> bytes:
        """Return the next piece of the body in time; empty at its end."""
        self._patience.wait()
        piece = await read()
        self._patience.rest()
        self._read_bytes += len(piece)
        if self._read_bytes > most_bytes:
            raise UpstreamBroken(f"it is larger than {most_bytes} bytes")
        return piece


async def check_status(opened: OpenReply, terms: Terms) -> None:
    """Let only a reply through that a caller may get.

    Raises:
        UpstreamError: it is an error of the model server's, or none that was asked for.
    """
    status = opened.status
    if status > _MOST_STATUS:
        raise UpstreamBroken(f"its status is none ({status})")
    if status >= 400:
        raise await _refusal(opened, terms)
    if status >= 300 and status != _NOT_MODIFIED:
        # A client that followed would leave the proxy behind, its key in hand.
        raise UpstreamBroken(f"it redirects ({status})")
    if status < 200:
        raise UpstreamBroken(f"it changes the protocol ({status})")


async def _refusal(opened: OpenReply, terms: Terms) -> UpstreamError:
    """Return the error that an error status of the model server becomes."""
    status = opened.status
    if status in (401, 403) and terms.key_is_ours:
        return UpstreamRejectedKey()
    body = await _error_object(opened, terms) if status < 500 else None
    return UpstreamRefused(status, body, opened.headers)


async def _error_object(opened: OpenReply, terms: Terms) -> bytes | None:
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


log = logger(__name__)

QUIET_S = 60.0
"""One that fails now and then is told of this often at most."""

_SERVERS_OWN_FAULT = 500
_NOT_FOUND = 404


class FailureLog:
    """Which model servers fail, by host and port.

    Args:
        clock: Monotonic clock in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._told_s: dict[str, float] = {}
        self._failures: dict[str, int] = {}

    def failed(self, server: str, error: UpstreamError) -> None:
        """Note how a request to it ended."""
        if isinstance(error, UpstreamPoolFull):
            return
        is_refusal = isinstance(error, UpstreamRefused) and error.status < _SERVERS_OWN_FAULT
        if is_refusal or isinstance(error, UpstreamRejectedKey):
            self.answered(server)
            return
        if server not in self._failures:
            now_s = self._clock()
            if now_s - self._told_s.get(server, -QUIET_S) < QUIET_S:
                return
            self._told_s[server] = now_s
            self._failures[server] = 0
            log.warning("upstream.failing", server=server, error=error.code, cause=_cause(error))
        self._failures[server] += 1

    def answered(self, server: str) -> None:
        """Note that it replied as it should."""
        failures = self._failures.pop(server, None)
        if failures is not None:
            lasted_s = round(self._clock() - self._told_s[server], 3)
            log.info("upstream.back", server=server, failures=failures, failing_s=lasted_s)


def _cause(error: UpstreamError) -> str:
    """Return what may be written down: nothing that a reply said."""
    return error.cause if isinstance(error, UpstreamUnreachable) else str(error)


class RefusalLog:
    """Which tenants' requests the model server refuses for how they are configured.

    Logged when that begins, when its status or the address changes, and when it is over; the same
    again within a minute is not, so that a client with a wrong model's name does not fill the log.

    Args:
        clock: Monotonic clock in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._refused: dict[str, tuple[str, int]] = {}
        self._logged_s: dict[tuple[str, str, int], float] = {}

    def refused(self, terms: Terms, status: int, *, in_openai_shape: bool) -> None:
        """Note an error status of the model server, unless it tells of a client's mistake."""
        hint = _hint(terms, status, in_openai_shape=in_openai_shape)
        state = (terms.base_url, status)
        if hint is None or not terms.tenant or self._refused.get(terms.tenant) == state:
            return
        now_s = self._clock()
        if now_s - self._logged_s.get((terms.tenant, *state), -QUIET_S) < QUIET_S:
            return
        self._refused[terms.tenant] = state
        self._logged_s[terms.tenant, *state] = now_s
        log.warning(
            "upstream.refusing",
            tenant=terms.tenant,
            base_url=terms.base_url,
            status=status,
            hint=hint,
        )

    def accepted(self, terms: Terms) -> None:
        """Note that the model server did what it was asked."""
        _, status = self._refused.get(terms.tenant, ("", 0))
        # A path that the caller chose says nothing of the one that is missing.
        if status and (status != _NOT_FOUND or terms.path_is_ours):
            del self._refused[terms.tenant]
            log.info("upstream.accepting", tenant=terms.tenant, base_url=terms.base_url)


def _hint(terms: Terms, status: int, *, in_openai_shape: bool) -> str | None:
    """Return the likely cause of a refusal in the configuration; None if it lies elsewhere."""
    match status:
        case 401 if not terms.key_is_ours:
            return "the key that the caller sent was rejected (upstream.pass_caller_key)"
        case 401 if terms.key is None:
            return "the model server requires a key: set upstream.api_key_env"
        case 401:
            return "the key was rejected: check the variable that upstream.api_key_env names"
        case 403:
            return "the key may not do this: check its model, project and network permissions"
        case 404 if not terms.path_is_ours:
            return None
        case 404 if in_openai_shape:
            return "unknown model or path: check the model's name, then upstream.base_url"
        case 404:
            return "unknown path: upstream.base_url must end with the API's path, mostly /v1"
    return None


class ModelServers:
    """Talks to every tenant's model server over one pool of connections.

    Args:
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
        self._troubles = FailureLog(time.monotonic)
        self._refusals = RefusalLog(time.monotonic)

    async def close(self) -> None:
        """Close every connection."""
        await self._transport.aclose()

    async def ask(self, call: ServerCall) -> bytes:
        """Return the whole body of the reply.

        Raises:
            UpstreamError: it failed, one way or another.
        """
        async with self.open(call) as reply:
            return await reply.whole()

    def open(self, call: ServerCall) -> AbstractAsyncContextManager[OpenReply]:
        """Open a reply whose body is read within; see `exchange`."""
        return self.exchange(http_request(call), call)

    @asynccontextmanager
    async def exchange(self, request: HttpRequest, terms: Terms) -> AsyncGenerator[OpenReply, None]:
        """Send a request; its reply's body is read within.

        Raises:
            UpstreamError: it failed, one way or another.
        """
        server, place = request.address.host or "", request.address.authority
        try:
            async with Deadline(terms.timeouts) as patience:
                response = await self._send(request, terms.retry_budget)
                del request  # its reply may take long
                patience.begun()
                opened = OpenReply(response, patience, self._max_reply_bytes)
                try:
                    await self._check_status(opened, terms)
                    self._troubles.answered(place)
                    yield opened
                finally:
                    await response.aclose()
        except (httpx.TransportError, httpx.DecodingError) as error:
            failure = _translated(error, terms, server)
            if not isinstance(error, TlsError):  # the log has that already
                self._troubles.failed(place, failure)
            raise failure from error
        except UpstreamError as failure:
            self._troubles.failed(place, failure)
            raise

    async def _check_status(self, opened: OpenReply, terms: Terms) -> None:
        """Let only a reply through that a caller may get, and log refusals; raises as it does."""
        try:
            await check_status(opened, terms)
        except (UpstreamRefused, UpstreamRejectedKey) as refusal:
            in_shape = isinstance(refusal, UpstreamRefused) and refusal.body is not None
            status = opened.status
            self._refusals.refused(terms, status, in_openai_shape=in_shape)
            raise
        self._refusals.accepted(terms)

    async def _send(self, request: HttpRequest, retry_budget: RetryBudget) -> HttpResponse:
        try:
            return await self._transport.send(request)
        except StaleConnection:
            # The server closed an idle connection at the moment that it was used again; nothing
            # came back, so the request is sent once more. A body in pieces has gone by.
            if not (isinstance(request.body, bytes) and retry_budget.consume()):
                raise
            return await self._transport.send(request)


def _translated(error: httpx.RequestError, terms: Terms, server: str) -> UpstreamError:
    """Return a failure of the HTTP library as ours."""
    match error:
        case httpx.PoolTimeout():
            return UpstreamPoolFull()
        case httpx.ConnectTimeout():
            return UpstreamTimeout("connect", terms.timeouts.connect_s)
        case httpx.DecodingError():
            return UpstreamBroken("its content encoding is damaged")
        case TlsError():
            log.warning("upstream.not_secured", server=server, said=str(error))
    return UpstreamUnreachable(type(error).__name__)
