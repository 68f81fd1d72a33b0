"""What becomes of requests that come when the patience with those under way is over."""

import httpx
from litestar import Litestar, get

from proxy.server.serving import served
from proxy.server.shutdown import Shutdown


@get("/")
async def _greeting() -> str:
    return "served"


async def test_who_comes_when_all_is_given_up_is_told_so_at_once() -> None:
    closing = Shutdown()
    app = closing.tracked(Litestar([_greeting], openapi_config=None, logging_config=None))

    async with served(app) as address, httpx.AsyncClient(base_url=address) as client:
        before = await client.get("/")
        closing.cancel_all()
        after = await client.get("/")

    assert (before.status_code, before.text) == (200, "served")
    assert after.status_code == 503
    assert after.json()["error"]["code"] == "service_stopping"
    assert after.headers.get_list("connection") == ["close"]
