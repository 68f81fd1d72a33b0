"""Services that all handlers share; built once in `app.py`."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime

from policies.schema.store import PolicyStore
from proxy.judge.book import JudgeBook
from proxy.limits.limiter import Count, Limiter, Visit, refusal
from proxy.limits.wrong_keys import WrongKeys
from proxy.long_text_pool import LongTextPool
from proxy.metrics import Metrics
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
