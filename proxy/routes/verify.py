"""`POST /v1/verify`: an answer held against its sources, without asking any model for one."""

from typing import Final

from litestar.types import Receive, Send

from proxy.routes.asked import Asked, Endpoint
from proxy.routes.jobs import serve_job
from proxy.verify_job import VerifyJob


async def _verify(asked: Asked, receive: Receive, send: Send) -> None:
    """Verify an answer by the policy of the tenant that asks."""
    job = VerifyJob(asked.services, asked.tenant, asked.headers, asked.caller_key)
    await serve_job(job, asked, receive, send)


VERIFY: Final = Endpoint(VerifyJob.door, _verify)
