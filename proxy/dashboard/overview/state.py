"""How the service is right now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from proxy.dashboard.desk import Desk
from proxy.judge.breaker import BreakerState
from proxy.services import Services


@dataclass(frozen=True, slots=True)
class Queue:
    """Traces on their way to the store, and those that never got there.

    Attributes:
        waiting: In memory.
        outbox: In the file that takes them while the store is away.
        dropped: Lost since the start.
        refused: Not taken by the store since the start.
        is_away: The store failed last time.
    """

    waiting: int
    outbox: int
    dropped: int
    refused: int
    is_away: bool


@dataclass(frozen=True, slots=True)
class State:
    """How the service is, as far as the viewer may know.

    Attributes:
        policies_since: When the policies in force were read.
        is_stale: The newest edit of the policies is not in force, because it is broken.
        errors: What is wrong with it; for the admin only, as it may tell of other tenants.
        judges: State of each judge's breaker, by tenant; those never asked are left out.
        queue: Traces on their way; None for a tenant, whom all tenants' together do not concern.
        tenants: Names of all tenants, for the admin to choose from; none for others.
    """

    policies_since: datetime
    is_stale: bool
    errors: tuple[str, ...]
    judges: Mapping[str, BreakerState]
    queue: Queue | None
    tenants: tuple[str, ...]

    @classmethod
    def of(cls, services: Services, desk: Desk) -> "State":
        """Return the state at this moment."""
        policies = services.policies
        problems = policies.last_error.problems if policies.last_error else ()
        judges = services.judges.states()
        return cls(
            policies_since=policies.snapshot.loaded_at,
            is_stale=policies.last_error is not None,
            errors=tuple(map(str, problems)) if desk.is_admin else (),
            judges={name: now for name, now in judges.items() if desk.may_read(name)},
            queue=_queue(services) if desk.is_admin else None,
            tenants=tuple(sorted(policies.snapshot.tenants)) if desk.is_admin else (),
        )


def _queue(services: Services) -> Queue:
    counted = services.recorder.counters()
    return Queue(
        waiting=counted["waiting"],
        outbox=counted["outbox"],
        dropped=counted["dropped"],
        refused=counted["refused"],
        is_away=services.recorder.is_away,
    )
