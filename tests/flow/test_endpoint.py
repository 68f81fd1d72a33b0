import dataclasses
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import httpx
import openai
import pytest
from pydantic import JsonValue

from proxy.app import create_app
from proxy.demo import MODEL, Said, completion
from proxy.openai_api.json_body import JsonObject
from proxy.server.serving import served
from proxy.upstream.client import ModelServers
from proxy.upstream.request import ServerCall
from tests.fakes.log_lines import json_logs
from tests.fakes.rig import RAW, Rig, open_rig, upstream_yaml
from tests.fakes.running_proxy import chat_body
from tests.tables import each_row

MAX_BODY_BYTES = 20_000
BODY = chat_body("구내식당은 어디에 있나요?")
TEXT = "본관 지하에 있습니다."
CHAT = "/v1/chat/completions"
REPLY = json.dumps(completion(BODY, Said((TEXT,)))).encode()


RIG = partial(
    open_rig,
    dashboard=True,
    others={
        "listed": f"upstream:\n  base_url: {RAW}/v1\n  models: {{public: {MODEL}, same: same}}\n",
        "bytes": upstream_yaml(RAW),
        "bring-your-own": upstream_yaml(RAW, "pass_caller_key: true"),
    },
    max_body_bytes=MAX_BODY_BYTES,
)


pytestmark = pytest.mark.asyncio(loop_scope="module")


def error_of(reply: httpx.Response, status: int) -> JsonObject:
    assert reply.status_code == status
    assert reply.headers["content-type"] == "application/json"
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert isinstance(error, dict)
    return error


# Who asks.


@each_row("method, path", "doors")
@each_row("headers", "keys")
async def test_without_a_known_key_no_door_opens(
    rig: Rig, headers: dict[str, str], method: str, path: str
) -> None:
    url = f"{rig.proxy.address}{path}"

    reply = await rig.proxy.client.request(method, url, headers=headers, content=b"{}")

    assert error_of(reply, 401)["code"] == "invalid_api_key"
    assert reply.headers["www-authenticate"] == "Bearer"
    assert rig.scripted.requests == []


@each_row("scheme", ["bearer", "BEARER", "Bearer"])
async def test_the_scheme_may_be_spelled_in_any_case(rig: Rig, scheme: str) -> None:
    headers = {"authorization": f"{scheme} {rig.proxy.key}"}

    reply = await rig.proxy.client.get(f"{rig.proxy.base_url}/models", headers=headers)

    assert reply.status_code == 200


# What is asked.

MALFORMED = [
    pytest.param(b'{"model": ', None, "invalid_json", id="cut-off"),
    pytest.param(b"[1]", None, "invalid_json", id="no-object"),
    pytest.param(b'{"model": "a", "model": "b"}', None, "invalid_json", id="key-twice"),
    pytest.param(b'{"model": 1, "messages": []}', "model", "invalid_request", id="wrong-type"),
    pytest.param(
        b'{"model": "m", "messages": [7]}',
        "messages[0]",
        "invalid_request",
        id="wrong-type-inside",
    ),
]


@each_row("content, param, code", MALFORMED)
async def test_a_malformed_request_is_refused_and_traced(
    rig: Rig, content: bytes, param: str | None, code: str
) -> None:
    reply = await rig.proxy.send(content)

    error = error_of(reply, 400)
    assert (error["param"], error["code"]) == (param, code)
    trace = await rig.proxy.trace(reply)
    assert (trace.status, trace.error) == (400, code)
    assert rig.scripted.requests == []


@each_row("guard, param", "guard_fields")
async def test_the_sdk_is_told_which_member_of_guard_is_wrong(
    rig: Rig, guard: JsonValue, param: str
) -> None:
    async with rig.proxy.sdk() as client:
        with pytest.raises(openai.BadRequestError) as caught:
            await client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "user", "content": "안녕하세요"}],
                extra_body={"guard": guard},
            )

    assert caught.value.param == param
    assert rig.scripted.requests == []


