"""The connection of a client as bytes go over it, where uvicorn does not write them itself."""

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus

from proxy.errors import GuardProxyError

Headers = Sequence[tuple[bytes, bytes]]


def _nothing() -> None:
    pass


class Wire:
    """A connection as who replies on it sees it: who closes it hangs up with manners."""

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self.write = transport.write
        self.is_closing = transport.is_closing
        self.close = close

    def let_go(self) -> None:
        """Forget whom it belongs to: nothing is closed any more."""
        self.close = _nothing


def last_reply(error: GuardProxyError, default_headers: Headers) -> bytes:
    """Return the reply of a failure after which the connection is closed."""
    status, body = HTTPStatus(error.status), error.as_body()
    headers = [
        *((name.encode(), value.encode()) for name, value in error.headers.items()),
        *default_headers,
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
    ]
    return message(b"HTTP/1.1 %d %b" % (status, status.phrase.encode()), headers, body)


def message(first_line: bytes, headers: Headers, body: bytes) -> bytes:
    """Return a message of HTTP/1: a request or a reply."""
    lines = [first_line, *(b"%b: %b" % header for header in headers)]
    return b"\r\n".join([*lines, b"", body])
