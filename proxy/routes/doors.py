"""The endpoints whose answers are guarded: one handler for each door."""

import asyncio
from typing import Any

from litestar import Request, Response, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.exceptions import InternalServerException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream

from proxy.errors import RequestTooLarge
from proxy.job import HttpReply
from proxy.leaving import done_or_left
from proxy.model_job import ModelJob
from proxy.openai_api.door import Door
from proxy.openai_api.sse import STREAM_TYPE
from proxy.services import Services


def door_handler(door: Door[Any]) -> HTTPRouteHandler:
    """Return the handler of a door."""

    @post(f"/{door.path}", status_code=200, name=door.name)
    async def answer(
        request: Request[object, object, State], services: NamedDependency[Services]
    ) -> Response[bytes] | Stream:
        return await _answered(door, request, services)

    return answer


async def _answered(
    door: Door[Any], request: Request[object, object, State], services: Services
) -> Response[bytes] | Stream:
    """Answer a request, guarded.

    A stream begins with the first thing that may leave. If that takes long, comments keep the
    connection alive; either way its headers are sent before all is decided.
    """
    state = request.state
    job = ModelJob(door, services, state.tenant, dict(request.headers), state.caller_key)
    try:
        raw = await request.body()
    except RequestEntityTooLarge:
        return _response(job.refuse(RequestTooLarge(services.settings.max_body_bytes)))
    except InternalServerException:  # what the framework makes of a client that hung up
        return _response(job.leave())
    task = asyncio.create_task(job.run(raw))
    keep_alive_s = services.settings.keep_alive_s
    await done_or_left(request, task, keep_alive_s, begun=job.outgoing.begun)
    if not task.done() and job.trace.stream:
        job.outgoing.begun.set()  # from now on the reply is a stream, whatever it comes to
    if job.outgoing.begun.is_set():
        pieces = job.pieces(task, keep_alive_s)
        return Stream(pieces, media_type=STREAM_TYPE, headers=job.stream_headers)
    await done_or_left(request, task, None)
    return _response(await task)


def _response(reply: HttpReply) -> Response[bytes]:
    return Response(
        reply.body,
        status_code=reply.status,
        media_type=reply.content_type,
        headers=dict(reply.headers),
    )