@each_row("method, path, allowed", "another_method_is_told_which_ones_there_are")
async def test_another_method_is_told_which_ones_there_are(
    rig: Rig, method: str, path: str, allowed: str
) -> None:
    headers = {"authorization": f"Bearer {rig.proxy.key}"}

    reply = await rig.proxy.client.request(method, f"{rig.proxy.address}{path}", headers=headers)

    error = error_of(reply, 405)
    assert (error["code"], reply.headers["allow"]) == ("method_not_allowed", allowed)
    assert path in str(error["message"])
    assert rig.scripted.requests == []


OWN_PAGES = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/traces", "/traces/none"]


@each_row("path", [*OWN_PAGES, "/dashboard/login", "/dashboard", "/nowhere"])
async def test_the_head_of_a_page_of_our_own_is_the_head_of_what_is_got(
    rig: Rig, path: str
) -> None:
    address = f"{rig.proxy.address}{path}"

    got = await rig.proxy.client.get(address)
    asked = await rig.proxy.client.head(address)

    assert (asked.status_code, asked.content) == (got.status_code, b"")
    assert asked.headers.keys() == got.headers.keys()
    assert asked.headers["content-type"] == got.headers["content-type"]


async def test_who_asks_what_may_be_asked_is_told_of_heads(rig: Rig) -> None:
    reply = await rig.proxy.client.options(f"{rig.proxy.address}/healthz")

    assert (reply.status_code, reply.headers["allow"]) == (204, "GET, HEAD, OPTIONS")


# Limits.


async def test_a_request_that_is_too_large_is_refused_and_traced(rig: Rig) -> None:
    reply = await rig.proxy.chat(BODY | {"padding": "x" * MAX_BODY_BYTES})

    error = error_of(reply, 413)
    assert (error["code"], str(MAX_BODY_BYTES) in str(error["message"])) == (
        "request_too_large",
        True,
    )
    assert rig.scripted.requests == []
    trace = await rig.proxy.trace(reply)
    assert (trace.tenant, trace.status, trace.error) == ("app", 413, "request_too_large")


