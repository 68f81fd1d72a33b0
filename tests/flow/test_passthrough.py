import asyncio
import gzip
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import openai
import pytest

from tests.fakes.open_upstream import OpenUpstream, Visit
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy
from tests.flow.passing import (
    ANYTHING,
    JSON,
    MAX_BODY_BYTES,
    SERVER_KEY,
    Both,
    ask,
    error_of,
    says_json,
)
from tests.tables import each_row


@pytest.fixture
def proxy(both: Both) -> RunningProxy:
    return both[0]


@pytest.fixture
def upstream(both: Both) -> OpenUpstream:
    return both[1].tidied()


pytestmark = pytest.mark.asyncio(loop_scope="module")


# Unchanged.


@each_row("query", "queries")
async def test_the_query_travels_as_it_is(
    proxy: RunningProxy, upstream: OpenUpstream, query: str
) -> None:
    address = urlsplit(proxy.address)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)

    writer.write(
        f"GET /v1/files{query} HTTP/1.1\r\nhost: {address.netloc}\r\nconnection: close\r\n"
        f"authorization: Bearer {proxy.key}\r\n\r\n".encode()
    )
    head = await reader.readuntil(b"\r\n")
    writer.close()

    assert head.startswith(b"HTTP/1.1 200 ")
    assert [visit.target for visit in upstream.visits] == [f"/v1/files{query}"]


