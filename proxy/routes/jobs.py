"""How a request becomes a job: its body is read, up to a limit, and the job replies."""

from litestar.types import Receive, Send

from proxy.errors import RequestTooLarge
from proxy.job import Job
from proxy.replying import send_whole
from proxy.routes.asked import Asked
from proxy.routes.upload import ClientLeft, Upload, refuse_length


async def serve_job(job: Job, asked: Asked, receive: Receive, send: Send) -> None:
    """Read a request's body and have its job reply."""
    limit_bytes = asked.services.settings.max_body_bytes
    try:
        refuse_length(asked.scope["headers"], limit_bytes)
        raw = await Upload(receive, limit_bytes).whole()
    except RequestTooLarge as error:
        await send_whole(send, job.refuse(error))
    except ClientLeft:
        job.leave()
    else:
        await job.serve(raw, receive, send)
