"""What clients may send, to the byte: what is served, what is refused, and who is given up."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from litestar import Litestar, asgi
from litestar.types import HTTPScope, Receive, Send

from proxy.server.client_limits import ClientLimits, ConnectionLimiter
from proxy.server.request_head import LONGEST_HEAD_BYTES
from proxy.server.serving import served

pytestmark = pytest.mark.asyncio(loop_scope="module")

DEADLINE_S = 30.0
SHORT_S = 0.5
LONG_S = 60.0
BODY = b'{"a": 1}'
HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
END = b"served\r\n0\r\n\r\n"
WHOLE = HEAD + b"Content-Length: 8\r\n\r\n" + BODY
LAST = HEAD + b"Connection: close\r\nContent-Length: 8\r\n\r\n" + BODY


Test = Callable[..., Awaitable[None]]


def hasty(test: Test) -> Test:
    """Run a test on the hasty server."""
    marked: Test = pytest.mark.parametrize("app", [SHORT_S], indirect=True, ids=["hasty"])(test)
    return marked


@dataclass
class Served:
    """An app that says `reply` to everything; `scopes` and `bodies` are what came whole.

    It reads the body before if it `reads`, after `reads_after_s` seconds, and says nothing for
    `takes_s`.
    """

    address: str = ""
    reply: bytes = b"served"
    reads: bool = True
    reads_after_s: float = 0.0
    takes_s: float = 0.0
    scopes: list[HTTPScope] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        body, more = b"", self.reads
        await asyncio.sleep(self.reads_after_s)
        while more:
            message = await receive()
            if message["type"] != "http.request":
                self.left.set()
                return
            body, more = body + message["body"], message["more_body"]
        self.scopes.append(scope)
        self.bodies.append(body)
        await asyncio.sleep(self.takes_s)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if scope["raw_path"] == b"/endless":
            await send({"type": "http.response.body", "body": b"begun", "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                pass
            self.left.set()
            return
        await send({"type": "http.response.body", "body": self.reply, "more_body": False})


@asynccontextmanager
async def serving(request_s: float) -> AsyncGenerator[list[Served], None]:
    """Serve the last app of a list to whoever has sent a request within some seconds."""
    made = [Served()]

    @asgi("/", is_mount=True, copy_scope=True)
    async def everything(scope: HTTPScope, receive: Receive, send: Send) -> None:
        await made[-1].serve(scope, receive, send)

    web = Litestar([everything], openapi_config=None, logging_config=None)
    limits = ClientLimits(request_s=request_s)
    async with served(web, connections=ConnectionLimiter(limits)) as made[0].address:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers() -> AsyncGenerator[dict[float, list[Served]], None]:
    async with serving(SHORT_S) as hasty, serving(LONG_S) as patient:
        yield {SHORT_S: hasty, LONG_S: patient}


@pytest_asyncio.fixture(loop_scope="module")
async def app(servers: dict[float, list[Served]], request: pytest.FixtureRequest) -> Served:
    """An app of the test's own, on the server that is patient, or as hasty as the test says."""
    apps = servers[getattr(request, "param", LONG_S)]
    apps.append(Served(apps[0].address))
    return apps[-1]


@dataclass
class Client:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def rest(self) -> bytes:
        """Return what comes until the connection is closed."""
        async with asyncio.timeout(DEADLINE_S):
            try:
                return await self.reader.read()
            except ConnectionError:
                return b""


@pytest_asyncio.fixture(loop_scope="module")
async def client(app: Served) -> AsyncGenerator[Client, None]:
    address = urlsplit(app.address)
    opened = Client(*await asyncio.open_connection(address.hostname, address.port))
    yield opened
    opened.writer.close()


