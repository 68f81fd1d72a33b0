"""Sends requests to the model servers.

Errors of the HTTP library are translated here and nowhere else. No cookie is ever kept.
"""

import contextlib
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx

from proxy.errors import (
    UpstreamBroken,
    UpstreamError,
    UpstreamPoolFull,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.headers import returned_headers
from proxy.http_client import AiohttpTransport, NotSecured, StaleConnection
from proxy.logs import logger
from proxy.patience import Patience
from proxy.spare import Spare
from proxy.upstream.reply import Opened, OpenReply, RawReply, check_status, read_whole
from proxy.upstream.request import ServerCall, Terms, httpx_request
from proxy.upstream.troubles import Troubles

log = logger(__name__)


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
        self._troubles = Troubles(time.monotonic)

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
    async def exchange(self, request: httpx.Request, terms: Terms) -> AsyncGenerator[Opened, None]:
        """Send a request; its reply's body is read within.

        Raises:
            UpstreamError: it failed, one way or another.
        """
        server, place = request.url.host, request.url.netloc.decode("ascii", "replace")
        try:
            async with Patience(terms.timeouts) as patience:
                response = await self._send(request, terms.spare)
                del request  # its reply may take long
                patience.begun()
                opened = Opened(response, patience)
                try:
                    await check_status(opened, terms)
                    self._troubles.answered(place)
                    yield opened
                finally:
                    await response.aclose()
        except (httpx.TransportError, httpx.DecodingError) as error:
            failure = _translated(error, terms, server)
            if not isinstance(error, NotSecured):  # the log has that already
                self._troubles.failed(place, failure)
            raise failure from error
        except UpstreamError as failure:
            self._troubles.failed(place, failure)
            raise

    async def _send(self, request: httpx.Request, spare: Spare) -> httpx.Response:
        try:
            return await self._transport.handle_async_request(request)
        except StaleConnection:
            # The server closed an idle connection at the moment that it was used again; nothing
            # came back, so the request is sent once more. A body in pieces has gone by.
            if not (isinstance(request.stream, httpx.ByteStream) and spare.take()):
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
        case NotSecured():
            log.warning("upstream.not_secured", server=server, said=str(error))
    return UpstreamUnreachable(type(error).__name__)
