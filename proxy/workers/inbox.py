"""Signals as something that can be waited for beside file descriptors."""

import signal
import socket
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

_Handler = Callable[[int, FrameType | None], Any] | int | None


class SignalInbox:
    """Takes signals in within a block; they interrupt nothing. For the main thread.

    Args:
        numbers: Which signals.
    """

    def __init__(self, numbers: Sequence[signal.Signals]) -> None:
        self._numbers = numbers
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._before: dict[signal.Signals, _Handler] = {}

    def __enter__(self) -> "SignalInbox":
        signal.set_wakeup_fd(self._writer.fileno())
        for number in self._numbers:
            self._before[number] = signal.signal(number, _note)
        return self

    def __exit__(self, *_: object) -> None:
        self.leave(self._before)

    def fileno(self) -> int:
        """Return what becomes readable when a signal comes."""
        return self._reader.fileno()

    def take(self) -> list[signal.Signals]:
        """Return the signals that came since the last time."""
        try:
            return [signal.Signals(number) for number in self._reader.recv(4096)]
        except BlockingIOError:
            return []

    def leave(self, handlers: dict[signal.Signals, _Handler] | None = None) -> None:
        """Take no more in.

        Args:
            handlers: What handles the signals from now on; None for what they do by themselves.
        """
        signal.set_wakeup_fd(-1)
        for number in self._numbers:
            signal.signal(number, (handlers or {}).get(number, signal.SIG_DFL))
        self._reader.close()
        self._writer.close()


def _note(number: int, frame: FrameType | None) -> None:
    """Do nothing: the number is in the inbox already."""
