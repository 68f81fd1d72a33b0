"""A transport of httpx that sends over aiohttp's connections."""

from functools import lru_cache
from pathlib import Path

import aiohttp
import httpx

from proxy.certificates import trusted
from proxy.transport.errors import raise_as_httpx
from proxy.transport.reply import AiohttpReply, ReplyBody, is_readable
from proxy.transport.request import Sent, address_of

IDLE_KEPT_S = 2.0
"""How long an idle connection is kept: shorter than servers do, which close theirs after 5 s."""
_LONGEST_HEADER_BYTES = 32 * 1024
_MOST_HEADERS = 256
# Headers that aiohttp would add on its own.
_ADDED = frozenset({"Accept", "Accept-Encoding", "Content-Type", "User-Agent"})


class AiohttpTransport(httpx.AsyncBaseTransport):
    """Connections of one event loop.

    Args:
        most_connections: How many may be in use at once; None for as many as are asked for.
        ca_file: Certificates that are trusted beside the public ones; None for none.
    """

    def __init__(self, most_connections: int | None = None, *, ca_file: Path | None = None) -> None:
        self._most_connections = most_connections
        self._ca_file = ca_file
        self._in_use = 0
        self._session: aiohttp.ClientSession | None = None
        self._is_closed = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the body of its reply is still on its way.

        The request's extension ``target`` is what stands in its first line, where the address is
        not to be used; its ``timeout`` for ``connect`` covers looking up the name, too. The reply's
        extension ``has_come`` tells whether all of its body has come, read or not.

        Raises:
            httpx.TransportError: no reply. `httpx.PoolTimeout` says that no connection was free,
                for which nobody waits; `httpx.ReadError` that one was lost before the first byte.
        """
        if self._in_use == self._most_connections:
            raise httpx.PoolTimeout("all connections are in use")
        self._in_use += 1
        try:
            return await self._reply(request)
        except BaseException:
            self._let_go()
            raise

    async def _reply(self, request: httpx.Request) -> httpx.Response:
        sent = Sent(request)
        try:
            reply = await self._connections().request(
                request.method,
                address_of(request),
                headers=sent.headers,
                data=sent.body,
                allow_redirects=False,
                timeout=_time_to_connect(request.extensions.get("timeout", {}).get("connect")),
            )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if sent.failure is not None:
                raise sent.failure from None
            raise_as_httpx(error)
        if not is_readable(reply):
            reply.close()
            raise httpx.RemoteProtocolError("odd headers")
        return httpx.Response(
            reply.status,
            headers=reply.raw_headers,
            stream=ReplyBody(reply, self._let_go),
            extensions={"has_come": reply.content.is_eof},
        )

    def _let_go(self) -> None:
        self._in_use -= 1

    async def aclose(self) -> None:
        """Close every connection; no other is opened."""
        self._is_closed = True
        if self._session is not None:
            await self._session.close()

    def _connections(self) -> aiohttp.ClientSession:
        if self._is_closed:
            raise RuntimeError("the connections are closed")
        if self._session is None:  # it belongs to the loop that is running when it is made
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    ssl=trusted(self._ca_file),
                    limit=0,
                    keepalive_timeout=IDLE_KEPT_S,
                    resolver=aiohttp.ThreadedResolver(),  # the system's, whatever is installed
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                response_class=AiohttpReply,
                skip_auto_headers=_ADDED,
                auto_decompress=False,
                trust_env=False,
                max_line_size=_LONGEST_HEADER_BYTES,
                max_field_size=_LONGEST_HEADER_BYTES,
                max_headers=_MOST_HEADERS,
            )
        return self._session


@lru_cache(maxsize=64)
def _time_to_connect(limit_s: float | None) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, connect=limit_s)
