"""What leaves for a model server, and what comes back, to the byte."""

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator

import httpx
import pytest

from proxy.http_client import AiohttpTransport, HttpRequest
from tests.proxy.wire.talking import REPLY, Line, Talking, talking

DEADLINE_S = 20.0
LARGE = b"0123456789abcdef" * 100_000


@pytest.fixture
async def server() -> AsyncGenerator[Talking, None]:
    async with talking() as opened:
        opened.hears()
        yield opened


@pytest.fixture
async def transport() -> AsyncGenerator[AiohttpTransport, None]:
    opened = AiohttpTransport()
    yield opened
    await opened.aclose()


async def ask(transport: AiohttpTransport, request: httpx.Request) -> tuple[httpx.Response, bytes]:
    async with asyncio.timeout(DEADLINE_S):
        response = await transport.handle_async_request(request)
        try:
            return response, b"".join([piece async for piece in response.aiter_raw()])
        finally:
            await response.aclose()


def head_of(request: bytes) -> list[bytes]:
    return request.partition(b"\r\n\r\n")[0].split(b"\r\n")


# Requests.


async def test_nothing_is_added_to_a_request(transport: AiohttpTransport, server: Talking) -> None:
    stream = httpx.ByteStream(b"{}")
    request = httpx.Request("POST", f"{server.address}/v1/x?y=1", stream=stream)

    await ask(transport, request)

    host = server.address.removeprefix("http://").encode()
    lines = [b"POST /v1/x?y=1 HTTP/1.1", b"Host: " + host, b"Content-Length: 2"]
    assert head_of(server.requests[0]) == lines


@pytest.mark.parametrize("value", [b"a\r\nx-more: 1", b"a\nb", b"a\0b"])
async def test_a_header_cannot_end_its_line(
    transport: AiohttpTransport, server: Talking, value: bytes
) -> None:
    with pytest.raises(httpx.LocalProtocolError):
        await ask(transport, httpx.Request("GET", server.address, headers=[(b"x-own", value)]))

    assert server.requests == []


@pytest.mark.parametrize("body", [b"{}", LARGE[:70_000], LARGE], ids=["small", "large", "huge"])
async def test_a_body_that_is_there_travels_by_its_length(
    transport: AiohttpTransport, server: Talking, body: bytes
) -> None:
    stream = httpx.ByteStream(body)

    await ask(transport, httpx.Request("POST", server.address, stream=stream))

    assert server.requests[0].partition(b"\r\n\r\n")[2] == body


async def pieces(*each: bytes) -> AsyncIterator[bytes]:
    for piece in each:
        yield piece


async def test_a_body_in_pieces_of_known_length_keeps_it(
    transport: AiohttpTransport, server: Talking
) -> None:
    headers = {"content-length": "6"}
    body = pieces(b"", b"abc", b"def")

    await ask(transport, httpx.Request("POST", server.address, headers=headers, content=body))

    assert server.requests[0].endswith(b"content-length: 6\r\n\r\nabcdef")


async def test_what_breaks_the_stream_of_a_body_is_told_as_it_is(
    transport: AiohttpTransport, server: Talking
) -> None:
    class Broken(Exception):
        pass

    async def body() -> AsyncIterator[bytes]:
        yield b"abc"
        raise Broken

    with pytest.raises(Broken):
        await ask(transport, httpx.Request("POST", server.address, content=body()))


# Connections that do not open.


async def test_a_connection_that_does_not_open_times_out(transport: AiohttpTransport) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:  # they fill the queue of those that wait to be let in
            one.setblocking(False)
            one.connect_ex(full.getsockname())
        request = httpx.Request(
            "GET",
            f"http://127.0.0.1:{full.getsockname()[1]}",
            extensions={"timeout": {"connect": 0.1}},
        )

        with pytest.raises(httpx.ConnectTimeout):
            await ask(transport, request)

        for one in waiting:
            one.close()


# Connections.


async def test_a_connection_is_used_again(transport: AiohttpTransport, server: Talking) -> None:
    for _ in range(3):
        await ask(transport, httpx.Request("GET", server.address))

    assert (len(server.requests), len(server.lines)) == (3, 1)


async def test_what_came_unasked_is_taken_for_no_reply(
    transport: AiohttpTransport, server: Talking
) -> None:
    """Over a connection that several tenants share, it would be another's answer."""
    unasked = asyncio.Event()

    async def act(line: Line) -> None:
        await line.request()
        await line.say(REPLY)
        await unasked.wait()
        await line.say(REPLY.replace(b"ok", b"no"))
        await line.request()
        await line.say(REPLY)

    server.act = act
    await ask(transport, httpx.Request("GET", server.address))
    unasked.set()
    await asyncio.sleep(0.05)

    try:
        _, raw = await ask(transport, httpx.Request("GET", server.address))
    except httpx.ReadError:
        return
    assert raw == b"ok"


async def test_there_is_a_connection_for_everybody(
    transport: AiohttpTransport, server: Talking
) -> None:
    together, there = 150, asyncio.Event()

    async def act(line: Line) -> None:
        server.requests.append(await line.request())
        if len(server.requests) == together:
            there.set()
        await there.wait()
        await line.say(REPLY)

    server.act = act

    replies = await asyncio.gather(
        *(ask(transport, httpx.Request("GET", server.address)) for _ in range(together))
    )

    assert [raw for _, raw in replies] == [b"ok"] * together


async def test_whoever_gives_up_hangs_up_at_once(
    transport: AiohttpTransport, server: Talking
) -> None:
    """Also while the server does not take what it is sent."""
    given, hung_up = 0, asyncio.Event()

    async def act(line: Line) -> None:
        await line.reader.readuntil(b"\r\n\r\n")
        try:
            while True:  # it reads no more, so only writing can tell
                await line.say(b"HTTP/1.1 103 Early Hints\r\n\r\n")
                await asyncio.sleep(0.01)
        finally:
            hung_up.set()

    async def body() -> AsyncIterator[bytes]:
        nonlocal given
        while True:
            given += 1
            yield LARGE

    server.act = act
    asking = asyncio.create_task(
        ask(transport, httpx.Request("POST", server.address, content=body()))
    )
    seen = -1
    while seen != given or not given:  # until no more of it is taken
        seen = given
        await asyncio.sleep(0.1)

    asking.cancel()

    async with asyncio.timeout(DEADLINE_S):
        await hung_up.wait()


async def test_what_is_closed_opens_no_connection(
    transport: AiohttpTransport, server: Talking
) -> None:
    await transport.aclose()

    with pytest.raises(RuntimeError):
        await ask(transport, httpx.Request("GET", server.address))

    assert server.lines == []


async def test_a_reply_tells_whether_all_of_it_has_come(
    transport: AiohttpTransport, server: Talking
) -> None:
    async def act(line: Line) -> None:
        await line.request()
        await line.say(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(LARGE) + LARGE)

    server.act = act
    async with asyncio.timeout(DEADLINE_S):
        request = HttpRequest.of(httpx.Request("GET", server.address))
        response = await transport.send(request)
        had_come = response.has_come()
        async for _ in response:
            pass
        has_come = response.has_come()
        await response.aclose()

    assert (had_come, has_come) == (False, True)
