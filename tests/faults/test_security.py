"""Security: keys before bodies, no address but the policy's, secrets in no log and no reply."""

import asyncio
import json
import signal
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from policies.schema.keys import WHOLE_HASH, new_key
from tests.fakes.open_upstream import OpenUpstream
from tests.fakes.running_proxy import ADMIN_TOKEN, DEADLINE_S, RunningProxy, running_proxy
from tests.fakes.service_process import asking, serving
from tests.tables import each_row

pytestmark = pytest.mark.asyncio(loop_scope="module")

ELSEWHERE = "http://elsewhere.invalid:9/v1"
SERVER_KEY = "server-key-that-nobody-may-see"
ANSWER = {
    "id": "x",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "안녕하세요."},
            "finish_reason": "stop",
        }
    ],
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncGenerator[OpenUpstream, None]:
    async with OpenUpstream().running() as upstream:
        yield upstream


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(
    tmp_path_factory: pytest.TempPathFactory, model: OpenUpstream
) -> AsyncGenerator[RunningProxy, None]:
    async with running_proxy(tmp_path_factory.mktemp("security"), model) as running:
        yield running


async def said_to(proxy: RunningProxy, request: bytes) -> tuple[int, str]:
    """Send bytes and nothing more; return the status and all that comes back in one reply."""
    host, _, port = proxy.address.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(request)
        async with asyncio.timeout(DEADLINE_S):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lines = head.lower().split("\r\n")
            [length] = [int(line[15:]) for line in lines if line.startswith("content-length:")]
            body = await reader.readexactly(length)
    finally:
        writer.close()
    return int(head.split()[1]), head + body.decode()


def head(key: str, *more: str, target: str = "/v1/chat/completions", host: str = "h") -> bytes:
    lines = [f"POST {target} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {key}", *more]
    return "\r\n".join([*lines, "", ""]).encode()


UNREAD = [
    pytest.param(["Content-Length: 10000000"], b"", id="ten-megabytes-announced"),
    pytest.param(["Content-Length: 10000000", "Expect: 100-continue"], b"", id="asks-to-go-on"),
    pytest.param(["Content-Length: 99999999999"], b"", id="more-than-is-taken"),
    pytest.param(["Transfer-Encoding: chunked"], b"", id="pieces"),
    pytest.param(["Content-Length: 5"], b"{{{{{", id="no-json"),
    pytest.param(["Content-Length: 2", "Content-Encoding: gzip"], b"{}", id="compressed"),
]


@each_row("headers, body", UNREAD)
@each_row("path", ["/v1/chat/completions", "/v1/verify", "/v1/files"])
async def test_a_wrong_key_is_refused_before_the_body_is_read(
    proxy: RunningProxy, path: str, headers: list[str], body: bytes
) -> None:
    status, reply = await said_to(proxy, head("gp-app-wrong", *headers, target=path) + body)

    assert status == 401
    assert '"code": "invalid_api_key"' in reply
    assert "100 Continue" not in reply
    assert "wrong" not in reply


@each_row("key", ["", " ", "Bearer", "\u00ff" * 9, "x" * 9000, "null", "sha256:0", "%00"])
async def test_what_is_no_key_opens_nothing(proxy: RunningProxy, key: str) -> None:
    request = head(key, "Content-Length: 2") + b"{}"
    status, _ = await said_to(proxy, request.decode().encode("latin-1"))
    assert status == 401


async def test_each_secret_opens_its_own_door_and_no_other(proxy: RunningProxy) -> None:
    [stored] = proxy.services.policies.snapshot.tenants["app"].policy.keys
    for key in (ADMIN_TOKEN, stored, stored.rpartition(":")[2], proxy.key[:-1]):
        reply = await proxy.chat(asking(), key=key)
        assert reply.status_code == 401
    others = await proxy.client.get(
        f"{proxy.address}/traces?tenant=other", headers={"authorization": f"Bearer {proxy.key}"}
    )
    assert [trace["tenant"] for trace in others.json()["data"] if trace["tenant"] != "app"] == []


