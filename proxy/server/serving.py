"""Runs ASGI apps on sockets, within a block of code."""

import asyncio
import contextlib
import math
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from functools import partial

import uvicorn
import uvloop
from litestar.types import ASGIApp

from proxy.server.client_limits import ConnectionLimiter
from proxy.server.http_protocol import HttpProtocol

IDLE_KEPT_S = 75
"""Seconds that an idle connection is kept: more than load balancers keep theirs (60 s), so that
none of them sends a request at the moment when this end closes."""
_LAST_WORDS_S = 3
"""Time to take leave of those who are told that they were waited for long enough."""
_TICK_S = 0.1
"""Uvicorn's own; every tenth tick renews the `date` header."""
_TICKS_A_LOOK = 10
"""So often it is looked who is too slow: to look at thousands of clients takes milliseconds."""
_STEPS_TO_CONNECT = 4
"""Rounds of the event loop after which a connection that was accepted has its protocol."""
_LATE_S = 0.2
"""Seconds that a request may still take to arrive on a connection open at shutdown."""
_LATE_LOOKS = 10


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return what makes the event loop to serve on: uvloop's costs less than asyncio's own."""
    return uvloop.new_event_loop


class CannotListen(Exception):
    """The address is taken, or not one of this machine's."""

    def __init__(self, host: str, port: int, cause: str) -> None:
        super().__init__(f"Cannot listen on {host}:{port}: {cause}.")
        self.host = host
        self.port = port


class _Server(uvicorn.Server):
    """A server that leaves the signals to its host, says when it is up, and goes when it is told.

    Left to itself it would let the signal end the process as soon as the last request is done, and
    whatever is open besides would never be closed; and it would look only ten times a second
    whether it should end.
    """

    def __init__(self, config: uvicorn.Config, connections: ConnectionLimiter) -> None:
        super().__init__(config)
        self._connections = connections
        least_s = min(connections.limits.request_s, connections.limits.send_s)
        self._ticks_a_look = max(1, min(_TICKS_A_LOOK, int(least_s / 10 / _TICK_S)))
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

    async def on_tick(self, counter: int) -> bool:
        if counter % self._ticks_a_look == 0:
            for connection in list(self.server_state.connections):
                if isinstance(connection, HttpProtocol):
                    connection.end_if_slow()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let nobody in any more, but serve those who are in: they may have asked already."""
        loop = asyncio.get_running_loop()
        listeners = sockets or []
        for listener in listeners:
            loop.remove_reader(listener)
        # A server that is closed has no place for those whom its loop is just taking in.
        await _steps(_STEPS_TO_CONNECT)
        waiting = [one for listener in listeners for one in _accepted(listener)]
        for server in self.servers:
            server.close()
        for connection in waiting:
            await loop.connect_accepted_socket(self._protocol, connection)
        for _ in range(_LATE_LOOKS):
            if self.server_state.connections:
                await asyncio.sleep(_LATE_S / _LATE_LOOKS)
        if self.server_state.connections or self.server_state.tasks:
            await super().shutdown(sockets)
        else:  # that would wait a tenth of a second for nobody
            for listener in listeners:
                listener.close()
            await self.lifespan.shutdown()
        # Those who came at the last moment, or did not take their reply in time.
        await asyncio.sleep(0)
        for left in list(self.server_state.connections):
            if isinstance(left, HttpProtocol):
                left.transport.abort()

    def _protocol(self) -> HttpProtocol:
        return HttpProtocol(
            self.config, self.server_state, self.lifespan.state, connections=self._connections
        )

    def end(self) -> None:
        self.should_exit = True
        self._told_to_end.set()


async def _steps(count: int) -> None:
    """Let the event loop go round so many times."""
    for _ in range(count):
        await asyncio.sleep(0)


def _accepted(listener: socket.socket) -> list[socket.socket]:
    """Take the connections that the system has made and nobody has seen: closing would cut them."""
    listener.setblocking(False)
    found: list[socket.socket] = []
    with contextlib.suppress(OSError):
        while True:
            found.append(listener.accept()[0])
    return found


def _nothing() -> None:
    """Do nothing about requests that take too long to end: they are cut."""


@contextlib.asynccontextmanager
async def served(
    app: ASGIApp,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    shutdown_s: float = 5.0,
    connections: ConnectionLimiter | None = None,
    opened: socket.socket | None = None,
    give_up: Callable[[], None] = _nothing,
) -> AsyncGenerator[str, None]:
    """Serve an app inside this block; yields its ``http://`` address.

    Args:
        port: Port to listen on; 0 takes a free one.
        shutdown_s: Time that requests in progress get when the block ends.
        connections: Counts the clients, and knows what they may take; None for the usual limits.
        opened: What to listen on in their place; it is closed when the block ends.
        give_up: Called when that time is over; what does not end then is cut.

    Raises:
        CannotListen: the address is taken or not ours.
        RuntimeError: the app's own start failed.
    """
    listener = opened or listening(host, port)
    connections = connections or ConnectionLimiter()
    server = _Server(_config(app, shutdown_s, connections), connections)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    up = asyncio.create_task(server.up.wait())
    try:
        await asyncio.wait({serving, up}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done() or server.should_exit:
            raise RuntimeError("the server ended before it had started")
        yield address_of(listener)
    finally:
        up.cancel()
        server.end()
        deadline = asyncio.get_running_loop().call_later(shutdown_s, give_up)
        await serving
        deadline.cancel()
        listener.close()


def listening(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """Return a socket that listens.

    Args:
        port: Port to listen on; 0 takes a free one.
        shared: Others may listen there too; each gets a share of the connections.

    Raises:
        CannotListen: the address is taken or not ours.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        opened = socket.create_server((host, port), family=family, backlog=2048, reuse_port=shared)
    except OSError as error:
        raise CannotListen(host, port, error.strerror or type(error).__name__) from error
    except UnicodeError as error:
        raise CannotListen(host, port, "that is no name of a host") from error
    # Connections inherit it. Without, the body of a reply waits 40 ms for its head's receipt.
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


def address_of(opened: socket.socket) -> str:
    """Return the ``http://`` address of a socket that listens."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _config(app: ASGIApp, shutdown_s: float, connections: ConnectionLimiter) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=partial(HttpProtocol, connections=connections),  # type: ignore[arg-type]
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_keep_alive=IDLE_KEPT_S,
        timeout_graceful_shutdown=math.ceil(shutdown_s) + _LAST_WORDS_S,
    )
