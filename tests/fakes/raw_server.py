"""A server that is only a socket; it leaves no connection open, whatever its clients do."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def raw_server(talk: Talk, *, tls: ssl.SSLContext | None = None) -> AsyncGenerator[int, None]:
    """Serve each connection with `talk` within the block; yields the port.

    At the end of the block conversations under way are cancelled. A connection whose conversation
    has not begun by then is closed as well: one that is left open fails some later test.
    """
    talks: set[asyncio.Task[None]] = set()
    writers: set[asyncio.StreamWriter] = set()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client hung up
        finally:
            writer.close()
            writers.discard(writer)

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        task = asyncio.get_running_loop().create_task(converse(reader, writer))
        talks.add(task)
        task.add_done_callback(talks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield server.sockets[0].getsockname()[1]
        server.close()
        await asyncio.sleep(0)  # connections that are being accepted
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0)
