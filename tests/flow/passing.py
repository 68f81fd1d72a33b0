"""A proxy whose tenants differ in what they hand through, before a server of every endpoint."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from pydantic import JsonValue

from tests.fakes.open_upstream import OpenUpstream
from tests.fakes.running_proxy import RunningProxy, running_proxy
from tests.flow.waiting import eventually

MAX_BODY_BYTES = 400_000
SERVER_KEY = "sk-of-the-operator"
JSON = (b"content-type", b"application/json")
ANYTHING = bytes(range(256)) * 40
UPSTREAM = "<upstream>"


def server_yaml(*lines: str) -> str:
    return "\n".join(["upstream:", f"  base_url: {UPSTREAM}/v1", *(f"  {line}" for line in lines)])


TENANTS = {
    "keyed": server_yaml("api_key_env: OPEN_UPSTREAM_KEY"),
    "listed": server_yaml("models: {public: private, same: same}"),
    "own-key": server_yaml("pass_caller_key: true"),
    "hasty": server_yaml("timeouts: {idle_s: 0.3}"),
    "closed": "passthrough: []\n",
    "narrow": "passthrough: ['GET /files/*', 'GET,DELETE /v1/files/*/content', POST /rerank]\n",
    "open": "passthrough: [/v1/**]\n",
    "open-listed": server_yaml("models: {public: private}") + "\npassthrough: [/**]\n",
}

Both = tuple[RunningProxy, OpenUpstream]


@asynccontextmanager
async def open_both(folder: Path) -> AsyncGenerator[Both, None]:
    """Run the proxy and its model server."""
    async with OpenUpstream().running() as upstream:
        others = {name: more.replace(UPSTREAM, upstream.address) for name, more in TENANTS.items()}
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("OPEN_UPSTREAM_KEY", SERVER_KEY)
            async with running_proxy(
                folder, upstream, others=others, max_body_bytes=MAX_BODY_BYTES
            ) as proxy:
                yield proxy, upstream


async def ask(
    proxy: RunningProxy,
    method: str,
    path: str,
    *,
    tenant: str = "app",
    content: bytes | AsyncIterator[bytes] | None = None,
    headers: list[tuple[str, str]] | None = None,
) -> httpx.Response:
    known = [("authorization", f"Bearer {proxy.keys[tenant]}"), *(headers or [])]
    return await proxy.client.request(
        method, f"{proxy.base_url}{path}", content=content, headers=known
    )


def error_of(reply: httpx.Response, status: int) -> dict[str, JsonValue]:
    assert reply.status_code == status
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert isinstance(error, dict)
    return error


def says_json(upstream: OpenUpstream, body: JsonValue) -> None:
    upstream.says(json.dumps(body).encode(), JSON)


def passed(proxy: RunningProxy, tenant: str, status: int) -> float:
    """Return how many requests were handed through, by the metrics."""
    passed = {"door": "passthrough", "action": "passthrough"}
    labels = {"tenant": tenant, "status": str(status), **passed}
    registry = proxy.services.metrics.registry
    return registry.get_sample_value("guard_proxy_requests_total", labels) or 0.0


async def eventually_passed(proxy: RunningProxy, tenant: str, status: int, wanted: float) -> None:
    async def holds() -> bool:
        return passed(proxy, tenant, status) == wanted

    await eventually(holds)
