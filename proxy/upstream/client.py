"""Sends requests to the model servers.

Errors of the HTTP library are translated here and nowhere else. No cookie is ever kept.
"""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx

from proxy.errors import (
    UpstreamBroken,
    UpstreamError,
    UpstreamPoolFull,
    UpstreamRefused,
    UpstreamRejectedKey,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.http_client import AiohttpTransport, StaleConnection, TlsError
from proxy.logs import logger
from proxy.upstream.reply import (
    Deadline,
    OpenReply,
    check_status,
    read_whole,
)
from proxy.upstream.request import RetryBudget, ServerCall, Terms, httpx_request

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
        """Note an error status of the model server; one that tells of a client's mistake is none.

        Args:
            terms: Of the request.
            status: What the model server answered with.
            in_openai_shape: Its reply is an error object of OpenAI's API.
        """
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
            return await read_whole(reply)

    def open(self, call: ServerCall) -> AbstractAsyncContextManager[OpenReply]:
        """Open a reply whose body is read within; see `exchange`."""
        return self.exchange(httpx_request(call), call)

    @asynccontextmanager
    async def exchange(
        self, request: httpx.Request, terms: Terms
    ) -> AsyncGenerator[OpenReply, None]:
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
            status = opened.response.status_code
            self._refusals.refused(terms, status, in_openai_shape=in_shape)
            raise
        self._refusals.accepted(terms)

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
