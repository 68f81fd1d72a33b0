"""Several looks at the same answer: what the first one read and found is there for the next."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from guards.core.exchange import Exchange
from guards.core.guard import Guard
from guards.core.reading import Asked, Part, Reading, read
from guards.core.runner import GuardReport, run


class Run:
    """The guards' reports on one reading, each guard run once: several looks may be at the same."""

    def __init__(self, reading: Reading) -> None:
        del reading
        self._reports: dict[Guard[Any], GuardReport] = {}

    def reports(self, reading: Reading, guards: Sequence[Guard[Any]]) -> tuple[GuardReport, ...]:
        """Return the guards' reports, in their order."""
        new = [guard for guard in guards if guard not in self._reports]
        self._reports.update(zip(new, run(new, reading), strict=True))
        return tuple(self._reports[guard] for guard in guards)


class Latest:
    """What was read of the latest answer to a request that was looked at.

    Not its reading, which holds the request: what holds itself is only freed by the collector of
    garbage.
    """

    def __init__(self, asked: Asked) -> None:
        del asked
        self._taken: tuple[tuple[str | None, int], Part | None, dict[object, object]] | None = None

    def again(self, reading: Reading) -> Reading | None:
        """Return a reading with what was read, if it is of the same answer; else None."""
        if self._taken is None:
            return None
        looked_at, answer, kept = self._taken
        return replace(reading, answer=answer, kept=kept) if looked_at == _of(reading) else None

    def take(self, reading: Reading) -> None:
        """Keep what is read of an answer."""
        self._taken = (_of(reading), reading.answer, reading.kept)


def _of(reading: Reading) -> tuple[str | None, int]:
    """Return what tells a look at a request from others."""
    return reading.exchange.answer, reading.judged_from


def reading_of(exchange: Exchange, judged_from: int = 0) -> Reading:
    """Read an exchange, or return its reading if the look before was at the same answer."""
    reading = read(exchange, judged_from)
    latest = reading.asked.once(Latest)
    if known := latest.again(reading):
        return known
    latest.take(reading)
    return reading
