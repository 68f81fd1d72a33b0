import asyncio
import json
from collections.abc import AsyncGenerator
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio

from tests.fakes.log_lines import json_logs
from tests.fakes.open_upstream import OpenUpstream, Visit
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy
from tests.flow.passing import (
    JSON,
    SERVER_KEY,
    Both,
    ask,
    error_of,
    eventually_passed,
    open_both,
    passed,
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Both, None]:
    async with open_both(tmp_path_factory.mktemp("passing")) as opened:
        yield opened


@pytest.fixture
def proxy(both: Both) -> RunningProxy:
    return both[0]


@pytest.fixture
def upstream(both: Both) -> OpenUpstream:
    return both[1].tidied()


pytestmark = pytest.mark.asyncio(loop_scope="module")


# Clients that leave.


async def connection(proxy: RunningProxy, method: str, *lines: str) -> asyncio.StreamWriter:
    address = urlsplit(proxy.address)
    _, writer = await asyncio.open_connection(address.hostname, address.port)
    head = [
        f"{method} /v1/files HTTP/1.1",
        f"host: {address.netloc}",
        f"authorization: Bearer {proxy.key}",
        *lines,
    ]
    writer.write("\r\n".join([*head, "", ""]).encode())
    await writer.drain()
    return writer


@pytest.mark.parametrize("begun", [False, True], ids=["before-the-reply", "in-its-middle"])
async def test_a_client_that_leaves_ends_the_request_to_the_model_server(
    proxy: RunningProxy, upstream: OpenUpstream, begun: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting, left = asyncio.Event(), asyncio.Event()

    async def act(visit: Visit) -> None:
        if begun:
            await visit.begin()
            await visit.say(b"first")
        waiting.set()
        await visit.until_hung_up()
        left.set()

    upstream.act = act
    before = passed(proxy, "app", 499)

    with json_logs():
        async with asyncio.timeout(DEADLINE_S):
            writer = await connection(proxy, "GET")
            await waiting.wait()
            writer.close()
            await left.wait()
            await eventually_passed(proxy, "app", 499, before + 1)

    assert capsys.readouterr().err == ""


async def test_a_client_that_leaves_in_the_middle_of_its_body_ends_the_request(
    proxy: RunningProxy, upstream: OpenUpstream, capsys: pytest.CaptureFixture[str]
) -> None:
    arrived = asyncio.Event()

    async def act(visit: Visit) -> None:
        async for piece in visit.pieces():
            if piece:
                arrived.set()

    upstream.act = act
    before = passed(proxy, "app", 499)

    with json_logs():
        async with asyncio.timeout(DEADLINE_S):
            writer = await connection(proxy, "POST", "content-length: 1000")
            writer.write(b"x" * 500)
            await arrived.wait()
            writer.close()
            await upstream.hung_up.wait()
            await eventually_passed(proxy, "app", 499, before + 1)

    assert capsys.readouterr().err == ""


# Failures of the model server.

FAILURES = [
    pytest.param(400, b'{"error": {"message": "m"}}', 400, "m", id="its-own-error"),
    pytest.param(422, b'{"detail": "internal"}', 422, "status 422", id="not-an-openai-error"),
    pytest.param(500, b'{"error": {"message": "m"}}', 500, "status 500", id="its-fault"),
    pytest.param(302, b"", 502, "redirects (302)", id="redirect"),
]


@pytest.mark.parametrize(("status", "body", "seen", "said"), FAILURES)
async def test_a_failure_of_the_model_server_is_an_openai_error(
    proxy: RunningProxy, upstream: OpenUpstream, status: int, body: bytes, seen: int, said: str
) -> None:
    upstream.says(body, JSON, (b"location", b"http://elsewhere.test/"), status=status)

    reply = await ask(proxy, "GET", "/files/f")

    assert reply.status_code == seen
    assert said in reply.json()["error"]["message"]
    assert len(upstream.visits) == 1


async def test_a_rejected_key_of_the_operator_is_no_fault_of_the_caller(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    error = json.dumps({"error": {"message": f"wrong key {SERVER_KEY}"}}).encode()
    upstream.says(error, JSON, status=401)

    reply = await ask(proxy, "GET", "/files", tenant="keyed")

    assert error_of(reply, 502)["code"] == "upstream_rejected_key"
    assert SERVER_KEY not in reply.text


async def test_a_reply_that_stops_is_visibly_cut(
    proxy: RunningProxy, upstream: OpenUpstream, capsys: pytest.CaptureFixture[str]
) -> None:
    async def act(visit: Visit) -> None:
        await visit.begin()
        await visit.say(b"first")
        await visit.until_hung_up()

    upstream.act = act
    before = passed(proxy, "hasty", 504)

    with json_logs(), pytest.raises(httpx.RemoteProtocolError):
        await ask(proxy, "GET", "/files/f/content", tenant="hasty")

    [line] = [
        line
        for line in map(json.loads, capsys.readouterr().err.splitlines())
        if line["event"] == "passthrough.cut"
    ]
    assert (line["tenant"], line["error"]) == ("hasty", "upstream_timeout")
    await eventually_passed(proxy, "hasty", 504, before + 1)