MISLEADING = [
    pytest.param({}, [f"Host: {ELSEWHERE[7:24]}"], id="host"),
    pytest.param({}, ["X-Forwarded-Host: elsewhere.invalid"], id="forwarded-host"),
    pytest.param({}, ["Forwarded: host=elsewhere.invalid;proto=https"], id="forwarded"),
    pytest.param({}, ["X-Original-URL: /v1/files", "X-Rewrite-URL: /v1/files"], id="rewritten"),
    pytest.param({}, [f"X-Upstream: {ELSEWHERE}", f"X-Base-Url: {ELSEWHERE}"], id="headers"),
    pytest.param({"model": f"{ELSEWHERE}/m"}, [], id="model-is-an-address"),
    pytest.param({"model": "../../../elsewhere.invalid/"}, [], id="model-is-a-path"),
    pytest.param({"api_base": ELSEWHERE, "base_url": ELSEWHERE}, [], id="fields"),
    pytest.param({"guard": {"report": True}, "user": ELSEWHERE}, [], id="user"),
]


@pytest.mark.parametrize(("fields", "headers"), MISLEADING)
async def test_nothing_in_a_request_moves_where_it_goes(
    proxy: RunningProxy, model: OpenUpstream, fields: dict[str, object], headers: list[str]
) -> None:
    model.tidied().says(json.dumps(ANSWER).encode(), (b"content-type", b"application/json"))
    body = json.dumps({**asking(), **fields}).encode()
    length = f"Content-Length: {len(body)}"
    [host, *others] = (
        headers if headers and headers[0].startswith("Host:") else ["Host: h", *headers]
    )
    request = head(proxy.key, length, *others, host=host.removeprefix("Host: ")) + body

    status, _ = await said_to(proxy, request)

    assert status == 200
    [visit] = model.visits
    assert visit.target == "/v1/chat/completions"
    assert visit.values("host") == [model.address.removeprefix("http://")]
    carried = [name for name, value in visit.headers if b"elsewhere" in value]
    assert set(carried) <= {b"x-upstream", b"x-base-url"}, "of no meaning to a model server"


@pytest.mark.parametrize(
    "target",
    [
        f"{ELSEWHERE}/chat/completions",
        "//elsewhere.invalid/v1/chat/completions",
        "/v1/chat/completions@elsewhere.invalid",
        "/v1/http://elsewhere.invalid/",
        "/t/elsewhere.invalid/v1/chat/completions",
        "/v1/..//elsewhere.invalid",
    ],
)
async def test_no_target_leads_elsewhere(
    proxy: RunningProxy, model: OpenUpstream, target: str
) -> None:
    model.tidied()

    status, reply = await said_to(
        proxy, head(proxy.key, "Content-Length: 2", target=target) + b"{}"
    )

    assert status in (400, 404)
    assert '"error"' in reply
    assert model.visits == []


async def test_no_secret_is_logged_or_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY_IN_TESTS", SERVER_KEY)
    monkeypatch.setenv("GUARD_PROXY_ADMINTOKEN", SERVER_KEY)
    _, hashed = new_key("keyed")
    keyed = (
        f"extends: default\ntenant: keyed\nkeys: ['{hashed}']\n"
        "upstream: {base_url: 'http://127.0.0.1:9/v1', api_key_env: MODEL_KEY_IN_TESTS}\n"
        "judge: {base_url: 'http://127.0.0.1:9/v1', model: j, api_key_env: MODEL_KEY_IN_TESTS}\n"
    )
    token = "an-admin-token-of-tests"
    async with serving(
        tmp_path, files={"keyed": keyed}, debug="true", admin_token=token
    ) as service:
        service.model.gate.set()
        replies = [await service.chat(), await service.chat(stream=True)]
        async with service.client() as client:
            replies += [
                await client.post("/v1/chat/completions", content=b"{"),
                await client.get("/v1/models"),
                await client.get("/traces", headers={"authorization": f"Bearer {token}x"}),
                await client.get("/readyz"),
                await client.get("/metrics"),
                await client.get("/nowhere", headers={"authorization": f"Bearer {token}"}),
            ]
        (tmp_path / "policies.d" / "keyed.yaml").write_text(f"{keyed}keys: ['{SERVER_KEY}']\n")
        await service.command.logged("policies.refused")
        key = service.key
        [stored] = WHOLE_HASH.findall((tmp_path / "policies.d" / "app.yaml").read_text())
        service.command.signal(signal.SIGTERM)
        await service.command.ended()

    written = "\n".join(service.command.err + service.command.out)
    heard = "".join(reply.text + repr(reply.headers.raw) for reply in replies)
    assert "request.decided" in written
    for secret in (SERVER_KEY, token, key, stored, hashed):
        assert secret not in written
        assert secret not in heard
