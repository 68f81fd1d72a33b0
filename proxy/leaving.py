"""Ends the work on a request when its client hangs up."""

import asyncio
from types import TracebackType
from typing import Self

from litestar.types import Receive


class Leaving:
    """Cancels the task inside whose block it stands as soon as the client is gone.

    The body of the request must have been read. Who is inside lets the cancellation through or ends
    soon; behind the block the task goes on, unless somebody else has cancelled it as well.

    Args:
        receive: Where the web server says that the client is gone.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._has_left = False

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("not inside a task")
        self._task = task
        self._cancelled_before = task.cancelling()
        self._watching = asyncio.create_task(self._watch())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        self._watching.cancel()
        del self._watching  # its end holds this one, and all that the request was
        if self._has_left:
            self._task.uncancel()
        is_wanted_elsewhere = self._task.cancelling() > self._cancelled_before
        if error is None and is_wanted_elsewhere:
            raise asyncio.CancelledError
        return isinstance(error, asyncio.CancelledError) and not is_wanted_elsewhere

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._has_left = True
        self._task.cancel()