@each_row("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
async def test_the_method_and_the_body_travel_as_they_are(
    proxy: RunningProxy, upstream: OpenUpstream, method: str
) -> None:
    upstream.says(ANYTHING[::-1], (b"content-type", b"application/x-own"), status=201)

    reply = await ask(
        proxy, method, "/files/f", content=ANYTHING, headers=[("content-type", "application/x")]
    )

    assert (upstream.visits[0].method, upstream.bodies) == (method, [ANYTHING])
    assert upstream.visits[0].values("content-type") == ["application/x"]
    assert (reply.status_code, reply.content) == (201, ANYTHING[::-1])
    assert reply.headers["content-type"] == "application/x-own"


async def test_several_headers_of_one_name_stay_several(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    upstream.says(b"{}", JSON, (b"x-own", b"1"), (b"x-own", b"2, 3"), (b"link", "가".encode()))

    reply = await ask(proxy, "GET", "/files", headers=[("x-own", "a"), ("x-own", "b, c")])

    assert upstream.visits[0].values("x-own") == ["a", "b, c"]
    assert [value for name, value in reply.headers.raw if name == b"x-own"] == [b"1", b"2, 3"]
    assert (b"link", "가".encode()) in reply.headers.raw


@each_row("asked, expected", "an_encoded_reply_stays_encoded")
async def test_an_encoded_reply_stays_encoded(
    proxy: RunningProxy, upstream: OpenUpstream, asked: list[tuple[str, str]], expected: list[str]
) -> None:
    packed = gzip.compress(ANYTHING)
    upstream.says(packed, JSON, (b"content-encoding", b"gzip"))

    request = proxy.client.build_request(
        "GET",
        f"{proxy.base_url}/files",
        headers=[("authorization", f"Bearer {proxy.key}"), *asked],
    )
    reply = await proxy.client.send(request, stream=True)
    raw = b"".join([piece async for piece in reply.aiter_raw()])
    await reply.aclose()

    assert upstream.visits[0].values("accept-encoding") == expected
    assert (raw, reply.headers["content-encoding"]) == (packed, "gzip")


async def test_a_head_is_a_head(proxy: RunningProxy, upstream: OpenUpstream) -> None:
    upstream.says(b"", (b"content-length", b"1234"), (b"etag", b'"e"'))

    reply = await ask(proxy, "HEAD", "/files/f/content")

    assert upstream.visits[0].method == "HEAD"
    assert (reply.status_code, reply.content) == (200, b"")
    assert (reply.headers["content-length"], reply.headers["etag"]) == ("1234", '"e"')


async def test_not_modified_is_an_answer(proxy: RunningProxy, upstream: OpenUpstream) -> None:
    upstream.says(b"", (b"etag", b'"e"'), status=304)

    reply = await ask(proxy, "GET", "/files/f", headers=[("if-none-match", '"e"')])

    assert (reply.status_code, reply.headers["etag"]) == (304, '"e"')


# Keys and headers of this hop.


async def test_the_operators_key_takes_the_place_of_the_callers(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    await ask(proxy, "GET", "/files", tenant="keyed", headers=[("x-api-key", "mine")])

    assert upstream.visits[0].values("authorization") == [f"Bearer {SERVER_KEY}"]
    assert upstream.visits[0].values("x-api-key") == []


async def test_without_a_key_for_the_model_server_none_is_sent(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    await ask(proxy, "GET", "/files")

    assert upstream.visits[0].values("authorization") == []


async def test_a_tenant_reached_by_name_sends_the_callers_own_key(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    address = f"{proxy.address}/t/own-key/v1"
    says_json(upstream, {"object": "list", "data": []})

    async with openai.AsyncOpenAI(base_url=address, api_key="sk-callers-own") as client:
        await client.files.list()

    assert upstream.visits[0].values("authorization") == ["Bearer sk-callers-own"]


@each_row("name", "headers_that_must_not_travel_stay")
async def test_headers_that_must_not_travel_stay(
    proxy: RunningProxy, upstream: OpenUpstream, name: str
) -> None:
    await ask(proxy, "GET", "/files", headers=[(name, "/v1/chat/completions")])

    assert upstream.visits[0].values(name) == []


async def test_cookies_of_the_model_server_reach_nobody(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    upstream.says(b"{}", JSON, (b"set-cookie", b"session=1"), (b"x-guard-action", b"pass"))

    reply = await ask(proxy, "GET", "/files")
    await ask(proxy, "GET", "/files")

    assert not {"set-cookie", "x-guard-action"} & reply.headers.keys()
    assert upstream.visits[1].values("cookie") == []


# Streamed both ways.


async def test_the_body_of_a_request_arrives_while_it_is_sent(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    arrived = asyncio.Event()
    pieces: list[bytes] = []

    async def act(visit: Visit) -> None:
        async for piece in visit.pieces():
            pieces.append(piece)
            if piece:
                arrived.set()
        await visit.begin()
        await visit.say(b"", more=False)

    async def body() -> AsyncIterator[bytes]:
        yield b"first"
        await arrived.wait()
        yield b" second"

    upstream.act = act

    async with asyncio.timeout(DEADLINE_S):
        reply = await ask(proxy, "POST", "/files", content=body())

    assert reply.status_code == 200
    assert b"".join(pieces) == b"first second"
    assert upstream.visits[0].values("transfer-encoding") == ["chunked"]


async def test_the_body_of_a_reply_arrives_while_it_is_sent(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    arrived = asyncio.Event()

    async def act(visit: Visit) -> None:
        await visit.begin()
        await visit.say(b"first")
        await arrived.wait()
        await visit.say(b" second", more=False)

    upstream.act = act
    headers = {"authorization": f"Bearer {proxy.key}"}
    seen = b""

    async with (
        asyncio.timeout(DEADLINE_S),
        proxy.client.stream("GET", f"{proxy.base_url}/files/f/content", headers=headers) as reply,
    ):
        async for piece in reply.aiter_raw():
            seen += piece
            arrived.set()

    assert seen == b"first second"


# Limits.


async def test_a_body_that_says_it_is_too_large_is_refused_unread(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    reply = await ask(proxy, "POST", "/files", content=b"x" * (MAX_BODY_BYTES + 1))

    assert error_of(reply, 413)["code"] == "request_too_large"
    assert upstream.visits == []


async def test_a_body_of_unknown_length_is_cut_at_the_limit(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    async def body() -> AsyncIterator[bytes]:
        for _ in range(MAX_BODY_BYTES // 1000 + 2):
            yield b"x" * 1000

    reply = await ask(proxy, "POST", "/files", content=body())

    assert error_of(reply, 413)["code"] == "request_too_large"
    async with asyncio.timeout(DEADLINE_S):
        await upstream.hung_up.wait()


# The real client.


async def test_the_sdk_looks_up_a_model_with_a_slash_in_its_name(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    says_json(upstream, {"id": "org/m", "object": "model", "created": 1, "owned_by": "org"})

    async with proxy.sdk() as client:
        model = await client.models.retrieve("org/m")

    assert (model.id, upstream.visits[0].target) == ("org/m", "/v1/models/org/m")


async def test_the_sdk_has_a_sound_file_transcribed(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    says_json(upstream, {"text": "안녕하세요"})

    async with proxy.sdk() as client:
        reply = await client.audio.transcriptions.create(
            model="whisper", file=("말.wav", ANYTHING, "audio/wav")
        )

    [visit] = upstream.visits
    [kind] = visit.values("content-type")
    boundary = kind.partition("boundary=")[2].encode()
    assert reply.text == "안녕하세요"
    assert upstream.bodies[0].startswith(b"--" + boundary)
    assert ANYTHING in upstream.bodies[0]
    assert visit.values("content-length") == [str(len(upstream.bodies[0]))]
