"""One text of a stream, in pieces: whole characters, with the user's own identifiers in it."""

from proxy.openai_api.answer import PieceJoiner
from proxy.openai_api.restoring import Restoring


class Words:
    """What one text says, piece by piece.

    Args:
        stand_ins: Those of the request, if there are any.
    """

    def __init__(self, stand_ins: Restoring | None) -> None:
        self._joiner = PieceJoiner()
        self._restorer = stand_ins.in_pieces() if stand_ins else None

    def feed(self, piece: str) -> str:
        """Return what can be said by now; half a character or placeholder is kept back."""
        said = self._joiner.feed(piece)
        return self._restorer.feed(said) if self._restorer else said

    def close(self) -> str:
        """Return what was kept back."""
        rest = self._joiner.close()
        return self._restorer.feed(rest) + self._restorer.close() if self._restorer else rest
