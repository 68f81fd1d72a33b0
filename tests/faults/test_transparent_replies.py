"""Transparent: the model server's reply comes back as it was said.

1xx are skipped, redirects not followed, hop-by-hop and Connection-listed headers dropped, and
content-encoding is right.
"""

import gzip
import zlib
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.faults.wire import CHAT, REPLY, Wire, open_wire, reply_bytes
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

GUARDED, PASSED = b"/v1/chat/completions", b"/v1/embeddings"
BOTH = each_row(
    "target", [pytest.param(GUARDED, id="guarded"), pytest.param(PASSED, id="handed-through")]
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def wire(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Wire, None]:
    async with open_wire(tmp_path_factory.mktemp("wire")) as opened:
        yield opened


def replying(wire: Wire, reply: bytes) -> None:
    wire.rig.raw.act = lambda talk: talk.send(reply)


INTERIM = [
    pytest.param(b"HTTP/1.1 100 Continue\r\n\r\n", id="100"),
    pytest.param(b"HTTP/1.1 102 Processing\r\n\r\n", id="102"),
    pytest.param(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nX-Early: 1\r\n\r\n", id="103"),
    pytest.param(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n" * 50, id="a-hundred"),
]


@BOTH
@each_row("interim", INTERIM)
async def test_interim_replies_are_skipped(wire: Wire, target: bytes, interim: bytes) -> None:
    replying(wire, interim + reply_bytes())

    answer = await wire.ask(target)

    assert (answer.status, answer.body) == (200, REPLY)
    assert answer.raw.count(b"HTTP/1.1") == 1
    assert not answer.values("link") + answer.values("x-early")


@BOTH
@each_row("status", [b"301 Moved", b"302 Found", b"307 Temporary", b"308 Permanent"])
async def test_a_redirect_is_neither_followed_nor_handed_on(
    wire: Wire, target: bytes, status: bytes
) -> None:
    there = wire.rig.raw.address.encode() + b"/elsewhere"
    replying(wire, reply_bytes(b"", b"Location: " + there, status=status))

    answer = await wire.ask(target)

    assert answer.status == 502
    assert answer.refusal()["code"] == "upstream_broken"
    assert answer.values("location") == []
    assert len(wire.sent) == 1


@BOTH
async def test_headers_of_the_other_hop_end_here(wire: Wire, target: bytes) -> None:
    headers = [
        b"Connection: x-first",
        b"Connection: X-Second",
        b"X-First: 1",
        b"X-Second: 2",
        b"Keep-Alive: timeout=5",
        b"Proxy-Connection: keep-alive",
        b"Upgrade: h2c",
        b"Server: engine/0.1",
        b"Set-Cookie: a=b",
        b"X-Guard-Own: 1",
        b"X-Third: 3",
        b"X-Request-Id: r1",
        b"X-Guard-Action: forged",
    ]
    replying(wire, reply_bytes(REPLY, *headers))

    answer = await wire.ask(target)

    ended = {line.partition(b":")[0].decode().lower() for line in headers[2:10]}
    assert ended.isdisjoint(name for name, _ in answer.headers)
    assert (answer.values("x-third"), answer.values("x-request-id")) == (["3"], ["r1"])
    assert "forged" not in answer.values("x-guard-action")


DECODED = [
    pytest.param(b"gzip", gzip.compress(REPLY), id="gzip"),
    pytest.param(b"GZip", gzip.compress(REPLY), id="gzip-in-capitals"),
    pytest.param(b"deflate", zlib.compress(REPLY), id="deflate"),
    pytest.param(b"deflate", zlib.compress(REPLY)[2:-4], id="deflate-without-its-frame"),
    pytest.param(b"identity", REPLY, id="identity"),
    pytest.param(b"", REPLY, id="no-name"),
]


@each_row("encoding, body", DECODED)
async def test_a_guarded_reply_is_decoded_and_says_so(
    wire: Wire, encoding: bytes, body: bytes
) -> None:
    replying(wire, reply_bytes(body, b"Content-Encoding: " + encoding))

    answer = await wire.ask(GUARDED)

    assert (answer.status, answer.body) == (200, REPLY)
    assert answer.values("content-encoding") == []
    assert answer.values("content-length") == [str(len(REPLY))]


TWICE = gzip.compress(gzip.compress(REPLY))
UNASKED = [
    pytest.param([b"br"], b"\x0b\x02\x80{}\x03", id="br"),
    pytest.param([b"zstd"], b"(\xb5/\xfd\x04\x00\x11\x00\x00{}", id="zstd"),
    pytest.param([b"x-own"], REPLY, id="unknown"),
    pytest.param([b"gzip, gzip"], TWICE, id="one-within-another"),
    pytest.param([b"gzip", b"gzip"], TWICE, id="in-two-lines"),
    pytest.param([b"gzip"], REPLY, id="not-encoded-at-all"),
    pytest.param([b"gzip"], gzip.compress(REPLY)[:60], id="cut"),
    pytest.param([b"deflate"], b"\xff" * 40, id="garbage"),
]


@each_row("encodings, body", UNASKED)
async def test_an_encoding_that_nobody_asked_for_is_no_answer_of_a_guarded_door(
    wire: Wire, encodings: list[bytes], body: bytes
) -> None:
    replying(wire, reply_bytes(body, *(b"Content-Encoding: " + one for one in encodings)))

    answer = await wire.ask(GUARDED)

    assert answer.status == 502
    assert answer.refusal()["code"] == "upstream_broken"


@each_row("encodings, body", UNASKED)
async def test_what_is_handed_through_stays_encoded(
    wire: Wire, encodings: list[bytes], body: bytes
) -> None:
    replying(wire, reply_bytes(body, *(b"Content-Encoding: " + one for one in encodings)))

    answer = await wire.ask(PASSED, CHAT, b"Accept-Encoding: br, zstd, gzip, x-own")

    assert (answer.status, answer.body) == (200, body)
    assert answer.values("content-encoding") == [one.decode() for one in encodings]
    [asked] = wire.sent
    assert asked.values("accept-encoding") == ["br, zstd, gzip, x-own"]


ODDLY_FRAMED = [
    pytest.param(b"Transfer-Encoding: gzip", gzip.compress(REPLY), id="packed"),
    pytest.param(
        b"Transfer-Encoding: gzip, chunked",
        b"%x\r\n%b\r\n0\r\n\r\n" % (len(gzip.compress(REPLY)), gzip.compress(REPLY)),
        id="packed-in-chunks",
    ),
    pytest.param(b"Transfer-Encoding: xchunked", REPLY, id="xchunked"),
]


@BOTH
@each_row("coding, body", ODDLY_FRAMED)
async def test_a_transfer_coding_that_nobody_asked_for_never_passes_for_the_body(
    wire: Wire, target: bytes, coding: bytes, body: bytes
) -> None:
    replying(wire, reply_bytes(body, coding, length=False))

    answer = await wire.ask(target)

    assert answer.status == 502
    assert answer.refusal()["type"] == "upstream_error"


async def test_a_reply_without_a_body_may_tell_the_length_that_there_would_be(
    wire: Wire,
) -> None:
    replying(wire, reply_bytes(b"", b"Content-Length: 388", status=b"304 No", length=False))

    answer = await wire.ask(b"/v1/models/m", b"", b"If-None-Match: x", method=b"GET")

    assert (answer.status, answer.body, answer.was_reset) == (304, b"", False)
