"""The composition root: the only place that builds clients, stores and the web app."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Iterable
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from litestar import Litestar, Request, Response
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import (
    HTTPException,
    MethodNotAllowedException,
    NotFoundException,
    ValidationException,
)
from litestar.types import ASGIApp

from policies.schema.loader import LoadedPolicy
from policies.schema.store import PolicyStore, Reload
from proxy.dashboard.mounting import Dashboard
from proxy.dashboard.playground_form import TrialForm
from proxy.errors import (
    BadRequest,
    GuardProxyError,
    InternalError,
    RequestTooLarge,
    UnknownPath,
    WrongMethod,
)
from proxy.judge.book import JudgeBook
from proxy.limits.limiter import limits_without_count, open_limiter
from proxy.limits.wrong_keys import open_wrong_keys
from proxy.logs import failure, logger
from proxy.metrics import Metrics, open_metrics
from proxy.offload import LongTextPool, PoolProcess
from proxy.openai_api.json_body import JSON_TYPE
from proxy.pipeline.constraints import Capabilities, ConstrainedServers
from proxy.pipeline.pipeline import Pipeline
from proxy.replay.workers import Shadows
from proxy.routes.model_api import Entrance
from proxy.routes.service import (
    NEEDED,
    healthz,
    list_traces,
    metrics,
    openapi_document,
    readyz,
    show_trace,
)
from proxy.server.asgi_reply import Shutdown
from proxy.server.client_limits import Capacity, ClientLimits, ConnectionLimiter, Kind
from proxy.services import Services
from proxy.settings import Settings
from proxy.telemetry.counting import count_shadow
from proxy.telemetry.spans import open_telemetry
from proxy.tenants import Tenants
from proxy.traces.recorder import Limits, open_traces
from proxy.upstream.client import ModelServers
from proxy.waiting_requests import open_waiting_requests
from proxy.workers import ALONE, Place

log = logger(__name__)

FLUSH_S = 5.0
"""Time limit for sending the last telemetry, in seconds, once requests have ended."""


@contextlib.asynccontextmanager
async def open_services(
    settings: Settings,
    trace_limits: Limits | None = None,
    *,
    telemetry_wanted: bool = True,
    tenants: Tenants | None = None,
    place: Place = ALONE,
) -> AsyncGenerator[Services, None]:
    """Build everything that the handlers need, and close it in the end.

    Args:
        trace_limits: Sizes and times of the trace recorder, where its own will not do.
        telemetry_wanted: Send what the ``OTEL_…`` variables ask for; a rehearsal sends nothing.
        tenants: The tenants; None to read their policies.

    Raises:
        PolicyError: the policies cannot be used.
        OtelSettingsError: telemetry is wanted, and its settings cannot be used.
    """
    tenants = tenants or read_tenants(settings)
    policies = tenants.policies
    servers = ModelServers(
        settings.max_reply_bytes, settings.max_upstream_connections, ca_file=settings.ca_file
    )
    redis = settings.shared_redis
    judges = JudgeBook(time.monotonic, ca_file=settings.ca_file)
    flush_s = min(FLUSH_S, settings.shutdown_s)
    async with (
        open_metrics(place.metrics, place.number) as gauges,
        open_telemetry(gauges, flush_s, wanted=telemetry_wanted) as telemetry,
        open_traces(settings, trace_limits, place) as (store, recorder),
        open_limiter(settings) as limiter,
        open_wrong_keys(redis, place) as wrong_keys,
    ):
        gauges.policies_stale.set(policies.last_error is not None)
        gauges.watch_judges(judges.states)
        gauges.watch_policies(
            lambda: (policies.snapshot.loaded_at.timestamp(), len(policies.snapshot.tenants))
        )
        gauges.watch_traces(recorder.counters)

        async def reread() -> None:
            outcome = await asyncio.to_thread(policies.reload)
            _note_reload(gauges, outcome)

        long_texts = LongTextPool(
            [PoolProcess() for _ in range(settings.long_text_processes)], settings.long_text_chars
        )
        waiting = open_waiting_requests(redis, place, time.monotonic)
        recorder.run_apart = long_texts.submit
        shadows = Shadows(recorder.record, on_judged=partial(count_shadow, gauges))
        gauges.watch_limits(lambda: limiter.is_away)
        watching = asyncio.create_task(
            policies.watch(
                lambda outcome: _note_reload(gauges, outcome),
                force_polling=settings.policies_polling,
            )
        )
        try:
            yield Services(
                settings=settings,
                place=place,
                shutdown=Shutdown(),
                reread=reread,
                policies=policies,
                tenants=tenants,
                servers=servers,
                judges=judges,
                limiter=limiter,
                wrong_keys=wrong_keys,
                long_texts=long_texts,
                waiting=waiting,
                capacity=Capacity(
                    {Kind.REQUESTS: settings.max_requests, Kind.STREAMS: settings.max_streams},
                    lambda kind: gauges.overloaded.labels(kind.value).inc(),
                ),
                pipeline=Pipeline(
                    servers,
                    ConstrainedServers(servers, Capabilities(time.monotonic)),
                    judges,
                    long_texts,
                    now_s=time.time,
                ),
                traces=store,
                recorder=recorder,
                shadows=shadows,
                metrics=gauges,
                telemetry=telemetry,
                now=lambda: datetime.now(UTC),
                clock=time.perf_counter,
            )
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            long_texts.close()
            await shadows.close()
            await waiting.close()
            await servers.close()
            await judges.close()


def read_tenants(settings: Settings) -> Tenants:
    """Return the tenants, and log what is odd about their policies.

    Raises:
        PolicyError: the policies cannot be used.
    """
    policies = PolicyStore(
        settings.policies,
        objections=lambda found: limits_without_count(found.values(), settings),
    )
    _note_warnings(policies.snapshot.policies.values())
    return Tenants(policies)


def create_app(services: Services, playground: TrialForm | None = None) -> ASGIApp:
    """Return the web app over services that are already open.

    Args:
        playground: How the form of the playground is filled in at first; None for empty.
    """
    web_app = _web_app(services, playground or TrialForm())
    return services.shutdown.tracked(Entrance(services, web_app))


def connection_limiter(services: Services) -> ConnectionLimiter:
    """Return what counts the clients of the app."""
    settings = services.settings
    limits = ClientLimits(
        connections=settings.max_connections,
        request_s=settings.request_timeout_s,
        send_s=settings.send_timeout_s,
    )
    return ConnectionLimiter(limits, services.metrics.overloaded.labels("connections").inc)


def _web_app(services: Services, playground: TrialForm) -> Litestar:
    return Litestar(
        route_handlers=[healthz, readyz, metrics, openapi_document, list_traces, show_trace],
        state=State({"services": services}),
        dependencies={"services": Provide(lambda: services, sync_to_thread=False)},
        exception_handlers={
            GuardProxyError: _guard_proxy_error,
            HTTPException: _http_error,
            Exception: _unexpected_error,
        },
        request_max_body_size=services.settings.max_body_bytes,
        openapi_config=None,
        logging_config=None,
        plugins=[Dashboard(services, playground)] if services.settings.dashboard else [],
    )


AnyRequest = Request[object, object, State]


def _guard_proxy_error(_: AnyRequest, error: GuardProxyError) -> Response[bytes]:
    return Response(
        error.as_body(),
        status_code=error.status,
        media_type=JSON_TYPE,
        headers=dict(error.headers),
    )


def _http_error(request: AnyRequest, error: HTTPException) -> Response[bytes]:
    """Draw the web framework's own errors as OpenAI error objects."""
    ours: GuardProxyError
    if isinstance(error, NotFoundException):
        ours = UnknownPath(request.url.path)
    elif isinstance(error, MethodNotAllowedException):
        allowed = (error.headers or {}).get("allow", "").split(", ")
        ours = WrongMethod(request.method, request.url.path, allowed)
    elif error.status_code == RequestTooLarge.status:
        services: Services = request.app.state.services
        ours = RequestTooLarge(services.settings.max_body_bytes)
    elif isinstance(error, ValidationException):
        ours = _invalid(error)
    elif error.status_code < 500:
        ours = BadRequest(error.detail)
    else:
        return _unexpected_error(request, error)
    return _guard_proxy_error(request, ours)


