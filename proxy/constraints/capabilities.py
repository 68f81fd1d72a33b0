"""What is known of the model servers: which kind each is, and which do as they are told."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from proxy.constraints.servers import ServerKind

ASKED_AGAIN_S = 600.0
"""After this time a server is asked once more what it is, or told once more what to write."""


@dataclass
class Capabilities:
    """Remembers servers by their address.

    Attributes:
        clock: Monotonic clock in seconds.
    """

    clock: Callable[[], float]
    _kinds: dict[str, tuple[ServerKind | None, float]] = field(default_factory=dict)
    _unable: dict[str, float] = field(default_factory=dict)
    _turns: dict[str, asyncio.Lock] = field(default_factory=dict)

    def turn(self, address: str) -> asyncio.Lock:
        """Return what lets one request at a time ask a server what it is."""
        return self._turns.setdefault(address, asyncio.Lock())

    def knows(self, address: str) -> bool:
        """Tell whether it is known what kind a server is, or that it is of no known kind."""
        return address in self._kinds and self._is_recent(self._kinds[address][1])

    def kind(self, address: str) -> ServerKind | None:
        """Return a server's kind; None if it is not known, or none that can be constrained."""
        return self._kinds[address][0] if self.knows(address) else None

    def learn(self, address: str, kind: ServerKind | None) -> None:
        """Remember a server's kind."""
        self._kinds[address] = (kind, self.clock())

    def is_unable(self, address: str) -> bool:
        """Tell whether a server refused or ignored a constraint a short while ago."""
        return address in self._unable and self._is_recent(self._unable[address])

    def note_unable(self, address: str) -> None:
        """Remember that a server refused or ignored a constraint."""
        self._unable[address] = self.clock()

    def _is_recent(self, then_s: float) -> bool:
        return self.clock() - then_s < ASKED_AGAIN_S
