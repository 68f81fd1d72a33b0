"""The model API: authentication, limits and routing of its requests.

It bypasses the web framework, whose routing and wrapping would cost more than everything done here.
The key is checked before the limits, and the limits before the body is read.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from uuid import uuid4

from litestar.datastructures import MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from proxy.errors import (
    BadRequest,
    GuardProxyError,
    InternalError,
    RequestRefused,
    ServiceStopping,
    UnknownKey,
    UnknownPath,
    with_head,
)
from proxy.feedback import feedback_reply
from proxy.guardrail import GUARDRAIL_PATH, GuardrailJob
from proxy.jobs import Job, ModelJob
from proxy.limits.limiter import Limiter, Visit, limit_headers
from proxy.logs import RequestFacts, facts_of, failure, logger
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.endpoints import ENDPOINTS
from proxy.openai_api.json_body import JSON_TYPE
from proxy.routes.passthrough import PASS_THROUGH
from proxy.routes.request import (
    ApiRequest,
    ClientDisconnected,
    Route,
    Upload,
    refuse_length,
    refuse_model_in_query,
    refuse_other_content,
)
from proxy.server.asgi_reply import HttpReply, error_reply, send_whole
from proxy.server.client_limits import Kind
from proxy.server.request_head import ModelPath, model_path, normal_path, spelled_path
from proxy.services import Services
from proxy.telemetry.counting import InFlight
from proxy.tenants import bearer_key, plain_key, tenant_of
from proxy.traces.trace import Delivery, Trace
from proxy.verify import VerifyJob


async def serve_job(job: Job, request: ApiRequest, receive: Receive, send: Send) -> None:
    """Read a request's body and have its job reply."""
    limit_bytes = request.services.settings.max_body_bytes
    try:
        refuse_length(request.scope["headers"], limit_bytes)
        refuse_other_content(request.scope["headers"])
        if request.tenant.upstream.models:
            refuse_model_in_query(request.scope["query_string"])
        raw = await Upload(receive, limit_bytes).whole()
    except RequestRefused as error:
        await send_whole(send, job.refuse(error))
    except ClientDisconnected:
        job.leave()
    except asyncio.CancelledError:
        if not request.services.shutdown.claim_cancellation():
            raise
        await send_whole(send, job.refuse(ServiceStopping()))
    else:
        await job.serve(raw, receive, send)
    finally:
        if job.ended is not None:
            _note_end(job.ended, facts_of(request.scope))


def _note_end(trace: Trace, facts: RequestFacts) -> None:
    """Note for the access log the outcome of a request."""
    facts.model, facts.action, facts.request_id = trace.model, trace.action_name, trace.id
    facts.error = trace.error or ""
    if trace.delivery is Delivery.CLIENT_GONE:
        facts.status = trace.status


async def _feedback(request: ApiRequest, receive: Receive, send: Send) -> None:
    """Label a request of the tenant that asks."""
    services, tenant = request.services, request.tenant
    # A path may name the tenant where the key is the model server's own, which proves nothing here.
    holder = services.tenants.book.by_key(request.caller_key) if request.caller_key else None
    if holder is None or holder.name != tenant.name:
        raise UnknownKey(missing=request.caller_key is None)
    limit_bytes = services.settings.max_body_bytes
    refuse_length(request.scope["headers"], limit_bytes)
    refuse_other_content(request.scope["headers"])
    try:
        raw = await Upload(receive, limit_bytes).whole()
    except ClientDisconnected:
        return
    kept = await feedback_reply(raw, services, tenant.name)
    body = kept.model_dump_json().encode()
    await send_whole(send, HttpReply(200, {}, JSON_TYPE, body))


def job_route(kind: type[VerifyJob | GuardrailJob], *, takes_x_api_key: bool = False) -> Route:
    """Return the route of a job that asks no model server."""

    async def serve(request: ApiRequest, receive: Receive, send: Send) -> None:
        job = kind(request.services, request.tenant, request.headers, request.caller_key)
        await serve_job(job, request, receive, send)

    return Route(kind.endpoint_name, serve, takes_x_api_key)


def model_route(endpoint: Endpoint[Any]) -> Route:
    """Return the route of a guarded endpoint."""

    async def serve(request: ApiRequest, receive: Receive, send: Send) -> None:
        job = ModelJob(
            endpoint,
            request.services,
            request.tenant,
            request.headers,
            request.caller_key,
            send,
            query=request.scope["query_string"],
        )
        await serve_job(job, request, receive, send)

    return Route(endpoint.name, serve)


