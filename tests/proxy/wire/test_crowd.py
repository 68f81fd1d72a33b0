"""Connections that make room, and replies that are packed."""

import asyncio
import gzip
import zlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from litestar import Litestar, asgi
from litestar.types import HTTPScope, Receive, Send

from policies.schema.sections import Timeouts
from proxy.errors import UpstreamBroken
from proxy.server.client_limits import ClientLimits, ConnectionLimiter
from proxy.server.serving import served
from proxy.upstream.client import ModelServers
from proxy.upstream.request import RetryBudget, ServerCall
from tests.proxy.wire.talking import Talking, talking

DEADLINE_S = 10.0
ASKED = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
ASKED_FOR_MUCH = ASKED.replace(b"/ ", b"/much ", 1)
END = b"\r\n0\r\n\r\n"
MUCH = b"x" * (12 * 2**20)
"""More than the system holds between the server and a client that does not read."""


@dataclass(frozen=True)
class Newcomer:
    """A client that comes at the very moment when a test says so."""

    is_idle: bool = True

    def close_idle(self) -> None:
        raise AssertionError("it has only just come")


@dataclass
class App:
    """Says little, or much; `replied` is set when all of it was handed over."""

    replied: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, scope: HTTPScope, _: Receive, send: Send) -> None:
        body = MUCH if scope["raw_path"] == b"/much" else b"served"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body, "more_body": False})
        self.replied.set()


@dataclass
class Client:
    """The only one that there may be; it has been served, and is idle."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def reply(self) -> bytes:
        content = bytearray()
        async with asyncio.timeout(DEADLINE_S):
            while not content.endswith(END) and (piece := await self.reader.read(2**20)):
                content += piece
        return bytes(content)


@pytest.fixture
def connections() -> ConnectionLimiter:
    return ConnectionLimiter(ClientLimits(connections=1))


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
async def client(connections: ConnectionLimiter, app: App) -> AsyncGenerator[Client, None]:
    @asgi("/", is_mount=True, copy_scope=True)
    async def everything(scope: HTTPScope, receive: Receive, send: Send) -> None:
        await app.serve(scope, receive, send)

    web = Litestar([everything], openapi_config=None, logging_config=None)
    async with served(web, connections=connections) as address:
        at = urlsplit(address)
        opened = Client(*await asyncio.open_connection(at.hostname, at.port))
        opened.writer.write(ASKED)
        await opened.reply()
        app.replied.clear()
        yield opened
        opened.writer.close()


async def test_who_is_idle_makes_room(connections: ConnectionLimiter, client: Client) -> None:
    assert connections.admit(Newcomer())

    assert await client.reply() == b""


async def test_who_has_just_asked_does_not(connections: ConnectionLimiter, client: Client) -> None:
    """Its request has come, though nobody has read it yet."""
    client.writer.write(ASKED)

    assert not connections.admit(Newcomer())

    assert (await client.reply()).startswith(b"HTTP/1.1 200 ")


async def test_who_has_yet_to_take_a_reply_does_not(
    connections: ConnectionLimiter, app: App, client: Client
) -> None:
    """Else it would be held, and no longer counted."""
    client.writer.write(ASKED_FOR_MUCH)
    await app.replied.wait()

    assert not connections.admit(Newcomer())

    assert len(await client.reply()) > len(MUCH)
    assert connections.admit(Newcomer())


MOST_BYTES = 100_000_000
LARGEST_PIECE_BYTES = 8_000_000
BOMB = b"a" * 60_000_000


@pytest.fixture
async def server() -> AsyncGenerator[Talking, None]:
    async with talking() as made:
        yield made


def call(server: Talking) -> ServerCall:
    return ServerCall(
        tenant="app",
        method="GET",
        base_url=f"{server.address}/v1",
        path="models",
        body=b"",
        headers={},
        key=None,
        key_is_ours=False,
        timeouts=Timeouts(),
        retry_budget=RetryBudget(),
    )


def reply(body: bytes, encoding: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        pytest.param("gzip", gzip.compress(BOMB, 1), id="gzip"),
        pytest.param("deflate", zlib.compress(BOMB, 1), id="deflate"),
    ],
)
async def test_little_that_holds_much_is_never_there_all_at_once(
    server: Talking, encoding: str, packed: bytes
) -> None:
    server.says(reply(packed, encoding))
    servers = ModelServers(MOST_BYTES)

    async with servers.open(call(server)) as opened:
        sizes = [len(piece) async for piece in opened.pieces]

    assert sum(sizes) == len(BOMB)
    assert max(sizes) < LARGEST_PIECE_BYTES
    await servers.close()


async def test_what_may_hold_any_amount_is_neither_asked_for_nor_read(server: Talking) -> None:
    server.says(reply(b"\x3b", "br"))
    servers = ModelServers(MOST_BYTES)

    with pytest.raises(UpstreamBroken):
        await servers.ask(call(server))

    [request] = server.requests
    assert b"accept-encoding: gzip, deflate\r\n" in request.lower()
    await servers.close()
