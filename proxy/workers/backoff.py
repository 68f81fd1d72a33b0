"""How long the place of a process that died stays empty."""

FIRST_S = 0.5
LONGEST_S = 30.0
STEADY_S = 60.0


class Backoff:
    """Pauses that double while processes die young.

    Args:
        first_s: The first pause.
        longest_s: No pause is longer.
        steady_s: Who lived this long did not die young: there is no pause.
    """

    def __init__(
        self,
        first_s: float = FIRST_S,
        longest_s: float = LONGEST_S,
        steady_s: float = STEADY_S,
    ) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._steady_s = steady_s
        self._next_s = first_s

    def pause_s(self, lived_s: float) -> float:
        """Return the pause after a process that lived so long."""
        if lived_s >= self._steady_s:
            self._next_s = self._first_s
            return 0.0
        pause_s, self._next_s = self._next_s, min(self._longest_s, 2 * self._next_s)
        return pause_s
