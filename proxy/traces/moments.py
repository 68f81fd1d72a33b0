"""Reads when something was, as people write it: so long ago, or a date with or without a time."""

import re
from datetime import datetime, timedelta

_AGO = re.compile(r"(\d{1,6})([smhdw])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class UnknownMoment(ValueError):
    """What was said is no time."""

    def __init__(self, said: str) -> None:
        super().__init__(
            f"{said!r} is neither a time ago (90m, 24h, 7d) nor a date or time "
            "(2026-11-22, 2026-11-22T09:00, 2026-11-22T09:00+09:00)"
        )


def moment(said: str, now: datetime) -> datetime:
    """Return the time that was meant.

    Args:
        said: ``30s``, ``90m``, ``24h``, ``7d`` or ``2w`` before now, or a time as ISO 8601 writes
            it; a date is its beginning.
        now: The time of day; aware. Its zone counts where none was said.

    Raises:
        UnknownMoment: It is none of these, or too far away.
    """
    try:
        time = _read(said.strip(), now)
    except (ValueError, OverflowError):
        raise UnknownMoment(said) from None
    if not 1970 <= time.year < 9999:  # beyond, other zones' clocks have no time for it
        raise UnknownMoment(said)
    return time


def _read(said: str, now: datetime) -> datetime:
    if ago := _AGO.fullmatch(said):
        return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    time = datetime.fromisoformat(said)
    return time if time.tzinfo else time.replace(tzinfo=now.tzinfo)
