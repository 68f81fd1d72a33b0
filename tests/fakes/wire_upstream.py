"""A model server on a real socket that sends given bytes in a given cutting."""

import asyncio
import itertools
import json
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from proxy.openai_api.json_body import JsonObject
from tests.fakes.raw_upstream import RawUpstream, Talk, http_head, http_reply
from tests.fakes.scripted_upstream import is_second_attempt

STREAM_TYPE = "text/event-stream"
JSON_TYPE = "application/json"
_GZIP_WBITS = 31
_LARGEST_BLOCK_BYTES = 1 << 16


@dataclass(frozen=True)
class WireReply:
    """What is sent for one request.

    Attributes:
        pieces: The body as it is sent, each piece flushed as a chunk of its own.
        content_type: What the body is said to be.
        encoding: The content encoding that `pieces` are in; empty for none.
        pauses: What to wait for before the piece of that number is sent.
        lost: The connection is lost after the last piece, instead of ending in order.
    """

    pieces: Sequence[bytes]
    content_type: str = STREAM_TYPE
    encoding: str = ""
    pauses: Mapping[int, asyncio.Event] = field(default_factory=dict)
    lost: bool = False


@dataclass
class WireUpstream:
    """What it does with a request is decided by `script`; `requests` holds every body it got."""

    script: Callable[[JsonObject], WireReply] = field(default=lambda _: WireReply(()))
    raw: RawUpstream = field(default_factory=RawUpstream)
    requests: list[JsonObject] = field(default_factory=list)
    address: str = ""

    def says(self, first: WireReply, second: WireReply | None = None) -> None:
        """Send the first reply; when told what was wrong, the second (or the first again)."""
        self.script = lambda body: second if second and is_second_attempt(body) else first

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["WireUpstream", None]:
        self.raw.act = self._act
        async with self.raw.running():
            self.address = self.raw.address
            yield self

    async def _act(self, talk: Talk) -> None:
        if not talk.request.body:  # it is asked what kind of server it is
            await talk.send(http_reply(b"", status="404 Not Found"))
            return
        self.requests.append(json.loads(talk.request.body))
        reply = self.script(self.requests[-1])
        headers = {"content_encoding": reply.encoding} if reply.encoding else {}
        head = http_head(
            content_type=reply.content_type, **{"transfer_encoding": "chunked"} | headers
        )
        await talk.send(head)
        for number, piece in enumerate(reply.pieces):
            if number in reply.pauses:
                await reply.pauses[number].wait()
            if piece:  # a chunk without a byte would end the body
                await talk.send(b"%x\r\n%b\r\n" % (len(piece), piece))
        if not reply.lost:
            await talk.send(b"0\r\n\r\n")


def encoded(pieces: Sequence[bytes], encoding: str) -> list[bytes]:
    """Return pieces in a content encoding, each readable as soon as it has come.

    Args:
        pieces: The body.
        encoding: ``gzip``, ``deflate``, ``br``, ``zstd`` or none. Of the latter two, the form
            that does not compress: nothing but the standard library is needed.
    """
    if not encoding:
        return list(pieces)
    if encoding == "br":
        return list(_brotli(pieces))
    if encoding == "zstd":
        return list(_zstd(pieces))
    packer = zlib.compressobj(wbits=_GZIP_WBITS if encoding == "gzip" else zlib.MAX_WBITS)
    packed = [packer.compress(piece) + packer.flush(zlib.Z_SYNC_FLUSH) for piece in pieces]
    return [*packed, packer.flush()]


def _brotli(pieces: Sequence[bytes]) -> Iterator[bytes]:
    """Yield blocks that are not compressed (RFC 7932, section 9.2)."""
    window = 1  # of 64 KB: one bit, before the first block's own
    for block in _blocks(pieces):
        # Not the last; four nibbles of length; the length less one; stored as it is.
        bits = (len(block) - 1) << 3 | 1 << 19
        yield (bits << window).to_bytes(3, "little") + block
        window = 0
    yield b"\x06" if window else b"\x03"


def _zstd(pieces: Sequence[bytes]) -> Iterator[bytes]:
    """Yield blocks that are not compressed (RFC 8878, section 3.1.1)."""
    yield b"\x28\xb5\x2f\xfd\x00\x38"  # no sizes, no checksum, a window of 128 KB
    for block in _blocks(pieces):
        yield (len(block) << 3).to_bytes(3, "little") + block
    yield b"\x01\x00\x00"


def _blocks(pieces: Sequence[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for start in range(0, len(piece), _LARGEST_BLOCK_BYTES):
            yield piece[start : start + _LARGEST_BLOCK_BYTES]


def cut(body: bytes, places: Sequence[int]) -> list[bytes]:
    """Return a body in pieces, cut at these places."""
    edges = [0, *sorted({place for place in places if 0 < place < len(body)}), len(body)]
    return [body[start:end] for start, end in itertools.pairwise(edges)]
