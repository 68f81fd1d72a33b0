"""One request from its first byte to its trace; every request leaves a trace."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from types import TracebackType
from typing import Any, NamedTuple, Self
from uuid import uuid4

from litestar.types import Message, Receive, Send
from structlog.contextvars import bind_contextvars

from guards.answerability import Answerability
from policies.verdict import GuardOutcome
from proxy.errors import BadRequest, GuardProxyError, InternalError, Overloaded, ServiceStopping
from proxy.logs import failure, logger
from proxy.offload import read_offloaded
from proxy.openai_api.endpoint import Endpoint
from proxy.openai_api.json_body import JSON_TYPE, read_object
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.sse import STREAM_TYPE, write_comments, write_event
from proxy.pipeline.call import LATE_HEADERS, Call, Finished
from proxy.server.asgi_reply import HttpReply, Outgoing, send_whole
from proxy.server.client_limits import Kind
from proxy.services import Services
from proxy.telemetry.counting import count
from proxy.tenants import Tenant, apply_overrides
from proxy.traces.builder import TraceBuilder
from proxy.traces.trace import Delivery, PolicyUsed, Trace


class DisconnectWatch:
    """Cancels the task inside whose block it stands as soon as the client is gone.

    The body of the request must have been read. Who is inside lets the cancellation through or ends
    soon; behind the block the task goes on, unless somebody else has cancelled it as well.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._has_left = False

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("not inside a task")
        self._task = task
        self._cancelled_before = task.cancelling()
        self._watching = asyncio.create_task(self._watch())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        self._watching.cancel()
        del self._watching  # its end holds this one, and all that the request was
        if self._has_left:
            self._task.uncancel()
        is_wanted_elsewhere = self._task.cancelling() > self._cancelled_before
        if error is None and is_wanted_elsewhere:
            raise asyncio.CancelledError
        return isinstance(error, asyncio.CancelledError) and not is_wanted_elsewhere

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._has_left = True
        self._task.cancel()


log = logger(__name__)

CLIENT_GONE_STATUS = 499
"""Status in a trace if none was sent, because the client had disconnected."""


class _End(NamedTuple):
    """The outcome of a request."""

    status: int
    error: str | None
    delivery: Delivery


_LEFT = _End(CLIENT_GONE_STATUS, Delivery.CLIENT_GONE.value, Delivery.CLIENT_GONE)
_NOT_TAKEN = _End(ServiceStopping.status, ServiceStopping.code, Delivery.CLIENT_GONE)
"""The client reads so slowly that the service ended before."""


class Job(ABC):
    """Runs one request and records it.

    Attributes:
        trace: Filled as the request goes on.
        ended: How it ended; None while it goes on.
    """

    endpoint_name: str

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
            door=self.endpoint_name,
            started_at=services.now(),
            clock=services.clock,
        )
        self.ended: Trace | None = None
        self._end = _LEFT
        self.spans = services.telemetry.request(self.endpoint_name, headers, self.trace.started_at)

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
        """True if the client has disconnected."""
        return self._end.delivery is Delivery.CLIENT_GONE

    async def serve(self, raw: bytes, receive: Receive, send: Send) -> None:
        """Reply to a request body for as long as the client is there, and record it."""
        try:
            with DisconnectWatch(receive):
                await self._delivered(await self._reply_or_error(raw), send)
        finally:
            self._record()

    async def run(self, raw: bytes, receive: Receive) -> HttpReply:
        """Return the reply to a request body, recorded."""
        with DisconnectWatch(receive):
            reply = await self._reply_or_error(raw)
        self._record()
        return reply

    def refuse(self, error: GuardProxyError) -> HttpReply:
        """End with an error before anything was run, recorded."""
        reply = self._refused(error)
        self._record()
        return reply

    def leave(self) -> None:
        """End because the client disconnected before anything was run, recorded."""
        self._client_left_reply()
        self._record()

    async def _reply_or_error(self, raw: bytes) -> HttpReply:
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
            return self._client_left_reply()
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
            self._client_left_reply()  # before all of it was taken
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

    def _client_left_reply(self) -> HttpReply:
        self._end = _LEFT
        return HttpReply(_LEFT.status, self.early_headers, JSON_TYPE, b"")

    def _record(self) -> None:
        status, error, delivery = self._end
        if error and self.trace.under_way:
            self.trace.under_way(error)
        trace = self.trace.finished(status=status, error=error, delivery=delivery)
        self.ended = trace
        count(self._services.metrics, trace)
        self.spans.end(trace, self._tenant.policy.tracing.text)
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
        "why": [one for one in trace.reasons if one.startswith(f"{Answerability.id}.")],
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
        if run.guard == Answerability.id and run.outcome is not GuardOutcome.NOT_RUN
    ]
    return said[-1] if said else None


