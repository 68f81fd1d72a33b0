"""Graceful shutdown of the service, as the requests in flight see it.

Once a shutdown is requested, the service still serves, while `/readyz` tells load balancers to send
no new requests. When the time for it is over, the requests in flight are cancelled: each has time
to tell its client and to record its trace, and for nothing else.
"""

import asyncio

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from proxy.errors import ServiceStopping
from proxy.server.asgi_reply import error_reply, send_whole


class Shutdown:
    """The requests in flight, and their cancellation when the service stops.

    Attributes:
        is_requested: The service was asked to stop.
        deadline_passed: The requests in flight were cancelled.
    """

    def __init__(self) -> None:
        self.is_requested = False
        self.deadline_passed = asyncio.Event()
        self._in_flight: set[asyncio.Task[object]] = set()
        self._cancelled: set[asyncio.Task[object]] = set()

    def request(self) -> None:
        """Note that the service was asked to stop."""
        self.is_requested = True

    def cancel_all(self) -> None:
        """Cancel all requests in flight."""
        self.is_requested = True
        self.deadline_passed.set()
        for task in self._in_flight - self._cancelled:
            self._cancelled.add(task)
            task.cancel()

    def claim_cancellation(self) -> bool:
        """Tell whether `cancel_all` cancelled this task; if so, take the cancellation back.

        True once only, so that the first caller is the one that tells the client.
        """
        task = asyncio.current_task()
        if task is None or task not in self._cancelled:
            return False
        self._cancelled.discard(task)
        self._in_flight.discard(task)
        task.uncancel()
        return True

    def tracked(self, app: ASGIApp) -> ASGIApp:
        """Return the app with each of its requests counted among those in flight."""

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            task = asyncio.current_task()
            if scope["type"] != ScopeType.HTTP or task is None:
                await app(scope, receive, send)
                return
            begun = False

            async def sending(message: Message) -> None:
                nonlocal begun
                begun = True
                if self.is_requested and message["type"] == "http.response.start":
                    # So that load balancers keep no connection which is about to be closed.
                    message["headers"] = [*message["headers"], (b"connection", b"close")]
                await send(message)

            if self.deadline_passed.is_set():
                await send_whole(sending, error_reply(ServiceStopping()))
                return
            self._in_flight.add(task)
            try:
                await app(scope, receive, sending)
            except asyncio.CancelledError:
                if self.claim_cancellation():
                    if not begun:
                        await send_whole(sending, error_reply(ServiceStopping()))
                elif not (begun and self.deadline_passed.is_set()):
                    raise  # else the client does not even read the end of its reply
            finally:
                self._in_flight.discard(task)
                self._cancelled.discard(task)

        return serve
