"""What a model server's encoded reply can come out as."""

import gzip
import zlib
from collections.abc import AsyncGenerator

import pytest

from policies.schema.sections import Timeouts
from proxy.errors import UpstreamBroken
from proxy.upstream.client import ModelServers
from proxy.upstream.request import RetryBudget, ServerCall
from tests.proxy.wire.talking import Talking, talking

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
        pytest.param("gzip", gzip.compress(BOMB), id="gzip"),
        pytest.param("deflate", zlib.compress(BOMB), id="deflate"),
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
