"""One request for a model answer from its first byte to its trace."""

from collections.abc import Mapping
from typing import Any

from litestar.types import Message, Send

from proxy.call import LATE_HEADERS, Call, Finished
from proxy.job import Job
from proxy.openai_api.door import Door
from proxy.openai_api.json_body import read_object
from proxy.openai_api.model_request import ModelRequest
from proxy.openai_api.sse import STREAM_TYPE, write_comments, write_event
from proxy.outgoing import Outgoing
from proxy.server.asgi_reply import HttpReply
from proxy.server.client_limits import Kind
from proxy.services import Services
from proxy.stricter import asking_more
from proxy.tenants import Tenant


async def _to_nobody(_: Message) -> None:
    """Take what nobody is there for: a job whose reply is no stream sends nothing by itself."""


class ModelJob(Job):
    """Runs one request for a model answer and records it.

    Args:
        door: The endpoint.
        services: What the app is made of.
        tenant: Who asks.
        headers: The caller's headers.
        caller_key: The caller's bearer key.
        send: Where a stream goes.
        query: Of the request's target, as it came.
    """

    def __init__(
        self,
        door: Door[Any],
        services: Services,
        tenant: Tenant,
        headers: Mapping[str, str],
        caller_key: str | None,
        send: Send = _to_nobody,
        *,
        query: bytes = b"",
    ) -> None:
        self._door = door
        self._query = query
        self.door = door.name
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
        told = {name: said for name, said in reply.headers.items() if name in LATE_HEADERS}
        return write_comments(told) + reply.body

    def _error_event(self, body: bytes) -> bytes:
        # The model server's own error objects may be spread over several lines.
        error = read_object(body)
        stream = self._call.stream if self._call else None
        return stream.write_error(error) if stream else write_event(error)

    async def _reply(self, raw: bytes) -> HttpReply:
        return self._success(await self._finished(self._door.read_request(raw)))

    async def _finished(self, request: ModelRequest) -> Finished:
        self.trace.model, self.trace.stream = request.model, request.stream
        if request.stream:
            self._services.capacity.take(Kind.STREAMS)
            self._has_place = True
            self._outgoing.keep_alive()
        self._tenant = asking_more(self._tenant, request.guard)
        self.trace.unknown_fields = tuple(f"request.{path}" for path in request.unknown)
        self._call = Call(
            tenant=self._tenant,
            door=self._door,
            request=request,
            headers=self._headers,
            caller_key=self._caller_key,
            query=self._query,
            trace=self.trace,
            spans=self.spans,
            outgoing=self._outgoing,
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

    def _record(self) -> None:
        if self._call and not self.trace.replies:
            left = self._call.left
            self.trace.replies = tuple(left[number] for number in sorted(left))
        self._outgoing.let_go()
        if self._has_place:
            self._has_place = False
            self._services.capacity.give_back(Kind.STREAMS)
        super()._record()
