"""An executor that does nothing until it is told to."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class HeldExecutor(Executor):
    """Does work in the thread of whoever lets it; `waiting` holds what it was given.

    Attributes:
        breaks: What it raises instead of taking work.
        is_shut: It was told that no more comes.
    """

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.breaks: Exception | None = None
        self.is_shut = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **more: Any) -> Future[Any]:  # noqa: ANN401 - the signature of executors
        if self.breaks is not None:
            raise self.breaks
        future: Future[Any] = Future()
        self.waiting.append((future, lambda: fn(*args, **more)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.is_shut = True
        for future, _ in self.waiting if cancel_futures else ():
            future.cancel()

    def let_go(self, most: int | None = None) -> None:
        """Do what waits, in order; work that was cancelled is passed over."""
        most = len(self.waiting) if most is None else most
        waiting, self.waiting = self.waiting[:most], self.waiting[most:]
        for future, work in waiting:
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except Exception as error:  # noqa: BLE001 - whoever waits for it gets it
                future.set_exception(error)
