"""The proxy on a real socket, with policies written for the test."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from pydantic import JsonValue, SecretStr

from policies.keys import new_key
from proxy.app import create_app, open_services
from proxy.openai_api.json_body import JsonObject
from proxy.services import Services
from proxy.serving import served
from proxy.settings import Settings
from proxy.traces.trace import Trace
from tests.fakes.scripted_upstream import ScriptedUpstream

ADMIN_TOKEN = "test-admin-token"
DEADLINE_S = 20.0


@dataclass
class RunningProxy:
    """A proxy under test and the tenant that talks to it."""

    address: str
    key: str
    services: Services
    client: httpx.AsyncClient

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    async def chat(
        self, body: Mapping[str, JsonValue], *, key: str | None = None, **headers: str
    ) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.post(
            f"{self.base_url}/chat/completions",
            json=dict(body),
            headers={"authorization": f"Bearer {key or self.key}"} | named,
        )

    async def trace(self, reply: httpx.Response) -> Trace:
        """Return the reply's trace; it is written a moment after the reply."""
        return await self.trace_of(reply.headers["x-guard-request-id"])

    async def trace_of(self, trace_id: str) -> Trace:
        until = time.monotonic() + DEADLINE_S
        while time.monotonic() < until:
            if (trace := await self.services.traces.get(trace_id)) is not None:
                return trace
            await asyncio.sleep(0.01)
        raise AssertionError(f"no trace {trace_id} within {DEADLINE_S} s")


def tenant_yaml(name: str, key_hash: str, upstream: str, more: str = "") -> str:
    return (
        f"extends: default\ntenant: {name}\nkeys:\n  - {key_hash}\n{more}\n"
        if "upstream:" in more
        else f"extends: default\ntenant: {name}\nkeys:\n  - {key_hash}\n"
        f"upstream:\n  base_url: {upstream}/v1\n{more}\n"
    )


@asynccontextmanager
async def running_proxy(
    folder: Path,
    upstream: ScriptedUpstream,
    policy: str = "",
    *,
    redis_url: str | None = None,
    **settings: object,
) -> AsyncGenerator[RunningProxy, None]:
    """Run a proxy with one tenant, ``app``; `policy` is more YAML for its file."""
    policies = folder / "policies"
    policies.mkdir(exist_ok=True)
    key, key_hash = new_key("app")
    (policies / "app.yaml").write_text(tenant_yaml("app", key_hash, upstream.address, policy))
    chosen = Settings().model_copy(
        update={
            "policies": policies,
            "sqlite_path": folder / "traces.sqlite3",
            "redis_url": None if redis_url is None else SecretStr(redis_url),
            "admin_token": SecretStr(ADMIN_TOKEN),
            **settings,
        }
    )
    async with (
        open_services(chosen) as services,
        served(create_app(services)) as address,
        httpx.AsyncClient(timeout=DEADLINE_S) as client,
    ):
        yield RunningProxy(address, key, services, client)


def chat_body(
    question: str, sources: list[JsonValue] | None = None, **more: JsonValue
) -> JsonObject:
    """Return a request; `sources` are given in the exact channel."""
    body: JsonObject = {"model": "scripted-ko", "messages": [{"role": "user", "content": question}]}
    if sources is not None:
        body["guard"] = {"sources": sources}
    return body | more
