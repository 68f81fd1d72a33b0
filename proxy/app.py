"""The composition root: the only place that builds clients, stores and the web app."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Iterable
from datetime import UTC, datetime
from uuid import uuid4

from litestar import Litestar, Request, Response, Router
from litestar.datastructures import State
from litestar.di import Provide
from litestar.exceptions import (
    HTTPException,
    MethodNotAllowedException,
    NotFoundException,
    ValidationException,
)
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from policies.loader import LoadedPolicy
from policies.policy import Tracing
from policies.store import PolicyStore, Reload
from proxy.auth import Authentication
from proxy.constraints import Capabilities, ConstrainedServers
from proxy.dashboard.mounting import Dashboard
from proxy.errors import (
    BadRequest,
    GuardProxyError,
    InternalError,
    RequestTooLarge,
    UnknownPath,
    WrongMethod,
)
from proxy.judge.book import JudgeBook
from proxy.limits.opening import open_limiter
from proxy.logs import failure, logger
from proxy.metrics import Metrics
from proxy.openai_api.doors import DOORS
from proxy.openai_api.json_body import JSON_TYPE
from proxy.pipeline import Pipeline
from proxy.rejudging.shadows import Shadows
from proxy.routes.doors import door_handler
from proxy.routes.entrance import ROOT, Entrance
from proxy.routes.health import healthz, metrics, readyz
from proxy.routes.limiting import Limiting
from proxy.routes.openapi import openapi_document
from proxy.routes.passthrough import pass_through
from proxy.routes.traces import list_traces, show_trace
from proxy.routes.verify import verify
from proxy.services import Services
from proxy.settings import Settings
from proxy.telemetry.counting import count_shadow
from proxy.telemetry.in_flight import InFlight
from proxy.telemetry.opening import open_telemetry
from proxy.tenants import Tenants
from proxy.traces.limits import Limits
from proxy.traces.opening import open_traces
from proxy.traces.trace import Trace
from proxy.upstream import ModelServers

log = logger(__name__)

FLUSH_S = 5.0
"""How long the last telemetry may take on its way, once requests have ended."""


@contextlib.asynccontextmanager
async def open_services(
    settings: Settings, trace_limits: Limits | None = None, *, telemetry_wanted: bool = True
) -> AsyncGenerator[Services, None]:
    """Build everything that the handlers need, and close it in the end.

    Args:
        settings: The settings.
        trace_limits: Sizes and times of the trace recorder, where its own will not do.
        telemetry_wanted: Send what the ``OTEL_…`` variables ask for; a rehearsal sends nothing.

    Raises:
        PolicyError: the policies cannot be used.
        OtelSettingsError: telemetry is wanted, and its settings cannot be used.
    """
    policies = PolicyStore(settings.policies)
    _note_warnings(policies.snapshot.policies.values())
    gauges = Metrics()
    servers = ModelServers(settings.max_reply_bytes)
    judges = JudgeBook(time.monotonic)
    gauges.watch_judges(judges.states)
    gauges.watch_policies(
        lambda: (policies.snapshot.loaded_at.timestamp(), len(policies.snapshot.tenants))
    )
    flush_s = min(FLUSH_S, settings.shutdown_s)
    async with (
        open_telemetry(gauges, flush_s, wanted=telemetry_wanted) as telemetry,
        open_traces(settings, trace_limits) as (store, recorder),
        open_limiter(settings) as limiter,
    ):
        gauges.watch_traces(recorder.counters)

        def keep(trace: Trace, tracing: Tracing) -> None:
            count_shadow(gauges, trace)
            recorder.record(trace, tracing)

        shadows = Shadows(keep)
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
                policies=policies,
                tenants=Tenants(policies),
                servers=servers,
                judges=judges,
                limiter=limiter,
                pipeline=Pipeline(
                    servers,
                    ConstrainedServers(servers, Capabilities(time.monotonic)),
                    judges,
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
            await shadows.close()
            await servers.close()
            await judges.close()


def create_app(services: Services) -> ASGIApp:
    """Return the web app over services that are already open."""
    own_doors = [*map(door_handler, DOORS), verify]
    return Entrance(_web_app(services, own_doors), own_doors)


def _web_app(services: Services, own_doors: list[HTTPRouteHandler]) -> Litestar:
    return Litestar(
        route_handlers=[
            Router(
                ROOT,
                route_handlers=[*own_doors, pass_through],
                middleware=[InFlight(), Authentication(), Limiting()],
            ),
            healthz,
            readyz,
            metrics,
            openapi_document,
            list_traces,
            show_trace,
        ],
        state=State({"services": services, "tenants": services.tenants}),
        dependencies={"services": Provide(lambda: services, sync_to_thread=False)},
        exception_handlers={
            GuardProxyError: _guard_proxy_error,
            HTTPException: _http_error,
            Exception: _unexpected_error,
        },
        request_max_body_size=services.settings.max_body_bytes,
        openapi_config=None,
        logging_config=None,
        plugins=[Dashboard(services)] if services.settings.dashboard else [],
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
    said = "; ".join(f"{item.get('key')}: {item.get('message')}" for item in problems)
    return BadRequest(said, problems[0].get("key"))


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
