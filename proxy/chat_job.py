"""One chat completion from its first byte to its trace: whatever its end, it leaves one."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from uuid import uuid4

from policies.verdict import GuardOutcome
from proxy.call import Call, Finished
from proxy.errors import GuardProxyError, InternalError
from proxy.logs import failure, logger
from proxy.openai_api.chat import ChatRequest, read_request
from proxy.openai_api.chat.writing import JSON_TYPE
from proxy.openai_api.json_body import read_object
from proxy.openai_api.sse import KEEP_ALIVE, write_event
from proxy.services import Services
from proxy.tenants import Tenant
from proxy.traces.trace import Delivery, PolicyUsed, Trace, TraceBuilder

log = logger(__name__)

CLIENT_GONE_STATUS = 499
"""What a trace says where no status was sent, because nobody was there to get it."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A reply, ready to be sent."""

    status: int
    headers: Mapping[str, str]
    content_type: str
    body: bytes


class ChatJob:
    """Runs one chat completion and records it."""

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
        self._call: Call | None = None
        self.id = uuid4().hex
        self.trace = TraceBuilder(
            id=self.id,
            tenant=tenant.name,
            policy=PolicyUsed(name=tenant.loaded.name, version=tenant.loaded.version),
            door="chat.completions",
            started_at=services.now(),
            clock=services.clock,
        )

    @property
    def early_headers(self) -> dict[str, str]:
        """Headers that are known from the start."""
        return {"x-guard-request-id": self.id, "x-guard-policy": self._tenant.version}

    def promise_stream(self) -> None:
        """From now on the reply is written as a stream, whatever the model server sends."""
        if self._call is not None:
            self._call.stream_begun = True

    async def run(self, raw: bytes) -> HttpReply:
        """Return the reply; failures become OpenAI error objects here."""
        try:
            reply = self._success(await self._finished(read_request(raw)))
        except GuardProxyError as error:
            return self.refuse(error)
        except asyncio.CancelledError:  # the job is a task of its own: its client has left
            return self.leave()
        except Exception as broken:  # noqa: BLE001 - whatever happened, the client gets an answer
            log.error("request.failed", request_id=self.id, **failure(broken))  # noqa: TRY400
            return self.refuse(InternalError(self.id))
        self._record(reply.status, None, Delivery.DELIVERED)
        return reply

    def refuse(self, error: GuardProxyError) -> HttpReply:
        """End with an error."""
        self._record(error.status, error.code or error.type, Delivery.DELIVERED)
        headers = dict(error.headers) | self.early_headers
        return HttpReply(error.status, headers, JSON_TYPE, error.as_body())

    def leave(self) -> HttpReply:
        """End because the client hung up; nobody will get the reply."""
        self._record(CLIENT_GONE_STATUS, "client_gone", Delivery.CLIENT_GONE)
        return HttpReply(CLIENT_GONE_STATUS, self.early_headers, JSON_TYPE, b"")

    async def _finished(self, request: ChatRequest) -> Finished:
        self.trace.model, self.trace.stream = request.model, request.stream
        self._call = Call(
            tenant=self._tenant,
            request=request,
            headers=self._headers,
            caller_key=self._caller_key,
            trace=self.trace,
        )
        return await self._services.pipeline.answer(self._call)

    def _success(self, finished: Finished) -> HttpReply:
        headers = dict(finished.upstream_headers) | self.early_headers
        headers["x-guard-action"] = finished.action.value
        headers["x-guard-attempts"] = str(finished.attempts)
        if finished.reasons:
            headers["x-guard-reasons"] = ",".join(finished.reasons)
        if finished.is_doubtful(self._tenant.policy.confidence.threshold):
            headers["x-guard-confidence"] = "low"
        if finished.not_checked:
            headers["x-guard-not-checked"] = ",".join(finished.not_checked)
        return HttpReply(200, headers, finished.written.content_type, finished.written.body)

    def _record(self, status: int, error: str | None, delivery: Delivery) -> None:
        trace = self.trace.finished(status=status, error=error, delivery=delivery)
        self._count(trace)
        if self._services.settings.debug:
            log.info(
                "request.decided", **debug_record(trace, self._tenant.policy.sources.max_sources)
            )
        self._services.recorder.record(trace, self._tenant.policy.tracing)

    def _count(self, trace: Trace) -> None:
        metrics = self._services.metrics
        metrics.requests.labels(trace.tenant, trace.action.value, trace.status).inc()
        for run in trace.guards:
            metrics.guard_outcomes.labels(trace.tenant, run.guard, run.outcome.value).inc()
        for attempt in trace.attempts:
            metrics.upstream_seconds.labels(trace.tenant).observe(attempt.upstream_ms / 1000)
        for step in trace.steps:
            if step.name.startswith("inspect_"):
                metrics.guard_seconds.labels(trace.tenant).observe(step.duration_ms / 1000)


async def held_stream(
    task: "asyncio.Task[HttpReply]", keep_alive_s: float
) -> AsyncGenerator[bytes, None]:
    """Yield comments until the reply is there, then the reply. Cancels the job if nobody listens.

    An error at this point can only be an event of the stream.
    """
    try:
        while not task.done():
            yield KEEP_ALIVE
            await asyncio.wait({task}, timeout=keep_alive_s)
        reply = task.result()
        # The model server's own error objects may be spread over several lines.
        yield reply.body if reply.status < 400 else write_event(read_object(reply.body))
    finally:
        task.cancel()


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
        "action": trace.action.value,
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