async def test_a_request_of_unknown_length_is_measured_as_it_comes(rig: Rig) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(MAX_BODY_BYTES // 1000 + 2):
            yield b"x" * 1000

    reply = await rig.proxy.client.post(
        f"{rig.proxy.address}{CHAT}",
        content=pieces(),
        headers={"authorization": f"Bearer {rig.proxy.key}"},
    )

    assert error_of(reply, 413)["code"] == "request_too_large"


async def test_a_request_just_within_the_limit_is_served(rig: Rig) -> None:
    rig.scripted.says(TEXT)
    content = json.dumps(BODY).encode()

    reply = await rig.proxy.send(content.ljust(MAX_BODY_BYTES))

    assert reply.status_code == 200


# Models.


@each_row("path", [CHAT, "/v1/embeddings"])
async def test_a_model_outside_the_tenants_list_does_not_exist(rig: Rig, path: str) -> None:
    content = json.dumps(BODY | {"model": MODEL, "input": "안녕"}).encode()

    reply = await rig.proxy.send(content, tenant="listed", path=path)

    error = error_of(reply, 404)
    assert (error["code"], error["param"]) == ("model_not_found", "model")
    assert rig.raw.requests == []


async def test_half_a_character_in_the_name_of_a_model_is_no_fault_of_ours(rig: Rig) -> None:
    reply = await rig.proxy.send(
        b'{"model": "\\ud83d", "messages": [{"role": "user"}]}', tenant="listed"
    )

    assert "\ud83d" in str(error_of(reply, 404)["message"])


async def test_the_sdk_raises_not_found_for_an_unknown_model(rig: Rig) -> None:
    async with rig.proxy.sdk("listed") as client:
        with pytest.raises(openai.NotFoundError) as caught:
            await client.chat.completions.create(
                model="gpt-none", messages=[{"role": "user", "content": "안녕하세요"}]
            )
        with pytest.raises(openai.NotFoundError):
            await client.models.retrieve("gpt-none")

    assert (caught.value.code, caught.value.param) == ("model_not_found", "model")


async def test_a_model_is_renamed_for_its_server_and_nothing_else(rig: Rig) -> None:
    rig.raw.says(REPLY)
    body = BODY | {"model": "public", "x_own": {"열": [1, None]}}

    await rig.proxy.send(json.dumps(body).encode(), tenant="listed")
    await rig.proxy.send(json.dumps(body).encode(), tenant="listed", path="/v1/embeddings")

    assert [json.loads(asked.body) for asked in rig.raw.requests] == [body | {"model": MODEL}] * 2


async def test_a_model_that_keeps_its_name_keeps_the_requests_bytes(rig: Rig) -> None:
    rig.raw.says(REPLY)
    content = json.dumps(BODY | {"model": "same"}, indent=3).encode()

    await rig.proxy.send(content, tenant="listed")
    await rig.proxy.send(content, tenant="listed", path="/v1/embeddings")

    assert [asked.body for asked in rig.raw.requests] == [content, content]


async def test_a_tenant_with_a_list_sees_its_own_names_only(rig: Rig) -> None:
    async with rig.proxy.sdk("listed") as client:
        names = [model.id async for model in client.models.list()]
        public = await client.models.retrieve("public")

    assert (names, public.id) == (["public", "same"], "public")
    assert rig.raw.requests == []


# The caller's own key.


async def ask_by_name(rig: Rig, tenant: str, key: str) -> httpx.Response:
    return await rig.proxy.client.post(
        f"{rig.proxy.address}/t/{tenant}/v1/chat/completions",
        json=dict(BODY),
        headers={"authorization": f"Bearer {key}"},
    )


async def test_a_tenant_reached_by_name_sends_the_callers_own_key_on(rig: Rig) -> None:
    rig.raw.says(REPLY)

    reply = await ask_by_name(rig, "bring-your-own", "sk-callers-own")

    [asked] = rig.raw.requests
    assert asked.values("authorization") == ["Bearer sk-callers-own"]
    assert (await rig.proxy.trace(reply)).tenant == "bring-your-own"


@each_row("tenant", ["app", "listed", "nobody", "%2e%2e", ""])
async def test_no_other_tenant_is_reached_by_name(rig: Rig, tenant: str) -> None:
    reply = await ask_by_name(rig, tenant, rig.proxy.key)

    assert error_of(reply, 404)["code"] == "unknown_url"
    assert rig.raw.requests == []
    assert rig.scripted.requests == []


# Failures of our own.


class BrokenServers(ModelServers):
    """A client of model servers with a fault that nobody foresaw; it quotes what it was given."""

    async def ask(self, call: ServerCall) -> bytes:
        raise RuntimeError(f"cannot handle {call.body.decode()} with {call.headers}")


@asynccontextmanager
async def broken_proxy(rig: Rig) -> AsyncGenerator[str, None]:
    servers = BrokenServers(1000)
    await servers.close()
    services = rig.proxy.services
    pipeline = dataclasses.replace(services.pipeline, servers=servers)
    broken = dataclasses.replace(services, servers=servers, pipeline=pipeline)
    async with served(create_app(broken)) as address:
        yield address


@pytest.mark.parametrize("path", [CHAT, "/v1/embeddings"])
async def test_a_fault_of_our_own_tells_the_client_nothing_but_a_number(
    rig: Rig, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    headers = {"authorization": f"Bearer {rig.proxy.key}"}

    async with broken_proxy(rig) as address:
        with json_logs():
            reply = await rig.proxy.client.post(
                f"{address}{path}", json=dict(BODY), headers=headers
            )

    assert reply.status_code == 500
    error = reply.json()["error"]
    assert (error["type"], error["code"]) == ("server_error", "internal_error")
    [line] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert (line["event"], line["level"]) == ("request.failed", "error")
    assert line["error"] == "RuntimeError"
    assert line["request_id"] in error["message"]
    for seen in (reply.text, str(line)):
        assert "구내식당" not in seen
        assert rig.proxy.key not in seen
        assert "Traceback" not in seen


async def test_a_fault_of_our_own_leaves_a_trace(rig: Rig) -> None:
    headers = {"authorization": f"Bearer {rig.proxy.key}"}

    async with broken_proxy(rig) as address:
        reply = await rig.proxy.client.post(f"{address}{CHAT}", json=dict(BODY), headers=headers)

    trace = await rig.proxy.trace(reply)
    assert (trace.status, trace.error) == (500, "internal_error")
    assert trace.id in reply.text
