"""The endpoints whose answers are guarded: one for each door."""

from typing import Any

from litestar.types import Receive, Send

from proxy.model_job import ModelJob
from proxy.openai_api.door import Door
from proxy.routes.asked import Asked, Endpoint
from proxy.routes.jobs import serve_job


def door_endpoint(door: Door[Any]) -> Endpoint:
    """Return the endpoint of a door."""

    async def serve(asked: Asked, receive: Receive, send: Send) -> None:
        job = ModelJob(
            door,
            asked.services,
            asked.tenant,
            asked.headers,
            asked.caller_key,
            send,
            query=asked.scope["query_string"],
        )
        await serve_job(job, asked, receive, send)

    return Endpoint(door.name, serve)
