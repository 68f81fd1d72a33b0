"""Which of several processes this one is."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """A process among those that serve together on one machine.

    Attributes:
        number: Number of the worker, from 1; a replacement of a dead worker has the same.
        count: How many there are.
        folder: What they have in common beside the stores; it is empty when they begin, and goes
            when they end. None for one process by itself.
    """

    number: int = 1
    count: int = 1
    folder: Path | None = None

    @property
    def metrics(self) -> Path | None:
        """Folder of the metrics that workers share."""
        return self.folder and self.folder / "metrics"

    @property
    def sessions(self) -> Path | None:
        """Folder of the dashboard's sessions, if there is no Redis."""
        return self.folder and self.folder / "sessions"


ALONE = Place()
