"""Serving: heads leave at once, and requests that come after the end are told so."""

import asyncio
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from litestar import Litestar, get

from proxy.demo import Said, model_server
from proxy.server.asgi_reply import Shutdown
from proxy.server.serving import served


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


ALONE = """
import asyncio, sys
import proxy.cli
from pathlib import Path
from typing import Any
from policies.schema.keys import new_key
from proxy.app import create_app, open_services
from proxy.settings import Settings

async def main(folder):
    (folder / "app.yaml").write_text(
        f"tenant: app\\nkeys: ['{new_key('app')[1]}']\\nupstream: {{base_url: 'http://127.0.0.1:9/v1'}}"
    )
    settings = Settings().model_copy(
        update={"policies": folder, "sqlite_path": folder / "t.sqlite3", "redis_url": None}
    )
    async with open_services(settings) as services:
        create_app(services)
        sdk = ("opentelemetry.exporter", "opentelemetry.sdk.trace", "proxy.telemetry.otel")
        print([name for name in sys.modules if f"{name}.".startswith(("redis.", *sdk))])

asyncio.run(main(Path(sys.argv[1])))
"""


def test_libraries_of_redis_and_telemetry_are_loaded_only_where_wanted(
    tmp_path: Path,
) -> None:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path)], env=bare, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("rounds", range(6))
async def test_who_comes_as_the_server_ends_is_taken_in_and_sent_away(rounds: int) -> None:
    """However far the event loop is with it by then, no connection stays open."""
    loop = asyncio.get_running_loop()
    loop.set_debug(True)  # in which asyncio tells of clients whom it could not take in
    wrong: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: wrong.append(context))

    app = Litestar([_greeting], openapi_config=None, logging_config=None)
    async with served(app) as address:
        host, port = address.removeprefix("http://").split(":")
        client = socket.create_connection((host, int(port)))
        for _ in range(rounds):
            await asyncio.sleep(0)

    with client:
        client.setblocking(False)
        async with asyncio.timeout(20):
            assert await loop.sock_recv(client, 1) == b""
    assert wrong == []
