"""How a request becomes a job: its body is read, up to a limit, and the job replies."""

import asyncio

from litestar.types import Receive, Send

from proxy.errors import RequestRefused, ServiceStopping
from proxy.job import Job
from proxy.routes.asked import Asked
from proxy.routes.content import refuse_model_in_query, refuse_other_content
from proxy.routes.upload import ClientLeft, Upload, refuse_length
from proxy.server.asgi_reply import send_whole


async def serve_job(job: Job, asked: Asked, receive: Receive, send: Send) -> None:
    """Read a request's body and have its job reply."""
    limit_bytes = asked.services.settings.max_body_bytes
    try:
        refuse_length(asked.scope["headers"], limit_bytes)
        refuse_other_content(asked.scope["headers"])
        if asked.tenant.upstream.models:
            refuse_model_in_query(asked.scope["query_string"])
        raw = await Upload(receive, limit_bytes).whole()
    except RequestRefused as error:
        await send_whole(send, job.refuse(error))
    except ClientLeft:
        job.leave()
    except asyncio.CancelledError:
        if not asked.services.shutdown.claim_cancellation():
            raise
        await send_whole(send, job.refuse(ServiceStopping()))
    else:
        await job.serve(raw, receive, send)
