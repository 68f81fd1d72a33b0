"""Sends requests to the model servers.

Errors of the HTTP library are translated here and nowhere else. No cookie is ever kept.
"""

import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import httpx

from proxy.errors import (
    UpstreamBroken,
    UpstreamError,
    UpstreamPoolFull,
    UpstreamRefused,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.http_client import AiohttpTransport, StaleConnection, TlsError
from proxy.logs import logger
from proxy.upstream.headers import returned_headers
from proxy.upstream.reply import (
    Deadline,
    OpenedResponse,
    OpenReply,
    check_status,
    read_whole,
)
from proxy.upstream.request import RetryBudget, ServerCall, Terms, httpx_request

log = logger(__name__)

QUIET_S = 60.0
"""One that fails now and then is told of this often at most."""

_SERVERS_OWN_FAULT = 500


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
        if isinstance(error, UpstreamRefused) and error.status < _SERVERS_OWN_FAULT:
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
        self._troubles = FailureLog(time.monotonic)

    async def close(self) -> None:
        """Close every connection."""
        await self._transport.aclose()

    async def ask(self, call: ServerCall) -> bytes:
        """Return the whole body of the reply.

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
        async with self.exchange(httpx_request(call), call) as opened:
            headers = opened.response.headers
            yield OpenReply(
                status=opened.response.status_code,
                headers=returned_headers(headers),
                content_type=headers.get("content-type", ""),
                pieces=opened.decoded(self._max_reply_bytes),
                has_come=opened.has_come,
            )

    @contextlib.asynccontextmanager
    async def exchange(
        self, request: httpx.Request, terms: Terms
    ) -> AsyncGenerator[OpenedResponse, None]:
        """Send a request; its reply's body is read within.

        Raises:
            UpstreamError: it failed, one way or another.
        """
        server, place = request.url.host, request.url.netloc.decode("ascii", "replace")
        try:
            async with Deadline(terms.timeouts) as patience:
                response = await self._send(request, terms.retry_budget)
                del request  # its reply may take long
                patience.begun()
                opened = OpenedResponse(response, patience)
                try:
                    await check_status(opened, terms)
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

    async def _send(self, request: httpx.Request, retry_budget: RetryBudget) -> httpx.Response:
        try:
            return await self._transport.handle_async_request(request)
        except StaleConnection:
            # The server closed an idle connection at the moment that it was used again; nothing
            # came back, so the request is sent once more. A body in pieces has gone by.
            if not (isinstance(request.stream, httpx.ByteStream) and retry_budget.consume()):
                raise
            return await self._transport.handle_async_request(request)


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
