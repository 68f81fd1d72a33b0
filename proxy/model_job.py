"""One request for a model answer from its first byte to its trace."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from proxy.call import LATE_HEADERS, Call, Finished
from proxy.job import HttpReply, Job
from proxy.openai_api.door import Door, ModelRequest
from proxy.openai_api.json_body import read_object
from proxy.openai_api.sse import STREAM_TYPE, write_comments, write_event
from proxy.outgoing import Outgoing
from proxy.services import Services
from proxy.stricter import asking_more
from proxy.tenants import Tenant
from proxy.traces.trace import Delivery


class ModelJob(Job):
    """Runs one request for a model answer and records it.

    Attributes:
        outgoing: The stream to the client, if it comes to one.
    """

    def __init__(
        self,
        door: Door[Any],
        services: Services,
        tenant: Tenant,
        headers: Mapping[str, str],
        caller_key: str | None,
    ) -> None:
        self._door = door
        self.door = door.name
        super().__init__(services, tenant, headers, caller_key)
        self.outgoing = Outgoing()
        self._call: Call | None = None

    @property
    def stream_headers(self) -> dict[str, str]:
        """Headers of a stream that begins before all is decided."""
        known = dict(self.outgoing.headers) | self.early_headers
        return known | {"x-guard-action": "pending"}

    async def pieces(
        self, task: "asyncio.Task[HttpReply]", keep_alive_s: float
    ) -> AsyncGenerator[bytes, None]:
        """Yield the stream of a job that runs, to its end; the job is cancelled if nobody listens.

        A failure at this point can only be an event of the stream.
        """
        try:
            async for piece in self.outgoing.pieces(task, keep_alive_s):
                yield piece
            reply = task.result()
            if reply.status >= 400:
                yield self._error_event(reply.body)
            else:
                # What was held is told of in comments where its headers have been sent.
                told = {name: said for name, said in reply.headers.items() if name in LATE_HEADERS}
                yield write_comments(told) + reply.body
        finally:
            task.cancel()

    def _error_event(self, body: bytes) -> bytes:
        # The model server's own error objects may be spread over several lines.
        error = read_object(body)
        stream = self._call.stream if self._call else None
        return stream.write_error(error) if stream else write_event(error)

    async def _reply(self, raw: bytes) -> HttpReply:
        return self._success(await self._finished(self._door.read_request(raw)))

    async def _finished(self, request: ModelRequest) -> Finished:
        self.trace.model, self.trace.stream = request.model, request.stream
        self._tenant = asking_more(self._tenant, request.guard)
        unknown = self._door.coverage.request.unknown(request.body)
        self.trace.unknown_fields = tuple(f"request.{path}" for path in unknown)
        self._call = Call(
            tenant=self._tenant,
            door=self._door,
            request=request,
            headers=self._headers,
            caller_key=self._caller_key,
            trace=self.trace,
            spans=self.spans,
            outgoing=self.outgoing,
            stream=self._door.live(request) if request.stream else None,
        )
        return await self._services.pipeline.answer(self._call)

    def _success(self, finished: Finished) -> HttpReply:
        if finished.written is None:
            return HttpReply(200, {}, STREAM_TYPE, b"")
        threshold = self._tenant.policy.confidence.threshold
        headers = dict(finished.upstream_headers) | self.early_headers
        headers |= finished.headers(threshold)
        return HttpReply(200, headers, finished.written.content_type, finished.written.body)

    def _record(self, status: int, error: str | None, delivery: Delivery) -> None:
        if self._call and not self.trace.replies:
            left = self._call.left
            self.trace.replies = tuple(left[number] for number in sorted(left))
        super()._record(status, error, delivery)
