"""A request of httpx in the form in which aiohttp sends it, byte for byte."""

import re
from collections.abc import AsyncGenerator
from typing import cast

import httpx
from multidict import CIMultiDict
from yarl import URL

_LARGE_BODY_BYTES = 64 * 1024
_NOT_ASCII = re.compile(rb"[^\x00-\x7f]")


class Sent:
    """A request in the form in which aiohttp sends it best.

    Attributes:
        headers: Its headers.
        body: Its body; None for none.
        failure: What broke the stream that the body came from.
    """

    def __init__(self, request: httpx.Request) -> None:
        # How the body travels, aiohttp says itself: by its length where it is known, or in chunks.
        self.headers = CIMultiDict(
            (name.decode("ascii"), _text(value))
            for name, value in request.headers.raw
            if name.lower() != b"transfer-encoding"
        )
        self.body: bytes | AsyncGenerator[bytes, None] | None
        self.failure: Exception | None = None
        stream = request.stream
        if isinstance(stream, httpx.ByteStream):
            whole = b"".join(stream)
            self.body = self._whole(whole) if len(whole) > _LARGE_BODY_BYTES else whole or None
        else:
            self.body = self._streamed(cast("httpx.AsyncByteStream", stream))

    def _whole(self, whole: bytes) -> AsyncGenerator[bytes, None]:
        """Return a large body in pieces: no more of it is copied than the network takes."""
        self.headers["content-length"] = str(len(whole))
        return _in_pieces(memoryview(whole))

    async def _streamed(self, stream: httpx.AsyncByteStream) -> AsyncGenerator[bytes, None]:
        try:
            async for piece in stream:
                yield piece
        except Exception as error:
            self.failure = error  # aiohttp would tell of it in words only
            raise


async def _in_pieces(whole: memoryview) -> AsyncGenerator[bytes, None]:
    for start in range(0, len(whole), _LARGE_BODY_BYTES):
        yield bytes(whole[start : start + _LARGE_BODY_BYTES])


def _text(value: bytes) -> str:
    """Return a header's value so that aiohttp, which writes UTF-8, writes the same bytes.

    One that is not UTF-8 is taken for Latin-1, the older custom.
    """
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def address_of(request: httpx.Request) -> URL:
    """Return where a request goes, in the very bytes of its address.

    Its extension ``address`` is that, where somebody knows it already.
    """
    target: bytes | None = request.extensions.get("target")
    if target is None:
        known: URL | None = request.extensions.get("address")
        return known or whole_address(request.url)
    # The very bytes, but for those that have no place in an address and are escaped.
    path, _, query = _NOT_ASCII.sub(_escaped, target).decode("ascii").partition("?")
    return URL.build(
        scheme=request.url.scheme,
        authority=request.url.netloc.decode("ascii"),
        path=path,
        query_string=query,
        encoded=True,
    )


def whole_address(url: httpx.URL) -> URL:
    """Return an address as aiohttp takes it."""
    address = f"{url.scheme}://{url.netloc.decode('ascii')}{url.raw_path.decode('ascii')}"
    return URL(address, encoded=True)


def _escaped(found: re.Match[bytes]) -> bytes:
    return b"%%%02X" % found[0][0]