@asynccontextmanager
async def within_limits(request: ApiRequest, send: Send) -> AsyncGenerator[Send, None]:
    """Count a request towards its tenant's limits while it is served; yield where its reply goes.

    Raises:
        TooManyRequests: a limit has been reached.
    """
    services, tenant = request.services, request.tenant
    limits = tenant.policy.limits
    limiter = services.limiter
    visit = Visit(uuid4().hex, tenant.name, limits)
    try:
        count = await services.admit(visit)
        yield _sending(send, limiter, visit, limit_headers(limits, count))
    finally:
        await limiter.leave(visit)


def _sending(send: Send, limiter: Limiter, visit: Visit, headers: Mapping[str, str]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            sent = MutableScopeHeaders(message)
            for name, value in headers.items():
                sent[name] = value
        elif message["type"] == "http.response.body" and not message["more_body"]:
            # Before its last byte, so that a client with one request at a time finds room.
            await limiter.leave(visit)
        await send(message)

    return sending


log = logger(__name__)

_OWN: Final[Mapping[str, Route]] = {
    **{f"/{endpoint.path}": model_route(endpoint) for endpoint in ENDPOINTS},
    "/verify": job_route(VerifyJob),
    "/feedback": Route("feedback", _feedback),
    GUARDRAIL_PATH: job_route(GuardrailJob, takes_x_api_key=True),
}
_OWN_METHODS = frozenset({"POST"})
_NONE: Final[frozenset[str]] = frozenset()


def reply_to(error: Exception) -> HttpReply:
    """Return an error as a client sees it; what nobody expected goes to the log."""
    if not isinstance(error, GuardProxyError):
        request_id = uuid4().hex
        log.error("request.failed", request_id=request_id, **failure(error))
        error = InternalError(request_id)
    return error_reply(error)


class Entrance:
    """Routes each request to the model API or to the web framework.

    A path that can be read in two ways is a 404. Every other GET endpoint also serves HEAD; for
    the model API the policy decides that.
    """

    def __init__(self, services: Services, app: ASGIApp) -> None:
        self._services = services
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Route one request."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        path = normal_path(scope["raw_path"])
        if path is None:
            await send_whole(send, reply_to(UnknownPath(scope["raw_path"].decode("latin-1"))))
            return
        asked = model_path(path)
        if asked is not None:
            await self._serve(asked, scope, receive, send)
            return
        scope["path"] = path
        scope["raw_path"] = spelled_path(path).encode()
        if scope["method"] == "HEAD":
            # The server leaves the body out: it goes by the scope that it made itself.
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, _naming_head(send))

    async def _serve(self, path: ModelPath, scope: HTTPScope, receive: Receive, send: Send) -> None:
        """Serve a request for the model API."""
        own = _OWN.get(path.below)
        endpoint = own if own and scope["method"] in _OWN_METHODS else PASS_THROUGH
        with InFlight(self._services.metrics, endpoint.name, send) as counted:
            try:
                self._services.capacity.take(Kind.REQUESTS)
                try:
                    await self._enter(endpoint, path, scope, receive, counted)
                finally:
                    self._services.capacity.give_back(Kind.REQUESTS)
            except Exception as error:
                if counted.has_begun:
                    raise  # without its end the client sees that the reply is cut
                await send_whole(counted.send, reply_to(error))

    async def _enter(
        self,
        endpoint: Route,
        path: ModelPath,
        scope: HTTPScope,
        receive: Receive,
        counted: InFlight,
    ) -> None:
        named = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(named) > 1:  # servers disagree on which one counts
            raise BadRequest("Send one 'Authorization' header.", "authorization")
        key = bearer_key(named[0] if named else b"")
        if key is None and endpoint.takes_x_api_key:
            key = plain_key(scope["headers"])
        tenant = tenant_of(path, key, self._services.tenants)
        facts_of(scope).tenant = tenant.name
        own_methods = _OWN_METHODS if path.below in _OWN else _NONE
        asked = ApiRequest(self._services, scope, path, tenant, key, own_methods)
        if not tenant.policy.limits.are_set:
            await endpoint.serve(asked, receive, counted.send)
            return
        async with within_limits(asked, counted.send) as send:
            try:
                await endpoint.serve(asked, receive, send)
            except Exception as error:
                if counted.has_begun:
                    raise
                await send_whole(send, reply_to(error))


def _naming_head(send: Send) -> Send:
    """Return what sends a reply, with HEAD among the methods that it allows if GET is."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [
                (name, _with_head(value) if name == b"allow" else value)
                for name, value in message["headers"]
            ]
        await send(message)

    return sent


def _with_head(allowed: bytes) -> bytes:
    return ", ".join(sorted(with_head(allowed.decode().split(", ")))).encode()
