"""Runs ASGI apps on sockets, within a block of code."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Generator

import uvicorn
from litestar.types import ASGIApp

_TICK_S = 0.1
"""Uvicorn's own; every tenth tick renews the `date` header."""


class CannotListen(Exception):
    """The address is taken, or not one of this machine's."""

    def __init__(self, host: str, port: int, cause: OSError) -> None:
        super().__init__(f"Cannot listen on {host}:{port}: {cause.strerror}.")
        self.host = host
        self.port = port


class _Guest(uvicorn.Server):
    """A server that leaves the signals to its host, says when it is up, and goes when it is told.

    Left to itself it would let the signal end the process as soon as the last request is done, and
    whatever is open besides would never be closed; and it would look only ten times a second
    whether it should end.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()
        self._told_to_end = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_S):
                    await self._told_to_end.wait()

    def end(self) -> None:
        self.should_exit = True
        self._told_to_end.set()


@contextlib.asynccontextmanager
async def served(
    app: ASGIApp, host: str = "127.0.0.1", port: int = 0, *, shutdown_s: float = 5.0
) -> AsyncGenerator[str, None]:
    """Serve an app inside this block; yields its ``http://`` address.

    Args:
        app: The app.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        shutdown_s: Time that requests under way get when the block ends.

    Raises:
        CannotListen: the address is taken or not ours.
        RuntimeError: the app's own start failed.
    """
    opened = _open_socket(host, port)
    server = _Guest(_config(app, shutdown_s))
    serving = asyncio.create_task(server.serve(sockets=[opened]))
    up = asyncio.create_task(server.up.wait())
    try:
        await asyncio.wait({serving, up}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done() or server.should_exit:
            raise RuntimeError("the server ended before it had started")
        yield _address(opened)
    finally:
        up.cancel()
        server.end()
        await serving
        opened.close()


def _open_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        opened = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise CannotListen(host, port, error) from error
    # Connections inherit it. Without, the body of a reply waits 40 ms for its head's receipt.
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


def _address(opened: socket.socket) -> str:
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _config(app: ASGIApp, shutdown_s: float) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=max(1, round(shutdown_s)),
    )
