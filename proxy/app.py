"""The composition root: the only place that builds clients, stores and the web app."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator
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

from policies.store import PolicyStore, Reload
from proxy.auth import Authentication
from proxy.constraints import Capabilities, ConstrainedServers
from proxy.errors import (
    BadRequest,
    GuardProxyError,
    InternalError,
    RequestTooLarge,
    UnknownPath,
)
from proxy.judge.book import JudgeBook
from proxy.logs import failure, logger
from proxy.metrics import Metrics
from proxy.openai_api.chat import ChatDoor
from proxy.openai_api.json_body import JSON_TYPE
from proxy.pipeline import Pipeline
from proxy.routes.doors import door_handler
from proxy.routes.health import healthz, metrics, readyz
from proxy.routes.openapi import openapi_document
from proxy.routes.passthrough import embeddings, list_models, show_model
from proxy.routes.traces import list_traces, show_trace
from proxy.routes.verify import verify
from proxy.services import Services
from proxy.settings import Settings
from proxy.tenants import Tenants
from proxy.traces.opening import open_traces
from proxy.upstream import ModelServers

log = logger(__name__)


@contextlib.asynccontextmanager
async def open_services(settings: Settings) -> AsyncGenerator[Services, None]:
    """Build everything that the handlers need, and close it in the end.

    Raises:
        PolicyError: the policies cannot be used.
    """
    policies = PolicyStore(settings.policies)
    gauges = Metrics()
    servers = ModelServers(settings.max_reply_bytes)
    judges = JudgeBook(time.monotonic)
    gauges.watch_judges(judges.states)
    async with open_traces(settings) as (store, recorder):
        gauges.watch_traces(recorder.counters)
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
                pipeline=Pipeline(
                    servers,
                    ConstrainedServers(servers, Capabilities(time.monotonic)),
                    judges,
                    now_s=time.time,
                ),
                traces=store,
                recorder=recorder,
                metrics=gauges,
                now=lambda: datetime.now(UTC),
                clock=time.perf_counter,
            )
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await servers.close()
            await judges.close()


def create_app(services: Services) -> Litestar:
    """Return the web app over services that are already open."""
    model_api = [door_handler(ChatDoor()), verify, list_models, show_model, embeddings]
    return Litestar(
        route_handlers=[
            Router("/v1", route_handlers=model_api, middleware=[Authentication()]),
            Router("/t/{tenant:str}/v1", route_handlers=model_api, middleware=[Authentication()]),
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
    if isinstance(error, NotFoundException | MethodNotAllowedException):
        ours = UnknownPath(request.url.path)
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
        return
    gauges.policy_reloads.labels("refused").inc()
    gauges.policies_stale.set(1)
    log.error(
        "policies.refused",
        errors=[str(problem) for problem in outcome.error.problems],
        kept="the last good policies",
    )
