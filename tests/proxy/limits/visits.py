"""Visits of invented tenants, and a clock that stands still until it is moved."""

from dataclasses import dataclass
from itertools import count

from policies.schema.sections import Limits
from proxy.limits.limiter import Count, Visit

_numbers = count()


@dataclass
class Clock:
    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


def visit(
    tenant: str = "app", *, per_minute: int | None = None, at_once: int | None = None
) -> Visit:
    """Return a new visit of a tenant with these limits."""
    limits = Limits(requests_per_minute=per_minute, concurrent_requests=at_once)
    return Visit(f"visit-{next(_numbers)}", tenant, limits)


def let_in(counts: list[Count]) -> int:
    """Return how many were let in."""
    return sum(count.full is None for count in counts)
