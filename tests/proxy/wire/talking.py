"""A server that says over each connection what a test tells it, byte for byte."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.fakes.raw_server import raw_server

REPLY = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@dataclass
class Line:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def request(self) -> bytes:
        """Return the next request, its head and a body of known length."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        for field_line in head.lower().split(b"\r\n"):
            name, _, value = field_line.partition(b":")
            if name == b"content-length":
                return head + await self.reader.readexactly(int(value))
        return head

    async def say(self, said: bytes) -> None:
        self.writer.write(said)
        await self.writer.drain()


Act = Callable[[Line], Awaitable[None]]


async def answer_all(line: Line) -> None:
    """Answer every request that comes over a connection."""
    while True:
        await line.request()
        await line.say(REPLY)


@dataclass
class Talking:
    """`lines` holds every connection there was; `requests` what `heard` read from them."""

    act: Act = answer_all
    lines: list[Line] = field(default_factory=list)
    requests: list[bytes] = field(default_factory=list)
    address: str = ""

    def says(self, reply: bytes) -> None:
        """Answer one request of each connection, and hang up."""

        async def act(line: Line) -> None:
            self.requests.append(await line.request())
            await line.say(reply)

        self.act = act

    def hears(self) -> None:
        """Answer every request, and remember it."""

        async def act(line: Line) -> None:
            while True:
                self.requests.append(await line.request())
                await line.say(REPLY)

        self.act = act


@asynccontextmanager
async def talking() -> AsyncGenerator[Talking, None]:
    server = Talking()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = Line(reader, writer)
        server.lines.append(line)
        await server.act(line)

    async with raw_server(talk) as port:
        server.address = f"http://127.0.0.1:{port}"
        yield server
