"""What a model server's reply may be encoded in, and how much of it is decoded at once."""

from collections.abc import AsyncIterator

import httpx

ENCODINGS = ("gzip", "deflate")
"""What is read here: nothing of which a few bytes could hold gigabytes.

Neither of these holds more than about a thousand bytes in one.
"""
_AT_ONCE_BYTES = 4 * 1024


class Sliced(httpx.AsyncByteStream):
    """A body in small pieces, so that none of them is large when it is decoded."""

    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the pieces."""
        async for piece in self._stream:
            for start in range(0, len(piece), _AT_ONCE_BYTES):
                yield piece[start : start + _AT_ONCE_BYTES]

    async def aclose(self) -> None:
        """Close the body."""
        await self._stream.aclose()


def encodings_of(header: str) -> list[str]:
    """Return what a ``content-encoding`` header names, one within the other."""
    used = (name.strip().lower() for name in header.split(","))
    return [name for name in used if name not in ("", "identity")]
