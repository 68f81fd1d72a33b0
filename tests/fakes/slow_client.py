"""A client on a connection of its own that sends, reads and leaves as a test says."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from proxy.openai_api.json_body import JsonObject
from tests.fakes.raw_client import RawAnswer
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy

CHAT = "/v1/chat/completions"


class SlowClient:
    """One connection to the proxy."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, said: bytes) -> None:
        self.writer.write(said)
        await self.writer.drain()

    async def drip(self, said: bytes, every_s: float) -> None:
        """Send byte by byte, until the other side hangs up."""
        with contextlib.suppress(ConnectionError):
            for byte in said:
                await self.send(bytes([byte]))
                await asyncio.sleep(every_s)

    async def status(self) -> int:
        """Read until a reply has begun; return its status."""
        async with asyncio.timeout(DEADLINE_S):
            return int((await self.reader.readuntil(b"\r\n")).split()[1])

    async def until(self, said: bytes) -> bytes:
        """Read until some bytes have come."""
        async with asyncio.timeout(DEADLINE_S):
            return await self.reader.readuntil(said)

    async def answer(self) -> RawAnswer:
        """Read one answer that says its length."""
        async with asyncio.timeout(DEADLINE_S):
            head = RawAnswer(await self.reader.readuntil(b"\r\n\r\n"), was_reset=False)
            body = await self.reader.readexactly(int(head.values("content-length")[0]))
            return RawAnswer(head.raw + body, was_reset=False)

    async def rest(self) -> RawAnswer:
        """Read until the other side hangs up, by whatever means."""
        content, was_reset = bytearray(), False
        async with asyncio.timeout(DEADLINE_S):
            try:
                while piece := await self.reader.read(2**16):
                    content += piece
            except ConnectionError:
                was_reset = True
        return RawAnswer(bytes(content), was_reset)

    def leave(self) -> None:
        """Hang up at once."""
        self.writer.close()


@asynccontextmanager
async def slow_client(
    proxy: RunningProxy, *, held_bytes: int | None = None
) -> AsyncGenerator[SlowClient, None]:
    """Connect; `held_bytes` is how much of a reply waits at the client, if not what is usual."""
    address = urlsplit(proxy.address)
    opened = socket.socket()
    if held_bytes is not None:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, held_bytes)
    opened.connect((address.hostname, address.port))
    reader, writer = await asyncio.open_connection(sock=opened, limit=held_bytes or 2**16)
    try:
        yield SlowClient(reader, writer)
    finally:
        writer.close()


def posted(
    proxy: RunningProxy,
    body: bytes | JsonObject,
    *,
    path: str = CHAT,
    tenant: str = "app",
    length: int | None = None,
) -> bytes:
    """Return a request as it goes over the wire; `length` is what it says, where that is not so."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [
        f"POST {path} HTTP/1.1",
        "host: proxy",
        f"authorization: Bearer {proxy.keys[tenant]}",
        "content-type: application/json",
        f"content-length: {len(content) if length is None else length}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + content
