"""Which requests are judged apart, and where."""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace

from guards.core.exchange import Exchange
from policies.schema.loader import LoadedPolicy
from proxy.apart.inspector import InspectorApart
from proxy.apart.lane import Lane
from proxy.apart.work import Which
from proxy.errors import CannotJudgeNow
from proxy.inspecting import chars_of
from proxy.replay.workers import packed
from proxy.tenants import Tenant

MOST_GUESTS = 4
"""Requests that one process judges; whoever comes then would wait for too long."""
BUSY_FOR_S = 5


class Apart:
    """Has the texts of very long requests judged in processes of their own.

    Args:
        lanes: The processes; without any, all texts are judged in this one.
        more_than_chars: What counts as very long.
        most_guests: See `MOST_GUESTS`.
    """

    def __init__(
        self, lanes: Sequence[Lane], more_than_chars: int, most_guests: int = MOST_GUESTS
    ) -> None:
        self._lanes = lanes
        self._more_than_chars = more_than_chars
        self._most_guests = most_guests
        self._packed: dict[str, tuple[LoadedPolicy, bytes]] = {}

    def lent(self, tenant: Tenant, exchange: Exchange) -> AbstractContextManager[Tenant]:
        """Yield the tenant whose inspector judges a request: apart if it is very long.

        One process judges all of it, which has read the sources after the first time.

        Raises:
            CannotJudgeNow: there are too many such requests already.
        """
        if not self._lanes or chars_of(exchange) <= self._more_than_chars:
            return nullcontext(tenant)
        return self._lent(tenant)

    @contextmanager
    def _lent(self, tenant: Tenant) -> Generator[Tenant, None, None]:
        lane = min(self._lanes, key=lambda one: one.load)
        if lane.load >= self._most_guests:
            raise CannotJudgeNow("others wait already", BUSY_FOR_S)
        lane.open()
        lane.guests += 1
        try:
            which = Which(self._pack(tenant.loaded))
            yield replace(tenant, inspector=InspectorApart(tenant.policy, lane, which))
        finally:
            lane.guests -= 1

    def close(self) -> None:
        """End the processes."""
        for lane in self._lanes:
            lane.close()

    def _pack(self, loaded: LoadedPolicy) -> bytes:
        """Return a policy as it travels, which stays the same until the policy is reloaded."""
        known, content = self._packed.get(loaded.name, (None, b""))
        if known is not loaded:
            content = packed(loaded)
            self._packed[loaded.name] = loaded, content
        return content