async def _to_nobody(_: Message) -> None:
    """Take what nobody is there for: a job whose reply is no stream sends nothing by itself."""


class ModelJob(Job):
    """Runs one request for a model answer and records it."""

    def __init__(
        self,
        endpoint: Endpoint[Any],
        services: Services,
        tenant: Tenant,
        headers: Mapping[str, str],
        caller_key: str | None,
        send: Send = _to_nobody,
        *,
        query: bytes = b"",
    ) -> None:
        self._endpoint = endpoint
        self._query = query
        self.endpoint_name = endpoint.name
        super().__init__(services, tenant, headers, caller_key)
        self._outgoing = Outgoing(send, self._stream_headers, services.settings.keep_alive_s)
        self._call: Call | None = None
        self._has_place = False

    def _stream_headers(self) -> dict[str, str]:
        """Return the headers of a stream that begins before all is decided."""
        known = dict(self._outgoing.headers) | self.early_headers
        return known | {"x-guard-action": "pending"}

    async def _send(self, reply: HttpReply, send: Send) -> None:
        if not self._outgoing.begun:
            self._outgoing.close()
            await super()._send(reply, send)
        elif self.is_left:
            self._outgoing.close()
        else:
            await self._outgoing.end(self._last(reply))

    def _last(self, reply: HttpReply) -> bytes:
        """Return what ends a stream that has begun; a failure can only be an event of it."""
        if reply.status >= 400:
            return self._error_event(reply.body)
        # What was held is told of in comments where its headers have been sent.
        late = {name: said for name, said in reply.headers.items() if name in LATE_HEADERS}
        return write_comments(late) + reply.body

    def _error_event(self, body: bytes) -> bytes:
        # The model server's own error objects may be spread over several lines.
        error = read_object(body)
        stream = self._call.stream if self._call else None
        return stream.write_error(error) if stream else write_event(error)

    async def _reply(self, raw: bytes) -> HttpReply:
        request = await read_offloaded(len(raw), partial(self._endpoint.read_request, raw))
        return self._success(await self._finished(request))

    async def _finished(self, request: ModelRequest) -> Finished:
        self.trace.model, self.trace.stream = request.model, request.stream
        if request.stream:
            self._services.capacity.take(Kind.STREAMS)
            self._has_place = True
            self._outgoing.keep_alive()
        self._tenant = apply_overrides(self._tenant, request.guard)
        self.trace.unknown_fields = tuple(f"request.{path}" for path in request.unknown)
        self._call = Call(
            tenant=self._tenant,
            endpoint=self._endpoint,
            request=request,
            headers=self._headers,
            caller_key=self._caller_key,
            query=self._query,
            trace=self.trace,
            spans=self.spans,
            outgoing=self._outgoing,
            stream=self._endpoint.live(request) if request.stream else None,
            most_answer_chars=self._services.settings.max_answer_chars,
        )
        return await self._services.pipeline.answer(self._call)

    def _success(self, finished: Finished) -> HttpReply:
        if finished.written is None:
            return HttpReply(200, {}, STREAM_TYPE, b"")
        headers = dict(finished.upstream_headers) | self.early_headers
        headers |= finished.headers(self._tenant.policy.confidence.threshold)
        return replace(finished.written, headers=headers)

    def _record(self) -> None:
        if self._call and not self.trace.replies:
            left = self._call.sent_text
            self.trace.replies = tuple(left[number] for number in sorted(left))
        self._outgoing.let_go()
        if self._has_place:
            self._has_place = False
            self._services.capacity.give_back(Kind.STREAMS)
        super()._record()
