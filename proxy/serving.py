"""Runs ASGI apps on sockets: for good (`serve`), or within a block of code (`served`)."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Generator

import uvicorn
from litestar.types import ASGIApp


def open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free one.

    Raises:
        OSError: the address is taken or not ours.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=2048)


def address_of(opened: socket.socket) -> str:
    """Return the ``http://`` address of a listening socket."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def serve(app: ASGIApp, opened: socket.socket, *, shutdown_s: float) -> None:
    """Serve until SIGTERM or SIGINT; requests under way get ``shutdown_s`` seconds to end."""
    await uvicorn.Server(_config(app, shutdown_s)).serve(sockets=[opened])


class _Guest(uvicorn.Server):
    """A server that leaves the signals to its host and says when it is up."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()


@contextlib.asynccontextmanager
async def served(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> AsyncGenerator[str, None]:
    """Serve an app inside this block; yields its address.

    Raises:
        RuntimeError: the app's own start failed.
    """
    opened = open_socket(host, port)
    server = _Guest(_config(app, shutdown_s=5.0))
    serving = asyncio.create_task(server.serve(sockets=[opened]))
    up = asyncio.create_task(server.up.wait())
    try:
        await asyncio.wait({serving, up}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done() or server.should_exit:
            raise RuntimeError("the server ended before it had started")
        yield address_of(opened)
    finally:
        up.cancel()
        server.should_exit = True
        await serving
        opened.close()


def _config(app: ASGIApp, shutdown_s: float) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=max(1, round(shutdown_s)),
    )