def _invalid(error: ValidationException) -> BadRequest:
    problems = [item for item in error.extra or () if isinstance(item, dict)]
    if not problems:
        return BadRequest(error.detail)
    params = [str(item.get("key")) for item in problems]
    said = (
        f"Invalid value for '{param}': {NEEDED.get(param, item.get('message'))}."
        for param, item in zip(params, problems, strict=True)
    )
    return BadRequest(" ".join(said), params[0])


def _unexpected_error(request: AnyRequest, error: Exception) -> Response[bytes]:
    request_id = uuid4().hex
    log.error("request.failed", request_id=request_id, **failure(error))
    return _guard_proxy_error(request, InternalError(request_id))


def _note_reload(gauges: Metrics, outcome: Reload) -> None:
    if outcome.error is None:
        gauges.policy_reloads.labels("taken").inc()
        gauges.policies_stale.set(0)
        log.info("policies.reloaded", changed=list(outcome.changed))
        policies = outcome.snapshot.policies
        _note_warnings(policies[name] for name in outcome.changed if name in policies)
        return
    gauges.policy_reloads.labels("refused").inc()
    gauges.policies_stale.set(1)
    log.error(
        "policies.refused",
        errors=[str(problem) for problem in outcome.error.problems],
        kept="the last good policies",
    )


def _note_warnings(policies: Iterable[LoadedPolicy]) -> None:
    # A key of a shared base is odd in each policy that extends it, and said once.
    for warning in sorted({warning for loaded in policies for warning in loaded.warnings}):
        log.warning("policy.odd", said=str(warning))
