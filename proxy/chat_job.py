"""One chat completion from its first byte to its trace."""

import asyncio
from collections.abc import AsyncGenerator, Mapping

from proxy.call import Call, Finished
from proxy.job import HttpReply, Job
from proxy.openai_api.chat import ChatRequest, read_request
from proxy.openai_api.json_body import read_object
from proxy.openai_api.sse import KEEP_ALIVE, write_event
from proxy.services import Services
from proxy.tenants import Tenant
from proxy.traces.trace import Trace


class ChatJob(Job):
    """Runs one chat completion and records it."""

    door = "chat.completions"

    def __init__(
        self,
        services: Services,
        tenant: Tenant,
        headers: Mapping[str, str],
        caller_key: str | None,
    ) -> None:
        super().__init__(services, tenant, headers, caller_key)
        self._call: Call | None = None

    def promise_stream(self) -> None:
        """From now on the reply is written as a stream, whatever the model server sends."""
        if self._call is not None:
            self._call.stream_begun = True

    async def _reply(self, raw: bytes) -> HttpReply:
        return self._success(await self._finished(read_request(raw)))

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

    def _count(self, trace: Trace) -> None:
        super()._count(trace)
        seconds = self._services.metrics.upstream_seconds.labels(trace.tenant)
        for attempt in trace.attempts:
            seconds.observe(attempt.upstream_ms / 1000)


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
