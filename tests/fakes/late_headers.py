"""What a stream says of its verdict in comments, because its headers left before there was one."""

import httpx

from proxy.openai_api.sse import read_comments


def with_late_headers(reply: httpx.Response) -> httpx.Response:
    """Return the reply with what its comments say among its headers."""
    reply.headers.update(read_comments(reply.content))
    return reply
