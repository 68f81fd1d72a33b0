"""Replies to clients, sent as ASGI messages."""

from collections.abc import Mapping
from dataclasses import dataclass

from litestar.types import Send

from proxy.errors import GuardProxyError

_PIECE_BYTES = 256 * 1024
"""Of a large reply, so that its request lasts until the client has taken nearly all of it."""
EVENT_STREAM = "text/event-stream; charset=utf-8"


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A reply, ready to be sent."""

    status: int
    headers: Mapping[str, str]
    content_type: str
    body: bytes


def error_reply(error: GuardProxyError) -> HttpReply:
    """Return an error as a client sees it."""
    return HttpReply(error.status, error.headers, "application/json", error.as_body())


async def send_whole(send: Send, reply: HttpReply) -> None:
    """Send a reply of which all is known."""
    headers = {**reply.headers}
    if reply.content_type:  # without one there is no body
        headers["content-type"] = reply.content_type
        headers["content-length"] = str(len(reply.body))
    await send_head(send, reply.status, headers)
    body = reply.body
    last = max(0, len(body) - 1) // _PIECE_BYTES * _PIECE_BYTES
    for start in range(0, last, _PIECE_BYTES):
        await send_piece(send, body[start : start + _PIECE_BYTES], more=True)
    await send_piece(send, body[last:], more=False)


async def send_head(send: Send, status: int, headers: Mapping[str, str]) -> None:
    """Begin a reply; its body follows in pieces."""
    written = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": written})


async def send_piece(send: Send, piece: bytes, *, more: bool) -> None:
    """Send a piece of the body; nothing follows the one without `more`."""
    await send({"type": "http.response.body", "body": piece, "more_body": more})
