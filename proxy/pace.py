"""Whether a client is too slow: with the body of its request, or at taking its reply."""

import asyncio
import contextlib
import fcntl
import sys
import termios
from collections.abc import Callable

LEAST_BYTES_PER_S = 500
_HEAD_START = 5
"""So many times the limit between two pieces, before a body has to keep up that pace."""


class BodyPace:
    """Tells whether a body drips: each piece in time, and never all of it.

    Args:
        clock: Monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began_s = 0.0
        self._read_bytes = 0
        self._is_awaited = False

    def begin(self) -> None:
        """Note that a body follows, or that it was not the client that was slow so far."""
        self._began_s, self._read_bytes, self._is_awaited = self._clock(), 0, True

    def take(self, size_bytes: int) -> None:
        """Note that a piece has come."""
        self._read_bytes += size_bytes

    def end(self) -> None:
        """Note that all of it has come."""
        self._is_awaited = False

    def pause(self) -> None:
        """Note that nobody reads on for now."""
        if self._is_awaited:
            self.begin()

    def drips(self, limit_s: float) -> bool:
        """Tell whether it is given up; `limit_s` is the limit between two pieces."""
        may_take_s = _HEAD_START * limit_s + self._read_bytes / LEAST_BYTES_PER_S
        return self._is_awaited and self._clock() - self._began_s > may_take_s


class TakingPace:
    """Tells whether a client takes nothing of what waits for it.

    Args:
        clock: Monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._taken_at_s = clock()
        self._waiting_bytes = 0

    def take(self) -> None:
        """Note that some was taken, whatever came after it."""
        self._taken_at_s = self._clock()

    def stalls(self, waiting_bytes: int, limit_s: float) -> bool:
        """Look how much waits now; tell whether it has not become less within the limit."""
        if waiting_bytes == 0 or waiting_bytes < self._waiting_bytes:
            self.take()
        self._waiting_bytes = waiting_bytes
        return self._clock() - self._taken_at_s > limit_s


def untaken_bytes(transport: asyncio.Transport) -> int:
    """Return how much a client has yet to take; 0 if all of it lies with the system.

    What does lies in megabytes: without it, one who reads slowly would seem not to read at all.
    """
    waiting = transport.get_write_buffer_size()
    return waiting and waiting + _asked(transport, termios.TIOCOUTQ)


def unread_bytes(transport: asyncio.Transport) -> int:
    """Return how much of what a client sent has come, and was not read yet."""
    return _asked(transport, termios.FIONREAD)


def _asked(transport: asyncio.Transport, what: int) -> int:
    """Return what the system says of a connection; 0 if it says nothing."""
    opened = transport.get_extra_info("socket")
    if opened is not None:
        with contextlib.suppress(OSError):
            return int.from_bytes(fcntl.ioctl(opened.fileno(), what, bytes(4)), sys.byteorder)
    return 0
