"""`POST /v1/verify`: an answer held against its sources, without asking any model for one."""

import asyncio

from litestar import Request, Response, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.exceptions import InternalServerException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge

from proxy.errors import RequestTooLarge
from proxy.job import HttpReply
from proxy.leaving import done_or_left
from proxy.services import Services
from proxy.verify_job import VerifyJob


@post("/verify", status_code=200, name=VerifyJob.door)
async def verify(
    request: Request[object, object, State], services: NamedDependency[Services]
) -> Response[bytes]:
    """Verify an answer by the policy of the tenant that asks."""
    state = request.state
    job = VerifyJob(services, state.tenant, dict(request.headers), state.caller_key)
    try:
        raw = await request.body()
    except RequestEntityTooLarge:
        return _response(job.refuse(RequestTooLarge(services.settings.max_body_bytes)))
    except InternalServerException:  # what the framework makes of a client that hung up
        return _response(job.leave())
    task = asyncio.create_task(job.run(raw))
    await done_or_left(request, task, None)
    return _response(await task)


def _response(reply: HttpReply) -> Response[bytes]:
    return Response(
        reply.body,
        status_code=reply.status,
        media_type=reply.content_type,
        headers=dict(reply.headers),
    )
