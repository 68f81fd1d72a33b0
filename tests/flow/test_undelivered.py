"""A client that leaves while its whole reply is on its way has not got it."""

import asyncio
from pathlib import Path

from litestar.types import HTTPDisconnectEvent, HTTPRequestEvent, Message

from proxy.openai_api.sse import json_bytes
from proxy.traces.trace import Delivery
from proxy.verify import VerifyJob
from tests.fakes.running_proxy import running_proxy
from tests.fakes.scripted_upstream import ScriptedUpstream

BODY = json_bytes(
    {"question": "요금이 얼마인가요?", "answer": "5,000원입니다.", "sources": ["5,000원"]}
)


async def test_a_reply_that_was_not_taken_was_not_delivered(tmp_path: Path) -> None:
    waits = asyncio.Event()

    async def receive() -> HTTPRequestEvent | HTTPDisconnectEvent:
        await waits.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            waits.set()
            await asyncio.Event().wait()

    async with running_proxy(tmp_path, ScriptedUpstream(address="http://127.0.0.1:9")) as proxy:
        services = proxy.services
        tenant = services.tenants.book.named("app")
        assert tenant is not None
        job = VerifyJob(services, tenant, {}, None)
        await job.serve(BODY, receive, send)

    assert job.ended is not None
    assert job.ended.delivery is Delivery.CLIENT_GONE
