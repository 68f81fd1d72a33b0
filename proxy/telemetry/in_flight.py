"""How many requests and streams are being served at this moment."""

from collections.abc import Iterable
from contextlib import ExitStack

from litestar import Litestar
from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from proxy.metrics import Metrics
from proxy.openai_api.sse import STREAM_TYPE
from proxy.telemetry.vocabulary import OTHER


class InFlight(ASGIMiddleware):
    """Counts requests from their head to the last byte of their reply, by the name of their door.

    A stream is told from its reply, so that those which are handed through count as well.
    """

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Serve a request, counted."""
        metrics: Metrics = Litestar.from_scope(scope).state.services.metrics
        door = scope["route_handler"].name or OTHER
        with ExitStack() as serving:
            serving.enter_context(metrics.requests_in_flight.labels(door).track_inprogress())

            async def sent(message: Message) -> None:
                if message["type"] == "http.response.start" and _is_stream(message["headers"]):
                    streams = metrics.streams_in_flight.labels(door)
                    serving.enter_context(streams.track_inprogress())
                await send(message)

            await next_app(scope, receive, sent)


def _is_stream(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    types = (value for name, value in headers if name.lower() == b"content-type")
    return any(value.lower().startswith(STREAM_TYPE.encode()) for value in types)
