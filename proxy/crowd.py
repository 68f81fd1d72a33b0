"""How many clients are connected to this process, and what each of them may take."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

_MOST_REFUSED = 256
"""Refused clients that are given the time to read why; any more are hung up on at once."""
_MOST_LOOKED_AT = 32
"""Of those who might make room for a newcomer."""


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """What clients may take.

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
    def is_at_rest(self) -> bool:
        """Whether nothing is on its way: no request that nobody has read, no end of a reply."""

    def make_room(self) -> None:
        """Close it: nothing is being served on it."""


class Crowd:
    """All clients that are connected.

    Args:
        limits: What they may take.
        on_refused: Called for each that found no room.
    """

    def __init__(
        self, limits: ClientLimits | None = None, on_refused: Callable[[], None] = lambda: None
    ) -> None:
        self.limits = limits or ClientLimits()
        self._on_refused = on_refused
        self._inside: set[Client] = set()
        self._outside: set[Client] = set()
        self._waiting: dict[Client, None] = {}  # those that nothing is served to, longest first

    def enter(self, client: Client) -> bool:
        """Let a client in; tell whether there was room, if need be that of one who does nothing."""
        if len(self._inside) >= self.limits.connections:
            longest = self._longest_at_rest()
            if longest is None:
                self._on_refused()
                self._outside.add(client)
                return False
            self.leave(longest)
            longest.make_room()
        self._inside.add(client)
        self._waiting[client] = None
        return True

    def _longest_at_rest(self) -> Client | None:
        for _ in range(min(len(self._waiting), _MOST_LOOKED_AT)):
            longest = next(iter(self._waiting))
            if longest.is_at_rest:
                return longest
            self._waiting[longest] = self._waiting.pop(longest)  # it waits from now on
        return None

    @property
    def has_time(self) -> bool:
        """Whether who was not let in may stay to be told so."""
        return len(self._outside) <= _MOST_REFUSED

    def begin(self, client: Client) -> None:
        """Note that a request of a client is being served."""
        self._waiting.pop(client, None)

    def rest(self, client: Client) -> None:
        """Note that nothing is served to a client until it asks again."""
        if client in self._inside:
            self._waiting[client] = None

    def leave(self, client: Client) -> None:
        """Note that a client is gone."""
        self._inside.discard(client)
        self._outside.discard(client)
        self._waiting.pop(client, None)
