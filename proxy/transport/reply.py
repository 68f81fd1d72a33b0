"""A reply as aiohttp reads it, and its body as httpx hands it on."""

import re
from collections.abc import AsyncIterator, Callable
from itertools import chain
from weakref import WeakSet

import aiohttp
import httpx
from aiohttp.client_proto import ResponseHandler

from proxy.transport.errors import StaleConnection, raise_as_httpx

_USED: WeakSet[ResponseHandler] = WeakSet()
"""Connections over which something was asked before."""
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


def is_readable(reply: aiohttp.ClientResponse) -> bool:
    """Tell whether nobody could read another reply in the same bytes."""
    codings = [coding.lower() for coding in reply.headers.getall("Transfer-Encoding", ())]
    if codings not in ([], ["chunked"]):
        return False  # nobody asked for another one, and its body would pass for one without
    return not _CONTROL.search(b"".join(chain.from_iterable(reply.raw_headers)))


class AiohttpReply(aiohttp.ClientResponse):
    """A reply that is only ever read from a connection on which nothing else stands."""

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        """Read the head of the reply.

        Raises:
            httpx.ReadError: the connection was lost before it.
        """
        protocol, transport = connection.protocol, connection.transport
        if protocol is None or protocol.should_close:
            # Something came while the connection was idle: it would be taken for this reply.
            raise StaleConnection("the connection was not idle")
        is_used = protocol in _USED
        _USED.add(protocol)
        try:
            return await super().start(connection)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            # In this shape aiohttp does not send a request again on its own.
            lost = StaleConnection if is_used else httpx.ReadError
            raise lost("the connection was lost") from error
        except BaseException:
            if transport is not None:
                transport.abort()  # a plain close waits for what has not been sent yet
            raise


class ReplyBody(httpx.AsyncByteStream):
    """The body of a reply, as it was encoded, in pieces as they have come."""

    def __init__(self, reply: aiohttp.ClientResponse, let_go: Callable[[], None]) -> None:
        self._reply = reply
        self._let_go: Callable[[], None] | None = let_go

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = self._reply.content.readany
        try:
            while piece := await read():
                yield piece
        except (aiohttp.ClientError, OSError) as error:
            raise_as_httpx(error)

    async def aclose(self) -> None:
        """Let go of the connection; one that is not at its end is cut."""
        connection = self._reply.connection
        if connection is not None and connection.transport is not None:
            connection.transport.abort()  # not all of it was read, or not all was sent
        self._reply.close()
        if self._let_go is not None:
            self._let_go()
            self._let_go = None
