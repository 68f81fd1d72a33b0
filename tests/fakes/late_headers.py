"""What a stream says of its verdict in comments, because its headers left before there was one."""

import re

import httpx

_COMMENT = re.compile(rb"^: (x-guard-[a-z-]+): ([^\n]*)\n", re.MULTILINE)


def with_late_headers(reply: httpx.Response) -> httpx.Response:
    """Return the reply with what its comments say among its headers."""
    for name, value in _COMMENT.findall(reply.content):
        reply.headers[name.decode()] = value.decode()
    return reply


def without_late_headers(content: bytes) -> bytes:
    """Return a stream's bytes without those comments."""
    return re.sub(rb"(?:^: x-guard-[^\n]*\n)+\n", b"", content, flags=re.MULTILINE)
