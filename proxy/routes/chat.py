"""`POST /v1/chat/completions`."""

import asyncio

from litestar import Request, Response, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.response import Stream

from proxy.chat_job import ChatJob, HttpReply, held_stream
from proxy.openai_api.chat.writing import STREAM_TYPE
from proxy.services import Services


@post("/chat/completions", status_code=200)
async def chat_completions(
    request: Request[object, object, State], services: NamedDependency[Services]
) -> Response[bytes] | Stream:
    """Answer a chat completion, guarded.

    A stream is held until it is judged. If that takes long, comments keep the connection alive,
    and the headers that tell of the verdict can no longer be sent.
    """
    raw = await request.body()
    job = ChatJob(services, request.state.tenant, dict(request.headers), request.state.caller_key)
    task = asyncio.create_task(job.run(raw))
    done, _ = await asyncio.wait({task}, timeout=services.settings.keep_alive_s)
    if not done and job.trace.stream:
        job.promise_stream()
        headers = job.early_headers | {"x-guard-action": "pending"}
        keep_alive_s = services.settings.keep_alive_s
        return Stream(held_stream(task, keep_alive_s), media_type=STREAM_TYPE, headers=headers)
    return _response(await task)


def _response(reply: HttpReply) -> Response[bytes]:
    return Response(
        reply.body,
        status_code=reply.status,
        media_type=reply.content_type,
        headers=dict(reply.headers),
    )
