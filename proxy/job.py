"""One request from its first byte to its trace: whatever its end, it leaves one."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple
from uuid import uuid4

from litestar.types import Receive, Send
from structlog.contextvars import bind_contextvars

from policies.verdict import GuardOutcome
from proxy.errors import BadRequest, GuardProxyError, InternalError, Overloaded, ServiceStopping
from proxy.leaving import Leaving
from proxy.logs import failure, logger
from proxy.openai_api.json_body import JSON_TYPE
from proxy.server.asgi_reply import HttpReply, send_whole
from proxy.services import Services
from proxy.telemetry.counting import count
from proxy.tenants import Tenant
from proxy.traces.builder import TraceBuilder
from proxy.traces.trace import Delivery, PolicyUsed, Trace

log = logger(__name__)

CLIENT_GONE_STATUS = 499
"""What a trace says where no status was sent, because nobody was there to get it."""


class _End(NamedTuple):
    """What a request came to."""

    status: int
    error: str | None
    delivery: Delivery


_LEFT = _End(CLIENT_GONE_STATUS, Delivery.CLIENT_GONE.value, Delivery.CLIENT_GONE)
_NOT_TAKEN = _End(ServiceStopping.status, ServiceStopping.code, Delivery.CLIENT_GONE)
"""The client reads so slowly that the service ended before."""


class Job(ABC):
    """Runs one request and records it.

    Attributes:
        door: Name of the endpoint, for the trace.
        id: The request's id.
        trace: Filled as the request goes on.
        ended: What it came to in the end; None while it goes on.
        spans: What telemetry is told of it.
    """

    door: str

    def __init__(
        self,
        services: Services,
        tenant: Tenant,
        headers: Mapping[str, str],
        caller_key: str | None,
    ) -> None:
        self._services = services
        self._tenant = tenant
        self._headers = headers
        self._caller_key = caller_key
        self.id = uuid4().hex
        self.trace = TraceBuilder(
            id=self.id,
            tenant=tenant.name,
            policy=_used(tenant.loaded.name, tenant.loaded.version),
            door=self.door,
            started_at=services.now(),
            clock=services.clock,
        )
        self.ended: Trace | None = None
        self._end = _LEFT
        self.spans = services.telemetry.request(self.door, headers, self.trace.started_at)

    @abstractmethod
    async def _reply(self, raw: bytes) -> HttpReply:
        """Return the reply to a request body.

        Raises:
            GuardProxyError: there is none.
        """

    @property
    def early_headers(self) -> dict[str, str]:
        """Headers that are known from the start."""
        return {"x-guard-request-id": self.id, "x-guard-policy": self._tenant.version}

    @property
    def is_left(self) -> bool:
        """Whether its client is gone."""
        return self._end.delivery is Delivery.CLIENT_GONE

    async def serve(self, raw: bytes, receive: Receive, send: Send) -> None:
        """Reply to a request body for as long as the client is there, and record it."""
        try:
            with Leaving(receive):
                await self._delivered(await self._settled(raw), send)
        finally:
            self._record()

    async def run(self, raw: bytes, receive: Receive) -> HttpReply:
        """Return the reply to a request body, recorded."""
        with Leaving(receive):
            reply = await self._settled(raw)
        self._record()
        return reply

    def refuse(self, error: GuardProxyError) -> HttpReply:
        """End with an error before anything was run, recorded."""
        reply = self._refused(error)
        self._record()
        return reply

    def leave(self) -> None:
        """End because the client hung up before anything was run, recorded."""
        self._left()
        self._record()

    async def _settled(self, raw: bytes) -> HttpReply:
        """Return the reply; failures become OpenAI error objects here."""
        # The web server serves each request in a context of its own, so that only the request's
        # own log lines say this.
        bind_contextvars(request_id=self.id, **self.spans.log_fields)
        try:
            reply = await self._reply(raw)
        except GuardProxyError as error:
            return self._refused(error)
        except asyncio.CancelledError:
            if self._services.shutdown.claim_cancellation():
                return self._refused(ServiceStopping())
            return self._left()
        except RecursionError:
            return self._refused(BadRequest("The body is nested too deeply."))
        except Exception as broken:  # noqa: BLE001 - whatever happened, the client gets an answer
            log.error("request.failed", request_id=self.id, **failure(broken))  # noqa: TRY400
            return self._refused(InternalError(self.id))
        self._end = _End(reply.status, None, Delivery.DELIVERED)
        return reply

    async def _delivered(self, reply: HttpReply, send: Send) -> None:
        try:
            await self._send(reply, send)
        except asyncio.CancelledError:
            self._left()  # before all of it was taken
            if self._services.shutdown.deadline_passed.is_set():
                self._end = _NOT_TAKEN
            raise

    async def _send(self, reply: HttpReply, send: Send) -> None:
        """Send a reply, unless nobody is there to get it."""
        if not self.is_left:
            await send_whole(send, reply)

    def _refused(self, error: GuardProxyError) -> HttpReply:
        self._end = _End(error.status, error.code or error.type, Delivery.DELIVERED)
        headers = dict(error.headers) | self.early_headers
        return HttpReply(error.status, headers, JSON_TYPE, error.as_body())

    def _left(self) -> HttpReply:
        self._end = _LEFT
        return HttpReply(_LEFT.status, self.early_headers, JSON_TYPE, b"")

    def _record(self) -> None:
        status, error, delivery = self._end
        if error and self.trace.under_way:
            self.trace.under_way(error)
        trace = self.trace.finished(status=status, error=error, delivery=delivery)
        self.ended = trace
        count(self._services.metrics, trace)
        self.spans.end(trace)
        if self._services.settings.debug:
            log.info(
                "request.decided", **debug_record(trace, self._tenant.policy.sources.max_sources)
            )
        if error != Overloaded.code:  # a flood must not fill the store
            self._services.shadows.take(trace, self._tenant.loaded)


@lru_cache(maxsize=256)
def _used(name: str, version: str) -> PolicyUsed:
    return PolicyUsed(name=name, version=version)


def debug_record(trace: Trace, top_k: int) -> dict[str, object]:
    """Return everything that was decided about a request, without a word of it.

    Args:
        trace: The request's trace.
        top_k: How many marked sources the policy takes at most.
    """
    return {
        "request_id": trace.id,
        "tenant": trace.tenant,
        "policy": f"{trace.policy.name}@{trace.policy.version}",
        "intent": trace.intent,
        "route": trace.route,
        "route_reason": trace.route_reason,
        "context": trace.context.value,
        "top_k": top_k,
        "results": len(trace.sources),
        "scores": [source.score for source in trace.sources],
        "answerable": _answerable(trace),
        "why": [reason for reason in trace.reasons if reason.startswith("answerability.")],
        "guards": {
            f"{run.stage.value}.{run.guard}.{run.attempt}": run.reason or run.outcome.value
            for run in trace.guards
        },
        "action": trace.action_name,
        "reasons": list(trace.reasons),
        "attempts": len(trace.attempts),
        "status": trace.status,
        "duration_ms": round(trace.duration_ms, 1),
    }


def _answerable(trace: Trace) -> bool | None:
    """Return what answerability said last; None if it had nothing to say."""
    said = [
        run.outcome is GuardOutcome.CLEAN
        for run in trace.guards
        if run.guard == "answerability" and run.outcome is not GuardOutcome.NOT_RUN
    ]
    return said[-1] if said else None
