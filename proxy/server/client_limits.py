"""Limits on clients of this process: connections, requests, streams, and time."""

import asyncio
import contextlib
import fcntl
import sys
import termios
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from proxy.errors import Overloaded

_MOST_REFUSED = 256
"""Refused clients that are given the time to read why; any more are disconnected at once."""
_MOST_LOOKED_AT = 32
"""Of those who might make room for a newcomer."""


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """Limits on clients.

    Attributes:
        connections: The most of them at the same time.
        request_s: For the head of a request, and between two pieces of its body.
        send_s: Without taking anything of a reply that is on its way.
    """

    connections: int = 4_000
    request_s: float = 60.0
    send_s: float = 60.0


class Client(Protocol):
    """The connection of a client."""

    @property
    def is_idle(self) -> bool:
        """True if nothing is in transit: no unread request, no unfinished reply."""

    def close_idle(self) -> None:
        """Close it: nothing is being served on it."""


class ConnectionLimiter:
    """All clients that are connected."""

    def __init__(
        self, limits: ClientLimits | None = None, on_refused: Callable[[], None] = lambda: None
    ) -> None:
        self.limits = limits or ClientLimits()
        self._on_refused = on_refused
        self._admitted: set[Client] = set()
        self._refused: set[Client] = set()
        self._idle: dict[Client, None] = {}  # those that nothing is served to, longest first

    def admit(self, client: Client) -> bool:
        """Let a client in; tell whether there was room, if need be that of one who does nothing."""
        if len(self._admitted) >= self.limits.connections:
            longest = self._longest_idle()
            if longest is None:
                self._on_refused()
                self._refused.add(client)
                return False
            self.remove(longest)
            longest.close_idle()
        self._admitted.add(client)
        self._idle[client] = None
        return True

    def _longest_idle(self) -> Client | None:
        for _ in range(min(len(self._idle), _MOST_LOOKED_AT)):
            longest = next(iter(self._idle))
            if longest.is_idle:
                return longest
            self._idle[longest] = self._idle.pop(longest)  # it waits from now on
        return None

    @property
    def has_room_to_refuse(self) -> bool:
        """True if a refused client may stay connected to get the refusal."""
        return len(self._refused) <= _MOST_REFUSED

    def mark_busy(self, client: Client) -> None:
        """Note that a request of a client is being served."""
        self._idle.pop(client, None)

    def mark_idle(self, client: Client) -> None:
        """Note that nothing is served to a client until it asks again."""
        if client in self._admitted:
            self._idle[client] = None

    def remove(self, client: Client) -> None:
        """Note that a client is gone."""
        self._admitted.discard(client)
        self._refused.discard(client)
        self._idle.pop(client, None)


LEAST_BYTES_PER_S = 500
_HEAD_START = 5
"""So many times the limit between two pieces, before a body has to keep up that pace."""


class UploadRate:
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

    def is_too_slow(self, limit_s: float) -> bool:
        """Tell whether it is given up; `limit_s` is the limit between two pieces."""
        may_take_s = _HEAD_START * limit_s + self._read_bytes / LEAST_BYTES_PER_S
        return self._is_awaited and self._clock() - self._began_s > may_take_s


class DownloadRate:
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
    return waiting and waiting + _socket_option(transport, termios.TIOCOUTQ)


def unread_bytes(transport: asyncio.Transport) -> int:
    """Return how much of what a client sent has come, and was not read yet."""
    return _socket_option(transport, termios.FIONREAD)


def _socket_option(transport: asyncio.Transport, what: int) -> int:
    """Return what the system says of a connection; 0 if it says nothing."""
    opened = transport.get_extra_info("socket")
    if opened is not None:
        with contextlib.suppress(OSError):
            return int.from_bytes(fcntl.ioctl(opened.fileno(), what, bytes(4)), sys.byteorder)
    return 0


class Kind(StrEnum):
    """Kinds of limited work, as metrics and errors call them."""

    REQUESTS = "requests"
    STREAMS = "streams"


class Capacity:
    """Places for requests, and for those of them that ask for a stream."""

    def __init__(self, most: Mapping[Kind, int], on_refused: Callable[[Kind], None]) -> None:
        self._free = dict(most)
        self._on_refused = on_refused

    def take(self, kind: Kind) -> None:
        """Take a place, which has to be given back.

        Raises:
            Overloaded: there is none.
        """
        if self._free[kind] == 0:
            self._on_refused(kind)
            raise Overloaded(kind.value)
        self._free[kind] -= 1

    def give_back(self, kind: Kind) -> None:
        """Give back a place."""
        self._free[kind] += 1
