"""Transparent: what is not guarded passes unchanged.

Unknown fields, big integers and 1.0 exact, query strings, multi-value headers; hop-by-hop headers
and those that Connection lists are dropped.
"""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.fakes.raw_upstream import RawRequest
from tests.faults.wire import CHAT, DOORS, MODEL_DOORS, Wire, body_of, open_wire
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncGenerator[Wire, None]:
    async with open_wire(tmp_path_factory.mktemp("wire")) as opened:
        yield opened


@pytest.fixture
def wire(shared: Wire) -> Wire:
    return shared.tidied()


def target_of(asked: RawRequest) -> str:
    return asked.line.split(" ")[1]


UNKNOWN = [
    pytest.param(', "x": 18446744073709551616', id="more-than-64-bits"),
    pytest.param(', "x": -0, "y": 1.0, "z": 1E5', id="numbers-in-their-own-spelling"),
    pytest.param(f', "x": {"9" * 4000}', id="four-thousand-digits"),
    pytest.param(', "x": 0.1000000000000000055511151231257827', id="more-digits-than-a-float-has"),
    pytest.param(', "x": "\\u0041\\/\\ud83d"', id="escapes"),
    pytest.param(', "x": null, "": [{}, [], ""]', id="empty-things"),
    pytest.param(' \r\n\t, "x" : 1 ', id="white-space"),
    pytest.param(f', "x": {"[" * 190}{"]" * 190}', id="deep"),
    pytest.param(', "x": "\\u0000\\r\\n"', id="nul-and-line-ends"),
]


@each_row("door", MODEL_DOORS)
@each_row("more", UNKNOWN)
async def test_members_that_nobody_knows_arrive_as_they_are(
    wire: Wire, door: str, more: str
) -> None:
    body = body_of(door, more)

    await wire.ask_door(door, body)

    assert [asked.body for asked in wire.sent] == [body]


QUERIES = [
    b"?api-version=2024-10-21",
    b"?a=%2F%2f%3F&b=+&c=%00%0d%0a",
    b"?",
    b"??&&==;#",
    b"?a=1&a=2&A=3",
    b"?" + b"q" * 8000,
]


@each_row("door", MODEL_DOORS)
@each_row("query", QUERIES)
async def test_the_query_of_a_guarded_door_travels_as_it_is(
    wire: Wire, door: str, query: bytes
) -> None:
    path = DOORS[door][0]

    await wire.ask(path + query, body_of(door))

    [asked] = wire.sent
    assert target_of(asked) == (path + query).decode().removesuffix("?")


async def test_several_headers_of_one_name_are_one_list(wire: Wire) -> None:
    await wire.ask(DOORS["chat"][0], CHAT, b"X-Tag: a", b"X-Other: c", b"x-tag: b, b2", b"X-Empty:")

    [asked] = wire.sent
    assert asked.values("x-tag") == ["a, b, b2"]
    assert asked.values("x-other") == ["c"]
    assert asked.values("x-empty") == [""]


HOP_BY_HOP = [
    b"Connection: x-first, Keep-Alive",
    b"Connection: X-SECOND",
    b"X-First: 1",
    b"X-Second: 2",
    b"Keep-Alive: timeout=5",
    b"TE: trailers",
    b"Trailer: x-sum",
    b"Proxy-Connection: keep-alive",
    b"Proxy-Authorization: Basic eA==",
    b"Upgrade: h2c",
    b"X_Http_Method_Override: DELETE",
    b"Content_Length: 1",
    b"Cookie: session=1",
    b"X-Forwarded-For: 192.0.2.1",
    b"X-Guard-Intent: dining",
]


@each_row("target", [b"/v1/chat/completions", b"/v1/embeddings"])
async def test_headers_of_this_hop_end_here(wire: Wire, target: bytes) -> None:
    await wire.ask(target, CHAT, *HOP_BY_HOP, b"X-Third: 3", b"User-Agent: app/1")

    [asked] = wire.sent
    ended = {line.partition(b":")[0].decode().lower() for line in HOP_BY_HOP} - {"connection"}
    assert ended.isdisjoint(name for name, _ in asked.headers)
    assert (asked.values("x-third"), asked.values("user-agent")) == (["3"], ["app/1"])
    assert asked.values("connection") in ([], ["keep-alive"])


async def test_the_media_type_of_what_was_guarded_is_the_one_that_is_sent(
    wire: Wire,
) -> None:
    await wire.ask(DOORS["chat"][0], CHAT, content_type=b'Application/JSON; Charset="UTF-8"; v=1')

    [asked] = wire.sent
    assert asked.values("content-type") == ["application/json"]


async def test_thirty_kilobytes_of_headers_travel(wire: Wire) -> None:
    names = [b"X-Long-%d" % number for number in range(30)]

    await wire.ask(DOORS["chat"][0], CHAT, *(name + b": " + b"a" * 1000 for name in names))

    [asked] = wire.sent
    assert all(asked.values(name.decode().lower()) == ["a" * 1000] for name in names)
