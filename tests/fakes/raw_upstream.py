"""A model server that is only a socket: it sends what a test says, byte for byte."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.fakes.raw_server import raw_server


@dataclass(frozen=True)
class RawRequest:
    """A request as it came over the wire; names of headers in lower case."""

    line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name]


@dataclass(frozen=True)
class Talk:
    """One request and the connection that it came over."""

    request: RawRequest
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, piece: bytes) -> None:
        self.writer.write(piece)
        await self.writer.drain()

    async def hang(self) -> None:
        """Say nothing more, until the other side hangs up."""
        await self.reader.read()

    async def drip(self, piece: bytes, every_s: float) -> None:
        """Send one piece after the other, until the other side hangs up."""
        while not self.reader.at_eof():
            await self.send(piece)
            await asyncio.sleep(every_s)


Act = Callable[[Talk], Awaitable[None]]


@dataclass
class RawUpstream:
    """What it does with a request is decided by `act`; the connection is closed afterwards.

    With `tls` it is spoken to over https.
    """

    act: Act = field(default=lambda talk: talk.hang())
    tls: ssl.SSLContext | None = None
    requests: list[RawRequest] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    address: str = ""

    def says(
        self, body: bytes, *, status: str = "200 OK", headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer every request with this reply."""
        self.act = lambda talk: talk.send(http_reply(body, status=status, headers=headers))

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["RawUpstream", None]:
        async with raw_server(self._talk, tls=self.tls) as port:
            self.address = f"{'https' if self.tls else 'http'}://127.0.0.1:{port}"
            yield self

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _read_request(reader)
            self.requests.append(request)
            await self.act(Talk(request, reader, writer))
        finally:
            if reader.at_eof():
                self.hung_up.set()


async def _read_request(reader: asyncio.StreamReader) -> RawRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *fields = head.rstrip("\r\n").split("\r\n")
    headers = tuple(
        (name.lower(), value.strip()) for name, _, value in (one.partition(":") for one in fields)
    )
    length = next((int(value) for name, value in headers if name == "content-length"), 0)
    return RawRequest(line, headers, await reader.readexactly(length))


def http_head(
    *, status: str = "200 OK", content_type: str = "application/json", **headers: str
) -> bytes:
    """Return the head of a reply that ends with its connection."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [
        f"HTTP/1.1 {status}",
        f"content-type: {content_type}",
        "connection: close",
        *(f"{name}: {value}" for name, value in named.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def http_reply(
    body: bytes, *, status: str = "200 OK", headers: Mapping[str, str] | None = None
) -> bytes:
    """Return a whole reply with its length."""
    named = {name.replace("-", "_"): value for name, value in (headers or {}).items()}
    return http_head(status=status, **{"content_length": str(len(body)), **named}) + body
