"""A client that is only a socket: it sends what a test says, byte for byte."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

DEADLINE_S = 20.0
_PIECE_BYTES = 64 * 1024


@dataclass(frozen=True)
class RawAnswer:
    """All that came back until the connection was closed; `was_reset` says that it was cut."""

    raw: bytes
    was_reset: bool

    @property
    def head(self) -> str:
        return self.raw.partition(b"\r\n\r\n")[0].decode("latin-1")

    @property
    def body(self) -> bytes:
        return self.raw.partition(b"\r\n\r\n")[2]

    @property
    def status(self) -> int:
        return int(self.head.split(" ")[1])

    @property
    def headers(self) -> list[tuple[str, str]]:
        lines = (line.partition(":") for line in self.head.split("\r\n")[1:])
        return [(name.lower(), value.strip()) for name, _, value in lines]

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key == name]

    def refusal(self) -> dict[str, Any]:
        """Return the error of an answer that is one of ours, whole and about nothing inside."""
        assert self.values("content-type") == ["application/json"], self.raw[:300]
        error: dict[str, Any] = json.loads(self.body)["error"]
        assert set(error) == {"message", "type", "param", "code"}
        assert error["message"]
        assert error["code"]
        assert len(self.body) < 2_000
        for inside in (b"Traceback", b".py", b"sys.", b"127.0.0.1", b"gp-", b"sk-"):
            assert inside not in self.body, self.body
        return error


async def said_to(address: str, *pieces: bytes) -> RawAnswer:
    """Send pieces over one connection and return what comes back until it is closed."""
    at = urlsplit(address)
    async with asyncio.timeout(DEADLINE_S):
        reader, writer = await asyncio.open_connection(at.hostname, at.port)
        came: list[bytes] = []
        was_reset = False
        try:
            for piece in pieces:
                for start in range(0, len(piece), _PIECE_BYTES):
                    writer.write(piece[start : start + _PIECE_BYTES])
                    await writer.drain()
            while some := await reader.read(_PIECE_BYTES):
                came.append(some)
        except ConnectionError:
            was_reset = True
        finally:
            writer.close()
        return RawAnswer(b"".join(came), was_reset)


def request_bytes(
    target: bytes,
    body: bytes = b"",
    *,
    key: str | None = None,
    method: bytes = b"POST",
    headers: Sequence[bytes] = (),
    length: bool = True,
    content_type: bytes | None = b"application/json",
) -> bytes:
    """Return a request after which the connection is closed."""
    lines = [b"%b %b HTTP/1.1" % (method, target), b"Host: guard.test", b"Connection: close"]
    if key is not None:
        lines.append(b"Authorization: Bearer " + key.encode())
    if content_type is not None:
        lines.append(b"Content-Type: " + content_type)
    if length:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*lines, *headers, b"", body])


def in_chunks(body: bytes) -> bytes:
    """Return a body as one chunk and the end."""
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
