"""`POST /v1/verify`: an answer held against its sources, without asking any model for one."""

from litestar import Request, Response, post
from litestar.datastructures import State
from litestar.di import NamedDependency
from litestar.exceptions import InternalServerException
from litestar.exceptions.http_exceptions import RequestEntityTooLarge

from proxy.errors import RequestTooLarge
from proxy.services import Services
from proxy.verify_job import VerifyJob


@post("/verify", status_code=200)
async def verify(
    request: Request[object, object, State], services: NamedDependency[Services]
) -> Response[bytes]:
    """Verify an answer by the policy of the tenant that asks."""
    state = request.state
    job = VerifyJob(services, state.tenant, dict(request.headers), state.caller_key)
    try:
        reply = await job.run(await request.body())
    except RequestEntityTooLarge:
        reply = job.refuse(RequestTooLarge(services.settings.max_body_bytes))
    except InternalServerException:  # what the framework makes of a client that hung up
        reply = job.leave()
    return Response(
        reply.body,
        status_code=reply.status,
        media_type=reply.content_type,
        headers=dict(reply.headers),
    )
