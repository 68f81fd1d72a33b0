"""Clients that hang up, and what is written down about them."""

import asyncio
import json
import socket
from urllib.parse import urlsplit

from proxy.openai_api.json_body import JsonObject
from proxy.traces.query import Query
from proxy.traces.trace import Delivery, Trace
from tests.fakes.rig import Rig
from tests.flow.waiting import eventually


async def connect(
    rig: Rig,
    tenant: str,
    body: JsonObject,
    *,
    sent_bytes: int | None = None,
    held_bytes: int | None = None,
) -> asyncio.StreamWriter:
    """Send a request over a connection of its own, and read nothing.

    Args:
        rig: Where to.
        tenant: Who asks.
        body: The request.
        sent_bytes: How much of its body is sent; None for all.
        held_bytes: How much of the reply waits at the client; None for what is usual.
    """
    address = urlsplit(rig.proxy.address)
    opened = socket.socket()
    if held_bytes is not None:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, held_bytes)
    opened.connect((address.hostname, address.port))
    _, writer = await asyncio.open_connection(sock=opened, limit=held_bytes or 2**16)
    content = json.dumps(body).encode()
    writer.write(
        f"POST /v1/chat/completions HTTP/1.1\r\nhost: {address.netloc}\r\n"
        f"authorization: Bearer {rig.proxy.keys[tenant]}\r\n"
        f"content-length: {len(content)}\r\n\r\n".encode()
    )
    writer.write(content[:sent_bytes])
    await writer.drain()
    return writer


async def only_trace(rig: Rig, tenant: str) -> Trace:
    found: list[Trace] = []

    async def is_there() -> bool:
        page = await rig.proxy.services.traces.page(Query(tenant=tenant))
        found[:] = page.traces
        return bool(found)

    await eventually(is_there)
    [trace] = found
    return trace


def assert_gone(trace: Trace) -> None:
    assert (trace.delivery, trace.status, trace.error) == (
        Delivery.CLIENT_GONE,
        499,
        "client_gone",
    )