def refused(reply: bytes, status: int) -> str:
    """Return the message of a refusal in the shape of an OpenAI error."""
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"\r\ncontent-type: application/json" in head
    error = json.loads(body)["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return str(error["message"])


def with_headers(*lines: bytes, body: bytes = BODY) -> bytes:
    return HEAD + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


# Served.

CHUNKED = b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n" + BODY + b"\r\n0\r\n"
OFFERS = [
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n",
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
]


@pytest.mark.parametrize("offer", OFFERS, ids=["websocket", "h2c"])
@pytest.mark.parametrize("cut", [0, 30, 120, 175], ids=lambda cut: f"cut-at-{cut}")
async def test_an_offer_of_another_protocol_is_declined_and_the_request_served(
    app: Served, client: Client, offer: bytes, cut: int
) -> None:
    said = HEAD + offer + b"Content-Length: 8\r\n\r\n" + BODY
    client.writer.write(said[:cut])
    await asyncio.sleep(0.02 if cut else 0)
    client.writer.write(said[cut:] + LAST)

    reply = await client.rest()

    assert app.bodies == [BODY, BODY]
    assert reply.count(b"HTTP/1.1 200 OK") == 2


async def test_a_body_in_chunks_is_put_together(app: Served, client: Client) -> None:
    client.writer.write(HEAD + CHUNKED + b"\r\n")

    await client.rest()

    assert app.bodies == [BODY]


async def test_what_follows_a_body_is_no_header(app: Served, client: Client) -> None:
    client.writer.write(HEAD + CHUNKED + b"Authorization: Bearer other\r\n\r\n")

    await client.rest()

    assert app.bodies == [BODY]
    assert not [name for name, _ in app.scopes[0]["headers"] if name == b"authorization"]


@pytest.mark.parametrize("more", [b"", b"Connection: keep-alive\r\n"], ids=["bare", "kept-alive"])
async def test_who_knows_no_chunks_gets_none(app: Served, client: Client, more: bytes) -> None:
    old = HEAD.replace(b"HTTP/1.1", b"HTTP/1.0") + more

    client.writer.write(old + b"Content-Length: 8\r\n\r\n" + BODY)
    head, _, body = (await client.rest()).partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"transfer-encoding" not in head
    assert head.count(b"\r\nconnection: close") == 1
    assert body == b"served"


TARGETS = [
    b"/a/%2e%2e/b?c=%2F&d",
    b"//a//b?",
    b"/a#b?c#d",
    b"/%ED%95%9C",
    b"/a??b",
]


@pytest.mark.parametrize("target", TARGETS)
async def test_a_target_comes_in_its_own_bytes(app: Served, client: Client, target: bytes) -> None:
    client.writer.write(LAST.replace(b"/v1/chat/completions", target))

    await client.rest()

    [scope] = app.scopes
    path, _, query = target.partition(b"?")
    assert (scope["raw_path"], scope["query_string"]) == (path, query)


ADDRESSES = [
    (b"http://elsewhere.test/a/%2e%2e/b?c=%2F&d", b"elsewhere.test", b"/a/%2e%2e/b", b"c=%2F&d"),
    (b"HTTP://Elsewhere.test:8080//a", b"Elsewhere.test:8080", b"//a", b""),
    (b"https://[2001:db8::1]:80?b=1#c", b"[2001:db8::1]:80", b"/", b"b=1#c"),
    (b"http://elsewhere.test", b"elsewhere.test", b"/", b""),
    (b"http://elsewhere.test/a?http://b/", b"elsewhere.test", b"/a", b"http://b/"),
]


@pytest.mark.parametrize(("target", "host", "path", "query"), ADDRESSES)
@pytest.mark.parametrize("version", [b"1.1", b"1.0"])
@pytest.mark.parametrize("more", [b"", b"Connection: Upgrade\r\nUpgrade: h2c\r\n"])
async def test_a_whole_address_is_its_path_and_the_host_that_was_asked_for(
    app: Served,
    client: Client,
    target: bytes,
    host: bytes,
    path: bytes,
    query: bytes,
    version: bytes,
    more: bytes,
) -> None:
    first, _, rest = LAST.replace(b"/v1/chat/completions", target).partition(b"\r\n")
    client.writer.write(first.replace(b"1.1", version) + b"\r\n" + more + rest)

    await client.rest()

    [scope] = app.scopes
    assert (scope["raw_path"], scope["query_string"]) == (path, query)
    assert [value for name, value in scope["headers"] if name == b"host"] == [host]
    assert app.bodies == [BODY]


@pytest.mark.parametrize("hosts", [b"", b"Host: x\r\nHost: elsewhere.test\r\n"])
async def test_an_address_does_not_stand_for_the_host_that_each_request_names_once(
    app: Served, client: Client, hosts: bytes
) -> None:
    said = b"GET http://elsewhere.test/a HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n"
    client.writer.write(said)

    assert refused(await client.rest(), 400)
    assert app.bodies == []


@pytest.mark.parametrize(
    "headers",
    [b"X-Own: " + b"a" * 30_000, b"\r\n".join(b"X-%d: %b" % (n, b"a" * 90) for n in range(300))],
    ids=["one", "many"],
)
async def test_long_headers_are_served(app: Served, client: Client, headers: bytes) -> None:
    client.writer.write(
        HEAD + headers + b"\r\nConnection: close\r\nContent-Length: 8\r\n\r\n" + BODY
    )

    reply = await client.rest()

    assert reply.startswith(b"HTTP/1.1 200 ")


# Refused.


IN_CHUNKS = b"8\r\n" + BODY + b"\r\n0\r\n\r\n"
INVALID = [
    pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", id="tls"),
    pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", id="http-2"),
    pytest.param(b"GET v1/models HTTP/1.1\r\nHost: x\r\n\r\n", id="no-slash"),
    pytest.param(b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", id="space-in-the-path"),
    pytest.param(
        with_headers(b"Content-Length: 8", b"Transfer-Encoding: chunked", body=IN_CHUNKS),
        id="two-ways-to-end",
    ),
    pytest.param(with_headers(b"Content-Length: 8", b"Content-Length: 9"), id="two-lengths"),
    pytest.param(with_headers(b"Content-Length: +8"), id="signed-length"),
    pytest.param(with_headers(b"Content-Length: " + b"9" * 30), id="huge-length"),
    pytest.param(with_headers(b"Transfer-Encoding: xchunked", body=IN_CHUNKS), id="xchunked"),
    pytest.param(
        with_headers(b"Transfer-Encoding: gzip, chunked", body=IN_CHUNKS), id="packed-in-chunks"
    ),
    pytest.param(
        with_headers(b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked", body=IN_CHUNKS),
        id="packed-in-chunks-in-two-lines",
    ),
    pytest.param(with_headers(b"Transfer-Encoding : chunked", body=IN_CHUNKS), id="space-in-name"),
    pytest.param(with_headers(b"Transfer-Encoding: chunked", body=b"0x8\r\n"), id="hex-mark"),
    pytest.param(with_headers(b"X-Own: a", b" b", b"Content-Length: 8"), id="folded-line"),
    pytest.param(with_headers(b"X-Own: a\0b", b"Content-Length: 8"), id="nul"),
    pytest.param(with_headers(b"X-Own: a\rb", b"Content-Length: 8"), id="bare-cr"),
    pytest.param(WHOLE.replace(b"\r\n", b"\n"), id="bare-lf"),
]


@pytest.mark.parametrize("said", INVALID)
async def test_what_is_not_http_is_refused_as_everything_is(
    app: Served, client: Client, said: bytes
) -> None:
    client.writer.write(said)

    assert refused(await client.rest(), 400)
    assert app.bodies == []


async def test_a_tunnel_is_refused(client: Client) -> None:
    client.writer.write(b"CONNECT elsewhere.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")

    assert refused(await client.rest(), 405)


async def test_headers_without_end_are_refused(app: Served, client: Client) -> None:
    client.writer.write(HEAD + b"X-Own: ")
    for _ in range(LONGEST_HEAD_BYTES // 1000 + 2):
        client.writer.write(b"a" * 1000)
        await asyncio.sleep(0)

    assert str(LONGEST_HEAD_BYTES) in refused(await client.rest(), 431)
    assert app.bodies == []


async def test_a_path_without_end_is_refused(client: Client) -> None:
    client.writer.write(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")

    assert refused(await client.rest(), 431)


async def test_garbage_behind_a_request_does_not_get_into_its_reply(
    app: Served, client: Client
) -> None:
    client.writer.write(WHOLE.replace(b"/v1/chat/completions", b"/endless"))
    await client.reader.readuntil(b"begun")

    client.writer.write(b"\x00\x01\x02\r\n\r\n")

    assert b"HTTP" not in await client.rest()
    await asyncio.wait_for(app.left.wait(), DEADLINE_S)


@pytest.mark.parametrize(
    "begun",
    [
        pytest.param(b"8\r\n" + BODY + b"\r\n0\r\nX-Own: ", id="behind-a-body"),
        pytest.param(b"8;own=", id="beside-the-length-of-a-piece"),
    ],
)
async def test_what_goes_with_a_body_in_chunks_ends_too(
    app: Served, client: Client, begun: bytes
) -> None:
    client.writer.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + begun)
    for _ in range(8):
        client.writer.write(b"a" * LONGEST_HEAD_BYTES)
        await asyncio.sleep(0)

    assert str(LONGEST_HEAD_BYTES) in refused(await client.rest(), 431)
    assert app.bodies == []


async def test_a_large_body_with_half_a_head_behind_it_is_no_long_head(
    app: Served, client: Client
) -> None:
    large = b"a" * (LONGEST_HEAD_BYTES + 1)
    first = HEAD + b"Content-Length: %d\r\n\r\n" % len(large) + large
    client.writer.write(first + LAST[:20])
    await client.reader.readuntil(END)

    client.writer.write(LAST[20:])

    assert (await client.rest()).endswith(END)
    assert app.bodies == [large, BODY]


# Given up.


@hasty
async def test_a_connection_on_which_nothing_but_an_empty_line_follows(client: Client) -> None:
    client.writer.write(WHOLE)
    await client.reader.readuntil(END)

    client.writer.write(b"\r\n")

    assert await client.rest() == b""


@hasty
async def test_an_idle_connection_is_kept_longer_than_a_request_may_take(client: Client) -> None:
    """As long as the server says, so that load balancers are the first to give theirs up."""
    client.writer.write(WHOLE)
    await client.reader.readuntil(END)
    await asyncio.sleep(3 * SHORT_S)

    client.writer.write(LAST)

    assert (await client.rest()).endswith(END)


@hasty
async def test_a_refused_body_that_stops(app: Served, client: Client) -> None:
    app.reads = False
    client.writer.write(WHOLE[:-2])
    await client.reader.readuntil(END)

    client.writer.write(WHOLE[-2:-1])

    assert await client.rest() == b""


@hasty
async def test_a_connection_is_kept_after_a_reply_that_took_its_time(
    app: Served, client: Client
) -> None:
    app.takes_s = 2 * SHORT_S
    client.writer.write(WHOLE)
    await client.reader.readuntil(END)
    await asyncio.sleep(SHORT_S / 2)

    app.takes_s = 0.0
    client.writer.write(LAST)

    assert (await client.rest()).endswith(END)


@hasty
@pytest.mark.parametrize("said", [b"POST / HTTP/1.1\r\nHost:", WHOLE + b"POST / HT"])
async def test_a_head_that_does_not_come_to_an_end(client: Client, said: bytes) -> None:
    client.writer.write(said)

    assert refused(
        (await client.rest()).rpartition(b"HTTP/1.1 4")[2].join([b"HTTP/1.1 4", b""]), 408
    )


@hasty
async def test_a_head_that_drips(client: Client) -> None:
    client.writer.write(b"POST / HTTP/1.1\r\n")

    async def drip() -> None:
        for number in range(100):
            client.writer.write(b"X-%d: a\r\n" % number)
            await asyncio.sleep(SHORT_S / 5)

    dripping = asyncio.create_task(drip())
    reply = await client.rest()
    dripping.cancel()

    assert refused(reply, 408)


@hasty
async def test_a_body_that_does_not_come(app: Served, client: Client) -> None:
    client.writer.write(WHOLE[:-1])

    assert refused(await client.rest(), 408)
    await asyncio.wait_for(app.left.wait(), DEADLINE_S)


@hasty
async def test_a_slow_body_that_comes(app: Served, client: Client) -> None:
    head, _, body = LAST.partition(b"\r\n\r\n")
    client.writer.write(head + b"\r\n\r\n")
    for byte in body:
        client.writer.write(bytes([byte]))
        await asyncio.sleep(SHORT_S / 5)

    assert (await client.rest()).startswith(b"HTTP/1.1 200 ")
    assert app.bodies == [BODY]


@hasty
async def test_a_body_that_nobody_read_for_long_is_not_late(app: Served, client: Client) -> None:
    """It was not the client that was slow."""
    app.reads_after_s = 3 * SHORT_S
    size, first = 140_000, 70_000  # no more than is taken in before nobody reads on
    client.writer.write(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % size)
    client.writer.write(b"x" * first)
    await asyncio.sleep(3.6 * SHORT_S)

    client.writer.write(b"x" * (size - first))

    assert (await client.rest()).startswith(b"HTTP/1.1 200 ")
    assert [len(body) for body in app.bodies] == [size]


@hasty
async def test_a_connection_on_which_nothing_is_said(client: Client) -> None:
    assert await client.rest() == b""


@hasty
async def test_a_reply_may_take_its_time(app: Served, client: Client) -> None:
    client.writer.write(WHOLE.replace(b"/v1/chat/completions", b"/endless"))
    await client.reader.readuntil(b"begun")

    await asyncio.sleep(3 * SHORT_S)

    assert not app.left.is_set()


async def test_whoever_asked_ahead_and_left_is_served_no_longer(
    app: Served, client: Client
) -> None:
    client.writer.write(WHOLE.replace(b"/v1/chat/completions", b"/endless") + WHOLE)
    await client.reader.readuntil(b"begun")

    client.writer.close()

    await asyncio.wait_for(app.left.wait(), DEADLINE_S)
    assert len(app.bodies) == 1
