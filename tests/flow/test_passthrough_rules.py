"""Hands through what a policy opens and nothing else, and says how it ended."""

import asyncio
import json
from urllib.parse import urlsplit

import httpx
import openai
import pytest
from pydantic import JsonValue

from tests.fakes.log_lines import json_logs
from tests.fakes.open_upstream import OpenUpstream, Visit
from tests.fakes.running_proxy import DEADLINE_S, RunningProxy, running_proxy
from tests.flow.passing import (
    ANYTHING,
    JSON,
    Both,
    ask,
    error_of,
    eventually_passed,
    passed,
    says_json,
)
from tests.tables import each_row


@pytest.fixture
def proxy(both: Both) -> RunningProxy:
    return both[0]


@pytest.fixture
def upstream(both: Both) -> OpenUpstream:
    return both[1].tidied()


pytestmark = pytest.mark.asyncio(loop_scope="module")


# What a policy opens.


@each_row("tenant, method, path, status", "rules")
async def test_what_the_policy_opens_is_handed_through(
    proxy: RunningProxy,
    upstream: OpenUpstream,
    tenant: str,
    method: str,
    path: str,
    status: int,
) -> None:
    upstream.tidied()
    before = passed(proxy, tenant, status)

    reply = await ask(proxy, method, path, tenant=tenant)

    assert reply.status_code == status
    assert len(upstream.visits) == (status == 200)
    await eventually_passed(proxy, tenant, status, before + 1)


@each_row(
    "path, allowed",
    [("/files/f", "GET, HEAD, OPTIONS"), ("/chat/completions", "OPTIONS, POST")],
)
async def test_options_name_the_methods(
    proxy: RunningProxy, upstream: OpenUpstream, path: str, allowed: str
) -> None:
    reply = await ask(proxy, "OPTIONS", path, tenant="narrow")

    assert (reply.status_code, reply.headers["allow"]) == (204, allowed)
    assert upstream.visits == []


@each_row("path", ["/files", "/batches", "/nothing", "/chat/completions", ""])
@each_row("method", ["GET", "POST", "OPTIONS"])
async def test_without_a_key_nothing_is_told_about_a_path(
    proxy: RunningProxy, upstream: OpenUpstream, method: str, path: str
) -> None:
    reply = await proxy.client.request(method, f"{proxy.base_url}{path}")

    assert error_of(reply, 401)["code"] == "invalid_api_key"
    assert upstream.visits == []


async def test_what_a_policy_opens_at_a_risk_is_logged_at_the_start(
    tmp_path_factory: pytest.TempPathFactory,
    upstream: OpenUpstream,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path_factory.mktemp("warned")

    with json_logs():
        async with running_proxy(folder, upstream, "passthrough:\n  - /batches/**\n"):
            pass

    [line] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (line["event"], line["level"]) == ("policy.odd", "warning")
    assert "app.yaml:8:5: passthrough[0]: lets answers out that no guard has seen" in line["said"]


# A tenant with a list of models.


async def ask_json(
    proxy: RunningProxy, path: str, body: JsonValue, *, tenant: str = "listed"
) -> httpx.Response:
    content = json.dumps(body).encode()
    return await ask(
        proxy, "POST", path, tenant=tenant, content=content, headers=[("content-type", "text/json")]
    )


async def test_a_listed_model_gets_its_servers_name(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    for path in ("/embeddings", "/images/generations", "/moderations"):
        await ask_json(proxy, path, {"model": "public", "input": "가"})

    assert [json.loads(body)["model"] for body in upstream.bodies] == ["private"] * 3


FORM = "application/x-www-form-urlencoded"


@each_row("path, body, status", "not_listed")
async def test_no_other_model_is_reached_by_json(
    proxy: RunningProxy, upstream: OpenUpstream, path: str, body: JsonValue, status: int
) -> None:
    reply = await ask_json(proxy, path, body)

    error_of(reply, status)
    assert upstream.visits == []


@each_row("model", ["private", "public"])
async def test_no_model_is_reached_by_a_form(
    proxy: RunningProxy, upstream: OpenUpstream, model: str
) -> None:
    async with proxy.sdk("listed") as client:
        with pytest.raises(openai.BadRequestError) as caught:
            await client.audio.transcriptions.create(model=model, file=("a.wav", b"RIFF"))

    assert caught.value.param == "model"
    assert upstream.visits == []


@each_row("types", [("text/json", FORM), (FORM, "text/json")])
async def test_no_model_is_reached_by_what_is_a_form_as_well(
    proxy: RunningProxy, upstream: OpenUpstream, types: tuple[str, str]
) -> None:
    reply = await ask(
        proxy,
        "POST",
        "/embeddings",
        tenant="listed",
        content=b'{"model": "public", "input": "&model=private&"}',
        headers=[("content-type", each) for each in types],
    )

    error_of(reply, 400)
    assert upstream.visits == []


async def test_files_name_no_model_and_travel_as_they_are(
    proxy: RunningProxy, upstream: OpenUpstream
) -> None:
    says_json(upstream, {"id": "file-1", "object": "file"})

    async with proxy.sdk("listed") as client:
        await client.files.create(file=("a.txt", ANYTHING), purpose="user_data")

    assert ANYTHING in upstream.bodies[0]


@each_row("tenant", ["listed", "open-listed"])
async def test_the_list_of_models_is_the_tenants_own(
    proxy: RunningProxy, upstream: OpenUpstream, tenant: str
) -> None:
    async with proxy.sdk(tenant) as client:
        names = [model.id async for model in client.models.list()]
    others = await ask(proxy, "GET", "/models/private", tenant=tenant)
    removed = await ask(proxy, "DELETE", "/models/public", tenant=tenant)

    assert "public" in names
    assert "private" not in names
    assert (others.status_code, removed.status_code) == (404, 405)
    assert upstream.visits == []


# How it ends.


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


@each_row("status, body, seen, said", FAILURES)
async def test_a_failure_of_the_model_server_is_an_openai_error(
    proxy: RunningProxy, upstream: OpenUpstream, status: int, body: bytes, seen: int, said: str
) -> None:
    upstream.says(body, JSON, (b"location", b"http://elsewhere.test/"), status=status)

    reply = await ask(proxy, "GET", "/files/f")

    assert reply.status_code == seen
    assert said in reply.json()["error"]["message"]
    assert len(upstream.visits) == 1


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
