"""How long a server that has no room asks a client to wait."""

from email.utils import parsedate_to_datetime

import httpx

MOST_WAITED_S = 120.0
"""In all, for one reply: limits that count by the minute have room again by then."""
_LEAST_S = 1.0
_FULL = frozenset({httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE})


def asked_to_wait_s(reply: httpx.Response) -> float | None:
    """Return how long a reply asks to wait before the next try; None if it asks for none."""
    said = reply.headers.get("retry-after")
    if said is None or reply.status_code not in _FULL:
        return None
    try:
        wait_s = float(said) if said.isdecimal() else _until(said, reply.headers.get("date", ""))
    except (ValueError, TypeError):  # no date, or one with a zone and one without
        return None
    return max(_LEAST_S, wait_s)


def _until(moment: str, now: str) -> float:
    """Return the time from one date to another, both by the server's own clock."""
    return (parsedate_to_datetime(moment) - parsedate_to_datetime(now)).total_seconds()
