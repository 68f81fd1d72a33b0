import statistics
import time

import httpx
import pytest

from proxy.demo.model_server import Said, model_server
from proxy.server.serving import served

# How long a Linux client may keep the receipt of a reply's head to itself.
DELAYED_RECEIPT_S = 0.040


@pytest.mark.long
async def test_no_reply_waits_for_the_receipt_of_its_head() -> None:
    took_s = []
    async with (
        served(model_server(lambda _: Said(("네.",)))) as address,
        httpx.AsyncClient(base_url=address) as client,
    ):
        for _ in range(15):
            began_s = time.perf_counter()
            await client.get("/v1/models")
            took_s.append(time.perf_counter() - began_s)

    assert statistics.median(took_s) < DELAYED_RECEIPT_S / 2
