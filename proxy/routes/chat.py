"""`POST /v1/chat/completions`."""

import asyncio

from litestar import Request, Response, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.exceptions import InternalServerException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.response import Stream

from proxy.chat_job import ChatJob, held_stream
from proxy.errors import RequestTooLarge
from proxy.job import HttpReply
from proxy.openai_api.chat.writing import STREAM_TYPE
from proxy.routes.leaving import done_or_left
from proxy.services import Services


@post("/chat/completions", status_code=200)
async def chat_completions(
    request: Request[object, object, State], services: NamedDependency[Services]
) -> Response[bytes] | Stream:
    """Answer a chat completion, guarded.

    A stream is held until it is judged. If that takes long, comments keep the connection alive,
    and the headers that tell of the verdict can no longer be sent.
    """
    job = ChatJob(services, request.state.tenant, dict(request.headers), request.state.caller_key)
    try:
        raw = await request.body()
    except RequestEntityTooLarge:
        return _response(job.refuse(RequestTooLarge(services.settings.max_body_bytes)))
    except InternalServerException:  # what the framework makes of a client that hung up
        return _response(job.leave())
    task = asyncio.create_task(job.run(raw))
    keep_alive_s = services.settings.keep_alive_s
    await done_or_left(request, task, keep_alive_s)
    if not task.done() and job.trace.stream:
        job.promise_stream()
        headers = job.early_headers | {"x-guard-action": "pending"}
        return Stream(held_stream(task, keep_alive_s), media_type=STREAM_TYPE, headers=headers)
    await done_or_left(request, task, None)
    return _response(await task)


def _response(reply: HttpReply) -> Response[bytes]:
    return Response(
        reply.body,
        status_code=reply.status,
        media_type=reply.content_type,
        headers=dict(reply.headers),
    )
