"""How many requests and streams are being served at this moment."""

from collections.abc import Iterable
from types import TracebackType
from typing import Self

from litestar.types import Message, Send

from proxy.metrics import Metrics
from proxy.openai_api.sse import STREAM_TYPE

_STREAM_TYPE = STREAM_TYPE.encode()


class InFlight:
    """Counts a request inside its block, by the name of its door.

    A stream is told from its reply, so that those which are handed through count as well.

    Args:
        metrics: Where it is counted.
        door: The door's name.
        send: Where the reply goes.

    Attributes:
        has_begun: The reply has begun.
    """

    def __init__(self, metrics: Metrics, door: str, send: Send) -> None:
        self.has_begun = False
        self._requests = metrics.of(metrics.requests_in_flight, door)
        self._streams = metrics.of(metrics.streams_in_flight, door)
        self._is_stream = False
        self._send = send

    def __enter__(self) -> Self:
        self._requests.inc()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._requests.dec()
        if self._is_stream:
            self._streams.dec()

    async def send(self, message: Message) -> None:
        """Send a message of the reply."""
        if message["type"] == "http.response.start":
            self.has_begun = True
            if _is_stream(message["headers"]):
                self._is_stream = True
                self._streams.inc()
        await self._send(message)


def _is_stream(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    types = (value for name, value in headers if name.lower() == b"content-type")
    return any(value.lower().startswith(_STREAM_TYPE) for value in types)
