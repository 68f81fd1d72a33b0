"""What stands between a client and a real Redis, and is slow or silent where a test says so."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.fakes.raw_server import raw_server


@dataclass
class RedisRelay:
    """Hands bytes on in both directions.

    With `tls` it is spoken to over TLS.

    Attributes:
        port: Of the server.
        delay_s: How long each request is held.
        silent_on: Requests that hold these bytes get no answer, and nothing after them.
        asked: The requests that have come, as they came.
    """

    port: int
    delay_s: float = 0.0
    silent_on: bytes | None = None
    tls: ssl.SSLContext | None = None
    url: str = ""
    asked: list[bytes] = field(default_factory=list)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["RedisRelay", None]:
        async with raw_server(self._talk, tls=self.tls) as port:
            self.url = f"{'rediss' if self.tls else 'redis'}://127.0.0.1:{port}/0"
            yield self

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection("127.0.0.1", self.port)
        back = asyncio.create_task(_hand_on(from_server, writer))
        try:
            while piece := await reader.read(65_536):
                self.asked.append(piece)
                await asyncio.sleep(self.delay_s)
                if self.silent_on is not None and self.silent_on in piece:
                    await reader.read()  # until the client hangs up
                    return
                to_server.write(piece)
        finally:
            back.cancel()
            to_server.close()


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(65_536):
        writer.write(piece)
