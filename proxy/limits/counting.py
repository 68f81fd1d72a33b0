"""What is counted, and what comes of counting it."""

from dataclasses import dataclass
from enum import StrEnum

from policies.schema.sections import Limits

WINDOW_S = 60.0


class Limit(StrEnum):
    """Which limit has no room, by its name in the policy."""

    REQUESTS_PER_MINUTE = "requests_per_minute"
    CONCURRENT_REQUESTS = "concurrent_requests"


@dataclass(frozen=True, slots=True)
class Visit:
    """A request on its way in.

    Attributes:
        id: Its own.
        tenant: Whose it is.
        limits: What the tenant's policy allows at this moment.
    """

    id: str
    tenant: str
    limits: Limits


@dataclass(frozen=True, slots=True)
class Count:
    """What came of counting a visit.

    Attributes:
        full: The limit that has no room for it; None where it is let in and counted.
        wait_s: When there will be room at the earliest; 0 where nobody can know.
        used: Requests of the last minute, this one among them if it is let in.
        resets_in_s: Until none of those counts any more.
    """

    full: Limit | None
    wait_s: float
    used: int
    resets_in_s: float
