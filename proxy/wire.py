"""The connection of a client as bytes go over it, where uvicorn does not write them itself."""

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus

from proxy.errors import GuardProxyError

Headers = Sequence[tuple[bytes, bytes]]


def _nothing() -> None:
    pass


class Wire:
    """A connection as who replies on it sees it.

    The head of a reply leaves together with what follows it at once, in one call of the system. Who
    closes it hangs up with manners.

    Args:
        transport: The connection.
        close: Hangs up.
        soon: Has something done at the loop's next turn.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        close: Callable[[], None],
        soon: Callable[[Callable[[], None]], object],
    ) -> None:
        self.is_closing = transport.is_closing
        self._transport = transport
        self._close = close
        self._soon = soon
        self._begins = False
        self._head = b""

    def begin(self) -> None:
        """Expect a reply: what is written next is its head."""
        self._begins = True

    def write(self, said: bytes) -> None:
        """Write the next piece of a reply."""
        if self._begins:
            self._begins, self._head = False, said
            self._soon(self._flush)
        elif self._head:
            head, self._head = self._head, b""
            self._transport.writelines((head, said))
        else:
            self._transport.write(said)

    def close(self) -> None:
        """Hang up, once all that was written is on its way."""
        self._flush()
        self._close()

    def let_go(self) -> None:
        """Forget whom it belongs to: nothing is written or closed any more."""
        self._head, self._close = b"", _nothing

    def _flush(self) -> None:
        head, self._head = self._head, b""
        if head and not self.is_closing():
            self._transport.write(head)


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
