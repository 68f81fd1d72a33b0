"""Services that all handlers share, built once in `app.py`, and access rights of keys."""

import secrets
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime

from policies.schema.keys import tenant_named_by
from policies.schema.store import PolicyStore
from proxy.errors import TooManyWrongKeys
from proxy.judge.book import JudgeBook
from proxy.limits.limiter import Count, Limiter, Visit, refusal
from proxy.limits.wrong_keys import WrongKeys
from proxy.logs import logger
from proxy.metrics import Metrics
from proxy.offload import LongTextPool
from proxy.pipeline.pipeline import Pipeline
from proxy.replay.workers import Shadows
from proxy.server.asgi_reply import Shutdown
from proxy.server.client_limits import Capacity
from proxy.settings import Settings
from proxy.telemetry.spans import Telemetry
from proxy.tenants import Tenants
from proxy.traces.recorder import Recorder
from proxy.traces.store import TraceStore
from proxy.upstream.client import ModelServers
from proxy.waiting_requests import WaitingRequests
from proxy.workers import Place


@dataclass(frozen=True)
class Services:
    """Everything that lives as long as the app.

    Attributes:
        reread: Reads the policies again, whether or not their files have changed.
        waiting: Where a gateway's requests wait for the scan of their answers.
        capacity: How many requests and streams there is room for.
        now: Time of day, aware.
        clock: Monotonic clock, in seconds.
    """

    settings: Settings
    place: Place
    shutdown: Shutdown
    reread: Callable[[], Coroutine[None, None, None]]
    policies: PolicyStore
    tenants: Tenants
    servers: ModelServers
    judges: JudgeBook
    limiter: Limiter
    wrong_keys: WrongKeys
    long_texts: LongTextPool
    waiting: WaitingRequests
    capacity: Capacity
    pipeline: Pipeline
    traces: TraceStore
    recorder: Recorder
    shadows: Shadows
    metrics: Metrics
    telemetry: Telemetry
    now: Callable[[], datetime]
    clock: Callable[[], float]

    async def admit(self, visit: Visit) -> Count:
        """Count a request in.

        Raises:
            TooManyRequests: a limit of its tenant has no room for it.
        """
        count = await self.limiter.enter(visit)
        if count.full:
            self.metrics.limited_requests.labels(visit.tenant, count.full.value).inc()
            raise refusal(visit.limits, count.full, count)
        return count


log = logger(__name__)

ENOUGH_TOKEN_CHARS = 16
"""A shorter admin token can be guessed."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody who may read traces.

    Attributes:
        tenant: The tenant whose traces these are; None for the admin, who may read all.
    """

    tenant: str | None

    @property
    def is_admin(self) -> bool:
        """True if every tenant's traces may be read."""
        return self.tenant is None

    def may_read(self, tenant: str) -> bool:
        """Tell whether a tenant's traces may be read."""
        return self.tenant in (None, tenant)


def viewer_with(key: str, services: Services) -> Viewer | None:
    """Return whose key this is; None if it is neither the admin token nor a tenant's key."""
    token = services.settings.admin_token
    if token and secrets.compare_digest(key.encode(), token.get_secret_value().encode()):
        return Viewer(None)
    tenant = services.tenants.book.by_key(key)
    return Viewer(tenant.name) if tenant else None


async def recognised(key: str, address: str, services: Services) -> Viewer | None:
    """Return whose key this is; one that is nobody's counts against the caller's address.

    Others who share the address, as all do behind one load balancer, go on with the right key. Only
    what might be found by guessing is not even compared once there were too many: then a right
    guess must wait like a wrong one.

    Raises:
        TooManyWrongKeys: it is not to be tried again for a while.
    """
    wait_s = await services.wrong_keys.wait_s(address, services.now().timestamp())
    if wait_s and _may_be_guessed(key, services):
        raise TooManyWrongKeys(wait_s)
    viewer = viewer_with(key, services)
    if viewer is not None:
        return viewer
    if wait_s:
        raise TooManyWrongKeys(wait_s)
    await services.wrong_keys.note(address)
    log.warning("traces.key_refused", client=address)
    return None


def _may_be_guessed(key: str, services: Services) -> bool:
    token = services.settings.admin_token
    is_short = token is not None and len(token.get_secret_value()) < ENOUGH_TOKEN_CHARS
    return is_short and tenant_named_by(key) is None
