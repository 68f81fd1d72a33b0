"""What puts the user's own identifiers back, as the wire sees it."""

from typing import Protocol


class PieceRestorer(Protocol):
    """Puts the user's own identifiers back into one text that comes in pieces, cut anywhere."""

    def feed(self, piece: str) -> str:
        """Return what can be said by now; what may be half a placeholder is kept back."""

    def close(self) -> str:
        """Return what was kept back."""


class Restoring(Protocol):
    """Puts the user's own identifiers back where the model wrote what stands in for them."""

    def __bool__(self) -> bool:
        """Tell whether there is anything to put back."""

    def restore(self, text: str) -> str:
        """Return a whole text with the identifiers in it."""

    def in_pieces(self) -> PieceRestorer:
        """Return what does the same to a text that comes in pieces."""
