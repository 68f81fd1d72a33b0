"""HTTP/1.1 as far as the bench needs it: one message after the other on a connection."""

import re
from dataclasses import dataclass, field

HEAD_END = b"\r\n\r\n"
_LINE_END = b"\r\n"
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[ \t]*chunked", re.IGNORECASE)
_CLOSES = re.compile(rb"\r\nconnection:[ \t]*close", re.IGNORECASE)


class BrokenMessage(Exception):
    """These bytes are no HTTP message that the bench understands."""


@dataclass
class Message:
    """A message that is still arriving."""

    head: bytes = b""
    done: bool = False
    _buffer: bytearray = field(default_factory=bytearray)
    _left: int = 0
    """Bytes that are missing of the body, or of the chunk."""
    _chunked: bool = False
    _at_trailer: bool = False

    @property
    def closes(self) -> bool:
        """Whether the connection ends with this message."""
        return _CLOSES.search(self.head) is not None

    @property
    def status(self) -> int:
        """The status of a reply."""
        return int(self.head.split(b" ", 2)[1])

    def feed(self, data: bytes) -> bytes:
        """Take in what arrived; return the part of the body that was in it.

        Raises:
            BrokenMessage: it has no usable length.
        """
        if self.done:
            raise BrokenMessage(f"{len(data)} bytes after the end")
        if self.head:
            return self._body(data)
        self._buffer += data
        end = self._buffer.find(HEAD_END)
        if end < 0:
            return b""
        self.head = bytes(self._buffer[:end])
        rest = bytes(self._buffer[end + len(HEAD_END) :])
        self._buffer.clear()
        self._read_framing()
        return self._body(rest)

    def _read_framing(self) -> None:
        self._chunked = _CHUNKED.search(self.head) is not None
        if self._chunked:
            return
        length = _LENGTH.search(self.head)
        if length is None and not self.head.startswith(b"GET "):
            raise BrokenMessage("neither a length nor chunks")
        self._left = int(length[1]) if length else 0
        self.done = self._left == 0

    def _body(self, data: bytes) -> bytes:
        if self._chunked:
            return self._chunks(data)
        if len(data) > self._left:
            raise BrokenMessage(f"{len(data) - self._left} bytes after the end")
        self._left -= len(data)
        self.done = self._left == 0
        return data

    def _chunks(self, data: bytes) -> bytes:
        """Unwrap chunks. ``_left`` counts a chunk's own line end as well."""
        if self._buffer:
            data = bytes(self._buffer) + data
            self._buffer.clear()
        found = []
        at = 0
        while at < len(data) and not self.done:
            if self._left:
                taken = min(self._left, len(data) - at)
                words = taken - max(0, len(_LINE_END) - (self._left - taken))
                found.append(data[at : at + max(0, words)])
                self._left -= taken
                at += taken
                continue
            end = data.find(_LINE_END, at)
            if end < 0:
                self._buffer += data[at:]
                break
            self._read_line(data[at:end])
            at = end + len(_LINE_END)
        return b"".join(found)

    def _read_line(self, line: bytes) -> None:
        """Read a line with a chunk's size, or one behind the last chunk."""
        if self._at_trailer:
            self.done = not line
            return
        try:
            size = int(line.partition(b";")[0], 16)
        except ValueError:
            raise BrokenMessage(f"no size of a chunk: {line[:20]!r}") from None
        self._at_trailer = size == 0
        self._left = size + len(_LINE_END) if size else 0


def chunk(words: bytes) -> bytes:
    """Wrap a part of a body."""
    return b"%x\r\n%b\r\n" % (len(words), words)


LAST_CHUNK = b"0\r\n\r\n"
