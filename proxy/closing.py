"""The end of the service, as the requests under way see it.

First the service is closing: it still serves, and says at `/readyz` that nobody should come any
more. When its patience ends, whoever is still under way is told to give up: there is time to say so
to the client and to keep the trace, and for nothing else.
"""

import asyncio

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from proxy.errors import ServiceStopping
from proxy.openai_api.json_body import JSON_TYPE
from proxy.replying import HttpReply, send_whole


class Closing:
    """Knows the requests under way, and tells them to give up.

    Attributes:
        has_begun: The service was told to end.
        is_over: Those under way were told to give up.
    """

    def __init__(self) -> None:
        self.has_begun = False
        self.is_over = asyncio.Event()
        self._under_way: set[asyncio.Task[object]] = set()
        self._given_up: set[asyncio.Task[object]] = set()

    def begin(self) -> None:
        """Note that the service was told to end."""
        self.has_begun = True

    def give_up(self) -> None:
        """Tell all requests under way to end at once."""
        self.has_begun = True
        self.is_over.set()
        for task in self._under_way - self._given_up:
            self._given_up.add(task)
            task.cancel()

    def took_over(self) -> bool:
        """Tell whether this task was cancelled by `give_up`; its cancellation is taken back.

        True once only, so that whoever asks first is who says it to the client.
        """
        task = asyncio.current_task()
        if task is None or task not in self._given_up:
            return False
        self._given_up.discard(task)
        self._under_way.discard(task)
        task.uncancel()
        return True

    def attended(self, app: ASGIApp) -> ASGIApp:
        """Return the app with each of its requests among those under way."""

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            task = asyncio.current_task()
            if scope["type"] != ScopeType.HTTP or task is None:
                await app(scope, receive, send)
                return
            begun = False

            async def noted(message: Message) -> None:
                nonlocal begun
                begun = True
                if self.has_begun and message["type"] == "http.response.start":
                    # So that load balancers keep no connection which is about to be closed.
                    message["headers"] = [*message["headers"], (b"connection", b"close")]
                await send(message)

            if self.is_over.is_set():
                await send_whole(noted, _stopping())
                return
            self._under_way.add(task)
            try:
                await app(scope, receive, noted)
            except asyncio.CancelledError:
                if self.took_over():
                    if not begun:
                        await send_whole(noted, _stopping())
                elif not (begun and self.is_over.is_set()):
                    raise  # else the client does not even take its last words
            finally:
                self._under_way.discard(task)
                self._given_up.discard(task)

        return serve


def _stopping() -> HttpReply:
    error = ServiceStopping()
    return HttpReply(error.status, error.headers, JSON_TYPE, error.as_body())
