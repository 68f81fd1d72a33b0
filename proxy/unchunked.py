"""Replies to clients that speak HTTP/1.0: they know no chunks, and read until the connection ends.

Uvicorn sends them chunks where a reply does not say how long it is, as a stream never does.
"""

from uvicorn._types import (
    ASGI3Application,
    ASGIReceiveCallable,
    ASGISendCallable,
    ASGISendEvent,
    Scope,
)
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle


def without_chunks(cycle: RequestResponseCycle, app: ASGI3Application) -> ASGI3Application:
    """Return the app with each piece of its replies sent as it is.

    Args:
        cycle: The request and its reply, as uvicorn sees them.
        app: What serves it.
    """

    async def serve(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        is_counted = True

        async def plainly(message: ASGISendEvent) -> None:
            nonlocal is_counted
            if message["type"] == "http.response.start":
                names = {name.lower() for name, _ in message.get("headers", ())}
                is_counted = b"content-length" in names
                if not is_counted:
                    cycle.chunked_encoding = False
            elif message["type"] == "http.response.body" and not is_counted:
                cycle.expected_content_length = len(message.get("body", b""))
            await send(message)

        await app(scope, receive, plainly)

    return serve
